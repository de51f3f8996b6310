// Answers what people ask of an edition from its word index. Words are looked up; every row that has them is then
// checked against the filters. A row that fails one filter only counts for the facet of that filter.

import { buyersOf } from '../../domain/buyers.ts'
import { cpvRange } from '../../domain/cpv.ts'
import { nutsRange } from '../../domain/nuts.ts'
import { identifierOf } from '../../domain/organization-identity.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { dayMs } from '../../domain/time.ts'
import { spellingsOf } from '../../domain/words.ts'
import { buyerCode, codeGroup, winnerIdentifier, winnerWordBegins } from '../format/tender-row.ts'
import { valueBands } from '../format/value-bands.ts'
import type { HeldEdition } from './held-log.ts'
import { chunkBits, rowMask } from './record-table.ts'
import { inRanges } from './scan-part.ts'
import { authorityCodes, type PlacedSegment, type TenderIndex } from './tender-index.ts'
import {
  type Counted,
  checkBounds,
  deadlineWeeks,
  type FacetCounts,
  type TenderFacets,
  type TenderQuestion,
  type TendersFound,
} from './tender-question.ts'
import { addRowsOf, newRowBits, type RowBits } from './word-lookup.ts'

const weekMs = 7 * dayMs
const shownBuyers = 10

/** Bits of the filters that a row fails. */
const fails = { status: 1, cpv: 2, nuts: 4, value: 8, deadline: 16, published: 32, authority: 64 } as const
/** Members of a question that are part of a filter. */
const filterOf: { readonly [member: string]: number } = {
  statuses: fails.status,
  cpv: fails.cpv,
  nuts: fails.nuts,
  valueMin: fails.value,
  valueMax: fails.value,
  deadlineFrom: fails.deadline,
  deadlineBefore: fails.deadline,
  publishedFrom: fails.published,
  publishedBefore: fails.published,
  authorities: fails.authority,
} satisfies {
  readonly [member in keyof Omit<
    TenderQuestion,
    'allWords' | 'winnerWords' | 'winnerIdentifier' | 'order' | 'offset' | 'limit' | 'at'
  >]: number
}
/** Of each group of codes, the filter that does not narrow its counts. */
const ownFilter: { readonly [group: string]: number } = {
  [codeGroup.status]: fails.status,
  [codeGroup.division]: fails.cpv,
  [codeGroup.country]: fails.nuts,
  [codeGroup.region]: fails.nuts,
  [codeGroup.value]: fails.value,
  [codeGroup.month]: fails.published,
  [codeGroup.buyer]: fails.authority,
}

const flatRanges = (ranges: readonly { readonly from: number; readonly to: number }[]): Uint32Array =>
  Uint32Array.from(ranges.flatMap(({ from, to }) => [from, to]))

/** Reused by all questions of the thread. */
const rows = newRowBits()
const inTitle = newRowBits()
const rowsOfWord = newRowBits()
const titlesOfWord = newRowBits()

/** `recordAt` reads a record of the edition. */
export function findTenders(
  index: TenderIndex,
  edition: HeldEdition,
  question: TenderQuestion,
  recordAt: (position: number) => TenderRecord,
): TendersFound {
  checkBounds(question)
  const count = new Count(index, question)
  for (const segment of index.segments) {
    rows.set(index.visible(segment, edition))
    inTitle.fill(0xffffffff)
    if (keepWinners(segment, question) && keepWords(segment, question.allWords ?? [])) count.add(segment, rows, inTitle)
  }
  const records = index.covered >= edition.end ? edition.info.records : index.records(edition)
  return {
    edition: edition.info.edition,
    indexed: edition.info.records === 0 ? 1 : records / edition.info.records,
    total: count.total,
    positions: count.positions(),
    facets: count.facets(recordAt),
  }
}

/** Keeps the rows that have all words, in `rows` and `inTitle`. False when none is left. */
const keepWords = (segment: PlacedSegment, words: readonly string[]): boolean =>
  words.every((word) => keepSpelled(segment, spellingsOf(word), inTitle))

/** Keeps the rows with such winners, whose words are in no title. False when none is left. */
function keepWinners(segment: PlacedSegment, { winnerWords = [], winnerIdentifier: id }: TenderQuestion): boolean {
  const spelled = winnerWords.map((word) => spellingsOf(word).map(winnerWordBegins))
  return [...spelled, ...(id === undefined ? [] : [[winnerIdentifier(id)]])].every((spellings) =>
    keepSpelled(segment, spellings, undefined),
  )
}

function keepSpelled(segment: PlacedSegment, spellings: readonly string[], titles: RowBits | undefined): boolean {
  rowsOfWord.fill(0)
  titlesOfWord.fill(0)
  for (const spelling of spellings) addRowsOf(segment, spelling, rowsOfWord, titlesOfWord)
  let left = 0
  for (let at = 0; at < rows.length; at++) {
    rows[at]! &= rowsOfWord[at]!
    if (titles) titles[at]! &= titlesOfWord[at]!
    left |= rows[at]!
  }
  return left !== 0
}

type Bounds = Required<
  Pick<
    TenderQuestion,
    'valueMin' | 'valueMax' | 'deadlineFrom' | 'deadlineBefore' | 'publishedFrom' | 'publishedBefore'
  >
>

class Count {
  total = 0
  readonly #index: TenderIndex
  readonly #question: TenderQuestion
  readonly #bounds: Bounds
  readonly #cpv: Uint32Array | undefined
  readonly #nuts: Uint32Array | undefined
  readonly #statuses: Uint8Array | undefined
  readonly #authorities: Uint8Array | undefined
  /** For each code: how many rows have it, and the position of one. */
  readonly #tally: Uint32Array
  /** For each group of codes, the filter that does not narrow it. */
  readonly #ownOf: readonly number[]
  /** Bits of the filters that the question has. */
  readonly #asked: number
  #passed = 0
  readonly #weeks = new Array<number>(deadlineWeeks).fill(0)
  #later = 0
  #withoutDeadline = 0
  readonly #best: Best

  constructor(index: TenderIndex, question: TenderQuestion) {
    const { cpv, nuts, statuses, authorities, offset, limit } = question
    this.#index = index
    this.#question = question
    this.#bounds = {
      valueMin: question.valueMin ?? Number.NEGATIVE_INFINITY,
      valueMax: question.valueMax ?? Number.POSITIVE_INFINITY,
      deadlineFrom: question.deadlineFrom ?? Number.NEGATIVE_INFINITY,
      deadlineBefore: question.deadlineBefore ?? Number.POSITIVE_INFINITY,
      publishedFrom: question.publishedFrom ?? Number.NEGATIVE_INFINITY,
      publishedBefore: question.publishedBefore ?? Number.POSITIVE_INFINITY,
    }
    this.#cpv = cpv && flatRanges(cpv.map(cpvRange))
    this.#nuts = nuts && flatRanges(nuts.map(nutsRange))
    this.#statuses = statuses && index.codes.marks(statuses.map((status) => codeGroup.status + status))
    this.#authorities = authorities && index.codes.marks(authorityCodes(authorities))
    this.#tally = new Uint32Array(index.codes.keys.length * 2)
    this.#ownOf = index.codes.groups.map((group) => ownFilter[group] ?? 0)
    this.#asked = Object.entries(question).reduce(
      (bits, [member, value]) => bits | (value === undefined ? 0 : (filterOf[member] ?? 0)),
      0,
    )
    this.#best = new Best(offset + limit)
  }

  add(segment: PlacedSegment, found: RowBits, titles: RowBits): void {
    const hasWords = (this.#question.allWords?.length ?? 0) > 0
    for (let at = 0; at < found.length; at++)
      for (let rest = found[at]! | 0; rest !== 0; rest &= rest - 1) {
        const bit = 31 - Math.clz32(rest & -rest)
        const row = at * 32 + bit
        const failed = this.#asked === 0 ? 0 : this.#failedBy(segment, row)
        if ((failed & (failed - 1)) !== 0) continue
        this.#countCodes(segment, row, failed)
        if (failed === 0 || failed === fails.deadline) this.#countDeadline(segment.deadline[row]!)
        if (failed !== 0) continue
        this.total++
        this.#best.offer(
          this.#rankOf(segment, row, hasWords && (titles[at]! & (1 << bit)) !== 0),
          segment.positions[row]!,
        )
      }
  }

  /** The filters that the row fails; perhaps not all of them if there are several. */
  #failedBy(segment: PlacedSegment, row: number): number {
    const asked = this.#asked
    let failed = 0
    if (
      (asked & fails.status) !== 0 &&
      this.#statuses![segment.numbers[segment.codes[firstCode(segment, row)]!]!] === 0
    )
      failed = fails.status
    if ((asked & ~fails.status) === 0) return failed
    const { valueMin, valueMax, deadlineFrom, deadlineBefore, publishedFrom, publishedBefore } = this.#bounds
    const position = segment.positions[row]!
    const chunk = this.#index.table.chunks[position >>> chunkBits]!
    const place = position & rowMask
    if ((asked & fails.value) !== 0 && !isBetween(chunk.eurValue[place]!, valueMin, valueMax)) failed |= fails.value
    if ((asked & fails.deadline) !== 0 && !isBefore(segment.deadline[row]!, deadlineFrom, deadlineBefore))
      failed |= fails.deadline
    if ((asked & fails.published) !== 0 && !isBefore(chunk.publication[place]!, publishedFrom, publishedBefore))
      failed |= fails.published
    if ((failed & (failed - 1)) !== 0) return failed
    if (this.#cpv && !inRanges(chunk.cpv, place === 0 ? 0 : chunk.cpvEnd[place - 1]!, chunk.cpvEnd[place]!, this.#cpv))
      failed |= fails.cpv
    if (
      this.#nuts &&
      !inRanges(chunk.nuts, place === 0 ? 0 : chunk.nutsEnd[place - 1]!, chunk.nutsEnd[place]!, this.#nuts)
    )
      failed |= fails.nuts
    if (this.#authorities && !hasMarked(segment, row, this.#authorities)) failed |= fails.authority
    return failed
  }

  #countCodes(segment: PlacedSegment, row: number, failed: number): void {
    const { codes, codeEnds, numbers, positions } = segment
    const tally = this.#tally
    const first = firstCode(segment, row)
    // of those that fail only by their status, which is the first code, there are most
    const end = failed === fails.status ? first + 1 : codeEnds[row]!
    let isCounted = false
    for (let at = first; at < end; at++) {
      const number = numbers[codes[at]!]!
      if (failed !== 0 && this.#ownOf[this.#index.codes.groupOf(number)] !== failed) {
        // the codes of a filter stand together
        if (isCounted) return
        continue
      }
      isCounted = true
      tally[number * 2]!++
      tally[number * 2 + 1] = positions[row]!
    }
  }

  #countDeadline(deadline: number): void {
    const { at } = this.#question
    if (Number.isNaN(deadline)) this.#withoutDeadline++
    else if (deadline < at) this.#passed++
    else if (deadline >= at + deadlineWeeks * weekMs) this.#later++
    else this.#weeks[Math.floor((deadline - at) / weekMs)]!++
  }

  /** The highest rank is first. */
  #rankOf(segment: PlacedSegment, row: number, isInTitle: boolean): number {
    const { order, at } = this.#question
    const position = segment.positions[row]!
    const chunk = this.#index.table.chunks[position >>> chunkBits]!
    if (order === 'value') return orUnknown(chunk.eurValue[position & rowMask]!)
    if (order === 'deadline') {
      const deadline = segment.deadline[row]!
      return deadline >= at ? at - deadline : orUnknown(deadline) - 3 * far
    }
    const publication = orUnknown(chunk.publication[position & rowMask]!)
    return order === 'relevance' && isInTitle ? publication + 3 * far : publication
  }

  positions(): number[] {
    return this.#best.positions().slice(this.#question.offset, this.#question.offset + this.#question.limit)
  }

  facets(recordAt: (position: number) => TenderRecord): TenderFacets {
    const { keys } = this.#index.codes
    const groups = new Map<string, Counted[]>(Object.values(codeGroup).map((group) => [group, []]))
    const buyers = new Best(shownBuyers)
    for (let number = 0; number < keys.length; number++) {
      const count = this.#tally[number * 2]!
      if (count === 0) continue
      const [group, code] = [keys[number]![0]!, keys[number]!.slice(1)]
      if (group === codeGroup.buyer) buyers.offer(count, number)
      else if (group !== codeGroup.identifier) groups.get(group)!.push({ code, count })
    }
    const of = (group: string): FacetCounts => {
      const all = groups.get(group)!
      return {
        counts: all.filter(({ code }) => code !== '').sort(mostFirst),
        none: all.find(({ code }) => code === '')?.count ?? 0,
      }
    }
    const values = of(codeGroup.value)
    const months = of(codeGroup.month)
    return {
      divisions: of(codeGroup.division),
      countries: of(codeGroup.country),
      regions: of(codeGroup.region),
      statuses: of(codeGroup.status).counts,
      values: {
        counts: valueBands.map((_, band) => values.counts.find(({ code }) => code === String(band))?.count ?? 0),
        none: values.none,
      },
      deadlines: { passed: this.#passed, weeks: this.#weeks, later: this.#later, none: this.#withoutDeadline },
      buyers: buyers.positions().map((number) => ({
        ...namedBuyer(recordAt(this.#tally[number * 2 + 1]!), keys[number]!),
        count: this.#tally[number * 2]!,
      })),
      months: { ...months, counts: [...months.counts].sort((a, b) => (a.code < b.code ? -1 : 1)) },
    }
  }
}

const mostFirst = (a: Counted, b: Counted): number => b.count - a.count || (a.code < b.code ? -1 : 1)

const firstCode = ({ codeEnds }: PlacedSegment, row: number): number => (row === 0 ? 0 : codeEnds[row - 1]!)

// what is unknown is NaN, and every comparison with it is false
const isBetween = (value: number, least: number, most: number): boolean => value >= least && value <= most
const isBefore = (time: number, from: number, before: number): boolean => time >= from && time < before

function hasMarked(segment: PlacedSegment, row: number, marks: Uint8Array): boolean {
  const { codes, codeEnds, numbers } = segment
  for (let at = firstCode(segment, row); at < codeEnds[row]!; at++) if (marks[numbers[codes[at]!]!] === 1) return true
  return false
}

function namedBuyer(record: TenderRecord, code: string): { readonly name: string; readonly nationalId?: string } {
  const buyer = buyersOf(record).find(({ name }) => buyerCode(name) === code)!
  return { name: buyer.name, ...(identifierOf(buyer) !== undefined && { nationalId: buyer.nationalId! }) }
}

/** Above every time in milliseconds and every value. */
const far = 1e15
const orUnknown = (value: number): number => (Number.isNaN(value) ? -far : value)

/** How many more are kept before the lowest are left out. */
const spareRanks = 16

/** The positions, or other numbers, with the highest ranks; of equal ranks, the higher position is first. */
class Best {
  readonly #wanted: number
  #ranks: Float64Array
  #positions: Float64Array
  #count = 0
  #least = Number.NEGATIVE_INFINITY

  constructor(wanted: number) {
    this.#wanted = wanted
    const room = wanted * 2 + spareRanks
    this.#ranks = new Float64Array(room)
    this.#positions = new Float64Array(room)
  }

  offer(rank: number, position: number): void {
    if (rank < this.#least) return
    if (this.#count === this.#ranks.length) this.#cut()
    this.#ranks[this.#count] = rank
    this.#positions[this.#count++] = position
  }

  #cut(): void {
    const order = Array.from({ length: this.#count }, (_, index) => index)
      .sort((a, b) => this.#ranks[b]! - this.#ranks[a]! || this.#positions[b]! - this.#positions[a]!)
      .slice(0, this.#wanted)
    const [kept, places] = [order.map((index) => this.#ranks[index]!), order.map((index) => this.#positions[index]!)]
    this.#ranks.set(kept)
    this.#positions.set(places)
    this.#count = order.length
    if (order.length === this.#wanted) this.#least = kept.at(-1)!
  }

  positions(): number[] {
    this.#cut()
    return [...this.#positions.subarray(0, this.#count)]
  }
}
