// What people ask of an edition, and the answer: tenders in an order, and how many there are of each kind.
import type { Status } from '../../domain/tender.ts'

/** `merged` is not among them: another record holds that tender. */
export type FoundStatus = Exclude<Status, 'merged'>

export type TenderOrder = 'relevance' | 'newest' | 'deadline' | 'value'

/**
 * All members must hold; of a list, any item. What is unknown of a tender holds for no member, as in saved searches.
 * Times in epoch milliseconds, `From` inclusive, `Before` exclusive.
 */
export type TenderQuestion = {
  /**
   * Single words, as `searchWordsOf` and saved searches have them: all must occur in titles and descriptions of the
   * tender and its lots, in any language, by the rules of saved searches (docs/hits/matching.md).
   */
  readonly allWords?: readonly string[]
  /** Eight-digit codes of the tender or of a lot, and those below (C55 to C64). */
  readonly cpv?: readonly string[]
  /** Regions of performance and those in them; two letters are a country (C65 to C71). */
  readonly nuts?: readonly string[]
  /** Archived tenders are found, too: their status tells them apart. */
  readonly statuses?: readonly FoundStatus[]
  /** Euros, both inclusive. */
  readonly valueMin?: number
  readonly valueMax?: number
  /** The deadline that a bidder meets first. */
  readonly deadlineFrom?: number
  readonly deadlineBefore?: number
  /** The newest notice of the tender. */
  readonly publishedFrom?: number
  readonly publishedBefore?: number
  /** Names or national ids, as the clause of saved searches. */
  readonly authorities?: readonly string[]
  /**
   * Single words (`searchWordsOf`), all of which occur in names of winners that are companies (`isCompany`), at the
   * beginning of a word if they have four letters.
   */
  readonly winnerWords?: readonly string[]
  /** A company with this identifier (`identifierOf`) won a lot. */
  readonly winnerIdentifier?: string
  /**
   * `relevance`: all words in the tender's own title, in any language, then the newest. `newest`: by publication.
   * `deadline`: the next one, then those that passed, the latest first. `value`: the highest. Unknown ones are last; of
   * equals the last modified is first.
   */
  readonly order: TenderOrder
  /** 0 to `maxOffset`. */
  readonly offset: number
  /** 1 to `maxFound`. */
  readonly limit: number
  /** Which deadlines passed. Round it down to the hour: equal questions are answered once for each edition. */
  readonly at: number
}

/** Beyond it nobody looks, and sorting costs. */
export const maxOffset = 1000
export const maxFound = 5000

export type Counted = { readonly code: string; readonly count: number }

/** `counts`: the most first, then by code, without zeros. `none`: those of which nothing is known. */
export type FacetCounts = { readonly counts: readonly Counted[]; readonly none: number }

/** Number of weeks whose deadlines are counted one by one. */
export const deadlineWeeks = 6

/**
 * How many tenders there are of each kind among those that match everything but the facet's own filter. A tender has
 * several divisions and regions: counts may add up to more than the total.
 */
export type TenderFacets = {
  /** Divisions as two digits: `45`. */
  readonly divisions: FacetCounts
  /** Two letters as in NUTS: `DE`, `EL`. */
  readonly countries: FacetCounts
  /** NUTS-1, three characters: `DE2`. */
  readonly regions: FacetCounts
  readonly statuses: readonly Counted[]
  /** In the order of `valueBands`. */
  readonly values: { readonly counts: readonly number[]; readonly none: number }
  /** `weeks[i]`: from `at` + i weeks on, before `at` + (i + 1) weeks. `later`: after these weeks. */
  readonly deadlines: {
    readonly passed: number
    readonly weeks: readonly number[]
    readonly later: number
    readonly none: number
  }
  /**
   * The ten with the most tenders, by name (`authorityKey`); a tender with several buyers counts for each. The name
   * alone as `authorities` finds at least `count`: also those whose national id is this text.
   */
  readonly buyers: readonly { readonly name: string; readonly nationalId?: string; readonly count: number }[]
  /** `2026-11`, UTC, ascending. */
  readonly months: FacetCounts
}

export type TendersFound = {
  /** The edition that is answered: the newest one, or the one before while that is being indexed. */
  readonly edition: number
  /** Share of its records that are indexed; below 1 the answer knows only these. */
  readonly indexed: number
  readonly total: number
  /** In the order of the question. Valid until control returns to the event loop. */
  readonly positions: readonly number[]
  readonly facets: TenderFacets
}

/** Throws RangeError for what no page asks. */
export function checkBounds({ offset, limit }: Pick<TenderQuestion, 'offset' | 'limit'>): void {
  const isWhole = Number.isSafeInteger(offset) && Number.isSafeInteger(limit)
  if (isWhole && offset >= 0 && offset <= maxOffset && limit > 0 && limit <= maxFound) return
  throw new RangeError(`tenders ${offset} to ${offset + limit} are not listed`)
}
