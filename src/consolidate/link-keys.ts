// The exact keys by which notices of one procedure find each other (stage A of the resolution).
import { hash } from 'node:crypto'
import { isSpoken } from '../domain/acts/as-read.ts'
import { wordsOf } from '../domain/name-words.ts'
import type { Notice, NoticeReference } from '../domain/notice.ts'
import { buyerKeys } from './buyer-identity.ts'
import { oncePer } from './once-per.ts'
import { sampleProcedureIds } from './sample-procedure-ids.ts'

/**
 * The most trusted first. `copy`: the same notice twice; `version`: the same notice on another portal; `notice`,
 * `publication`: a notice and those that refer to it; `procedure`: BT-04 or OCID. The last two are weak: they join
 * only if all components that hold the key agree (see resolve.ts).
 */
export const linkKinds = [
  'copy',
  'version',
  'notice',
  'publication',
  'procedure',
  'documents',
  'reference-number',
] as const
type LinkKind = (typeof linkKinds)[number]

/**
 * `self`: the key names this notice or a property of it; else the kind of the reference by which this notice names
 * another.
 */
export type LinkKey = {
  readonly key: string
  readonly kind: LinkKind
  readonly role: 'self' | NoticeReference['kind']
}

const ocidPattern = /^ocds-[a-z0-9]{6}/
const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

/** A UUID whose digits are all one, apart from version and variant: nobody drew it at random. */
const repeatedDigit = /^([0-9a-f])\1{7}-\1{4}-[0-9a-f]\1{3}-[0-9a-f]\1{3}-\1{12}$/

/** With it begins the key of a BT-04. */
export const uniqueProcedurePrefix = 'f:bt-04/'

/**
 * Where a procedure id is unique: BT-04 is a UUID and shared by all portals; an OCID is unique within its prefix;
 * anything else is a publisher's own number. Undefined when the notice has none, or one copied from an official
 * example.
 */
export function procedureScope(notice: Notice): { readonly scope: string; readonly id: string } | undefined {
  const id = notice.procedureId?.trim().toLowerCase()
  if (!id || sampleProcedureIds.has(id) || repeatedDigit.test(id)) return undefined
  const prefix = ocidPattern.exec(id)
  if (prefix) return { scope: prefix[0], id }
  return uuidPattern.test(id) ? { scope: 'bt-04', id } : { scope: `publisher:${notice.publisher}`, id }
}

/** Number without zero padding: `00123456-2024` and `123456-2024` are the same. */
export function publicationKey(publicationNumber: string): string | undefined {
  const match = /^0*(\d{1,8})-(\d{4})$/.exec(publicationNumber.trim())
  return match ? `${match[1]}-${match[2]}` : undefined
}

/** A version as a number where it is one: `01`, `1` and `001` are the same version. */
export function versionNumber(version: string | undefined): number {
  const number = Number(version ?? '0')
  return Number.isFinite(number) ? number : 0
}

/**
 * The authority's own number as a key, or undefined if it distinguishes nothing: fewer than four letters or digits,
 * fewer than two digits, a bare year.
 */
export function cleanReferenceNumber(reference: string | undefined): string | undefined {
  const clean = (reference ?? '').toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')
  if (clean.length < 4 || clean.length > 60) return undefined
  if ((clean.match(/\p{N}/gu)?.length ?? 0) < 2 || /^(?:19|20)\d{2}$/.test(clean)) return undefined
  return clean
}

/** Null for none, and for a text that is no address. */
export const addressOf = (text: string | undefined): URL | null => (text === undefined ? null : URL.parse(text))

/**
 * The project that an address of procurement documents names: a UUID, a project code of the cosinex platforms, or a
 * numbered
 * `pid`. Undefined for addresses that name only a host or a page, because those are shared by all tenders of a buyer.
 */
export function documentsProject(url: URL | null): string | undefined {
  if (url === null) return undefined
  const { hostname, pathname, search } = url
  const host = hostname.toLowerCase().replace(/^www\d*\./, '')
  const uuid = uuidPattern.exec(`${pathname}${search}`.toLowerCase())
  if (uuid) return `${host}/${uuid[0]}`
  const code = /\/(cx[a-z]\d?[a-z0-9]{5,})(?:\/|$)/.exec(pathname.toLowerCase())
  if (code) return `${host}/${code[1]}`
  if (search === '') return undefined
  const pid = url.searchParams.get('pid') ?? url.searchParams.get('PID')
  return pid && /^\d{4,}$/.test(pid) ? `${host}/pid=${pid}` : undefined
}

/** A notice about an earlier one names platform and number of the award: `www.example.org (Vergabe-ID: 3371180)`. */
const platformNumber = /\b((?:[a-z0-9-]+\.)+[a-z]{2,20}) \((?:vergabe|ausschreibungs)-?id:? (\d{5,12})\)/giu
/** Most texts have none, and this finds that out at once. */
const namedAward = /\((?:vergabe|ausschreibungs)-?id/iu

/** Host and number of each award that a text names by both. */
export const awardsNamed = (text: string): (readonly [host: string, number: string])[] =>
  namedAward.test(text) ? [...text.matchAll(platformNumber)].map(([, host, number]) => [host!, number!] as const) : []

/** The address of the same award in the text of the call: `https://www.example.org/unterlagen/3371180/…`. */
const numberedAddress =
  /https?:\/\/((?:[a-z0-9-]+\.)+[a-z]{2,20})\/(?:[\w.-]{1,60}\/){0,3}(\d{6,12})(?=[/?#\s.,;]|$)/giu
/** Maximum characters of a description that are searched for them. */
const namedCharacters = 20_000

/** `host/number` of each award that a text names by platform and number, or by such an address. */
function projectsNamed(text: string): string[] {
  const part = text.slice(0, namedCharacters)
  const addresses = [...part.matchAll(numberedAddress)].map(([, host, number]) => [host!, number!] as const)
  return [...awardsNamed(part), ...addresses].map(
    ([host, number]) => `${host.toLowerCase().replace(/^www\d*\./, '')}/${number}`,
  )
}

/** Keys are in an index: a long or unusual value is stored as its hash. */
function shortKey(prefix: string, value: string): string {
  const key = `${prefix}:${value}`
  if (key.length <= 120 && /^[\x20-\x7e]*$/.test(key)) return key
  return `${prefix}:#${hash('sha256', value, 'base64url')}`
}

/** Whether the notice is only an announcement: no offer can be submitted yet. */
export function isPlanning(notice: Notice): boolean {
  if (notice.formType === 'planning' || notice.formType === 'consultation') return true
  return notice.formType === 'change' && /^(?:[1-9]|E[12])$/.test(notice.noticeSubtype ?? '')
}

/** Whether words alone make it a correction, an extension or an end of a call: it has no reference to that call. */
export function isToldOnly({ act }: Notice): boolean {
  return act !== undefined && isSpoken(act) && (act.act === 'cancellation' || act.of === 'call')
}

/** A text with more addresses than that lists other awards. */
const maxProjectsNamed = 3

/** Maximum number of buyers that add a key: joint procurements of hundreds would only make the index large. */
const maxBuyersFiled = 5

/** All exact keys of a notice, each once, in a fixed order. */
export const linkKeys = oncePer((notice: Notice): readonly LinkKey[] => {
  const keys: LinkKey[] = []
  const add = (kind: LinkKind, prefix: string, value: string | undefined, role: LinkKey['role'] = 'self') => {
    if (value) keys.push({ key: shortKey(prefix, value), kind, role })
  }
  add('copy', 'k', notice.noticeKey)
  const isJournal = notice.format !== 'ocds'
  // Only notice ids that are UUIDs are unique over portals; a number is its publisher's own.
  const noticeIdScope = (id: string) => (uuidPattern.test(id) ? id : `${notice.publisher}/${id}`)
  const noticeId = notice.noticeId?.toLowerCase()
  if (noticeId) {
    const scoped = noticeIdScope(noticeId)
    if (notice.noticeVersion !== undefined) add('version', 'v', `${scoped}/${versionNumber(notice.noticeVersion)}`)
    add('notice', 'n', scoped)
  }
  if (isJournal && notice.publicationNumber) add('publication', 'p', publicationKey(notice.publicationNumber))
  for (const reference of notice.references) {
    if (reference.noticeId) add('notice', 'n', noticeIdScope(reference.noticeId.toLowerCase()), reference.kind)
    if (reference.publicationNumber)
      add('publication', 'p', publicationKey(reference.publicationNumber), reference.kind)
  }
  const procedure = procedureScope(notice)
  if (procedure) add('procedure', 'f', `${procedure.scope}/${procedure.id}`)
  const ownNumber = notice.internalReference?.trim().toLowerCase() ?? ''
  // OCDS made from eForms carries BT-04 as tender.id (profile for eForms of OCDS).
  if (notice.format === 'ocds' && uuidPattern.exec(ownNumber)?.[0] === ownNumber && !sampleProcedureIds.has(ownNumber))
    add('procedure', 'f', `bt-04/${ownNumber}`)
  if (!isPlanning(notice) && notice.formType !== 'cont-modif' && (notice.formType !== 'change' || isToldOnly(notice))) {
    for (const url of new Set([notice.documentsUrl, ...notice.lots.map((lot) => lot.documentsUrl)]))
      add('documents', 'd', documentsProject(addressOf(url)))
    const texts = [notice.documentsUrl, ...Object.values(notice.description ?? {})]
    for (const project of new Set(texts.flatMap((text) => projectsNamed(text ?? '')).slice(0, maxProjectsNamed)))
      add('documents', 'd', project)
    const number = cleanReferenceNumber(notice.internalReference)
    if (number)
      for (const buyer of notice.contractingAuthorities.slice(0, maxBuyersFiled))
        for (const key of buyerKeys(buyer)) add('reference-number', 'r', `${key}|${number}`)
  }
  return [...new Map(keys.map((key) => [`${key.role} ${key.key}`, key])).values()]
})

/** The words of a title by language. */
export type TitleWords = ReadonlyMap<string, ReadonlySet<string>>

export function titleWords(notice: Notice): TitleWords {
  return new Map(Object.entries(notice.title ?? {}).map(([language, title]) => [language, new Set(wordsOf(title))]))
}
