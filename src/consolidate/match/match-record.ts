// What the matcher knows about a component of stage A, and its verdict on two: the types shared by all files of
// `match`.
import type { Contradiction } from '../../domain/contradiction.ts'
import type { NamedCalls } from '../named-calls.ts'

/** Words of one title. Weights are information in nats: ln(1 / share of titles with the word), from static tables. */
export type MatchTitle = {
  /** ISO 639-1, or `und`. */
  readonly language: string
  /** Distinct words in order of the title, folded, without stop words. */
  readonly words: readonly string[]
  /** Weight of each word, parallel to `words`. */
  readonly weights: readonly number[]
  /**
   * All words joined without spaces, stop words included: finds titles that differ only in how compounds are written.
   */
  readonly joined: string
  /** Whether a portal cut it short: it ends in an ellipsis or in the middle of a sentence at a usual limit. */
  readonly isTruncated: boolean
}

/**
 * Marks that distinguish parts of one project: `lot`, `phase`, `trade` (LV, VE, KG), `ordinal`; values folded, without
 * leading zeros.
 */
export type Discriminators = { readonly [type: string]: readonly string[] }

export type MatchBuyer = {
  /** Words that distinguish this buyer from others, without legal forms and kinds of offices. */
  readonly words: readonly string[]
  readonly weights: readonly number[]
  /** All words of the name in order, joined by spaces: equal names are equal even if no word is distinctive. */
  readonly name: string
}

/**
 * A deadline. `minute`: epoch minutes; `day`: epoch day in the buyer's zone; only the day was published if
 * `isDateOnly`.
 */
export type MatchDeadline = { readonly minute: number; readonly day: number; readonly isDateOnly: boolean }

/**
 * One component of stage A, everything derived once. Plain JSON, so it can be stored. Members are sorted if their order
 * has no meaning, so that equal units give equal records.
 */
export type MatchRecord = {
  /** Notice key of the component's first unit. */
  readonly key: string
  /** Portals that published a notice of it, sorted (`notice.publisher`). */
  readonly publishers: readonly string[]
  /**
   * Portals whose own call it holds; two calls of one portal are two procedures unless strong evidence suggests one.
   */
  readonly callPublishers: readonly string[]
  /**
   * Whether all of it comes from a portal's own pages, rows of lists and pages of details. A journal's documents are
   * never the row and the page of one tender: two of them are two publications.
   */
  readonly isFromPages?: true
  /** Procedure ids with the scope in which each is unique (`bt-04`, an OCID prefix, a publisher). */
  readonly procedures: readonly { readonly scope: string; readonly id: string }[]
  /**
   * Stage of its most significant notice: a call before a result before a contract's later stages before an
   * announcement.
   */
  readonly stage: 'call' | 'result' | 'contract' | 'planning'
  /** Countries of its buyers (ISO 3166-1 alpha-2), sorted. */
  readonly countries: readonly string[]
  /** Own language of the head notice. */
  readonly language: string
  readonly titles: readonly MatchTitle[]
  /** Every number of the titles, folded (`2026`, `12`, `60`). */
  readonly numbers: readonly string[]
  readonly discriminators: Discriminators
  /** Whether the marks are in the title, not only in the description. */
  readonly isMarkedInTitle: boolean
  /** Whether it is a copy (`(Kopie)`): a procedure restarted from an older one. */
  readonly isCopy: boolean
  readonly buyers: readonly MatchBuyer[]
  /** Cleaned national ids, sorted. */
  readonly buyerIds: readonly string[]
  /** Rarest word of the buyer's or the place's town; empty when none is known. */
  readonly towns: readonly string[]
  readonly deadlines: readonly MatchDeadline[]
  /** Epoch days of the first and last publication (else dispatch); undefined when no notice has a date. */
  readonly firstDay?: number
  readonly lastDay?: number
  /** First publication of its own call, epoch day. */
  readonly callDay?: number
  /** First publication of a result, epoch day. */
  readonly resultDay?: number
  /** What its notices are and name, so that a result is not attributed to a different call. */
  readonly calls: NamedCalls
  /** Significant digits of CPV codes, main code first, each once; at most 24. */
  readonly cpv: readonly string[]
  readonly nuts: readonly string[]
  /** Clean numbers of the authority, from fields and from texts (`Vergabenr.: …`), sorted. */
  readonly references: readonly string[]
  /** Hashes of the description's shingles of three words: the smallest 256, sorted. */
  readonly shingles: readonly number[]
  /** Number of words in the description. 0: none, or only a repetition of the title. */
  readonly descriptionLength: number
  /** Weighted words of the description, for short ones only (at most 40): used to detect a bilateral substitution. */
  readonly descriptionWords: readonly string[]
  /** Numbers of two digits or more in the description, sorted, at most 40: they survive a translation. */
  readonly descriptionNumbers: readonly string[]
  /**
   * Hashes of the description's distinct words, without stop words: the smallest 400, sorted. One word distinguishes
   * two trades.
   */
  readonly textWords: readonly number[]
  /** Marks of parts anywhere in the description, where `discriminators` reads its beginning. */
  readonly parts: Discriminators
  /** Addresses that name the documents of one award, `host/id`, from the fields and the description, sorted. */
  readonly documents: readonly string[]
}

/** `twins`: see twinKey; the larger count where the two records have different keys. */
export type MatchContext = { readonly twins: number }

/**
 * Verdict of the matcher on two records. `merge`: one tender; `review`: operators decide; `none`: unrelated. `rule`
 * names the rule or veto, `score` is in points of log-odds, `evidence` is one line for people;
 * `contradiction` is what it says of a veto.
 */
export type Verdict = {
  readonly kind: 'merge' | 'review' | 'none'
  readonly rule: string
  readonly score: number
  readonly evidence: string
  readonly contradiction?: Contradiction
}

/** A verdict on two records by key, `left` < `right`. */
export type MatchEdge = Verdict & { readonly left: string; readonly right: string }

/**
 * An operator's decision on two records by key, in any order. The caller maps notices to the records that hold them
 * now.
 */
export type MatchDecision = { readonly left: string; readonly right: string; readonly decision: 'merge' | 'split' }

/** Records of one tender. */
export type Cluster = {
  /** Sorted. */
  readonly keys: readonly string[]
  /** Edges that formed it; an operator's have the rule `operator`. */
  readonly joinedBy: readonly MatchEdge[]
  /** Possible duplicates in other clusters; each is listed for both of its clusters. */
  readonly reviews: readonly MatchEdge[]
}
