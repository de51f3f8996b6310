// Compares what the word index finds with a plain loop over the records, and with the words of saved searches.
import { expect, test } from 'vitest'
import { findPlainly } from '../../../test/model/plain-find.ts'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { type Random, randomOf } from '../../../test/testing/generate/random.ts'
import { seed } from '../../../test/testing/seed.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { dayMs, toInstant } from '../../domain/time.ts'
import { fewWords } from '../../domain/token-table.ts'
import { authorityKey, searchWordsOf } from '../../domain/words.ts'
import { SegmentBuilder } from '../format/segment-builder.ts'
import { packEntries } from '../write/pack-entries.ts'
import { findTenders } from './find-tenders.ts'
import type { HeldEdition } from './held-log.ts'
import { RecordTable } from './record-table.ts'
import { hasGone, TenderIndex } from './tender-index.ts'
import type { FoundStatus, TenderOrder, TenderQuestion, TendersFound } from './tender-question.ts'

console.log(`find-tenders.test seed ${seed} (SEED repeats it)`)

const now = Date.UTC(2026, 10, 30, 8)
const idOf = (number: number): string => `00000000-0000-8000-8000-${String(number).padStart(12, '0')}`

const stems = [
  'Asphalt',
  'Brücken',
  'Straßen',
  'Reinigung',
  'Dach',
  'Bau',
  'ΔΡΌΜΟΣ',
  'улица',
  'naïve',
  '𝒳𝓎𝓏𝒶𝒷',
  'B',
  '16',
]
const buyers = [
  { name: 'Stadt Köln', nationalId: 'DE 123.456.789', country: 'DE' },
  { name: 'STADT KÖLN' },
  { name: 'Gemeinde Buch', nationalId: 'DE', country: 'DE' },
  { name: 'DE123456789' },
  { name: 'Ville de Paris', nationalId: '21750001600019', country: 'FR' },
]

const companies = [
  { name: 'Straßenbau Köln GmbH', nationalId: 'HRB 1234 Köln', country: 'DE' },
  { name: 'STRASSENBAU NORD AG' },
  { name: 'Brücken Schmidt e.K.', nationalId: 'DE999888777', country: 'DE' },
  { name: 'Bruecken Süd GmbH', nationalId: '1234 56', country: 'AT' },
  { name: 'Karl Asphalt GmbH', nationalId: '1234', isNaturalPerson: true },
]

function wordIn(random: Random): string {
  const word = random.pick(stems)
  const compound = random.chance(0.4) ? word + random.pick(stems).toLowerCase() : word
  const spelled = random.chance(0.2) ? compound.replace('ü', 'ue').replace('ß', 'ss') : compound
  return random.chance(0.3) ? spelled.toUpperCase() : spelled
}
const textIn = (random: Random): string =>
  Array.from({ length: random.integer(0, 6) }, () => wordIn(random)).join(random.pick([' ', '-', ', ', '\u00ad ']))
const some = <T>(random: Random, chance: number, make: () => T): T[] => (random.chance(chance) ? [make()] : [])
const member = <Name extends string, T>(random: Random, name: Name, make: () => T): { [name in Name]?: T } =>
  random.chance(0.7) ? ({ [name]: make() } as { [name in Name]: T }) : {}

const cpvIn = (random: Random): string => random.pick(['45000000', '45233000', '45233141', '90910000', '03000000', '7'])
const nutsIn = (random: Random): string => random.pick(['DE', 'DE2', 'DE212', 'FR10', 'gr30', 'EL3', 'nowhere'])
const timeIn = (random: Random): string => toInstant(now + random.integer(-60, 60) * dayMs * random.pick([1, 1, 0.5]))
const eurosIn = (random: Random): number => random.pick([99_999.5, 100_000, 250_000, 500_000, 1e6, 5e6, 7e7])
const statusIn = (random: Random): TenderRecord['status'] =>
  random.pick(['open', 'open', 'planned', 'closed', 'awarded', 'merged'])

function recordIn(random: Random, id: string, lastModified: number): TenderRecord {
  const lot = (number: number): TenderRecord['lots'][number] => ({
    lotId: `LOT-${number}`,
    status: 'open',
    cpvCodes: some(random, 0.5, () => cpvIn(random)),
    nutsCodes: [],
    ...member(random, 'title', () => textIn(random)),
    ...member(random, 'description', () => textIn(random)),
    ...(random.chance(0.3) && { winners: [random.pick(companies), random.pick(companies)] }),
  })
  const status = statusIn(random)
  return {
    id,
    status,
    ...(status === 'merged' && { archiveReason: 'merged' as const, mergedInto: idOf(9999) }),
    lastModified: toInstant(lastModified),
    checkedAt: toInstant(lastModified),
    title: textIn(random),
    ...member(random, 'description', () => textIn(random)),
    ...(random.chance(0.2) && { translations: { en: { title: textIn(random) }, fr: { description: textIn(random) } } }),
    ...member(random, 'contractingAuthority', () => random.pick(buyers)),
    ...(random.chance(0.2) && { jointAuthorities: [random.pick(buyers), random.pick(buyers)] }),
    ...member(random, 'submissionDate', () => timeIn(random)),
    ...(random.chance(0.3) && { participationDate: timeIn(random) }),
    ...member(random, 'publicationDate', () => timeIn(random)),
    contractAmount: random.chance(0.6)
      ? { value: eurosIn(random), currency: random.pick(['EUR', 'EUR', 'EUR', 'SEK']), estimated: random.chance(0.5) }
      : null,
    cpvCodes: some(random, 0.8, () => cpvIn(random)),
    nutsCodes: [...some(random, 0.8, () => nutsIn(random)), ...some(random, 0.3, () => nutsIn(random))],
    lots: random.chance(0.4) ? [lot(1), lot(2)] : [],
    originalSources: [],
  }
}

function questionIn(random: Random): TenderQuestion {
  // half of them ask for words only, and find more
  const share = random.chance(0.5) ? 0 : 1
  const list = <T>(chance: number, make: () => T): T[] | undefined =>
    random.chance(chance * share) ? Array.from({ length: random.integer(1, 2) }, make) : undefined
  const word = () => {
    const [whole = 'x'] = searchWordsOf(wordIn(random))
    const cut = random.integer(1, whole.length)
    return random.chance(0.6) ? whole : random.chance(0.5) ? whole.slice(0, cut) : whole.slice(-cut)
  }
  const members = {
    allWords: random.chance(0.7) ? [word(), ...some(random, 0.3, word)] : undefined,
    cpv: list(0.3, () => cpvIn(random).padEnd(8, '0')),
    nuts: list(0.3, () => random.pick(['DE', 'DE2', 'EL', 'FR1'])),
    statuses: list<FoundStatus>(0.4, () => random.pick(['open', 'planned', 'closed', 'awarded', 'cancelled'])),
    valueMin: list(0.2, () => eurosIn(random))?.[0],
    valueMax: list(0.2, () => eurosIn(random))?.[0],
    deadlineFrom: list(0.2, () => Date.parse(timeIn(random)))?.[0],
    deadlineBefore: list(0.2, () => Date.parse(timeIn(random)))?.[0],
    publishedFrom: list(0.2, () => Date.parse(timeIn(random)))?.[0],
    publishedBefore: list(0.2, () => Date.parse(timeIn(random)))?.[0],
    authorities: list(0.2, () => {
      const { name, nationalId = name } = random.pick<{ name: string; nationalId?: string }>(buyers)
      return random.pick([name, nationalId])
    }),
    winnerWords: list(0.15, () => random.pick(['straßenbau', 'stra', 'ko', 'köln', 'brück', 'karl', 'nord', 'gmbh'])),
    winnerIdentifier: list(0.1, () => random.pick(['HRB1234KÖLN', '123456', '1234', '999888777']))?.[0],
  }
  const asked = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
  const order = random.pick<TenderOrder>(['relevance', 'newest', 'deadline', 'value'])
  return { ...asked, order, offset: random.pick([0, 0, 5]), limit: random.pick([1, 20, 500]), at: now }
}

/** Records in several editions, whose later versions replace the earlier ones, and their index in a few segments. */
function worldIn(random: Random, segmentRows: () => number) {
  const table = new RecordTable()
  const versions: TenderRecord[] = []
  const born: number[] = []
  const newest = new Map<string, number>()
  const editions: HeldEdition[] = []
  for (let edition = 1; edition <= 3; edition++) {
    const from = versions.length
    const ids = new Set(Array.from({ length: random.integer(1, 60) }, () => idOf(random.integer(1, 80))))
    for (const id of [...ids].sort()) {
      born.push(edition)
      // two at a time share their time
      versions.push(recordIn(random, id, edition * 1e6 + Math.floor(versions.length / 2)))
    }
    const entries = versions.slice(from).map(({ checkedAt: _, ...record }) => ({
      lastModified: Date.parse(record.lastModified),
      body: JSON.stringify(record),
      sources: '[]',
    }))
    const steps = packEntries(edition, entries)
    let step = steps.next()
    while (!step.done) step = steps.next()
    const start = versions.length === entries.length ? 0 : table.plainEnd(from - 1)
    const gzipStart = from === 0 ? 0 : table.gzipEnd(from - 1)
    table.append({ ...step.value.batch, plainStart: start, gzipStart }, [0])
    for (let position = from; position < versions.length; position++) {
      const before = newest.get(versions[position]!.id)
      if (before !== undefined) table.supersede(before, position, edition)
      newest.set(versions[position]!.id, position)
    }
    const records = newest.size
    editions.push({ info: { edition, records }, end: versions.length } as HeldEdition)
  }
  const index = new TenderIndex(table)
  while (index.covered < versions.length) {
    const builder = new SegmentBuilder(fewWords)
    for (let left = segmentRows(), at = index.covered; left > 0 && at < versions.length; left--, at++)
      builder.add({
        record: versions[at]!,
        lastModified: table.lastModified(at),
        crc: table.chunks[0]!.plainCrc[at]!,
      })
    expect(index.add(builder.finish(), versions.length)).toBe(true)
  }
  const shownIn = (edition: number) =>
    versions.filter(({ id }, at) => {
      const replacedBy = versions.findIndex((version, later) => later > at && version.id === id)
      return born[at]! <= edition && (replacedBy === -1 || born[replacedBy]! > edition)
    })
  return { index, editions, versions, shownIn }
}
type World = ReturnType<typeof worldIn>

/** Without what the question leaves open: the spelling of a name, and the order of equally frequent buyers. */
const comparable = <Rest extends Pick<TendersFound, 'facets'>>({ facets, ...rest }: Rest) => ({
  ...rest,
  facets: {
    ...facets,
    buyers: facets.buyers.map(({ name, count }) => `${count} ${authorityKey(name)}`).sort(),
  },
})

function compare({ index, editions, versions, shownIn }: World, edition: number, question: TenderQuestion): number {
  const found = findTenders(index, editions[edition - 1]!, question, (position) => versions[position]!)
  const { total, positions, facets, indexed } = found
  expect(indexed).toBe(1)
  expect(comparable({ total, facets, ids: positions.map((position) => versions[position]!.id) })).toEqual(
    (({ records, ...plain }) => comparable({ ...plain, ids: records.map(({ id }) => id) }))(
      findPlainly(shownIn(edition), question),
    ),
  )
  return total
}

test('finds the same tenders in the same order, with the same counts, as a plain loop', { timeout: 900_000 }, () => {
  const random = randomOf(seed, 40)
  let found = 0
  for (let run = 0; run < proofCount({ share: 6, full: 4000 }); run++) {
    const world = worldIn(random, () => random.integer(1, 70))
    for (let asked = 0; asked < 25; asked++) {
      const question = questionIn(random)
      try {
        found += compare(world, random.integer(1, 3), question)
      } catch (error) {
        console.log(JSON.stringify(question))
        throw error
      }
    }
  }
  expect(found).toBeGreaterThan(100)
})

test('segments that were merged without the entries no edition shows answer as before', { timeout: 900_000 }, () => {
  const random = randomOf(seed, 41)
  for (let run = 0; run < proofCount({ share: 3, full: 1000 }); run++) {
    const world = worldIn(random, () => random.integer(1, 40))
    const { index, versions } = world
    for (const [position] of versions.entries())
      if (index.table.chunks[0]!.superseded[position] !== 0) index.table.hide(position)
    const merged = new TenderIndex(index.table)
    for (let at = 0, count = 1; at < index.segments.length; at += count) {
      count = random.integer(1, 4)
      const builder = new SegmentBuilder(fewWords)
      for (const segment of index.segments.slice(at, at + count))
        builder.addSegment(segment, (row) => index.isLive(segment, row))
      if (builder.rows > 0) expect(merged.add(builder.finish(), versions.length)).toBe(true)
    }
    expect(merged.covered).toBe(versions.length)
    expect(merged.segments.some(hasGone)).toBe(false)
    for (let asked = 0; asked < 15; asked++) compare({ ...world, index: merged }, 3, questionIn(random))
  }
})

test('a segment is refused that does not follow the others without a gap, or of whose entries the log has none', () => {
  const { index, versions } = worldIn(randomOf(2), () => 10)
  const [first, second, third] = index.segments
  const other = new TenderIndex(index.table)
  expect(other.add(second!.of, versions.length)).toBe(false)
  expect(other.take([first!.of, third!.of], versions.length)).toBe(true)
  expect(other.segments.map(({ of }) => of)).toEqual([first!.of])
  expect(other.take([first!.of, second!.of, third!.of], versions.length)).toBe(true)
  expect(other.take([first!.of, second!.of, third!.of], versions.length)).toBe(false)
  expect(other.covered).toBe(30)
  const changed = { ...third!.of, crc: third!.of.crc.map((crc) => crc ^ 1) }
  expect(other.take([first!.of, changed], versions.length)).toBe(true)
  expect(other.covered).toBe(10)
})

test('refuses a page beyond what anybody reads', () => {
  const { index, editions } = worldIn(randomOf(1), () => 100)
  for (const [offset, limit] of [
    [1001, 20],
    [0, 5001],
    [-1, 20],
    [0, 0],
    [0.5, 20],
  ] as const)
    expect(() => findTenders(index, editions[0]!, { order: 'newest', offset, limit, at: now }, () => never())).toThrow(
      RangeError,
    )
})

const never = (): never => {
  throw new Error('not read')
}
