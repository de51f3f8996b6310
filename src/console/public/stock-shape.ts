// The stock as charts show it: how many tenders by week, by portal and by division of CPV, and values by country.
import type { TenderRecord } from '../../domain/tender.ts'
import { dayMs } from '../../domain/time.ts'

const weekMs = 7 * dayMs
/** Number of weeks shown, including the edition's. */
const shownWeeks = 26
/** The first Monday after the epoch, which was a Thursday. */
const firstMonday = 4 * dayMs

/** What is known of the values of a country's tenders. */
export type CountryValues = {
  readonly country: string
  readonly tenders: number
  /** Tenders for which nobody published a value, estimated ones among them. */
  readonly unpriced: number
  readonly estimated: number
  /** The median of the upper end of the estimates' intervals divided by the lower; undefined without estimates. */
  readonly usualSpread: number | undefined
}

type Values = { tenders: number; unpriced: number; readonly spreads: number[] }

/** Counts tenders. A record that was merged into another one is not counted. */
export class StockShape {
  /** The Monday of the edition's week in UTC, epoch milliseconds, and those before; the newest last. */
  readonly weeks: readonly number[]
  readonly #byWeek = new Map<number, number>()
  readonly #byPublisher = new Map<string, number>()
  readonly #byDivision = new Map<string, number>()
  readonly #byCountry = new Map<string, Values>()
  #tenders = 0
  #merged = 0
  #withoutCode = 0

  /** `publishedAt` of the edition, epoch milliseconds. */
  constructor(publishedAt: number) {
    const monday = mondayOf(publishedAt)
    this.weeks = Array.from({ length: shownWeeks }, (_, index) => monday - (shownWeeks - 1 - index) * weekMs)
  }

  get tenders(): number {
    return this.#tenders
  }

  get merged(): number {
    return this.#merged
  }

  /** Tenders whose newest notice is of that week. */
  inWeek(monday: number): number {
    return this.#byWeek.get(monday) ?? 0
  }

  /** Tenders of no shown week, or without a date. */
  get otherWeeks(): number {
    return this.weeks.reduce((rest, monday) => rest - this.inWeek(monday), this.#tenders)
  }

  /** Tenders by publisher of one of their notices, the most first; one of several portals counts at each. */
  get byPublisher(): readonly (readonly [publisher: string, tenders: number])[] {
    return maxFirst(this.#byPublisher)
  }

  /**
   * Tenders by the first two digits of a code of theirs or of a lot, the most first; one of several divisions counts in
   * each.
   */
  get byDivision(): readonly (readonly [division: string, tenders: number])[] {
    return maxFirst(this.#byDivision)
  }

  get withoutCode(): number {
    return this.#withoutCode
  }

  /** Values by country of the authority, most tenders without a published one first. An unknown country is empty. */
  get byCountry(): readonly CountryValues[] {
    return [...this.#byCountry]
      .map(([country, { tenders, unpriced, spreads }]): CountryValues => {
        const usualSpread = spreads.sort((left, right) => left - right)[Math.floor(spreads.length / 2)]
        return { country, tenders, unpriced, estimated: spreads.length, usualSpread }
      })
      .sort((left, right) => right.unpriced - left.unpriced || (left.country < right.country ? -1 : 1))
  }

  add(record: TenderRecord): void {
    const { archiveReason, publicationDate, originalSources, cpvCodes, lots } = record
    if (archiveReason === 'merged') {
      this.#merged++
      return
    }
    this.#tenders++
    const week = publicationDate === undefined ? Number.NaN : mondayOf(Date.parse(publicationDate))
    // dates come from portals: other weeks take no memory
    if (week >= this.weeks[0]! && week <= this.weeks.at(-1)!) addOne(this.#byWeek, week)
    for (const publisher of new Set(originalSources.map((source) => source.publisher)))
      addOne(this.#byPublisher, publisher)
    const divisions = new Set([...cpvCodes, ...lots.flatMap((lot) => lot.cpvCodes)].map((code) => code.slice(0, 2)))
    for (const division of divisions) addOne(this.#byDivision, division)
    if (divisions.size === 0) this.#withoutCode++
    this.#addValue(record)
  }

  #addValue({ contractingAuthority, contractAmount }: TenderRecord): void {
    const country = contractingAuthority?.country ?? ''
    const values = this.#byCountry.get(country) ?? { tenders: 0, unpriced: 0, spreads: [] }
    this.#byCountry.set(country, values)
    values.tenders++
    if (contractAmount && !contractAmount.estimated) return
    values.unpriced++
    if (contractAmount) values.spreads.push((contractAmount.high ?? 1) / (contractAmount.low ?? 1))
  }
}

const mondayOf = (at: number): number => at - ((((at - firstMonday) % weekMs) + weekMs) % weekMs)

function addOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

const maxFirst = (counts: ReadonlyMap<string, number>): (readonly [string, number])[] =>
  [...counts].sort(([left, most], [right, more]) => more - most || (left < right ? -1 : 1))
