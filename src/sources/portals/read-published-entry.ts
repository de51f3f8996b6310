// An entry of a portal's list, member by member as published, to a notice: the rules that all portals with shapes of their own share.
import type { ProcedureType } from '../../domain/codes.ts'
import type {
  FormType,
  LotResult,
  Notice,
  NoticeLot,
  NoticeReference,
  Organization,
  Place,
  Rejection,
} from '../../domain/notice.ts'
import type { Instant } from '../../domain/time.ts'
import { compact } from '../compact.ts'
import { readPortalNotice } from '../read-portal-notice.ts'
import {
  countIn,
  cpvCodesIn,
  dayIn,
  deadlineIn,
  descriptionIn,
  instantIn,
  moneyIn,
  nutsCodesIn,
  organizationOf,
  type PublishedOrganization,
  tedNumberIn,
  titleIn,
  uuidIn,
} from '../read-values.ts'
import { distinctOrganizations } from '../results.ts'
import { cleanField, cleanUrl } from '../text.ts'

/** What is the same for every entry of a portal. */
export type PortalHome = {
  /** Id of the source: `ro-seap`. */
  readonly publisher: string
  readonly profile: string
  /** ISO 639-1. */
  readonly language: string
  /** IANA zone of times without an offset. */
  readonly zone: string
  /** ISO 3166-1 alpha-2 of buyers and winners without a country; absent for international bodies. */
  readonly country?: string
  /** ISO 4217 of amounts without a currency. */
  readonly currency?: string
}

/** The members as published. All but the identity may be anything: what is unusable is left out. */
export type PublishedEntry = {
  /** The portal's own id of the announcement; numbers count. */
  readonly id: unknown
  /** What tells the versions of one announcement apart: a number, or the instant of its last change. */
  readonly version?: unknown
  readonly formType: FormType
  readonly noticeType: unknown
  readonly noticeSubtype?: unknown
  /** The portal's id of the procedure, which its announcements share. */
  readonly procedureId?: unknown
  /** The buyer's own number. */
  readonly reference?: unknown
  /** Number, or address, of the same notice in the EU's journal. */
  readonly journal?: unknown
  readonly title: unknown
  readonly description?: unknown
  readonly language?: string
  readonly publishedAt?: unknown
  readonly changedAt?: unknown
  readonly deadline?: unknown
  readonly participationDeadline?: unknown
  readonly buyer?: PublishedOrganization
  readonly cpv?: unknown
  readonly nuts?: unknown
  readonly place?: Place | undefined
  readonly estimatedValue?: unknown
  readonly awardedValue?: unknown
  readonly currency?: unknown
  readonly procedureType?: ProcedureType | undefined
  readonly nationalProcedure?: unknown
  readonly nature?: unknown
  readonly isFramework?: boolean | undefined
  /** What came out of it; with winners `awarded` is understood. */
  readonly outcome?: LotResult['outcome'] | undefined
  readonly winners?: readonly PublishedOrganization[]
  readonly receivedTenders?: unknown
  readonly contractDate?: unknown
  readonly lots?: readonly NoticeLot[]
  readonly isCancelled?: boolean
  readonly isUnsuccessful?: boolean
  /** Tenders are received no more, and nothing is decided. */
  readonly isClosed?: boolean
  readonly changeReasons?: readonly string[] | undefined
  /** The portal's id of the announcement that this one changes. */
  readonly changes?: unknown
  readonly references?: readonly NoticeReference[]
  readonly documentsUrl?: unknown
  readonly url?: unknown
}

/** Id of the only lot, as with the other formats. */
const onlyLotId = '1'

/** Text or a finite number as one line; undefined for anything else and for placeholders. */
export function wordsOf(value: unknown): string | undefined {
  return cleanField(
    typeof value === 'string' ? value : typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined,
  )
}

/** As wordsOf, for texts of several lines: nothing but strings. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * The notice, or why it is none. A portal that shows only the present state of an announcement says nothing of versions: then
 * the deadline is in the key, so that an extension is a notice of its own, and sorts after what it extends.
 */
export function readPublishedEntry(home: PortalHome, entry: PublishedEntry): Notice | Rejection {
  const language = entry.language ?? home.language
  const id = wordsOf(entry.id)
  const version = wordsOf(entry.version)
  const submissionDate = deadlineIn(entry.deadline, home.zone)
  const participationDate = deadlineIn(entry.participationDeadline, home.zone)
  const changedId = wordsOf(entry.changes)
  const currency = wordsOf(entry.currency) ?? home.currency
  const awardedValue = moneyIn(entry.awardedValue, currency)
  const buyer = entry.buyer && organizationOf(entry.buyer, home.country)
  const url = cleanUrl(textOf(entry.url))
  return readPortalNotice({
    id: id && keyOf(id, version, submissionDate ?? participationDate),
    publisher: home.publisher,
    profile: home.profile,
    formType: entry.formType,
    noticeType: wordsOf(entry.noticeType) ?? entry.formType,
    noticeSubtype: wordsOf(entry.noticeSubtype),
    // What the portal counts is its own; only a UUID is one of all portals.
    noticeId: uuidIn(entry.id) ?? id?.toLowerCase(),
    noticeVersion: version !== undefined && /^\d{1,6}$/.test(version) ? version : undefined,
    publicationNumber: tedNumberIn(entry.journal),
    procedureId: wordsOf(entry.procedureId)?.toLowerCase(),
    internalReference: wordsOf(entry.reference),
    language,
    title: titleIn(wordsOf(entry.title), language),
    description: descriptionIn(textOf(entry.description), language),
    publicationDate: instantIn(entry.publishedAt, home.zone),
    dispatchDate: instantIn(entry.changedAt, home.zone),
    submissionDate,
    participationDate,
    contractingAuthorities: buyer ? [buyer] : [],
    cpvCodes: cpvCodesIn(entry.cpv),
    nutsCodes: nutsCodesIn(entry.nuts),
    place: entry.place,
    estimatedValue: moneyIn(entry.estimatedValue, currency),
    awardedValue,
    procedureType: entry.procedureType,
    procedureTypeNational: entry.procedureType === undefined ? wordsOf(entry.nationalProcedure) : undefined,
    contractNature: wordsOf(entry.nature),
    isFramework: entry.isFramework,
    lots: entry.lots?.length ? entry.lots : lotsOf(home, entry, awardedValue),
    references: [
      ...(changedId === undefined ? [] : [{ kind: 'changes' as const, noticeId: changedId.toLowerCase() }]),
      ...(entry.references ?? []),
    ],
    changeReasons: entry.changeReasons,
    isCancelled: entry.isCancelled || undefined,
    isUnsuccessful: entry.isUnsuccessful || undefined,
    isClosed: entry.isClosed || undefined,
    documentsUrl: cleanUrl(textOf(entry.documentsUrl)),
    url,
  })
}

function keyOf(id: string, version: string | undefined, deadline: Instant | undefined): string {
  if (version !== undefined) return `${id}-${version}`
  return deadline === undefined ? id : `${id}@${deadline.slice(0, 16)}`
}

/** Winners as published, each once. */
export function winnersOf(
  home: PortalHome,
  published: readonly PublishedOrganization[] | undefined,
): readonly Organization[] | undefined {
  const winners = distinctOrganizations((published ?? []).map((winner) => organizationOf(winner, home.country)))
  return winners.length > 0 ? winners : undefined
}

/** A result without lots is that of the whole. */
function lotsOf(home: PortalHome, entry: PublishedEntry, awardedValue: LotResult['awardedValue']): NoticeLot[] {
  const winners = winnersOf(home, entry.winners)
  const outcome = entry.outcome ?? (winners ? 'awarded' : undefined)
  if (outcome === undefined) return []
  const result = compact<LotResult>({
    outcome,
    awardedValue: outcome === 'awarded' ? awardedValue : undefined,
    winners: outcome === 'awarded' ? winners : undefined,
    contractDate: dayIn(entry.contractDate),
    receivedTenders: countIn(entry.receivedTenders),
  })
  return [{ lotId: onlyLotId, cpvCodes: [], nutsCodes: [], result }]
}
