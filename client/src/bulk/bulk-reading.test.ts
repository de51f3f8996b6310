import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { computedHash, recordHash } from '../sinks/record/record-hash.ts'
import { wellFormedBytes } from '../sinks/record/record-json.ts'
import { idOf, mergedOf, recordOf } from '../testing/sink-conformance.ts'
import type { TenderRecord } from '../types.ts'
import type { BulkFile, BulkManifest } from './bulk-manifest.ts'
import { cursorOf, placeIn, Reading, startOf } from './bulk-reading.ts'
import { pathOf } from './load-files.ts'

const tender = (number: number, title: string): TenderRecord =>
  number === 3 ? { ...mergedOf(number, 0, 4), title } : recordOf(number, title === 'new' ? 1 : 0, { title })
type Head = { [name: string]: unknown }
const headOf = (record: TenderRecord): Head => ({
  id: record.id,
  lastModified: record.lastModified,
  status: record.status,
  archiveReason: record.archiveReason,
  mergedInto: record.mergedInto,
  bytes: Buffer.byteLength(JSON.stringify(record)),
  hash: computedHash(record),
})

/** A snapshot of 250 records, in two files, and a delta that brings three of them; `change` changes heads. */
function openWorld(change: (heads: Head[]) => unknown = () => {}, hasHeads = true) {
  const folder = mkdtempSync(join(tmpdir(), 'bulk-reading-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files: BulkFile[] = []
  const put = (lines: readonly object[], format: string, part: string) => {
    const packed = gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const file = { url: '', sha256: hash('sha256', packed), bytes: packed.length, rows: lines.length }
    writeFileSync(pathOf(folder, file), packed)
    files.push({ ...file, format, part, table: 'tenders' })
  }
  const range = (from: number, to: number, title: string) =>
    Array.from({ length: to - from }, (_, at) => tender(from + at, title))
  const delta = [1, 101, 249].map((number) => tender(number, 'new'))
  const parts = [range(0, 100, 'old'), range(100, 250, 'old'), delta]
  for (const [at, part] of parts.entries()) {
    put(part, 'ndjson', at === 2 ? 'delta' : 'snapshot')
    if (!hasHeads) continue
    const heads = part.map(headOf)
    if (at === 0) change(heads)
    put(heads, 'heads', at === 2 ? 'delta' : 'snapshot')
  }
  const manifest: BulkManifest = { edition: 7, lastModified: '', records: 250, files }
  const read = async (areHeads: boolean) => {
    let place = startOf(manifest)
    const pages: TenderRecord[][] = []
    for (;;) {
      // each page by a reader of its own, as after a kill
      const reading = new Reading(folder, manifest, place)
      pages.push(await reading.next(areHeads))
      await reading.close()
      if (!reading.place) return pages
      place = placeIn(cursorOf(reading.place), manifest)!
    }
  }
  return { read, all: parts.flat() }
}

test.each([
  ['records', false],
  ['heads', true],
])('pages of %s bring each record once, in its newest version, with its line and its hash', async (_, areHeads) => {
  const { read, all } = openWorld()
  const pages = await read(areHeads)
  expect(pages.map(({ length }) => length)).toEqual([100, 100, 50])
  const expected = all.filter((record) => record.title === 'new' || ![1, 101, 249].map(idOf).includes(record.id))
  const found = pages.flat()
  expect(found.map((record) => JSON.parse(wellFormedBytes(record).toString()))).toEqual(expected)
  expect(found.map(recordHash)).toEqual(expected.map(computedHash))
  expect(found.map(({ mergedInto }) => mergedInto)).toEqual(expected.map(({ mergedInto }) => mergedInto))
  expect(found[0]!.title).toBe(areHeads ? undefined : 'old')
})

test('without heads, older versions come too, and nothing came with them but their lines', async () => {
  const { read, all } = openWorld(undefined, false)
  const pages = await read(true)
  expect(pages.flat()).toEqual(all)
})

test.each([
  ['of another length', (heads: Head[]) => Object.assign(heads[7]!, { bytes: 7 }), 'has another length'],
  ['with another hash', (heads: Head[]) => Object.assign(heads[50]!, { hash: 'a'.repeat(64) }), 'is not its own'],
  [
    'of another time',
    (heads: Head[]) => Object.assign(heads[50]!, { lastModified: tender(9, '').lastModified }),
    'not its',
  ],
  ['without a time', (heads: Head[]) => Object.assign(heads[7]!, { lastModified: 'now' }), 'is no head'],
  ['in excess', (heads: Head[]) => heads.push({ ...heads[99]! }), 'nothing'],
])('a head %s is noticed', async (_, change, message) => {
  const { read } = openWorld(change)
  // other numbers of rows are no heads of these records
  if (message === 'nothing') return expect((await read(true)).flat()[0]!.title).toBe('old')
  await expect(read(true)).rejects.toThrow(message)
  await expect(read(false)).rejects.toThrow(message)
})
