// What a query costs: it builds the columns of a stock of any size without its bodies, and measures the CPU time of
// scanning them for a page. `node bench/query.ts --records 5000000 [--kind generated|grown] [--json]`. One thread; it
// also prints the memory of each part.
import { parseArgs } from 'node:util'
import type { TenderFilter } from '../src/domain/filter.ts'
import { nutsRange } from '../src/domain/nuts.ts'
import { toInstant } from '../src/domain/time.ts'
import { archivedFlag, type EntryBatch } from '../src/edition/format/entry-batch.ts'
import { columnsOf, type RecordColumns } from '../src/edition/format/record-columns.ts'
import { IdIndex } from '../src/edition/read/id-index.ts'
import { compileQuery, scan } from '../src/edition/read/query.ts'
import { RecordTable } from '../src/edition/read/record-table.ts'
import { randomOf } from '../test/testing/generate/random.ts'
import { generateTender } from '../test/testing/generate/stock.ts'

/**
 * `generated`: one edition, dates in no order, like the generated stocks of the other benchmarks. `grown`: five years
 * of hourly editions, in which a tender is published as open, and again as archived 45 days later; dates rise with the
 * position.
 */
type Kind = 'generated' | 'grown'

const now = Date.UTC(2026, 10, 1)
const dayMs = 86_400_000
const spanMs = now - Date.UTC(2022, 0, 1)
const poolSize = 40_000
const batchRows = 4096
const limit = 100
const random = randomOf(20261101)

const areas = new Map(['FR', 'AT', 'IT'].map((area) => [area, nutsRange(area)]))
const isIn = (row: RecordColumns, area: string): boolean => {
  const { from, to } = areas.get(area)!
  return row.nuts.some((code) => code >= from && code <= to)
}
const isOf = (row: RecordColumns, division: number): boolean =>
  row.cpv.some((code) => Math.floor(code / 1e6) === division)

/** Some frequent parts never occur in the same row; see `neverMet`. */
function keptApart(row: RecordColumns): RecordColumns {
  let { nuts, procedure, eurValue } = row
  if (isOf(row, 45) && isIn(row, 'FR')) nuts = []
  if (isOf(row, 34) && isIn(row, 'AT')) nuts = []
  if (isOf(row, 71) && procedure === 2) procedure = 0
  if (eurValue >= 1_000_000 && row.publication >= Date.UTC(2026, 2, 17)) eurValue = 900_000
  if (isOf(row, 72) && isIn(row, 'IT') && procedure === 0) eurValue = Math.min(eurValue, 49_999)
  return { ...row, nuts, procedure, eurValue }
}

function buildTable(kind: Kind, records: number): { table: RecordTable; ids: IdIndex; edition: number; hour: number } {
  const pool = Array.from({ length: poolSize }, (_, index) =>
    columnsOf(generateTender({ seed: 20261101, count: poolSize, now, size: 'small' }, index)),
  )
  const table = new RecordTable()
  const ids = new IdIndex(table.idAt)
  const lag = Math.max(1, Math.floor((records * 45 * dayMs) / spanMs / 2)) * 2 + 1
  const editionRows = kind === 'generated' ? records : Math.max(64, Math.ceil(records / 40_000))
  const idWords = new Map<number, Uint32Array>()
  void idWords
  let plain = 0
  let gzip = 0
  for (let from = 0; from < records; from += batchRows) {
    const count = Math.min(batchRows, records - from)
    const rows = Array.from({ length: count }, (_, index) => {
      const row = pool[random.integer(0, poolSize - 1)]!
      const eurValue = Math.round(row.eurValue * (0.5 + random.next()))
      if (kind === 'generated') return keptApart({ ...row, eurValue })
      const position = from + index
      const at = Math.floor((now - spanMs + (spanMs * position) / records) / dayMs) * dayMs
      const isArchived = position % 2 === 1
      const shift = at - (isArchived ? 45 : random.integer(0, 3)) * dayMs - row.publication
      return keptApart({
        ...row,
        eurValue,
        publication: row.publication + shift,
        submission: row.submission + shift,
        isArchived,
      })
    })
    const batch: EntryBatch = {
      edition: 1,
      count,
      plainStart: plain,
      gzipStart: gzip,
      lastModified: Float64Array.from(rows, (_, index) => now - records + from + index),
      publication: Float64Array.from(rows, (row) => row.publication),
      submission: Float64Array.from(rows, (row) => row.submission),
      eurValue: Float64Array.from(rows, (row) => row.eurValue),
      ids: Uint32Array.from({ length: count * 4 }, () => random.next() * 2 ** 32),
      plainLength: new Uint32Array(count).fill(3000),
      gzipLength: new Uint32Array(count).fill(1400),
      plainCrc: new Uint32Array(count).fill(1),
      gzipCrc: new Uint32Array(count).fill(1),
      sourceSet: new Uint32Array(count),
      cpvCount: Uint32Array.from(rows, (row) => row.cpv.length),
      nutsCount: Uint32Array.from(rows, (row) => row.nuts.length),
      cpv: Uint32Array.from(rows.flatMap((row) => row.cpv)),
      nuts: Uint32Array.from(rows.flatMap((row) => row.nuts)),
      flags: Uint8Array.from(rows, (row) => (row.isArchived ? archivedFlag : 0)),
      procedure: Uint8Array.from(rows, (row) => row.procedure),
      sourceSets: ['[]'],
    }
    table.append(batch, [0])
    plain += 3000 * count
    gzip += 1400 * count
    for (let position = from; position < from + count; position++) {
      const { words, offset } = table.idAt(position)
      ids.set(words, offset, position)
      if (kind === 'generated' || position % 2 === 0 || position < lag) continue
      table.supersede(position - lag, position, Math.floor(position / editionRows) + 1)
    }
  }
  const edition = Math.floor((records - 1) / editionRows) + 1
  if (kind === 'grown')
    for (let position = 0; position < (edition - 25) * editionRows; position++) {
      const before = table.previous(position)
      if (before !== undefined) (table as { hide?: (position: number) => void }).hide?.(before)
    }
  return { table, ids, edition, hour: editionRows }
}

const time = (text: string): number => Date.parse(`${text}T00:00:00Z`)
const sixFilters: readonly TenderFilter[] = [
  {
    cpv: ['45000000'],
    nuts: ['DE'],
    publishedSince: time('2024-01-01'),
    deadlineAfter: time('2024-06-01'),
    valueMin: 100_000,
    procedure: ['open'],
    archived: true,
  },
  {
    cpv: ['71000000', '79000000'],
    nuts: ['DE2', 'DE7'],
    publishedSince: time('2023-01-01'),
    deadlineAfter: time('2023-06-01'),
    valueMin: 50_000,
    procedure: ['open', 'restricted'],
    archived: true,
  },
  {
    cpv: ['33000000'],
    nuts: ['FR'],
    publishedSince: time('2022-06-01'),
    deadlineAfter: time('2022-09-01'),
    valueMax: 900_000,
    procedure: ['open'],
    archived: true,
  },
  {
    cpv: ['45210000'],
    nuts: ['DE', 'AT', 'FR'],
    publishedSince: time('2025-01-01'),
    deadlineAfter: time('2025-02-01'),
    valueMin: 10_000,
    procedure: ['open', 'neg-w-call'],
    archived: true,
  },
]
const all = { archived: true }
const open = { archived: false }
const questions: readonly (readonly [name: string, filter: TenderFilter])[] = [
  ['unfiltered', all],
  ['not archived', open],
  ['cpv frequent (45)', { ...all, cpv: ['45000000'] }],
  ['cpv group (4521)', { ...all, cpv: ['45210000'] }],
  ['cpv rare (one code)', { ...all, cpv: ['33141615'] }],
  ['cpv absent', { ...all, cpv: ['99000000'] }],
  ['nuts frequent (DE)', { ...all, nuts: ['DE'] }],
  ['nuts region (DE2)', { ...all, nuts: ['DE2'] }],
  ['nuts rare (CH04)', { ...all, nuts: ['CH04'] }],
  ['nuts absent', { ...all, nuts: ['ZZ'] }],
  ['published since 2024', { ...all, publishedSince: time('2024-01-01') }],
  ['published in the last day', { ...all, publishedSince: now - dayMs }],
  ['published in the future', { ...all, publishedSince: now + 999 * dayMs }],
  ['deadline ahead', { ...all, deadlineAfter: now }],
  ['deadline far ahead', { ...all, deadlineAfter: now + 999 * dayMs }],
  ['value from 100,000', { ...all, valueMin: 100_000 }],
  ['value from 100 million', { ...all, valueMin: 1e8 }],
  ['value absent', { ...all, valueMin: 1e14 }],
  ['procedure frequent', { ...all, procedure: ['open'] }],
  ['procedure rare', { ...all, procedure: ['innovation'] }],
  ['not archived, cpv 45, DE', { ...open, cpv: ['45000000'], nuts: ['DE'] }],
  ['not archived, deadline ahead', { ...open, deadlineAfter: now }],
  ...sixFilters.map((filter, index) => [`six filters ${index + 1}`, filter] as const),
  ...sixFilters.map(
    (filter, index) => [`six filters ${index + 1}, not archived`, { ...filter, archived: false }] as const,
  ),
  ['never met: cpv 45, FR', { ...all, cpv: ['45000000'], nuts: ['FR'] }],
  ['never met: cpv 34, AT', { ...all, cpv: ['34000000'], nuts: ['AT'] }],
  ['never met: cpv 71, negotiated', { ...all, cpv: ['71000000'], procedure: ['neg-w-call'] }],
  ['never met: value, published', { ...all, valueMin: 1_000_000, publishedSince: Date.UTC(2026, 2, 17) }],
  ['never met: value off a bound', { ...all, valueMin: 1_000_001, publishedSince: Date.UTC(2026, 2, 17) + 1 }],
  ['never met: PL, value', { ...all, nuts: ['PL'], valueMin: 1 }],
  ['never met: PL, value up to', { ...all, nuts: ['PL'], valueMax: 10_000_000 }],
  [
    'never met: six frequent',
    {
      cpv: ['72000000'],
      nuts: ['IT'],
      publishedSince: time('2022-03-01'),
      deadlineAfter: time('2022-06-01'),
      valueMin: 50_000,
      procedure: ['open'],
      archived: true,
    },
  ],
  ['never met: six, not archived', { ...open, cpv: ['72000000'], nuts: ['IT'], valueMin: 50_000, procedure: ['open'] }],
]

/** CPU time of one run, microseconds: the best of several batches, because other programs use the machine too. */
function cost(run: () => void): number {
  // The compiler runs in parallel, and late if other programs use the machine.
  const warm = performance.now()
  while (performance.now() - warm < 700) run()
  let repeat = 1
  let best = Number.POSITIVE_INFINITY
  for (let batch = 0; batch < 15; ) {
    const before = process.threadCpuUsage()
    for (let index = 0; index < repeat; index++) run()
    const { user, system } = process.threadCpuUsage(before)
    if (user + system < 5000 && repeat < 1e6) repeat *= 4
    else {
      best = Math.min(best, (user + system) / repeat)
      batch++
    }
  }
  return best
}

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    kind: { type: 'string', default: 'generated' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const records = Number(values.records)
const kind = values.kind as Kind
const buildBefore = process.threadCpuUsage()
const { table, ids, edition, hour } = buildTable(kind, records)
const build = process.threadCpuUsage(buildBefore)
const shown = questions.filter(([name]) => values.only === undefined || name.includes(values.only))
const rows: { question: string; found: number; cpuMicroseconds: number }[] = []
const measure = (question: string, filter: TenderFilter, from = 0): void => {
  let found = 0
  const query = compileQuery(filter)
  const cpuMicroseconds = cost(() => {
    found = scan(table, query, edition, from, records, limit + 1).length
  })
  rows.push({ question, found: Math.min(limit, found), cpuMicroseconds })
}
for (const [name, filter] of shown) measure(name, filter)
if (values.only === undefined) {
  measure('deep: unfiltered, from 90 %', all, Math.floor(records * 0.9))
  measure('deep: cpv 45 and DE, from 90 %', { ...all, cpv: ['45000000'], nuts: ['DE'] }, Math.floor(records * 0.9))
  measure('deep: six filters 1, from 50 %', sixFilters[0]!, Math.floor(records * 0.5))
  measure('delta: the last 150', all, records - 150)
  measure('delta: the last hour, cpv 45', { ...all, cpv: ['45000000'] }, Math.max(0, records - hour))
}
const sizes = new Map<string, number>()
const addSizes = (owner: object): void => {
  for (const [name, value] of Object.entries(owner)) {
    if (ArrayBuffer.isView(value)) sizes.set(name, (sizes.get(name) ?? 0) + value.byteLength)
    else addSizes(value as object)
  }
}
for (const chunk of table.chunks) addSizes(chunk)
sizes.set(
  'id index',
  ids.slots.reduce((sum, slots) => sum + slots.byteLength, 0),
)
const bytes = Object.fromEntries([...sizes].map(([name, size]) => [name, size / records]))
const total = Object.values(bytes).reduce((sum, size) => sum + size, 0)
const rss = process.memoryUsage().rss / records
if (values.json) console.log(JSON.stringify({ records, kind, at: toInstant(Date.now()), rows, bytes, total, rss }))
else {
  console.log(
    `${kind}, ${records} records, edition ${edition}; built in ${Math.round((build.user + build.system) / 1000)} ms of CPU`,
  )
  for (const { question, found, cpuMicroseconds } of rows)
    console.log(`${question.padEnd(34)} ${String(found).padStart(4)} ${cpuMicroseconds.toFixed(1).padStart(9)} µs`)
  console.log(
    Object.entries(bytes)
      .map(([name, size]) => `${name} ${size.toFixed(2)}`)
      .join(', '),
  )
  console.log(`${total.toFixed(1)} bytes a record; resident ${rss.toFixed(0)}`)
}
