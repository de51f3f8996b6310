import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { randomOf } from '../../../test/testing/generate/random.ts'
import { seed } from '../../../test/testing/seed.ts'
import { procedureTypes } from '../../domain/codes.ts'
import { cpvRange } from '../../domain/cpv.ts'
import type { TenderFilter } from '../../domain/filter.ts'
import { nutsNumber, nutsRange } from '../../domain/nuts.ts'
import { hourMs, toInstant } from '../../domain/time.ts'
import { wholePage } from '../format/pieces.ts'
import { appendEdition, type EditionLog, type EditionLogOptions, openEditionLog } from './edition-log.ts'
import type { LogState } from './log-state.ts'
import { openGeneration } from './open-generation.ts'
import type { NewEntry } from './pack-entries.ts'

console.log(`edition-log.test seed ${seed} (SEED repeats it)`)

const folders: string[] = []
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'edition-log-'))
  folders.push(folder)
  return folder
}
const logs: EditionLog[] = []
async function openLog(folder: string, options: EditionLogOptions): Promise<EditionLog> {
  const log = await openEditionLog(folder, options)
  logs.push(log)
  return log
}
afterEach(async () => {
  for (const log of logs.splice(0)) await log.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const start = Date.UTC(2026, 0, 1)

type TestRecord = {
  id: string
  status: string
  archiveReason?: string
  mergedInto?: string
  lastModified: string
  title: string
  publicationDate?: string
  submissionDate?: string
  contractAmount: { value: number; currency: string; estimated: boolean } | null
  procedureType?: string
  cpvCodes: string[]
  nutsCodes: string[]
  realizedLocation?: { country: string; nuts: string }
  participationDate?: string
  lots: { cpvCodes: string[] }[]
}

function uuidOf(number: number): string {
  return `${number.toString(16).padStart(8, '0')}-7d3e-8b64-9a10-5c2e7f4b9d31`
}

function recordOf(number: number, lastModified: number, members: Partial<TestRecord> = {}): TestRecord {
  return {
    id: uuidOf(number),
    status: 'open',
    lastModified: toInstant(lastModified),
    title: `Straßenbau „${number}“ – Übersicht €`,
    contractAmount: null,
    cpvCodes: [],
    nutsCodes: [],
    lots: [],
    ...members,
  }
}

const entryOf = (record: TestRecord, sources: readonly string[] = ['ted']): NewEntry => ({
  lastModified: Date.parse(record.lastModified),
  body: JSON.stringify(record),
  sources: JSON.stringify(sources),
})

function publishedAtOf(edition: number): number {
  return start + edition * hourMs
}

async function append(
  log: EditionLog,
  edition: number,
  entries: readonly NewEntry[],
  { records, checks = {} }: { readonly records: number; readonly checks?: { readonly [source: string]: number } },
): Promise<void> {
  const lastModified = entries.at(-1)?.lastModified ?? log.newest?.lastModified ?? start
  const info = { edition, lastModified, publishedAt: publishedAtOf(edition), records, changes: entries.length }
  await appendEdition(log, { ...info, checks }, entries)
}

async function logOf(records: readonly TestRecord[]): Promise<EditionLog> {
  const log = await openLog(newFolder(), { clock: () => start })
  await append(
    log,
    1,
    records.map((record) => entryOf(record)),
    { records: records.length },
  )
  return log
}

const longRecords = (): TestRecord[] =>
  Array.from({ length: 40 }, (_, index) => recordOf(index, start + index, { title: 'x'.repeat(500) }))

const all: TenderFilter = { archived: true }

function numbersOf(log: EditionLog, filter: TenderFilter, edition = log.newest!.edition): number[] {
  const { positions } = log.list({ filter, edition, limit: 100 })
  return positions.map((position) => Number.parseInt(log.meta(position).id.slice(0, 8), 16))
}

describe('cpv', () => {
  const table: [string, string, string[], string[]][] = [
    ['C55 a leaf matches itself only', '45211341', ['45211341'], ['45211340', '45211342', '45211300']],
    [
      'C56 trailing zeros are a prefix',
      '45210000',
      ['45210000', '45211310', '45219999'],
      ['45220000', '45200000', '45000000'],
    ],
    [
      'C57 six zeros are a division',
      '45000000',
      ['45000000', '45999999', '45210000'],
      ['44999999', '46000000', '04500000'],
    ],
    [
      'C58 division 30 is not 31 to 39',
      '30000000',
      ['30000000', '30192121', '30999999'],
      ['31000000', '39999999', '03000000'],
    ],
    ['C58 division 90', '90000000', ['90000000', '90910000'], ['91000000', '98000000', '09000000']],
    ['C59 one zero', '03212210', ['03212210', '03212211', '03212213'], ['03212220', '03212200']],
    ['C60 a code need not be official', '30192120', ['30192121', '30192126'], ['30192130', '30192110']],
    ['C61 a child does not match its parent', '45211000', ['45211000', '45211100'], ['45210000', '45000000']],
  ]
  test.each(table)('%s', async (_, code, matching, others) => {
    const codes = [...matching, ...others]
    const log = await logOf(codes.map((cpv, index) => recordOf(index, start + index, { cpvCodes: [cpv] })))
    expect(numbersOf(log, { cpv: [code], archived: false })).toEqual(matching.map((_, index) => index))
  })

  test('C62 C63 C64 lots count, several codes are OR, without codes excluded', async () => {
    const log = await logOf([
      recordOf(0, start, { cpvCodes: ['45210000'], lots: [{ cpvCodes: ['71000000'] }] }),
      recordOf(1, start + 1, { lots: [{ cpvCodes: [] }, { cpvCodes: ['71240000'] }] }),
      recordOf(2, start + 2, { cpvCodes: ['90910000'] }),
      recordOf(3, start + 3),
    ])
    expect(numbersOf(log, { cpv: ['71000000'], archived: false })).toEqual([0, 1])
    expect(numbersOf(log, { cpv: ['71240000', '90000000'], archived: false })).toEqual([1, 2])
    expect(numbersOf(log, { archived: false })).toEqual([0, 1, 2, 3])
  })

  test('a filter of 200 codes finds what each code finds', async () => {
    const codes = Array.from({ length: 200 }, (_, index) => String(10_000_001 + index * 400_007))
    const log = await logOf(codes.map((cpv, index) => recordOf(index, start + index, { cpvCodes: [cpv] })))
    expect(
      log.list({ filter: { cpv: codes.slice(0, 99), archived: false }, edition: 1, limit: 100 }).positions,
    ).toHaveLength(99)
    expect(numbersOf(log, { cpv: codes.filter((_, index) => index % 3 === 0), archived: false })).toHaveLength(67)
  })
})

describe('nuts', () => {
  const table: [string, string[], string[], string[]][] = [
    ['C65 exact', ['DE212'], ['DE212'], ['DE21', 'DE213', 'DE']],
    ['C66 areas below', ['DE2'], ['DE2', 'DE21', 'DE212', 'DE2ZZ'], ['DE1', 'DE', 'DE3']],
    ['C67 not the area above', ['DE21'], ['DE21', 'DE21H'], ['DE2', 'DE']],
    ['C68 DE1 is not DE2x', ['DE1'], ['DE1', 'DE111'], ['DE2', 'DE211', 'DEA', 'DEA11']],
    ['C69 several are OR', ['AT13', 'FR'], ['AT130', 'FR', 'FR101', 'FRK'], ['AT12', 'DE', 'FI']],
  ]
  test.each(table)('%s', async (_, filter, matching, others) => {
    const log = await logOf(
      [...matching, ...others].map((code, index) => recordOf(index, start + index, { nutsCodes: [code] })),
    )
    expect(numbersOf(log, { nuts: filter, archived: false })).toEqual(matching.map((_, index) => index))
  })

  test('C70 C71 without a region code excluded, whatever realizedLocation says', async () => {
    const log = await logOf([
      recordOf(0, start),
      recordOf(1, start + 1, { realizedLocation: { country: 'DE', nuts: 'DE212' } }),
    ])
    expect(numbersOf(log, { nuts: ['DE'], archived: false })).toEqual([])
  })
})

test('C72 to C89: bounds are exact, missing values excluded', async () => {
  const at = (ms: number) => toInstant(start + ms)
  const value = (amount: number, currency = 'EUR', estimated = false) => ({ value: amount, currency, estimated })
  const log = await logOf([
    recordOf(0, start, {
      publicationDate: at(0),
      submissionDate: at(0),
      contractAmount: value(100),
      procedureType: 'open',
    }),
    recordOf(1, start + 1, {
      publicationDate: at(1),
      submissionDate: at(1),
      contractAmount: value(100.5, 'EUR', true),
    }),
    recordOf(2, start + 2, {
      contractAmount: value(100, 'NOK'),
      participationDate: at(99),
      procedureType: 'restricted',
    }),
    recordOf(3, start + 3, { contractAmount: null, procedureType: 'de-open' }),
  ])
  const find = (filter: Partial<TenderFilter>) => numbersOf(log, { archived: false, ...filter })
  expect(find({ publishedSince: start + 1 })).toEqual([1])
  expect(find({ publishedSince: start })).toEqual([0, 1])
  expect(find({ deadlineAfter: start })).toEqual([1])
  expect(find({ deadlineAfter: start - 1 })).toEqual([0, 1])
  expect(find({ valueMin: 100 })).toEqual([0, 1])
  expect(find({ valueMin: 101 })).toEqual([])
  expect(find({ valueMax: 100 })).toEqual([0])
  expect(find({ valueMin: 0, valueMax: 1_000_000 })).toEqual([0, 1])
  expect(find({ procedure: ['open'] })).toEqual([0])
  expect(find({ procedure: ['open', 'restricted'] })).toEqual([0, 2])
  expect(find({ procedure: ['exp-int-rail'] })).toEqual([])
  expect(find({ updatedSince: start + 2 })).toEqual([2, 3])
  expect(find({ updatedSince: start + 4 })).toEqual([])
})

test('C34 C35 C36 C91 C92 archived records are listed on request and in deltas', async () => {
  const log = await logOf([recordOf(0, start), recordOf(1, start + 1), recordOf(2, start + 2)])
  const merged = recordOf(1, start + 10, { status: 'merged', archiveReason: 'merged', mergedInto: uuidOf(0) })
  const expired = recordOf(2, start + 11, { status: 'closed', archiveReason: 'expired' })
  await append(log, 2, [entryOf(merged), entryOf(expired)], { records: 3 })
  expect(numbersOf(log, { archived: false })).toEqual([0])
  expect(numbersOf(log, { archived: true })).toEqual([0, 1, 2])
  expect(numbersOf(log, { archived: false, updatedSince: start + 10 })).toEqual([1, 2])
  expect(numbersOf(log, { archived: true, updatedSince: start + 10 })).toEqual([1, 2])
  expect(numbersOf(log, { archived: false }, 1)).toEqual([0, 1, 2])
  expect(log.meta(log.find(uuidOf(1))!)).toEqual({ id: uuidOf(1), lastModified: start + 10, mergedInto: uuidOf(0) })
  expect(log.meta(log.find(uuidOf(2))!)).toEqual({ id: uuidOf(2), lastModified: start + 11 })
  expect(log.find(uuidOf(9))).toBeUndefined()
  expect(log.find('not-an-id')).toBeUndefined()
})

test('C45 C46 a tie group of 150 is paged in the order of the ids', async () => {
  const log = await logOf(Array.from({ length: 150 }, (_, index) => recordOf(index, start)))
  const first = log.list({ filter: all, edition: 1, limit: 100 })
  expect(first.next).toEqual({ lastModified: start, id: uuidOf(99) })
  const second = log.list({ filter: all, edition: 1, after: first.next!, limit: 100 })
  expect(second.positions.map((position) => log.meta(position).id)).toEqual(
    Array.from({ length: 50 }, (_, index) => uuidOf(100 + index)),
  )
  expect(second.next).toBeNull()
})

test('D32 C47 C49 an exactly full last page and an empty one end the list', async () => {
  const log = await logOf([recordOf(0, start), recordOf(1, start + 1)])
  expect(log.list({ filter: all, edition: 1, limit: 2 }).next).toBeNull()
  expect(log.list({ filter: all, edition: 1, limit: 1 }).next).toEqual({ lastModified: start, id: uuidOf(0) })
  expect(wholePage(log.pageBody([], 1, 'identity'), null).toString()).toBe('{"data":[],"nextCursor":null}')
  expect(gunzipSync(wholePage(log.pageBody([], 1, 'gzip'), null)).toString()).toBe('{"data":[],"nextCursor":null}')
})

test('R3 an edition that is not known is refused', async () => {
  const log = await openLog(newFolder(), { clock: () => start })
  expect(log.newest).toBeUndefined()
  expect(() => log.list({ filter: all, edition: 1, limit: 1 })).toThrow(RangeError)
  await append(log, 1, [], { records: 0 })
  expect(() => log.list({ filter: all, edition: 2, limit: 1 })).toThrow(RangeError)
  expect(log.list({ filter: all, edition: 1, limit: 1 })).toEqual({ positions: [], next: null })
})

test('R4 R5 an edition is held 25 hours after the next; then the newest records up to its lastModified are listed', async () => {
  let now = publishedAtOf(2)
  const log = await openLog(newFolder(), { clock: () => now })
  await append(log, 1, [entryOf(recordOf(0, start)), entryOf(recordOf(1, start + 1))], { records: 2 })
  await append(log, 2, [entryOf(recordOf(0, start + 2))], { records: 2 })
  now = publishedAtOf(2) + 25 * hourMs
  expect(log.edition(1)?.edition).toBe(1)
  expect(numbersOf(log, all, 1)).toEqual([0, 1])
  now++
  expect(log.edition(1)).toBeUndefined()
  expect(log.edition(2)?.edition).toBe(2)
  expect(numbersOf(log, all, 1)).toEqual([1])
})

test('P2 entries that do not ascend above everything published are refused, and the log continues', async () => {
  const log = await logOf([recordOf(0, start + 5)])
  await expect(append(log, 2, [entryOf(recordOf(1, start + 5))], { records: 2 })).rejects.toThrow('P2')
  await expect(append(log, 1, [], { records: 1 })).rejects.toThrow('does not follow')
  expect(numbersOf(log, all)).toEqual([0])
  await append(log, 2, [entryOf(recordOf(1, start + 6))], { records: 2 })
  expect(numbersOf(log, all)).toEqual([0, 1])
  expect(numbersOf(log, all, 1)).toEqual([0])
})

test('C6 R1 no reader sees half an edition, before or after a source that fails in the middle', async () => {
  const log = await logOf([recordOf(0, start)])
  async function* failing(): AsyncGenerator<NewEntry> {
    for (let index = 0; index < 2000; index++) {
      if (index % 500 === 0) expect(numbersOf(log, all)).toEqual([0])
      yield entryOf(recordOf(index, start + 1 + index))
    }
    throw new Error('the database went away')
  }
  const edition = {
    edition: 2,
    lastModified: start + 3000,
    publishedAt: publishedAtOf(2),
    records: 2000,
    changes: 2000,
    checks: {},
  }
  await expect(appendEdition(log, edition, failing())).rejects.toThrow('went away')
  expect(log.newest?.edition).toBe(1)
  expect(numbersOf(log, all)).toEqual([0])
  expect(log.find(uuidOf(1))).toBeUndefined()
  await append(log, 2, [entryOf(recordOf(1, start + 1))], { records: 2 })
  expect(numbersOf(log, all)).toEqual([0, 1])
})

test('C26 checkedAt is the last check of any source of the record, as of the edition', async () => {
  const log = await openLog(newFolder(), { clock: () => start })
  const records = [entryOf(recordOf(0, start), ['ted', 'doe']), entryOf(recordOf(1, start + 1), ['file'])]
  await append(log, 1, records, { records: 2, checks: { ted: start + 5, doe: start + 7 } })
  await append(log, 2, [], { records: 2, checks: { ted: start + 9, doe: start + 7 } })
  const checkedAt = (edition: number) =>
    JSON.parse(
      wholePage(
        log.pageBody(log.list({ filter: all, edition, limit: 9 }).positions, edition, 'identity'),
        null,
      ).toString(),
    ).data.map((record: { checkedAt: string }) => Date.parse(record.checkedAt) - start)
  expect(checkedAt(1)).toEqual([7, 1])
  expect(checkedAt(2)).toEqual([9, 1])
  expect(numbersOf(log, { archived: true, updatedSince: start + 2 })).toEqual([])
})

test('gzip pages are complete for gunzip of the system too', async () => {
  const log = await logOf(
    Array.from({ length: 30 }, (_, index) => recordOf(index, start + index, { title: 'x'.repeat(index * 997) })),
  )
  const { positions } = log.list({ filter: all, edition: 1, limit: 30 })
  const file = join(newFolder(), 'page.gz')
  for (const bytes of [
    wholePage(log.pageBody(positions, 1, 'gzip'), 'cursor'),
    log.record(positions[3]!, 'gzip').bytes,
  ]) {
    writeFileSync(file, bytes)
    execFileSync('gunzip', ['-t', file])
  }
})

// The model: all versions ever published, filtered one by one.
type Version = { record: TestRecord; sources: string[]; bornIn: number; goneIn: number }

function matches(record: TestRecord, filter: TenderFilter): boolean {
  const lastModified = Date.parse(record.lastModified)
  const codes = [...record.cpvCodes, ...record.lots.flatMap((lot) => lot.cpvCodes)].map(Number)
  const within = (value: number, { from, to }: { from: number; to: number }) => value >= from && value <= to
  if (filter.updatedSince !== undefined && lastModified < filter.updatedSince) return false
  if (!filter.archived && filter.updatedSince === undefined && record.archiveReason) return false
  if (filter.cpv && !filter.cpv.some((code) => codes.some((value) => within(value, cpvRange(code))))) return false
  if (
    filter.nuts &&
    !filter.nuts.some((code) => record.nutsCodes.some((own) => within(nutsNumber(own), nutsRange(code))))
  )
    return false
  if (filter.publishedSince !== undefined && !(Date.parse(record.publicationDate ?? '') >= filter.publishedSince))
    return false
  if (filter.deadlineAfter !== undefined && !(Date.parse(record.submissionDate ?? '') > filter.deadlineAfter))
    return false
  const euros = record.contractAmount?.currency === 'EUR' ? record.contractAmount.value : Number.NaN
  if (filter.valueMin !== undefined && !(euros >= filter.valueMin)) return false
  if (filter.valueMax !== undefined && !(euros <= filter.valueMax)) return false
  return !filter.procedure || filter.procedure.some((code) => code === record.procedureType)
}

const cpvCodes = ['45000000', '45210000', '45211310', '30000000', '30192121', '71000000', '03212211', '90910000']
const nutsCodes = ['DE', 'DE2', 'DE21', 'DE212', 'DE1', 'AT130', 'FR', 'FR101']
const times = [-50_000, -1, 0, 1, 40_000]
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const subset = (codes: readonly string[]) => fc.uniqueArray(fc.constantFrom(...codes), { maxLength: 3 })
const timeAt = fc.constantFrom(...times).map((ms) => start + ms)

const members: fc.Arbitrary<Partial<TestRecord>> = fc
  .record({
    title: fc.string({ unit: 'grapheme', maxLength: 300 }),
    publicationDate: sometimes(timeAt.map(toInstant)),
    submissionDate: sometimes(timeAt.map(toInstant)),
    contractAmount: fc.option(
      fc.record({
        value: fc.constantFrom(0, 99.5, 100, 5000),
        currency: fc.constantFrom('EUR', 'EUR', 'NOK'),
        estimated: fc.boolean(),
      }),
    ),
    procedureType: sometimes(fc.constantFrom<string>('open', 'restricted', 'neg-w-call', 'exp-int-rail')),
    cpvCodes: subset(cpvCodes),
    nutsCodes: subset(nutsCodes),
    lots: fc.array(fc.record({ cpvCodes: subset(cpvCodes) }), { maxLength: 2 }),
    archiveReason: sometimes(fc.constantFrom('expired', 'merged')),
  })
  .map((record) => {
    const present = Object.fromEntries(
      Object.entries(record).filter(([, value]) => value !== undefined),
    ) as Partial<TestRecord>
    return record.archiveReason === 'merged' ? { ...present, mergedInto: uuidOf(0) } : present
  })

const filters: fc.Arbitrary<TenderFilter> = fc
  .record({
    cpv: sometimes(
      fc.uniqueArray(fc.constantFrom(...cpvCodes, '45211000', '30192120'), { minLength: 1, maxLength: 6 }),
    ),
    nuts: sometimes(fc.uniqueArray(fc.constantFrom(...nutsCodes, 'FR1', 'AT'), { minLength: 1, maxLength: 3 })),
    publishedSince: sometimes(timeAt),
    updatedSince: sometimes(fc.integer({ min: -2, max: 60 }).map((ms) => start + ms)),
    deadlineAfter: sometimes(timeAt),
    valueMin: sometimes(fc.constantFrom(0, 1, 100, 101)),
    valueMax: sometimes(fc.constantFrom(0, 99, 100, 5000)),
    procedure: sometimes(fc.uniqueArray(fc.constantFrom(...procedureTypes), { minLength: 1, maxLength: 9 })),
    archived: fc.boolean(),
  })
  .chain((filter) => fc.subarray(Object.keys(filter)).map((kept) => ({ filter, kept })))
  .map(({ filter, kept }) => ({
    archived: filter.archived,
    ...(Object.fromEntries(
      Object.entries(filter).filter(([name, value]) => value !== undefined && kept.includes(name)),
    ) as Partial<TenderFilter>),
  }))

const histories = fc.record({
  editions: fc.array(
    fc.record({
      changes: fc.uniqueArray(
        fc.record({
          number: fc.integer({ min: 0, max: 12 }),
          members,
          sources: fc.constantFrom<string[][]>(['ted'], ['doe', 'ted'], ['file']),
        }),
        { selector: (change) => change.number, maxLength: 8 },
      ),
      isTie: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  queries: fc.array(filters, { minLength: 1, maxLength: 5 }),
  limits: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 }),
})

function expectAnswersOf(
  log: EditionLog,
  versions: readonly Version[],
  checks: readonly { [source: string]: number }[],
  filter: TenderFilter,
  limits: readonly number[],
  edition: number,
): void {
  const expected = versions
    .filter((version) => version.bornIn <= edition && version.goneIn > edition && matches(version.record, filter))
    .sort((a, b) => (a.record.lastModified + a.record.id < b.record.lastModified + b.record.id ? -1 : 1))
    .map(({ record, sources }) => {
      const checked = sources.flatMap((source) => checks[edition - 1]![source] ?? [])
      return { ...record, checkedAt: checked.length > 0 ? toInstant(Math.max(...checked)) : record.lastModified }
    })
  const found: unknown[] = []
  for (let after: { lastModified: number; id: string } | undefined, page = 0; ; page++) {
    const limit = limits[page % limits.length]!
    const { positions, next } = log.list({ filter, edition, ...(after && { after }), limit })
    const identity = wholePage(log.pageBody(positions, edition, 'identity'), next?.id ?? null)
    expect(gunzipSync(wholePage(log.pageBody(positions, edition, 'gzip'), next?.id ?? null)).equals(identity)).toBe(
      true,
    )
    const answer = JSON.parse(identity.toString()) as { data: unknown[]; nextCursor: string | null }
    expect(answer.nextCursor).toBe(next?.id ?? null)
    expect(positions.length === limit || next === null).toBe(true)
    found.push(...answer.data)
    if (next === null) break
    after = next
  }
  expect(found).toEqual(expected)
}

test('C48 C94 to C99 R1 R2: any list of any held edition equals the model, page by page, also after a restart', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async ({ editions, queries, limits }) => {
      const folder = newFolder()
      const log = await openLog(folder, { clock: () => start })
      const versions: Version[] = []
      const checks: { [source: string]: number }[] = []
      let stamp = start
      for (const [index, { changes, isTie }] of editions.entries()) {
        const edition = index + 1
        checks.push({ ted: start + edition * 7, ...(edition > 2 && { doe: start + edition * 9 }) })
        const inOrder = [...changes].sort((a, b) => a.number - b.number)
        stamp++
        const entries = inOrder.map(({ number, members, sources }) => {
          const record = recordOf(number, isTie ? stamp : stamp++, members)
          const before = versions.find(
            (version) => version.record.id === record.id && version.goneIn === Number.POSITIVE_INFINITY,
          )
          if (before) before.goneIn = edition
          versions.push({ record, sources, bornIn: edition, goneIn: Number.POSITIVE_INFINITY })
          return entryOf(record, sources)
        })
        await append(log, edition, entries, {
          records: versions.filter((version) => version.goneIn === Number.POSITIVE_INFINITY).length,
          checks: checks[index]!,
        })
      }
      const expectAllOf = (reader: EditionLog): void => {
        for (const filter of queries)
          for (let edition = 1; edition <= editions.length; edition++)
            expectAnswersOf(reader, versions, checks, filter, limits, edition)
      }
      expectAllOf(log)
      await log.close()
      const restarted = await openLog(folder, { clock: () => start })
      expectAllOf(restarted)
      for (const version of versions) {
        if (version.goneIn !== Number.POSITIVE_INFINITY) continue
        const position = restarted.find(version.record.id)!
        const identity = restarted.record(position, 'identity').bytes
        expect(gunzipSync(restarted.record(position, 'gzip').bytes).equals(identity)).toBe(true)
        expect(JSON.parse(identity.toString())).toMatchObject(version.record)
      }
      await restarted.close()
      rmSync(folder, { recursive: true })
    }),
    { numRuns: 150, seed },
  )
})

test('a second process is told that the log is in use', async () => {
  const folder = newFolder()
  const log = await openLog(folder, { clock: () => start })
  await expect(openLog(folder, { clock: () => start })).rejects.toThrow(
    /in use by another Tenderstock process; give each/,
  )
  await log.close()
  await (await openLog(folder, { clock: () => start })).close()
})

function filesOf(folder: string): string[] {
  const generation = join(folder, readdirSync(folder).find((name) => name.startsWith('generation-'))!)
  return readdirSync(generation).map((name) => join(generation, name))
}

test('the checkpoint gives exactly the same as the frames, for one edition, and is rejected once a byte of it is wrong', async () => {
  const folder = newFolder()
  const log = await openLog(folder, { clock: () => start })
  const all = (edition: number, count: number) =>
    Array.from({ length: count }, (_, index) =>
      entryOf(
        recordOf((edition * 977 + index) % 6000, start + edition * 10_000 + index, {
          cpvCodes: cpvCodes.filter((_, code) => (index + edition) % (code + 2) === 0),
          nutsCodes: nutsCodes.filter((_, code) => (index * edition) % (code + 3) === 0),
          ...(index % 3 === 0 && { archiveReason: 'expired' }),
        }),
        index % 2 === 0 ? ['ted'] : ['doe', 'ted'],
      ),
    )
  await append(log, 1, all(1, 5000), { records: 5000, checks: { ted: start } })
  await log.idle()
  await append(log, 2, all(2, 3000), { records: 5000, checks: { ted: start + 1 } })
  await log.idle()
  const checkpoint = filesOf(folder).find((file) => file.endsWith('checkpoint'))!
  // Enough entries for one checkpoint, too few for another: the second edition is replayed.
  await append(log, 3, all(3, 50), { records: 5000, checks: { doe: start + 2 } })
  await log.idle()
  const whole = readFileSync(checkpoint)
  const held = (log as unknown as { held: LogState }).held
  const stateOf = async (): Promise<unknown> => {
    const state = (await openGeneration(dirname(checkpoint), () => undefined))!
    await state.close()
    for (const each of [held, state]) for (const chunk of each.table.chunks) chunk.verified.fill(0)
    const { count, chunks } = state.table
    // Shards may have grown in another order: only what they find matters.
    const positions = Array.from({ length: count }, (_, position) => state.ids.get(...wordsAt(state, position)))
    return { ...state.snapshot(), slots: positions, removable: state.removable, records: state.records, chunks }
  }
  const wordsAt = (state: LogState, position: number): [Uint32Array, number] => {
    const { words, offset } = state.table.idAt(position)
    return [words, offset]
  }
  await log.close()
  const restored = await stateOf()
  expect(existsSync(checkpoint)).toBe(true)
  rmSync(checkpoint)
  const replayed = await stateOf()
  expect(restored).toEqual(replayed)
  const random = randomOf(seed)
  const places = [0, whole.length - 1, whole.length - 9, whole.length - 13, whole.length - 18]
  for (let place = 0; place < 12; place++) places.push(random.integer(0, whole.length - 1))
  for (const place of places) {
    const bytes = Buffer.from(whole)
    bytes[place]! ^= 1 << random.integer(0, 7)
    writeFileSync(checkpoint, bytes)
    expect(await stateOf(), `byte ${place} of ${whole.length}`).toEqual(replayed)
    expect(existsSync(checkpoint), `byte ${place} of ${whole.length}`).toBe(false)
  }
  for (const length of [0, 19, 5000, whole.length - 1]) {
    writeFileSync(checkpoint, whole.subarray(0, length))
    expect(await stateOf()).toEqual(replayed)
  }
})

test('a checkpoint of a different history than that of the index file is not used', async () => {
  const folders = [newFolder(), newFolder()]
  const [one, other] = await Promise.all(
    folders.map(async (folder, turn) => {
      const log = await openLog(folder, { clock: () => start })
      const records = Array.from({ length: 5000 }, (_, index) => recordOf(index, start + index + turn))
      await append(
        log,
        1,
        records.map((record) => entryOf(record)),
        { records: 5000 },
      )
      await log.idle()
      await log.close()
      return filesOf(folder)
    }),
  )
  const place = (files: readonly string[]) => files.find((file) => file.endsWith('checkpoint'))!
  writeFileSync(place(one!), readFileSync(place(other!)))
  const again = await openLog(folders[0]!, { clock: () => start })
  expect(again.newest?.lastModified).toBe(start + 4999)
  expect(again.meta(again.find(uuidOf(7))!).lastModified).toBe(start + 7)
})

test('damage after the check is not served as plain text, and not accepted as gzip', async () => {
  const log = await logOf(longRecords())
  const folder = folders[0]!
  const page = (encoding: 'identity' | 'gzip') => {
    const { positions } = log.list({ filter: all, edition: 1, limit: 40 })
    return wholePage(log.pageBody(positions, 1, encoding), null)
  }
  const whole = page('identity')
  expect(gunzipSync(page('gzip')).equals(whole)).toBe(true)
  const random = randomOf(seed)
  for (const file of filesOf(folder).filter((name) => name.endsWith('.bin'))) {
    const intact = readFileSync(file)
    for (let round = 0; round < 25; round++) {
      const rotten = Buffer.from(intact)
      rotten[random.integer(0, rotten.length - 1)]! ^= 1 << random.integer(0, 7)
      writeFileSync(file, rotten)
      expect(page('identity').equals(whole)).toBe(true)
      let text: Buffer | undefined
      try {
        text = gunzipSync(page('gzip'))
      } catch {
        // Refused by its own checksum.
      }
      if (text) expect(text.equals(whole)).toBe(true)
      log.checkSome(1)
      await log.idle()
      expect(readFileSync(file).equals(intact)).toBe(true)
    }
  }
})

test('damaged gzip never reaches a client as a record, and as a page only until it was requested some more times', async () => {
  const log = await logOf(longRecords())
  const folder = folders[0]!
  const { positions } = log.list({ filter: all, edition: 1, limit: 40 })
  // nothing is kept for positions other than those of the list itself
  const page = () => wholePage(log.pageBody([...positions], 1, 'gzip'), null)
  const record = () => Buffer.from(log.record(positions[7]!, 'gzip').bytes)
  const [wholeOfPage, wholeOfRecord] = [page(), record()]
  const file = filesOf(folder).find((name) => name.endsWith('gzip.bin'))!
  const intact = readFileSync(file)
  const rot = () => {
    const rotten = Buffer.from(intact)
    const { held } = log as unknown as { held: LogState }
    rotten[held.offsetOf('gzip', positions[7]!) + 90]! ^= 4
    writeFileSync(file, rotten)
  }
  rot()
  expect(record().equals(wholeOfRecord)).toBe(true)
  await log.idle()
  expect(readFileSync(file).equals(intact)).toBe(true)
  rot()
  let asked = 1
  for (; !page().equals(wholeOfPage); asked++) expect(asked).toBeLessThan(16)
  await log.idle()
  expect(readFileSync(file).equals(intact)).toBe(true)
  rot()
  // requested as a list, it is kept for later requests, but not before it was checked
  expect(wholePage(log.pageBody(positions, 1, 'gzip'), null).equals(wholeOfPage)).toBe(true)
  await log.idle()
  expect(readFileSync(file).equals(intact)).toBe(true)
})

test('damage in an open log is found by the background check, and repaired from the other file', async () => {
  const warnings: string[] = []
  const folder = newFolder()
  const log = await openLog(folder, { clock: () => start, onWarning: (warning) => warnings.push(warning) })
  const records = Array.from({ length: 700 }, (_, index) =>
    recordOf(index, start + index, { title: 'x'.repeat(index) }),
  )
  await append(
    log,
    1,
    records.map((record) => entryOf(record)),
    { records: 700 },
  )
  const bodies = filesOf(folder).filter((file) => file.endsWith('.bin'))
  const intact = bodies.map((file) => readFileSync(file))
  const random = randomOf(seed)
  for (let round = 0; round < 20; round++) {
    // Damages both copies, but of different records: one file in its first half, the other in its last quarter.
    for (const [index, file] of bodies.entries()) {
      const rotten = Buffer.from(intact[index]!)
      const half = Math.floor(rotten.length / 2)
      for (let byte = 0; byte < 5; byte++) {
        const at = index === 0 ? random.integer(0, half - 1) : random.integer(half + (half >> 1), rotten.length - 1)
        rotten[at]! ^= 1 << random.integer(0, 7)
      }
      writeFileSync(file, rotten)
    }
    // Three thirds are a full cycle, wherever it began.
    for (let part = 0; part < 4; part++) {
      log.checkSome(1 / 3)
      await log.idle()
    }
    for (const [index, file] of bodies.entries()) expect(readFileSync(file).equals(intact[index]!)).toBe(true)
    expect(log.isDamaged).toBe(false)
  }
  expect(warnings.every((warning) => /were repaired. Check the disk/.test(warning))).toBe(true)
  expect(warnings.length).toBeGreaterThanOrEqual(20)
  for (const [index, file] of bodies.entries()) writeFileSync(file, Buffer.alloc(intact[index]!.length))
  log.checkSome(1)
  await log.idle()
  expect(log.isDamaged).toBe(true)
  expect(warnings.at(-1)).toMatch(/lost records/)
})

test('R4 after 25 hours the checks and bodies of old editions leave the disk, and held editions stay as they were', async () => {
  let now = publishedAtOf(1)
  const folder = newFolder()
  const log = await openLog(folder, { clock: () => now, toleratedEntries: 100 })
  const textOf = (edition: number, number: number) => `${edition} ${number} `.repeat(60)
  const pagesOf = (reader: EditionLog, edition: number): Buffer[] => {
    const pages: Buffer[] = []
    for (let after: { lastModified: number; id: string } | undefined; ; ) {
      const { positions, next } = reader.list({ filter: all, edition, ...(after && { after }), limit: 100 })
      pages.push(wholePage(reader.pageBody(positions, edition, 'gzip'), next?.id ?? null))
      if (next === null) return pages
      after = next
    }
  }
  const sizeOf = (): number => filesOf(folder).reduce((sum, file) => sum + statSync(file).size, 0)
  const appendOne = async (edition: number): Promise<void> => {
    now = publishedAtOf(edition)
    const entries = Array.from({ length: 40 }, (_, index) => {
      const number = (edition * 40 + index) % 200
      return entryOf(recordOf(number, start + edition * 1000 + index, { title: textOf(edition, number) }))
    })
    await append(log, edition, entries, { records: Math.min(200, edition * 40), checks: { ted: now } })
  }
  const remembered = new Map<number, Buffer[]>()
  const sizes: number[] = []
  for (let edition = 1; edition <= 120; edition++) {
    await appendOne(edition)
    remembered.set(edition, pagesOf(log, edition))
    if (edition % 4 === 0) await log.idle()
    const oldest = Math.max(1, edition - 26)
    for (const held of [oldest, Math.floor((oldest + edition) / 2)])
      expect(pagesOf(log, held).map((page) => page.toString('hex'))).toEqual(
        remembered.get(held)!.map((page) => page.toString('hex')),
      )
    if (edition > 27) expect(log.edition(edition - 27)).toBeUndefined()
    sizes.push(sizeOf())
  }
  await log.idle()
  // 25 held editions of 40 entries and 200 records, and a third more before a copy is due.
  expect(Math.max(...sizes.slice(60))).toBeLessThan(sizes[29]! * 2)
  expect(readdirSync(folder).filter((name) => name.startsWith('generation-'))).toHaveLength(1)
  const { held } = log as unknown as { held: LogState }
  expect(held.table.count).toBeLessThan(2000)
  expect([...held.editions.values()].filter(({ checks }) => checks.size > 0).length).toBeLessThanOrEqual(27)
  await log.close()
  const again = await openLog(folder, { clock: () => now })
  for (let edition = 94; edition <= 120; edition++)
    expect(pagesOf(again, edition).map((page) => page.toString('hex'))).toEqual(
      remembered.get(edition)!.map((page) => page.toString('hex')),
    )
})

test('C6 a copy that is truncated to an edition older than those for which it was made does not show it: records are missing', async () => {
  let now = start
  const folder = newFolder()
  const options = { clock: () => now, toleratedEntries: 20, toleratedReplay: 1_000_000 }
  const log = await openLog(folder, options)
  for (let edition = 1; edition <= 45; edition++) {
    now = publishedAtOf(edition)
    const entries = Array.from({ length: 10 }, (_, index) =>
      entryOf(recordOf((edition * 10 + index) % 30, start + edition * 1000 + index)),
    ).sort((a, b) => a.lastModified - b.lastModified)
    await append(log, edition, entries, { records: Math.min(30, edition * 10) })
    await log.idle()
  }
  await log.close()
  const [index] = filesOf(folder).filter((file) => file.endsWith('index.log'))
  expect(index).not.toContain('generation-1/')
  const intact = readFileSync(index!)
  const shown = new Set<number>()
  for (let length = intact.length; length > 0; length -= 200) {
    writeFileSync(index!, intact.subarray(0, length))
    const again = await openLog(folder, options)
    const edition = again.newest?.edition
    if (edition === undefined) break
    expect(again.list({ filter: all, edition, limit: 100 }).positions).toHaveLength(Math.min(30, edition * 10))
    shown.add(edition)
    await again.close()
  }
  expect(shown.size).toBeGreaterThan(10)
})

test('a log damaged anywhere never serves a wrong byte: it returns to a complete edition, repairs or refuses', async () => {
  const folder = newFolder()
  const options = { clock: () => start, toleratedReplay: 20 }
  const log = await openLog(folder, options)
  for (let edition = 1; edition <= 4; edition++) {
    const entries = Array.from({ length: 20 }, (_, index) =>
      entryOf(
        recordOf((edition * 7 + index) % 40, start + edition * 100 + index, { title: `${edition} `.repeat(index + 1) }),
      ),
    ).sort((a, b) => a.lastModified - b.lastModified)
    await append(log, edition, entries, { records: [20, 27, 34, 40][edition - 1]!, checks: { ted: start + edition } })
  }
  const pagesOf = (reader: EditionLog, edition: number) =>
    (['identity', 'gzip'] as const).map((encoding) =>
      wholePage(reader.pageBody(reader.list({ filter: all, edition, limit: 100 }).positions, edition, encoding), null),
    )
  await log.idle()
  // Its checkpoint is that of the third edition or of the fourth: replay and restoring both happen.
  const whole = [1, 2, 3, 4].map((edition) => pagesOf(log, edition))
  await log.close()
  const files = filesOf(folder)
  expect(files.map((file) => basename(file)).sort()).toEqual([
    'checkpoint',
    'gzip.bin',
    'hashes',
    'index.log',
    'plain.bin',
  ])
  const intact = files.map((file) => readFileSync(file))
  let served = 0
  let refused = 0
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: files.length - 1 }),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      fc.constantFrom('cut', 'flip', 'zero', 'grow'),
      async (file, place, kind) => {
        rmSync(folder, { recursive: true })
        mkdirSync(dirname(files[0]!), { recursive: true })
        for (const [index, path] of files.entries()) writeFileSync(path, intact[index]!)
        const at = Math.floor(place * intact[file]!.length)
        const bytes = Buffer.from(intact[file]!)
        if (kind === 'flip') bytes[at]! ^= 1
        if (kind === 'zero') bytes.fill(0, at, Math.min(at + 512, bytes.length))
        const written =
          kind === 'cut'
            ? bytes.subarray(0, at)
            : kind === 'grow'
              ? Buffer.concat([bytes, Buffer.alloc(at % 99)])
              : bytes
        writeFileSync(files[file]!, written)
        const again = await openLog(folder, options)
        const newest = again.newest?.edition ?? 0
        for (let edition = 1; edition <= newest; edition++) {
          try {
            expect(pagesOf(again, edition).map((page) => page.toString('hex'))).toEqual(
              whole[edition - 1]!.map((page) => page.toString('hex')),
            )
            served++
          } catch (error) {
            if ((error as Error).name !== 'DamagedLogError') throw error
            expect(again.isDamaged).toBe(true)
            refused++
          }
        }
        // It continues from its position.
        await append(again, newest + 1, [entryOf(recordOf(1, start + 10_000))], {
          records: [1, 21, 28, 35, 40][newest]!,
        })
        expect(numbersOf(again, { archived: true, updatedSince: start + 10_000 })).toEqual([1])
        await again.close()
      },
    ),
    { numRuns: 200, seed },
  )
  console.log(`damaged logs: ${served} editions served whole, ${refused} refused`)
  expect(served).toBeGreaterThan(50)
})
