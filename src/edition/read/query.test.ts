// Compares the scan of full and of growing chunks with a plain filter over rows that knows nothing of chunks.
import { expect, test } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { type Random, randomOf } from '../../../test/testing/generate/random.ts'
import { seed } from '../../../test/testing/seed.ts'
import { procedureTypes } from '../../domain/codes.ts'
import type { TenderFilter } from '../../domain/filter.ts'
import { nutsNumber } from '../../domain/nuts.ts'
import { archivedFlag, type EntryBatch } from '../format/entry-batch.ts'
import { noProcedure } from '../format/record-columns.ts'
import { compileQuery, scan } from './query.ts'
import { type Chunk, chunkSize, RecordTable } from './record-table.ts'

console.log(`query.test seed ${seed} (SEED repeats it)`)

type Row = {
  publication: number
  submission: number
  eurValue: number
  procedure: number
  isArchived: boolean
  cpv: string[]
  nuts: string[]
  plainLength: number
  gzipLength: number
  /** The edition that added it, and the one that replaced it. */
  edition: number
  replacedIn: number
}

const dayMs = 86_400_000
const start = Date.UTC(2026, 0, 1)
const divisions = ['45', '45', '45', '71', '71', '33', '90', '03']
const areas = ['DE', 'DE', 'DE', 'DE', 'FR', 'FR', 'AT', 'PL', 'CH']

/** What rows of one span have in common: spans without values, with one value, with few codes, all archived … */
type Mood = {
  readonly missing: number
  readonly distinct: number
  readonly archived: number
  readonly division: string | undefined
}

function moodOf(random: Random): Mood {
  return {
    missing: random.pick([0, 0.1, 0.5, 1]),
    distinct: random.pick([1, 3, 40, 1e9]),
    archived: random.pick([0, 0.5, 0.97, 1]),
    division: random.pick([undefined, undefined, '45', '85']),
  }
}

function timeOf(random: Random, { missing, distinct }: Mood): number {
  if (random.chance(missing)) return Number.NaN
  if (random.chance(0.01)) return random.pick([-62_135_596_800_000, 253_402_300_799_999, 0])
  return start + random.integer(0, Math.min(distinct, 400)) * dayMs + (distinct > 40 ? random.integer(0, dayMs) : 0)
}

function amountOf(random: Random, { missing, distinct }: Mood): number {
  if (random.chance(missing)) return Number.NaN
  if (random.chance(0.01)) return random.pick([0, 0.01, 1e15, 1e12])
  return distinct < 100 ? 1000 * random.integer(1, distinct) : Math.round(random.logNormal(250_000, 1.9) * 100) / 100
}

function rowOf(random: Random, mood: Mood, edition: number): Row {
  const division = (): string => mood.division ?? random.pick(divisions)
  const area = random.pick(areas)
  const cpv = Array.from({ length: random.pick([0, 1, 1, 1, 2, 5]) }, () =>
    `${division()}${random.pick(['', '2', '21', '213', `${random.integer(100, 999)}`, `${random.integer(100_000, 999_999)}`])}`.padEnd(
      8,
      '0',
    ),
  )
  const nuts = Array.from(
    { length: random.pick([0, 1, 1, 2]) },
    () => area + random.pick(['', '1', '2', '21', '212', 'A0Z']),
  )
  return {
    publication: timeOf(random, mood),
    submission: timeOf(random, mood),
    eurValue: amountOf(random, mood),
    procedure: random.pick([0, 0, 0, 0, 0, 0, 1, 2, 3, 9, noProcedure]),
    isArchived: random.chance(mood.archived),
    cpv: [...new Set(cpv)],
    nuts: [...new Set(nuts)],
    plainLength: random.integer(1, 5000),
    gzipLength: random.integer(1, 2000),
    edition,
    replacedIn: 0,
  }
}

/** A table and the rows that are in it. */
class Both {
  readonly table = new RecordTable()
  readonly rows: Row[] = []
  /** Ends of the editions, the first one's at 1. */
  readonly ends = [0]
  #plain = 0
  #gzip = 0

  append(rows: readonly Row[]): void {
    const batch: EntryBatch = {
      edition: rows[0]?.edition ?? 1,
      count: rows.length,
      plainStart: this.#plain,
      gzipStart: this.#gzip,
      lastModified: Float64Array.from(rows, (_, index) => this.rows.length + index),
      publication: Float64Array.from(rows, (row) => row.publication),
      submission: Float64Array.from(rows, (row) => row.submission),
      eurValue: Float64Array.from(rows, (row) => row.eurValue),
      ids: new Uint32Array(4 * rows.length),
      plainLength: Uint32Array.from(rows, (row) => row.plainLength),
      gzipLength: Uint32Array.from(rows, (row) => row.gzipLength),
      plainCrc: new Uint32Array(rows.length),
      gzipCrc: new Uint32Array(rows.length),
      sourceSet: new Uint32Array(rows.length),
      cpvCount: Uint32Array.from(rows, (row) => row.cpv.length),
      nutsCount: Uint32Array.from(rows, (row) => row.nuts.length),
      cpv: Uint32Array.from(rows.flatMap((row) => row.cpv.map(Number))),
      nuts: Uint32Array.from(rows.flatMap((row) => row.nuts.map(nutsNumber))),
      flags: Uint8Array.from(rows, (row) => (row.isArchived ? archivedFlag : 0)),
      procedure: Uint8Array.from(rows, (row) => row.procedure),
      sourceSets: ['[]'],
    }
    this.table.append(batch, [0])
    this.rows.push(...rows)
    for (const row of rows) {
      this.#plain += row.plainLength
      this.#gzip += row.gzipLength
    }
  }

  /** Removes the rows that came since the last edition. */
  truncate(): void {
    const end = this.ends.at(-1)!
    this.table.truncate(end)
    for (const row of this.rows.splice(end)) {
      this.#plain -= row.plainLength
      this.#gzip -= row.gzipLength
    }
  }

  /** Makes the rows since the last edition the next edition; each replaces an earlier row with this probability. */
  commit(random: Random, replacing: number): void {
    const begin = this.ends.at(-1)!
    const edition = this.ends.length
    for (let position = begin; position < this.rows.length && begin > 0; position++) {
      const before = random.integer(0, begin - 1)
      if (!random.chance(replacing) || this.rows[before]!.replacedIn !== 0) continue
      this.table.supersede(before, position, edition)
      this.rows[before]!.replacedIn = edition
    }
    this.ends.push(this.rows.length)
  }

  /** Editions before `oldest` are no longer requested. */
  forget(oldest: number): void {
    for (const [position, { replacedIn }] of this.rows.entries())
      if (replacedIn !== 0 && replacedIn <= oldest) this.table.hide(position)
  }

  expected(filter: TenderFilter, edition: number, from: number, to: number, limit: number): number[] {
    const found: number[] = []
    for (let position = from; position < to && found.length < limit; position++)
      if (matches(this.rows[position]!, filter, edition)) found.push(position)
    return found
  }
}

function matches(row: Row, filter: TenderFilter, edition: number): boolean {
  if (row.edition > edition || (row.replacedIn !== 0 && row.replacedIn <= edition)) return false
  if (row.isArchived && !filter.archived) return false
  const holds = (codes: readonly string[], prefix: string): boolean => codes.some((code) => code.startsWith(prefix))
  const cpvPrefix = (code: string): string => code.slice(0, 2) + code.slice(2).replace(/0+$/, '')
  return (
    (filter.publishedSince === undefined || row.publication >= filter.publishedSince) &&
    (filter.deadlineAfter === undefined || row.submission > filter.deadlineAfter) &&
    (filter.valueMin === undefined || row.eurValue >= filter.valueMin) &&
    (filter.valueMax === undefined || row.eurValue <= filter.valueMax) &&
    (filter.procedure === undefined || filter.procedure.some((code) => procedureTypes[row.procedure] === code)) &&
    (filter.cpv === undefined || filter.cpv.some((code) => holds(row.cpv, cpvPrefix(code)))) &&
    (filter.nuts === undefined || filter.nuts.some((code) => holds(row.nuts, code)))
  )
}

/** Bounds and codes mostly of existing rows, or right next to them. */
function filterOf(random: Random, rows: readonly Row[]): TenderFilter {
  const near = (own: number): number =>
    Number.isNaN(own) ? start : own + random.pick([-1, 0, 0, 1, random.integer(-1e6, 1e6)])
  const some = <Value>(probability: number, value: () => Value): Value | undefined =>
    random.chance(probability) ? value() : undefined
  const row = (): Row => random.pick(rows)
  const several = random.pick([1, 1, 2, 12])
  const one = row()
  const codesOf = (): Row => (random.chance(0.5) ? one : row())
  const members = {
    publishedSince: some(0.3, () => near(row().publication)),
    deadlineAfter: some(0.3, () => near(row().submission)),
    valueMin: some(0.25, () => near(row().eurValue)),
    valueMax: some(0.25, () => near(row().eurValue)),
    procedure: some(0.3, () =>
      random.pick([['open'], ['neg-w-call', 'restricted'], ['exp-int-rail'], ['comp-dial']] as const),
    ),
    cpv: some(0.5, () =>
      Array.from({ length: several }, () => {
        const code = random.pick(codesOf().cpv.concat('98000000'))
        return code.slice(0, random.integer(2, 8)).padEnd(8, '0')
      }),
    ),
    nuts: some(0.5, () =>
      Array.from({ length: several }, () => {
        const code = random.pick(codesOf().nuts.concat('ZZ'))
        return code.slice(0, random.integer(2, 5))
      }),
    ),
  }
  return {
    archived: random.chance(0.6),
    ...Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)),
  }
}

function randomBoth(random: Random, least: number): Both {
  const both = new Both()
  while (both.rows.length < least) {
    const edition = both.ends.length
    const size = random.pick([1, 300, 5000, chunkSize, chunkSize + 7])
    const fill = (count: number): void => {
      for (let left = count; left > 0; ) {
        const mood = moodOf(random)
        const part = Math.min(left, random.integer(1, chunkSize))
        for (let done = 0; done < part; done += 700)
          both.append(Array.from({ length: Math.min(700, part - done) }, () => rowOf(random, mood, edition)))
        left -= part
      }
    }
    if (random.chance(0.3)) {
      fill(random.integer(1, chunkSize))
      both.truncate()
    }
    fill(size)
    both.commit(random, random.pick([0, 0.2, 0.9]))
  }
  return both
}

test('a scan finds the same as a plain filter, in any edition, from any row to any end', { timeout: 300_000 }, () => {
  const random = randomOf(seed)
  const rounds = proofCount({ share: 1, full: 10 })
  const questions = proofCount({ share: 25, full: 400 })
  let asked = 0
  let found = 0
  let indexed = 0
  for (let round = 0; round < rounds; round++) {
    const both = randomBoth(random, random.integer(chunkSize, proofCount({ share: 2, full: 4 }) * chunkSize))
    const editions = both.ends.length - 1
    const oldest = Math.max(1, editions - random.integer(0, 4))
    both.forget(oldest)
    indexed += both.table.chunks.filter((chunk) => chunk.codes.length > 0).length
    for (let index = 0; index < questions; index++) {
      const edition = random.integer(oldest, editions)
      const to = both.ends[edition]!
      const from = random.chance(0.4) ? 0 : random.integer(0, to)
      const limit = random.pick([1, 2, 101, 1e9])
      const filter = filterOf(random, both.rows)
      const positions = scan(both.table, compileQuery(filter), edition, from, to, limit)
      const expected = both.expected(filter, edition, from, to, limit)
      if (positions.length !== expected.length || positions.some((position, at) => position !== expected[at]))
        expect({ round, filter, edition, from, to, limit, positions }).toEqual({
          round,
          filter,
          edition,
          from,
          to,
          limit,
          positions: expected,
        })
      asked++
      found += positions.length
    }
  }
  expect(asked).toBe(rounds * questions)
  expect(found).toBeGreaterThan(asked)
  expect(indexed).toBeGreaterThan(0)
})

test.each([
  ['publishedSince', [false, true, true]],
  ['deadlineAfter', [false, false, true]],
  ['valueMin', [false, true, true]],
  ['valueMax', [true, true, false]],
] as const)('%s at the very value of a row: which of the value below, it and above are found', (member, found) => {
  const bound = start + 5000
  const both = new Both()
  const random = randomOf(seed, 7)
  const rows = [bound - 1, bound, bound + 1].map((value) => ({
    ...rowOf(random, moodOf(random), 1),
    publication: value,
    submission: value,
    eurValue: value,
    isArchived: false,
    replacedIn: 0,
  }))
  both.append(rows)
  both.commit(random, 0)
  const positions = scan(both.table, compileQuery({ archived: false, [member]: bound }), 1, 0, rows.length, 1e9)
  expect(rows.map((_, position) => positions.includes(position))).toEqual(found)
})

test('new entries change nothing in an edition that is being read', () => {
  const random = randomOf(seed, 1)
  const both = randomBoth(random, chunkSize + 1)
  const edition = both.ends.length - 1
  const end = both.ends[edition]!
  // As another thread holds the table: the same arrays; the chunks were announced before.
  const reader = new RecordTable()
  reader.chunks.push(...both.table.chunks.map((chunk): Chunk => ({ ...chunk })))
  const filters = Array.from({ length: 40 }, () => filterOf(random, both.rows))
  const before = filters.map((filter) => scan(reader, compileQuery(filter), edition, 0, end, 1e9))
  both.append(Array.from({ length: chunkSize }, () => rowOf(random, moodOf(random), edition + 1)))
  const meanwhile = filters.map((filter) => scan(reader, compileQuery(filter), edition, 0, end, 1e9))
  both.commit(random, 0.5)
  both.append(Array.from({ length: 500 }, () => rowOf(random, moodOf(random), edition + 2)))
  both.truncate()
  const after = filters.map((filter) => scan(reader, compileQuery(filter), edition, 0, end, 1e9))
  expect(before.flat().length).toBeGreaterThan(100)
  expect(meanwhile).toEqual(before)
  expect(after).toEqual(before)
})

test('rows that were removed from a full chunk leave nothing in it', () => {
  const random = randomOf(seed, 3)
  const both = new Both()
  const mood = { missing: 0.1, distinct: 1e9, archived: 0.5, division: undefined }
  const append = (count: number, edition: number): void =>
    both.append(Array.from({ length: count }, () => rowOf(random, mood, edition)))
  append(5000, 1)
  both.commit(random, 0)
  append(chunkSize, 2)
  expect(both.table.chunks.map((chunk) => chunk.codes.length > 0)).toEqual([true, false])
  both.truncate()
  append(6000, 2)
  both.commit(random, 0.5)
  for (let index = 0; index < 40; index++) {
    const filter = filterOf(random, both.rows)
    const positions = scan(both.table, compileQuery(filter), 2, 0, both.rows.length, 1e9)
    expect({ filter, positions }).toEqual({ filter, positions: both.expected(filter, 2, 0, both.rows.length, 1e9) })
  }
})

test('a row with two of the requested rare codes is delivered once, in its position', () => {
  const random = randomOf(seed, 4)
  const both = new Both()
  const mood = { missing: 0, distinct: 1e9, archived: 0, division: undefined }
  const rows = Array.from({ length: chunkSize }, () => rowOf(random, mood, 1))
  for (const [position, cpv] of [
    [9000, ['98110000', '98220000']],
    [700, ['98220000']],
    [30, ['98110000', '98220000', '98310000']],
  ] as const)
    rows[position] = { ...rows[position]!, cpv: [...cpv] }
  both.append(rows)
  both.commit(random, 0)
  const asked = (cpv: readonly string[]) =>
    scan(both.table, compileQuery({ archived: true, cpv }), 1, 0, rows.length, 9)
  expect(asked(['98000000'])).toEqual([30, 700, 9000])
  expect(asked(['98110000', '98220000'])).toEqual([30, 700, 9000])
  expect(asked(['98110000', '98300000'])).toEqual([30, 9000])
})

test('pieces begin where the previous ones end', () => {
  const both = randomBoth(randomOf(seed, 2), chunkSize + 1)
  let plain = 0
  let gzip = 0
  for (const [position, row] of both.rows.entries()) {
    plain += row.plainLength
    gzip += row.gzipLength
    if (both.table.plainLength(position) !== row.plainLength || both.table.plainEnd(position) !== plain)
      expect([position, both.table.plainLength(position)]).toEqual([position, row.plainLength])
    if (both.table.gzipLength(position) !== row.gzipLength || both.table.gzipEnd(position) !== gzip)
      expect([position, both.table.gzipLength(position)]).toEqual([position, row.gzipLength])
  }
  expect(plain).toBeGreaterThan(chunkSize)
})
