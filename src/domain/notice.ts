// The notice: one published announcement, one version, from one publisher, as the parsers of `sources/` read it.
import type { ActReading } from './acts/act.ts'
import type { Instant } from './time.ts'

/** Text in several languages; the key is an ISO 639-1 code, lower case (`de`), or `und` if the language is unknown. */
export type MultilingualText = { readonly [language: string]: string }

/** An amount excluding VAT as published; `currency` is an ISO 4217 code. Never a sentinel (-1, 0, 1, 0.01). */
export type Money = { readonly value: number; readonly currency: string }

/** BT-03, plus `change` of SDK up to 1.8. The parser keeps unknown form types unchanged in `noticeType`. */
const formTypes = [
  'planning',
  'competition',
  'dir-awa-pre',
  'result',
  'cont-modif',
  'completion',
  'consultation',
  'change',
] as const
export type FormType = (typeof formTypes)[number]

export function isFormType(code: string): code is FormType {
  return (formTypes as readonly string[]).includes(code)
}

/** `portal`: a shape that only one portal (or a family of portals) has, read by the `parse` of its source. */
export const formats = ['eforms', 'ted-export', 'ocds', 'portal'] as const
type Format = (typeof formats)[number]

/**
 * A place of performance (BT-5101, BT-5071, BT-5141). `country` is ISO 3166-1 alpha-2 (GB, GR), NUTS as published
 * (UK.., EL..).
 */
export type Place = {
  readonly country?: string
  readonly nutsCode?: string
  readonly postalCode?: string
  readonly city?: string
}

/**
 * A buyer or winner (BT-500, BT-501, BT-510 …). `country` is ISO 3166-1 alpha-2. Placeholders (`TBD`, `n/a`) are
 * missing.
 */
export type Organization = {
  readonly name: string
  readonly nationalId?: string
  readonly street?: string
  readonly city?: string
  readonly postalCode?: string
  readonly country?: string
  readonly nutsCode?: string
  readonly contactName?: string
  readonly email?: string
  readonly phone?: string
  readonly url?: string
  /** Only if true. */
  readonly isNaturalPerson?: boolean
}

/**
 * Outcome of a lot (BT-142). `pending` = open-nw: nothing decided. `reason` is a BT-144 code if one was published;
 * TED_EXPORT has only `unsuccessful` and `discontinued`.
 */
export type LotResult = {
  readonly outcome: 'awarded' | 'not-awarded' | 'pending'
  readonly reason?: string
  readonly awardedValue?: Money
  readonly winners?: readonly Organization[]
  readonly contractDate?: string
  readonly receivedTenders?: number
}

/** A lot (BT-137), or a Part of a planning notice. All fields but the id may be missing. */
export type NoticeLot = {
  readonly lotId: string
  readonly title?: MultilingualText
  readonly description?: MultilingualText
  readonly internalReference?: string
  readonly contractNature?: string
  readonly cpvCodes: readonly string[]
  readonly nutsCodes: readonly string[]
  readonly place?: Place
  readonly estimatedValue?: Money
  readonly frameworkMaximum?: Money
  /** BT-131: receipt of tenders. */
  readonly submissionDate?: Instant
  /** BT-1311: receipt of requests to participate. */
  readonly participationDate?: Instant
  /** BT-630: receipt of expressions of interest (calls made by a prior information notice). */
  readonly interestDate?: Instant
  /** BT-15 or BT-615. */
  readonly documentsUrl?: string
  /** BT-18. */
  readonly submissionUrl?: string
  /** BT-36/536/537 as published: months, days or dates. */
  readonly duration?: {
    readonly value?: number
    readonly unit?: string
    readonly start?: string
    readonly end?: string
  }
  readonly result?: LotResult
  /** OCDS lots[].status or an explicit withdrawal of the lot. */
  readonly cancelled?: boolean
}

/** An edge to another notice. At least one of the identifying members is present. */
export type NoticeReference = {
  /**
   * `changes`: this notice re-publishes that one; `previous`: an earlier notice of the procedure; `planning`: its prior
   * information notice; `modifies`: the notice whose contract this one modifies.
   */
  readonly kind: 'changes' | 'previous' | 'planning' | 'modifies'
  /** BT-701, lower case. */
  readonly noticeId?: string
  /** BT-757. */
  readonly noticeVersion?: string
  /** Official journal number without zero padding: `123456-2024`. */
  readonly publicationNumber?: string
}

/**
 * One notice. Optional members are absent if the publisher gave nothing usable: withheld (`unpublished`, -1) and
 * placeholder values count as absent. Codes are as published unless a comment says otherwise.
 */
export type Notice = {
  /**
   * `<publisher>:<its id of this notice and version>`, for example `ted:123456-2024`, `doe:<uuid>-01`,
   * `ocds-b5fd17:<release id>`. Two documents with the same key are copies of one notice.
   */
  readonly noticeKey: string
  /**
   * Short id of the portal that published this copy, read from the content: `ted`, `doe`, `doffin`, an OCID prefix …
   */
  readonly publisher: string
  readonly format: Format
  /** Profile: CustomizationID, `R2.0.9.S03`, OCDS version. */
  readonly profile: string
  /** BT-701, lower case. Shared by the copies of one notice on several portals. */
  readonly noticeId?: string
  /** BT-757 as published (`01`). */
  readonly noticeVersion?: string
  /** OPP-010 without zero padding: `123456-2024`. */
  readonly publicationNumber?: string
  /** BT-04 lower case, or the OCID for OCDS (for DÖE's OCDS the BT-04 that the OCID holds). */
  readonly procedureId?: string
  /** BT-22, REFERENCE_NUMBER, OCDS tender.id: the authority's own number. */
  readonly internalReference?: string
  readonly formType: FormType
  /** BT-02 (`cn-standard`), `F02` …, or the OCDS release tags joined by `+`. */
  readonly noticeType: string
  /** OPP-070 (`16`, `E3`), or the TED_EXPORT form number. */
  readonly noticeSubtype?: string
  readonly legalBasis?: string
  /** The notice's own language (BT-702), ISO 639-1; `und` when unknown. */
  readonly language: string
  /** All official languages, its own first. */
  readonly languages: readonly string[]
  readonly title?: MultilingualText
  readonly description?: MultilingualText
  /** Instant of publication; a date without a time is midnight in its own offset, else in the publisher's zone. */
  readonly publicationDate?: Instant
  /** Instant of dispatch (BT-05). */
  readonly dispatchDate?: Instant
  /** The lead buyer first. */
  readonly contractingAuthorities: readonly Organization[]
  readonly buyerProfileUrl?: string
  /** eForms procedure type if the published code is one or maps to one (BT-105). */
  readonly procedureType?: string
  /** The published code if it is not an eForms one (`de-open`; `PT_OPEN` is mapped and not kept). */
  readonly procedureTypeNational?: string
  /** `works`, `supplies`, `services` (BT-23), or the published code. */
  readonly contractNature?: string
  /** Eight digits, main code first, without those of the lots unless published on the procedure too. */
  readonly cpvCodes: readonly string[]
  readonly nutsCodes: readonly string[]
  readonly place?: Place
  readonly estimatedValue?: Money
  readonly frameworkMaximum?: Money
  /** BT-161 or VAL_TOTAL: the value of all contracts of this notice. */
  readonly awardedValue?: Money
  readonly isFramework?: boolean
  readonly isDynamicPurchasingSystem?: boolean
  /** BT-119: the dynamic purchasing system ends with this notice. */
  readonly isDynamicPurchasingSystemTerminated?: boolean
  /** Deadlines of the procedure and not of a lot (legacy, OCDS). */
  readonly submissionDate?: Instant
  readonly participationDate?: Instant
  /** Last day of a qualification system or prior information notice, if published. */
  readonly validityEnd?: Instant
  readonly documentsUrl?: string
  readonly submissionUrl?: string
  readonly lots: readonly NoticeLot[]
  readonly references: readonly NoticeReference[]
  /**
   * BT-140 codes of a change notice (`cancel`, `cor-buy`, `susp-review` …); present if the notice carries a change
   * block.
   */
  readonly changeReasons?: readonly string[]
  /** What earlier releases of the procedure stated and this one takes back, by an explicit `null` (OCDS). */
  readonly withdrawn?: readonly ('estimatedValue' | 'submissionDate' | 'participationDate')[]
  /** BT-141 and BT-762: what changed, and why, in the publisher's words. */
  readonly changeText?: MultilingualText
  /** The source itself says the procedure is cancelled or withdrawn (OCDS tender.status, portal text). */
  readonly isCancelled?: boolean
  /**
   * The source itself says that tenders are no longer accepted, whatever deadline it names, and that nothing is
   * decided.
   */
  readonly isClosed?: boolean
  /**
   * The source itself says that the procedure ended without a winner (OCDS `unsuccessful`, PROCUREMENT_UNSUCCESSFUL for
   * all).
   */
  readonly isUnsuccessful?: boolean
  /** A page for people. */
  readonly url?: string
  /** What the notice is (docs/acts.md). `formType` is that of the act; the published one is in `act.form`. */
  readonly act?: ActReading
  /** A text that gives so many days more, without a date. */
  readonly extendedByDays?: number
}

/** What a record takes unchanged from the first notice that has it (docs/consolidation.md). */
export const carriedMembers = [
  'buyerProfileUrl',
  'contractNature',
  'procedureTypeNational',
  'legalBasis',
  'isFramework',
  'isDynamicPurchasingSystem',
] as const satisfies readonly (keyof Notice)[]

/** What no document has: it is read from what the parser has found. */
type Derived = 'act' | 'extendedByDays'

/** What a format does not have, or not for every notice. Its parser does not compile until it names all others. */
export type LackedBy = {
  readonly eforms:
    | Derived
    | 'submissionDate'
    | 'participationDate'
    | 'withdrawn'
    | 'isCancelled'
    | 'isClosed'
    | 'isUnsuccessful'
  readonly 'ted-export':
    | Derived
    | 'changeText'
    | 'noticeVersion'
    | 'procedureId'
    | 'frameworkMaximum'
    | 'changeReasons'
    | 'withdrawn'
    | 'isClosed'
    | 'isCancelled'
    | 'isUnsuccessful'
    | 'submissionDate'
    | 'participationDate'
  readonly ocds:
    | Derived
    | 'changeText'
    | 'publicationNumber'
    | 'noticeSubtype'
    | 'isDynamicPurchasingSystemTerminated'
    | 'validityEnd'
    | 'changeReasons'
}

/** Why a document, or a part of it, did not become a notice. The codes are stable; they are shown to operators. */
const rejectionReasons = [
  'unsupported-format', // not a notice format that we read: csv, readme, picture …
  'malformed', // not well-formed XML / JSON / archive, truncated, broken UTF-8, NUL bytes
  'forbidden-construct', // DOCTYPE, entity declaration
  'too-deep', // nested deeper than any notice
  'too-large', // over the size limit of a document, an archive member or an archive
  'not-procurement', // announces no procurement: a notice of such a kind (X01, X02), a draft
  'missing-identity', // no id from which a notice key can be made
  'missing-content', // neither title nor buyer: nothing to show
  'invalid-content', // the structure contradicts its own format
] as const
export type RejectionReason = (typeof rejectionReasons)[number]

/** `path` says where: an XPath-like path, a JSON pointer, a member name, a line; empty for the whole document. */
export type Rejection = { readonly reason: RejectionReason; readonly path: string; readonly detail: string }

/**
 * One notice or rejection of a document; `pointer` is `` for a document that is one notice, else a JSON pointer
 * (`/releases/3`).
 */
export type ParsedPart =
  | { readonly pointer: string; readonly notice: Notice }
  | { readonly pointer: string; readonly rejection: Rejection }
