// Answers what people ask of an edition from its word index. Words are looked up; every row that has them is then
// checked against the filters. A row that fails one filter only counts for the facet of that filter.

import { buyersOf } from '../../domain/buyers.ts'
import { cpvRange } from '../../domain/cpv.ts'
import { nutsRange } from '../../domain/nuts.ts'
import { identifierOf } from '../../domain/organization-identity.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { dayMs } from '../../domain/time.ts'
import { spellingsOf } from '../../domain/words.ts'
import { buyerCode, codeGroup } from '../format/tender-row.ts'
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
  type TenderOrder,
  type TenderQuestion,
  type TendersFound,
} from './tender-question.ts'
import { addRowsOf, newRowBits, type RowBits } from './word-lookup.ts'

const weekMs = 7 * dayMs
const shownBuyers = 10

/** Bits of the filters that a row fails. */
const fails = { status: 1, cpv: 2, nuts: 4, value: 8, deadline: 16, published: 32, authority: 64 } as const
/** The filter that does not narrow the codes of a group. */
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
    if (keepWords(segment, question.allWords ?? [])) count.add(segment, rows, inTitle)
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
function keepWords(segment: PlacedSegment, words: readonly string[]): boolean {
  for (const word of words) {
    rowsOfWord.fill(0)
    titlesOfWord.fill(0)
    for (const spelling of spellingsOf(word)) addRowsOf(segment, spelling, rowsOfWord, titlesOfWord)
    let left = 0
    for (let at = 0; at < rows.length; at++) {
      rows[at]! &= rowsOfWord[at]!
      inTitle[at]! &= titlesOfWord[at]!
      left |= rows[at]!
    }
    if (left === 0) return false
  }
  return true
}

class Count {
  total = 0
  readonly #index: TenderIndex
  readonly #question: TenderQuestion
  readonly #cpv: Uint32Array | undefined
  readonly #nuts: Uint32Array | undefined
  readonly #statuses: Uint8Array | undefined
  readonly #authorities: Uint8Array | undefined
  /** For each code: how many rows have it, and the position of one. */
  readonly #tally: Uint32Array
  /** For each code, the filter that does not narrow it. */
  readonly #own: Uint8Array
  #passed = 0
  readonly #weeks = new Array<number>(deadlineWeeks).fill(0)
  #later = 0
  #withoutDeadline = 0
  readonly #best: Best

  constructor(index: TenderIndex, question: TenderQuestion) {
    const { cpv, nuts, statuses, authorities, offset, limit } = question
    this.#index = index
    this.#question = question
    this.#cpv = cpv && flatRanges(cpv.map(cpvRange))
    this.#nuts = nuts && flatRanges(nuts.map(nutsRange))
    this.#statuses = statuses && index.codes.marks(statuses.map((status) => codeGroup.status + status))
    this.#authorities = authorities && index.codes.marks(authorityCodes(authorities))
    this.#tally = new Uint32Array(index.codes.keys.length * 2)
    this.#own = Uint8Array.from(index.codes.keys, (key) => ownFilter[key[0]!] ?? 0)
    this.#best = new Best(offset + limit)
  }

  add(segment: PlacedSegment, found: RowBits, titles: RowBits): void {
    const hasWords = (this.#question.allWords?.length ?? 0) > 0
    for (let at = 0; at < found.length; at++)
      for (let rest = found[at]! | 0; rest !== 0; rest &= rest - 1) {
        const bit = 31 - Math.clz32(rest & -rest)
        const row = at * 32 + bit
        const failed = this.#failedBy(segment, row)
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
    const { valueMin, valueMax, deadlineFrom, deadlineBefore, publishedFrom, publishedBefore } = this.#question
    let failed = 0
    if (
      this.#statuses &&
      this.#statuses[segment.numbers[segment.codes[row === 0 ? 0 : segment.codeEnds[row - 1]!]!]!] === 0
    )
      failed |= fails.status
    const position = segment.positions[row]!
    const chunk = this.#index.table.chunks[position >>> chunkBits]!
    const place = position & rowMask
    if (valueMin !== undefined && !(chunk.eurValue[place]! >= valueMin)) failed |= fails.value
    if (valueMax !== undefined && !(chunk.eurValue[place]! <= valueMax)) failed |= fails.value
    if (deadlineFrom !== undefined && !(segment.deadline[row]! >= deadlineFrom)) failed |= fails.deadline
    if (deadlineBefore !== undefined && !(segment.deadline[row]! < deadlineBefore)) failed |= fails.deadline
    if (publishedFrom !== undefined && !(chunk.publication[place]! >= publishedFrom)) failed |= fails.published
    if (publishedBefore !== undefined && !(chunk.publication[place]! < publishedBefore)) failed |= fails.published
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

  #countCodes({ codes, codeEnds, numbers, positions }: PlacedSegment, row: number, failed: number): void {
    const tally = this.#tally
    const position = positions[row]!
    for (let at = row === 0 ? 0 : codeEnds[row - 1]!; at < codeEnds[row]!; at++) {
      const number = numbers[codes[at]!]!
      if (failed !== 0 && this.#own[number] !== failed) continue
      tally[number * 2]!++
      tally[number * 2 + 1] = position
    }
  }

  #countDeadline(deadline: number): void {
    const { at } = this.#question
    if (Number.isNaN(deadline)) this.#withoutDeadline++
    else if (deadline < at) this.#passed++
    else if (deadline >= at + deadlineWeeks * weekMs) this.#later++
    else this.#weeks[Math.floor((deadline - at) / weekMs)]!++
  }

  #rankOf(segment: PlacedSegment, row: number, isInTitle: boolean): number {
    const position = segment.positions[row]!
    const chunk = this.#index.table.chunks[position >>> chunkBits]!
    return rankOf(this.#question.order, {
      publication: chunk.publication[position & rowMask]!,
      deadline: segment.deadline[row]!,
      value: chunk.eurValue[position & rowMask]!,
      isInTitle,
      at: this.#question.at,
    })
  }

  positions(): number[] {
    return this.#best.positions().slice(this.#question.offset, this.#question.offset + this.#question.limit)
  }

  facets(recordAt: (position: number) => TenderRecord): TenderFacets {
    const groups = new Map<string, Counted[]>(Object.values(codeGroup).map((group) => [group, []]))
    const samples = new Map<string, number>()
    for (const [number, key] of this.#index.codes.keys.entries()) {
      const count = this.#tally[number * 2]!
      if (count === 0) continue
      groups.get(key[0]!)!.push({ code: key.slice(1), count })
      if (key[0] === codeGroup.buyer) samples.set(key.slice(1), this.#tally[number * 2 + 1]!)
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
      buyers: of(codeGroup.buyer)
        .counts.slice(0, shownBuyers)
        .map(({ code, count }) => ({ ...namedBuyer(recordAt(samples.get(code)!), code), count })),
      months: { ...months, counts: [...months.counts].sort((a, b) => (a.code < b.code ? -1 : 1)) },
    }
  }
}

const mostFirst = (a: Counted, b: Counted): number => b.count - a.count || (a.code < b.code ? -1 : 1)

function hasMarked({ codes, codeEnds, numbers }: PlacedSegment, row: number, marks: Uint8Array): boolean {
  for (let at = row === 0 ? 0 : codeEnds[row - 1]!; at < codeEnds[row]!; at++)
    if (marks[numbers[codes[at]!]!] === 1) return true
  return false
}

function namedBuyer(record: TenderRecord, code: string): { readonly name: string; readonly nationalId?: string } {
  const buyer = buyersOf(record).find(({ name }) => buyerCode(name).slice(1) === code)!
  return { name: buyer.name, ...(identifierOf(buyer) !== undefined && { nationalId: buyer.nationalId! }) }
}

type Ranked = {
  readonly publication: number
  readonly deadline: number
  readonly value: number
  readonly isInTitle: boolean
  readonly at: number
}

/** Above every time in milliseconds and every value. */
const far = 1e15
const orUnknown = (value: number): number => (Number.isNaN(value) ? -far : value)

/** The highest rank is first. */
const ranks: { readonly [order in TenderOrder]: (row: Ranked) => number } = {
  relevance: ({ publication, isInTitle }) => orUnknown(publication) + (isInTitle ? 3 * far : 0),
  newest: ({ publication }) => orUnknown(publication),
  deadline: ({ deadline, at }) => (deadline >= at ? at - deadline : orUnknown(deadline) - 3 * far),
  value: ({ value }) => orUnknown(value),
}
const rankOf = (order: TenderOrder, row: Ranked): number => ranks[order](row)

/** The positions with the highest ranks; of equal ranks, the later position is first. */
class Best {
  readonly #wanted: number
  #ranks: Float64Array
  #positions: Float64Array
  #count = 0
  #least = Number.NEGATIVE_INFINITY

  constructor(wanted: number) {
    this.#wanted = wanted
    const room = Math.max(1024, wanted * 2)
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
