// Turns an entry of a portal's list, member by member as published, into a notice: the rules that all portals with
// their own formats share.
import { type ProcedureType, toCountry } from '../../domain/codes.ts'
import type {
  FormType,
  LotResult,
  MultilingualText,
  Notice,
  NoticeLot,
  NoticeReference,
  Organization,
  ParsedPart,
  Place,
  Rejection,
} from '../../domain/notice.ts'
import { type Instant, zoneOf } from '../../domain/time.ts'
import { compact } from '../compact.ts'
import { type JsonObject, textAt } from '../ocds/json.ts'
import {
  type PortalNotice,
  readJsonDocument,
  readPortalNotice,
  readRowDocument,
  readXmlDocument,
  type TableRow,
} from '../read-portal-notice.ts'
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
import type { XmlElement } from '../xml/xml.ts'

/** The same for every entry of a portal. */
type PortalHome = {
  /** Id of the source: `ro-seap`. */
  readonly publisher: string
  readonly profile: string
  /** ISO 639-1. */
  readonly language: string
  /** IANA zone of times without an offset. */
  readonly zone: string
  /** ISO 3166-1 alpha-2 of buyers and winners without a country; absent for international bodies. */
  readonly country: string | undefined
  /** ISO 4217 of amounts without a currency. */
  readonly currency?: string
}

/** A portal is in the country with which its id begins, and in the zone of that country where no other is given. */
export function homeOf(home: Omit<PortalHome, 'zone' | 'country'> & { readonly zone?: string }): PortalHome {
  const country = toCountry(home.publisher.slice(0, 2))
  return { ...home, country, zone: home.zone ?? zoneOf(country) }
}

/** The members as published. All but the identity may be anything: what is unusable is left out. */
export type PublishedEntry = {
  /** The portal's own id of the announcement; numbers count. */
  readonly id: unknown
  /** What distinguishes the versions of one announcement: a number, or the instant of its last change. */
  readonly version?: unknown
  readonly formType: FormType
  readonly noticeType: unknown
  readonly noticeSubtype?: unknown
  /** The portal's id of the procedure, which its announcements share. */
  readonly procedureId?: unknown
  /** The buyer's own number. */
  readonly reference?: unknown
  /** Number, or URL, of the same notice in the EU's journal. */
  readonly journal?: unknown
  /** In the language of the entry, or texts by language. */
  readonly title: string | MultilingualText | undefined
  readonly description?: string | MultilingualText | undefined
  readonly language?: string
  readonly languages?: readonly string[] | undefined
  /** The entry's country, if it differs from the portal's. */
  readonly country?: string | undefined
  readonly zone?: string | undefined
  readonly publishedAt?: unknown
  readonly changedAt?: unknown
  readonly deadline?: unknown
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
  /** The outcome; if there are winners, it is `awarded` by default. */
  readonly outcome?: LotResult['outcome'] | undefined
  readonly winners?: readonly PublishedOrganization[]
  readonly receivedTenders?: unknown
  readonly contractDate?: unknown
  readonly lots?: readonly NoticeLot[]
  /** What belongs to the only lot: of an entry that is one lot of a procedure, its number, title and value. */
  readonly lot?: Partial<NoticeLot> | undefined
  /** How long the contract lasts; of several lots it is not known which. */
  readonly duration?: NoticeLot['duration']
  readonly isCancelled?: boolean
  readonly isUnsuccessful?: boolean
  /** Tenders are no longer received, and nothing is decided. */
  readonly isClosed?: boolean
  readonly changeReasons?: readonly string[] | undefined
  /** The portal's id of the announcement that this one changes. */
  readonly changes?: unknown
  readonly references?: readonly NoticeReference[]
  readonly documentsUrl?: unknown
  readonly url?: unknown
  /** Members of the notice that replace what follows from the rest, such as a key or a separate number. */
  readonly also?: Partial<PortalNotice>
}

/** The text at the first of the paths (`a/b`) that has one; numbers count, a blank text does not. */
export type TextAt = (...paths: readonly string[]) => string | undefined

/**
 * Makes the parser of documents that are one JSON object: `read` says which of its members mean what, or why it is no
 * notice.
 */
export function jsonParser(
  home: PortalHome,
  read: (entry: JsonObject, text: TextAt) => PublishedEntry | Rejection,
): (bytes: Uint8Array) => ParsedPart[] {
  return (bytes) => readJsonDocument(bytes, (entry) => noticeOf(home, read(entry, textsOf(entry))))
}

/** Like jsonParser, for tables: a header line and a row. */
export function rowParser(
  home: PortalHome,
  read: (row: TableRow) => PublishedEntry | Rejection,
  options?: Parameters<typeof readRowDocument>[2],
): (bytes: Uint8Array) => ParsedPart[] {
  return (bytes) => readRowDocument(bytes, (row) => noticeOf(home, read(row)), options)
}

/** Like jsonParser, for documents in XML, which may hold several notices. */
export function xmlParser(
  home: PortalHome,
  read: (root: XmlElement) => PublishedEntry | Rejection | readonly (PublishedEntry | Rejection)[],
): (bytes: Uint8Array) => ParsedPart[] {
  return (bytes) =>
    readXmlDocument(bytes, (root) => {
      const found = read(root)
      return 'length' in found ? found.map((each) => noticeOf(home, each)) : noticeOf(home, found)
    })
}

export function textsOf(value: unknown): TextAt {
  return (...paths) => {
    for (const path of paths) {
      const text = textAt(value, ...path.split('/'))
      if (text !== undefined && text.trim() !== '') return text
    }
    return undefined
  }
}

const noticeOf = (home: PortalHome, found: PublishedEntry | Rejection): Notice | Rejection =>
  'reason' in found ? found : readPublishedEntry(home, found)

/** The key of the first pattern that the text matches: `{ works: /travaux/i, services: /service/i }`. */
export function firstMatch<Key extends string>(
  patterns: { readonly [K in Key]: RegExp },
  text: string | undefined,
): Key | undefined {
  if (text === undefined) return undefined
  for (const key in patterns) if (patterns[key].test(text)) return key
  return undefined
}

/** Texts by language; undefined when there are none. */
const filled = (texts: MultilingualText): MultilingualText | undefined =>
  Object.keys(texts).length > 0 ? texts : undefined

/** Id of the only lot, as with the other formats. */
const onlyLotId = '1'

/** Text or a finite number as one line; undefined for other values and for placeholders. */
export function wordsOf(value: unknown): string | undefined {
  return cleanField(
    typeof value === 'string' ? value : typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined,
  )
}

/** Like wordsOf, for texts of several lines; only strings count. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * The notice, or why it is none. A portal that shows only the present state of an announcement says nothing of
 * versions: then the deadline is in the key, so that an extension is a notice of its own, and sorts after what it
 * extends.
 */
export function readPublishedEntry(portal: PortalHome, entry: PublishedEntry): Notice | Rejection {
  const home = { ...portal, country: entry.country ?? portal.country, zone: entry.zone ?? portal.zone }
  const language = entry.language ?? home.language
  const id = wordsOf(entry.id)
  const version = wordsOf(entry.version)
  const submissionDate = deadlineIn(entry.deadline, home.zone)
  const changedId = wordsOf(entry.changes)
  const currency = wordsOf(entry.currency) ?? home.currency
  const awardedValue = moneyIn(entry.awardedValue, currency)
  const title = typeof entry.title === 'object' ? filled(entry.title) : titleIn(entry.title, language)
  const description =
    typeof entry.description === 'object' ? filled(entry.description) : descriptionIn(entry.description, language)
  const buyer = entry.buyer && organizationOf(entry.buyer, home.country)
  return readPortalNotice({
    id: id && keyOf(id, version, submissionDate),
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
    languages: entry.languages,
    title,
    description,
    publicationDate: instantIn(entry.publishedAt, home.zone),
    dispatchDate: instantIn(entry.changedAt, home.zone),
    submissionDate,
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
    lots: entry.lots?.length ? withDuration(entry.lots, entry.duration) : lotsOf(home, entry, awardedValue),
    references: [
      ...(changedId === undefined ? [] : [{ kind: 'changes' as const, noticeId: changedId.toLowerCase() }]),
      ...(entry.references ?? []),
    ],
    changeReasons: entry.changeReasons,
    isCancelled: entry.isCancelled || undefined,
    isUnsuccessful: entry.isUnsuccessful || undefined,
    isClosed: entry.isClosed || undefined,
    documentsUrl: cleanUrl(textOf(entry.documentsUrl)),
    url: cleanUrl(textOf(entry.url)),
    ...entry.also,
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

/** A result without lots applies to the whole, as what an entry says of its only lot and a duration do. */
function lotsOf(home: PortalHome, entry: PublishedEntry, awardedValue: LotResult['awardedValue']): NoticeLot[] {
  const winners = winnersOf(home, entry.winners)
  const outcome = entry.outcome ?? (winners ? 'awarded' : undefined)
  if (outcome === undefined && entry.lot === undefined && entry.duration === undefined) return []
  const result =
    outcome &&
    compact<LotResult>({
      outcome,
      awardedValue: outcome === 'awarded' ? awardedValue : undefined,
      winners: outcome === 'awarded' ? winners : undefined,
      contractDate: dayIn(entry.contractDate, home.zone),
      receivedTenders: countIn(entry.receivedTenders),
    })
  const { duration } = entry
  return [compact<NoticeLot>({ lotId: onlyLotId, cpvCodes: [], nutsCodes: [], duration, ...entry.lot, result })]
}

/** Lots as published; of a single one the duration is that of the contract. */
function withDuration(lots: readonly NoticeLot[], duration: NoticeLot['duration']): readonly NoticeLot[] {
  const [only, ...others] = lots
  return only && others.length === 0 && duration !== undefined ? [{ duration, ...only }] : lots
}
