import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { randomOf } from '../../../test/testing/generate/random.ts'
import { seed } from '../../../test/testing/seed.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { fewWords } from '../../domain/token-table.ts'
import { SegmentBuilder } from './segment-builder.ts'
import { readSegment, writeSegment } from './word-file.ts'
import type { Segment } from './word-segment.ts'

const folder = mkdtempSync(join(tmpdir(), 'word-file-'))
afterAll(() => rmSync(folder, { recursive: true }))

const record: TenderRecord = {
  id: '00000000-0000-8000-8000-000000000001',
  status: 'open',
  lastModified: '2026-11-30T08:00:00.000Z',
  checkedAt: '2026-11-30T08:00:00.000Z',
  title: 'Straßenbau: Brücke über die Lauter, Οδός, улица №7, 𝒳𝓎',
  description: 'Maler- und Lackierarbeiten, E-Bike, ﬁne, naïve, soft\u00adhyphen, İstanbul',
  translations: { en: { title: 'Road works' } },
  contractingAuthority: { name: 'Stadt Köln', nationalId: 'DE 123.456.789', country: 'DE' },
  publicationDate: '2026-11-02T00:00:00.000Z',
  submissionDate: '2026-12-24T11:00:00.000Z',
  participationDate: '2026-12-01T11:00:00.000Z',
  contractAmount: { value: 500_000, currency: 'EUR', estimated: true },
  cpvCodes: ['45233000', '71000000'],
  nutsCodes: ['DE212', 'GR30'],
  lots: [{ lotId: 'LOT-1', status: 'open', title: 'Ÿpres', cpvCodes: ['03000000'], nutsCodes: [] }],
  originalSources: [],
}

function segmentOf(): Segment {
  const builder = new SegmentBuilder(fewWords)
  builder.add({ record, lastModified: 1, crc: 7 })
  builder.add({ record: { ...record, title: 'Dach', nutsCodes: [], contractAmount: null }, lastModified: 2, crc: 8 })
  return builder.finish()
}

test('a segment is read as it was written, and leaves no other file', async () => {
  const path = join(folder, '1.words')
  await writeSegment(path, segmentOf())
  expect(await readSegment(path)).toEqual(segmentOf())
  expect(readdirSync(folder)).toEqual(['1.words'])
})

test('a file of which a byte was changed, or that was cut or extended, counts as missing', async () => {
  const path = join(folder, '2.words')
  await writeSegment(path, segmentOf())
  const bytes = readFileSync(path)
  const random = randomOf(seed)
  for (let run = 0; run < 200; run++) {
    const at = random.integer(0, bytes.length - 1)
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1 << random.integer(0, 7)
    writeFileSync(path, changed)
    expect(await readSegment(path)).toBeUndefined()
  }
  for (const length of [0, 3, 15, 16, bytes.length - 1]) {
    writeFileSync(path, bytes)
    truncateSync(path, length)
    expect(await readSegment(path)).toBeUndefined()
  }
  writeFileSync(path, Buffer.concat([bytes, Buffer.alloc(8)]))
  expect(await readSegment(path)).toBeUndefined()
})

test('what a segment holds of a record is what files of this version hold', () => {
  const hash = createHash('sha256')
  for (const [name, value] of Object.entries(segmentOf()).sort())
    hash.update(
      `${name} ${ArrayBuffer.isView(value) ? Array.from(value as Uint8Array).join() : JSON.stringify(value)}\n`,
    )
  // raise the number in `magic` of word-file.ts when this changes: files of before must not be read
  expect(hash.digest('hex').slice(0, 16)).toBe('cd50c1d2e06fdee8')
})
