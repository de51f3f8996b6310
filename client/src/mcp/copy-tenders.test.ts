import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqliteSink } from '../sinks/sqlite-sink.ts'
import type { TenderRecord } from '../types.ts'
import { copyTenders } from './copy-tenders.ts'
import type { TenderSource } from './tender-server.ts'
import type { SearchQuestion } from './tool-definitions.ts'

const id = (number: number) => `00000000-0000-8000-8000-${String(number).padStart(12, '0')}`
const record = (number: number, change: Partial<TenderRecord>): TenderRecord => ({
  id: id(number),
  lastModified: '2026-11-02T08:00:00.000Z',
  checkedAt: '2026-11-02T08:00:00.000Z',
  status: 'open',
  title: `Tender ${number}`,
  contractAmount: null,
  cpvCodes: [],
  nutsCodes: [],
  lots: [],
  originalSources: [],
  ...change,
})

let folder: string
let db: DatabaseSync
let tenders: TenderSource
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tenderstock-mcp-'))
  const file = join(folder, 'tenders.db')
  const sink = await sqliteSink({ file })
  await sink.begin({ kind: 'first', filterHash: '', resumed: false, keepArchived: true })
  await sink.upsert([
    record(1, {
      title: 'Straßenbau in Köln',
      submissionDate: '2026-11-20T11:00:00.000Z',
      cpvCodes: ['45233120'],
      nutsCodes: ['DEA23'],
      contractAmount: { value: 100, currency: 'EUR', estimated: false },
      contractingAuthority: { name: 'Stadt Köln' },
    }),
    record(2, {
      description: 'Bau einer Straße',
      participationDate: '2026-11-10T11:00:00.000Z',
      submissionDate: '2026-12-10T11:00:00.000Z',
      cpvCodes: ['45000000'],
      nutsCodes: ['FR'],
      contractAmount: { value: 900, currency: 'EUR', estimated: false },
    }),
    record(3, {
      submissionDate: '2026-10-01T11:00:00.000Z',
      contractAmount: { value: 5, currency: 'PLN', estimated: false },
    }),
    record(4, { status: 'awarded', title: 'Straße' }),
    record(5, {}),
  ])
  await sink.commit({ schema: 1, filterHash: '' }, 'run')
  await sink.end()
  db = new DatabaseSync(file, { readOnly: true })
  tenders = copyTenders(db, () => Date.parse('2026-11-03T00:00:00.000Z'))
})
afterAll(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

async function numbers(question: SearchQuestion): Promise<number[]> {
  const { records, total } = await tenders.search({ limit: 20, offset: 0, ...question })
  expect(total).toBe(records.length)
  return records.map((found) => Number(found.id.slice(-3)))
}

it('lists open ones by their next deadline, then passed ones, then those without', async () => {
  expect(await numbers({})).toEqual([2, 1, 3, 5])
})

it('looks for all words, in titles and descriptions, without marks', async () => {
  expect(await numbers({ words: 'strasse' })).toEqual([1, 2])
  expect(await numbers({ words: 'koln Straßenbau' })).toEqual([1])
  expect(await numbers({ words: 'strasse', status: ['awarded', 'open'] })).toEqual([1, 2, 4])
})

it('covers codes below, and compares euros and times', async () => {
  expect(await numbers({ cpv: ['45233000'] })).toEqual([1])
  expect(await numbers({ cpv: ['45'] })).toEqual([2, 1])
  expect(await numbers({ nuts: ['DEA'] })).toEqual([1])
  expect(await numbers({ value_min: 1 })).toEqual([2, 1])
  expect(await numbers({ value_max: 100, order: 'value' })).toEqual([1])
  expect(await numbers({ deadline_after: '2026-11-11', deadline_before: '2026-11-30' })).toEqual([1])
  expect(await numbers({ buyer: 'stadt koln' })).toEqual([1])
  expect(await numbers({ words: "' OR 1=1 --" })).toEqual([])
})

it('pages, gets one by its id, and says that a date is none', async () => {
  const page = await tenders.search({ limit: 1, offset: 1 })
  expect([page.total, page.records.map((found) => found.id)]).toEqual([4, [id(1)]])
  expect((await tenders.get(id(4)))?.status).toBe('awarded')
  expect(await tenders.get('nothing')).toBeUndefined()
  await expect(tenders.search({ limit: 1, offset: 0, deadline_after: '2026-99-99' })).rejects.toThrow('is no date')
})
