// Generated from contract/openapi.json by client/generate-types.ts; do not edit.

/** One tender, consolidated from all its notices. Unknown members are left out; further members may be added. */
export type TenderRecord = {
  /** Fixed identifier of the tender; the key of your copy. */
  readonly id: string
  /**
   * Status of the tender. Known values: `planned`, `open`, `awardIntended`, `closed`, `awarded`, `cancelled`, `merged`;
   * further values may be added.
   */
  readonly status: string
  /** Present on archived records only. */
  readonly archiveReason?: 'expired' | 'cancelled' | 'awarded' | 'merged'
  /** ID of the surviving record; present exactly if archiveReason is `merged`. */
  readonly mergedInto?: string
  /** When the service published the last change in content. Only increases. */
  readonly lastModified: string
  /** When the sources of this record were last checked. Moves without `lastModified`. */
  readonly checkedAt: string
  /** Title, in the language of the record if it was published in it (BT-21). */
  readonly title: string
  /** ISO 639-1 code of the title's language, only if it is not the `language` of the record; `und` if it is unknown. */
  readonly titleLanguage?: string
  /**
   * A title that was published in capitals, as people would write it, to be shown in its place. Only for such titles.
   */
  readonly displayTitle?: string
  /** BT-24, in the language of the record if it was published in it. */
  readonly description?: string
  /**
   * ISO 639-1 code of the description's language, only if it is not the `language` of the record; `und` if it is
   * unknown.
   */
  readonly descriptionLanguage?: string
  /** ISO 639-1 code of the record's texts: the notice's own language (BT-702). */
  readonly language?: string
  /** Title and description in the other official languages, by ISO 639-1 code. */
  readonly translations?: { readonly [name: string]: {
    readonly title?: string
    readonly description?: string
  } }
  /** The authority's own number of the tender (BT-22). */
  readonly tenderNumber?: string
  /** Identifier that all notices of the procedure share (BT-04), or the OCID. */
  readonly procedureId?: string
  readonly contractingAuthority?: Organization
  /** Further buyers of a joint procurement. */
  readonly jointAuthorities?: readonly (Organization)[]
  /** BT-508. */
  readonly buyerProfileUrl?: string
  /** Submission deadline: the latest among the lots (BT-131). Each lot has its own in `lots`. May be missing. */
  readonly submissionDate?: string
  /** Deadline for requests to participate or expressions of interest: the latest among the lots (BT-1311, BT-630). */
  readonly participationDate?: string
  /** When the newest notice of this tender was published. `published_since` uses it. */
  readonly publicationDate?: string
  /** When the oldest notice of this tender was published; missing if only results are known. */
  readonly firstPublicationDate?: string
  /** Contract value; null if there is neither a published nor an estimated one. */
  readonly contractAmount: ContractAmount | null
  /** Total value of the contracts awarded (BT-161). */
  readonly awardedAmount?: Amount
  /** BT-23: works, supplies, services. */
  readonly contractNature?: string
  /** eForms procedure type (BT-105). */
  readonly procedureType?: string
  /** National procedure code as published, where it is not an eForms one. */
  readonly procedureTypeNational?: string
  /** BT-01. */
  readonly legalBasis?: string
  /** CPV codes of the tender, main code first (BT-262, BT-263). Codes of lots are in `lots`. */
  readonly cpvCodes: readonly (string)[]
  /** Regions of performance of the tender and its lots (BT-5071). The `nuts` filter uses them. */
  readonly nutsCodes: readonly (string)[]
  readonly realizedLocation?: RealizedLocation
  /** The tender leads to a framework agreement. */
  readonly isFramework?: boolean
  /** The tender sets up a dynamic purchasing system. */
  readonly isDynamicPurchasingSystem?: boolean
  /**
   * A standing list of qualified suppliers and no call for tenders: it may be open for years, and procedures are run
   * under it.
   */
  readonly isQualificationSystem?: boolean
  /** A review body suspended the procedure (BT-140 `susp-review`). */
  readonly isSuspended?: boolean
  /** No deadline was published; the record expires 90 days after publication. */
  readonly isDeadlineUnknown?: boolean
  /**
   * IANA time zone of the authority, to show deadlines as people there read them. Absent where its country has several
   * zones and its region is not known: show UTC and say so. All times of the record are UTC.
   */
  readonly timeZone?: string
  /** Where the procurement documents can be found (BT-15). */
  readonly documentsUrl?: string
  /** Where to submit tenders (BT-18). */
  readonly submissionUrl?: string
  /** Lots, by lotId. Empty when the tender is not divided and nothing is known of a lot. */
  readonly lots: readonly (Lot)[]
  /** The notices that went into this record, oldest first. */
  readonly originalSources: readonly (OriginalSource)[]
}

/** One page of tender records. */
export type TenderList = {
  /** One page of records, ascending by `lastModified`, then `id`. */
  readonly data: readonly (TenderRecord)[]
  /** Cursor of the next page; null when the list has ended. */
  readonly nextCursor: string | null
}

/** A problem (RFC 9457). Members that you do not know must be ignored. */
export type Problem = {
  /** Type of the error; branch on this. It is the URL of its explanation. */
  readonly type: string
  /** Short title of the type. */
  readonly title: string
  /** The HTTP status. */
  readonly status: number
  /** What is wrong with this request, for people. */
  readonly detail: string
  /** Path of the request, without its query. */
  readonly instance: string
  /** Same as the header `X-Request-Id`; quote it when you report a problem. */
  readonly requestId: string
  /** All faults of the parameters at once. */
  readonly errors?: readonly ({
    readonly parameter: string
    /** Stable code of the fault. */
    readonly code: string
    readonly detail: string
    /** The value as received, shortened. */
    readonly value?: string
    /** What is allowed instead. */
    readonly allowed?: readonly (string)[]
  })[]
  /** Same as the header `Retry-After`, in seconds. */
  readonly retryAfter?: number
}

/** An amount of money, as published. */
export type Amount = {
  /** Amount, excluding VAT. */
  readonly value: number
  /** ISO 4217 currency code as published. */
  readonly currency: string
}

/** The value of the contract, published or estimated. */
export type ContractAmount = {
  /** Amount, excluding VAT. */
  readonly value: number
  /** ISO 4217 currency code. */
  readonly currency: string
  /** `false`: published by the authority; `true`: estimated by the service. */
  readonly estimated: boolean
  /** Estimates only: the value is between `low` and `high` in four of five cases. */
  readonly low?: number
  /** Estimates only: see `low`. */
  readonly high?: number
  /**
   * Estimates only: `high` / `low` of the interval at most 8, 20 or 50; wider ones are not given. Known values: `high`,
   * `medium`, `low`; further values may be added.
   */
  readonly confidence?: string
  /**
   * Estimates only, for people: the words of the notice that state a value, or the similar tenders and the CPV code on
   * which it is based.
   */
  readonly basis?: string
  /**
   * Estimates only: the model that made it. An estimate stays until its inputs change; a newer model alone changes
   * nothing.
   */
  readonly modelVersion?: string
}

/** Duration as published (BT-36, BT-536, BT-537). */
export type Duration = {
  readonly value?: number
  readonly unit?: string
  readonly start?: string
  readonly end?: string
}

/** A part of the tender that can be awarded alone. */
export type Lot = {
  /** Identifier of the lot within the tender (BT-137). */
  readonly lotId: string
  /**
   * Status of the lot. `pending`: the deadline passed, nothing decided yet. Known values: `planned`, `open`, `pending`,
   * `awarded`, `cancelled`; further values may be added.
   */
  readonly status: string
  /** BT-21-Lot, in the language of the record if it was published in it. */
  readonly title?: string
  /** ISO 639-1 code of the title's language, only if it is not the `language` of the record; `und` if it is unknown. */
  readonly titleLanguage?: string
  /** BT-24-Lot, as the title. */
  readonly description?: string
  /**
   * ISO 639-1 code of the description's language, only if it is not the `language` of the record; `und` if it is
   * unknown.
   */
  readonly descriptionLanguage?: string
  /** The authority's number of the lot (BT-22-Lot). */
  readonly tenderNumber?: string
  /** BT-23-Lot. */
  readonly contractNature?: string
  /** CPV codes of the lot, main code first (BT-262-Lot, BT-263-Lot). */
  readonly cpvCodes: readonly (string)[]
  /** BT-5071-Lot. */
  readonly nutsCodes: readonly (string)[]
  readonly realizedLocation?: RealizedLocation
  /** Submission deadline of the lot (BT-131). */
  readonly submissionDate?: string
  /** Participation deadline of the lot (BT-1311). */
  readonly participationDate?: string
  /** Value published for the lot. */
  readonly contractAmount?: Amount
  /** Where the procurement documents can be found (BT-15). */
  readonly documentsUrl?: string
  /** Where to submit tenders (BT-18). */
  readonly submissionUrl?: string
  readonly duration?: Duration
  /** Why no winner was chosen (BT-144 code). */
  readonly nonAwardReason?: string
  /** Awarded value of the lot (BT-720). */
  readonly awardedAmount?: Amount
  /** Winners of the lot. */
  readonly winners?: readonly (Organization)[]
  /** Date of the contract as published (BT-145). */
  readonly contractDate?: string
  /** Number of tenders received (BT-759). */
  readonly receivedTenders?: number
}

/** An organization with its contact, as published. */
export type Organization = {
  /** Name (BT-500). */
  readonly name: string
  /** National registration number (BT-501). */
  readonly nationalId?: string
  readonly street?: string
  readonly city?: string
  readonly postalCode?: string
  /** ISO 3166-1 alpha-2 country code. */
  readonly country?: string
  /** NUTS code of the seat (BT-507). An authority that publishes none has that of its postal code and town. */
  readonly nutsCode?: string
  /** Contact point (BT-502). */
  readonly contactName?: string
  /** BT-506. */
  readonly email?: string
  /** BT-503. */
  readonly phone?: string
  /** Website (BT-505). */
  readonly url?: string
  /** The notice says that this is a natural person (BT-633); present only if true. */
  readonly isNaturalPerson?: boolean
}

/** One notice on one portal that went into this record. */
export type OriginalSource = {
  /** Portal that published this notice. */
  readonly publisher: string
  /**
   * Format in which it was read. Known values: `eforms`, `ted-export`, `ocds`, `portal`; further values may be added.
   */
  readonly format: string
  /** BT-701, or the id of the release. */
  readonly noticeId?: string
  /** BT-757. */
  readonly noticeVersion?: string
  /** Official Journal number. */
  readonly publicationNumber?: string
  /** BT-03: planning, competition, result … */
  readonly formType: string
  /** BT-02: cn-standard, can-standard … */
  readonly noticeType: string
  /** When the notice was published. */
  readonly publicationDate?: string
  readonly language?: string
  /** A page for people. */
  readonly url?: string
}

/**
 * Place of performance (BT-5101, BT-5071, BT-5141). Helps to assign a region when `nutsCodes` is empty; the `nuts`
 * filter does not use it.
 */
export type RealizedLocation = {
  /** ISO 3166-1 alpha-2 country code. */
  readonly country?: string
  /** NUTS code as published. */
  readonly nuts?: string
  readonly postalCode?: string
  readonly city?: string
}

/** A hit of a saved search, or a change of its tender. */
export type HitEvent = {
  readonly type: 'search.hit' | 'search.hit.changed'
  /** When the message was made; the same for all attempts. */
  readonly timestamp: string
  readonly data: {
    /** The same in all messages about this hit. */
    readonly hitId: string
    /** The edition that the record is from. */
    readonly edition: number
    /** The saved search. */
    readonly search: {
      readonly id: string
      /** Its name when the message was made. */
      readonly name: string
      /** The version of the search that matched. */
      readonly version: number
    }
    /** How well the tender fits, as of the edition of the hit. It never changes. */
    readonly fitScore: number
    /** How the score came about (docs/hits/score.md). */
    readonly fit: {
      /** The table that turns `raw` into the score, and its column. */
      readonly calibration: string
      /** The sum of the points of the parts. */
      readonly sum: number
      /** The sum after the rules. */
      readonly raw: number
      /** The profile of the company; null if it was derived from the search. */
      readonly profile: string | null
      /** The lot whose code fits best; null if the code of the tender does. */
      readonly lot: string | null
      /** The parts of the score. */
      readonly parts: readonly ({
        /** What is compared. */
        readonly part: string
        /** Null if it is not known: then the others count more. */
        readonly points: number | null
        /** Maximum points that this part can give here. */
        readonly of: number
        /** Why, for people. */
        readonly text?: string
        /** The words that count most, as they are compared: beginnings, and ends after `~`. */
        readonly terms?: readonly (string)[]
      })[]
      /** The rules that acted on the sum, in order: `past-authority +3`, `excluded: cleaning`. */
      readonly rules: readonly (string)[]
    }
    /** What satisfied each clause of the search: `cpv: 45233141 in lot 2 by 45233000`. */
    readonly matched: readonly (string)[]
    /** Only of `search.hit.changed`: what happened to the tender. */
    readonly changes?: readonly (string)[]
    /** Only where no notice and no passing of time caused the changes. */
    readonly reason?: {
      /** `corrected`: the service reads the same notices otherwise. */
      readonly code: string
      /** The rules of the service that changed: `acts`, `values`. */
      readonly rules: readonly (string)[]
      /** For people. */
      readonly text: string
    }
    /** The record that the tender is part of now. */
    readonly mergedInto?: string
    /** The record as of the edition. Drop it when you hold a newer `lastModified`. */
    readonly tender: TenderRecord
    /** What was left out of a record that is too large. The read API has it. */
    readonly truncated?: readonly (string)[]
  }
}

/** Sent when somebody tries an endpoint. Answer 2xx and do nothing. */
export type TestEvent = {
  readonly type: 'webhook.test'
  /** When the message was made. */
  readonly timestamp: string
  readonly data: {
    /** The endpoint that is tried. */
    readonly endpoint: string
    /** For people. */
    readonly message: string
  }
}

/** Query of GET /v1/tenders. */
export type TendersQuery = {
  /**
   * Sector: comma-separated CPV codes, any of which must match. A code with trailing zeros includes all codes below it;
   * a code ending in six zeros covers the whole division. Codes of lots count. At most 200 codes.
   */
  readonly cpv?: readonly (string)[] | undefined
  /**
   * Region: comma-separated NUTS codes, any of which must match. A code includes the areas below it. Tenders without a
   * region are excluded. At most 200 codes.
   */
  readonly nuts?: readonly (string)[] | undefined
  /** Only tenders whose newest notice was published at or after this time (inclusive). */
  readonly published_since?: string | undefined
  /**
   * Only records whose `lastModified` is at or after this time (inclusive). Archived records are delivered too,
   * whatever `archived` says.
   */
  readonly updated_since?: string | undefined
  /** Only tenders whose submission deadline is after this time (exclusive). Tenders without a deadline are excluded. */
  readonly deadline_after?: string | undefined
  /**
   * Minimum contract value, in whole euros excluding VAT (inclusive). Estimated values count; other currencies and
   * tenders without a value are excluded.
   */
  readonly value_min?: number | undefined
  /** Maximum contract value, in whole euros excluding VAT (inclusive); otherwise as `value_min`. */
  readonly value_max?: number | undefined
  /** Comma-separated eForms procedure types (BT-105), any of which must match. */
  readonly procedure?: readonly ('open' | 'restricted' | 'neg-w-call' | 'neg-wo-call' | 'comp-dial' | 'comp-tend' | 'innovation' | 'oth-single' | 'oth-mult' | 'exp-int-rail')[] | undefined
  /**
   * `true` includes archived tenders; the default leaves them out. Skipped, without an error, when `updated_since` is
   * sent.
   */
  readonly archived?: boolean | undefined
  /** Records per page. May change between the pages of a run. */
  readonly limit?: number | undefined
  /**
   * `nextCursor` of the previous page, sent with the same filters. Valid for 24 hours. Its content must not be
   * interpreted.
   */
  readonly cursor?: string | undefined
}
