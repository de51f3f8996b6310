// Builds the record of one tender from its notices. Each field follows the written rule of docs/consolidation.md.
import { isProcedureType } from '../domain/codes.ts'
import { sumOfMoney } from '../domain/money.ts'
import {
  carriedMembers,
  type Money,
  type MultilingualText,
  type Notice,
  type NoticeLot,
  type Organization,
  type Place,
} from '../domain/notice.ts'
import type { ArchiveReason, TenderContent, TenderLot, TenderOrganization } from '../domain/tender.ts'
import type { Instant } from '../domain/time.ts'
import { canonicalJson, contentHash } from './canonical.ts'
import { isJournal, likelyTotal } from './credible.ts'
import { displayTitle } from './display-title.ts'
import { type Lifecycle, type LotState, lifecycleOf } from './lifecycle.ts'
import { procedureScope } from './link-keys.ts'
import { lotOutcomes } from './lot-outcomes.ts'
import { compareNotices } from './notice-units.ts'
import { zoneOfPlace } from './place-zone.ts'
import { seatRegion } from './seat-region.ts'
import { type Announcement, type Timeline, timelineOf } from './timeline.ts'

/** A record ready to be stored. */
export type TenderDraft = {
  readonly tenderId: string
  readonly content: string
  readonly contentHash: string
  readonly archiveReason: ArchiveReason | null
  readonly nextTransitionMs: number | null
  readonly mergedInto: string | null
}

/** The record of all notices of a tender as of `now` (epoch milliseconds). `isSucceeded`: see resolve.ts. */
export function mergeTender(
  tenderId: string,
  notices: readonly Notice[],
  options: { readonly now: number; readonly isSucceeded: boolean },
): TenderDraft {
  const timeline = timelineOf(notices)
  const lifecycle = lifecycleOf(timeline, options.now, options.isSucceeded)
  return draftOf(contentOf(tenderId, notices, timeline, lifecycle), lifecycle.nextTransitionMs ?? null)
}

/**
 * The record of a tender that is merged into another: built only from its founding notice, so that it does not change
 * with the survivor. Its lots are shown as if every deadline had passed, so that the clock does not change it either.
 */
export function mergedTender(tenderId: string, founding: Notice, mergedInto: string): TenderDraft {
  const timeline = timelineOf([founding])
  const { lots } = lifecycleOf(timeline, Number.POSITIVE_INFINITY)
  const lifecycle: Lifecycle = { status: 'closed', lots, isSuspended: false, isDeadlineUnknown: false }
  const content = contentOf(tenderId, [founding], timeline, lifecycle)
  return draftOf({ ...content, status: 'merged', archiveReason: 'merged', mergedInto }, null)
}

/** A content as stored. `nextTransitionMs`: see lifecycle.ts. */
export function draftOf(content: TenderContent, nextTransitionMs: number | null): TenderDraft {
  const text = canonicalJson(content)
  return {
    tenderId: content.id,
    content: text,
    contentHash: contentHash(text),
    archiveReason: content.archiveReason ?? null,
    nextTransitionMs,
    mergedInto: content.mergedInto ?? null,
  }
}

/** Called with the origin of each member of the record: the rule, and, if one notice has the value, how to read it. */
export type ReportOrigin = (member: keyof TenderContent, rule: string, read?: (notice: Notice) => unknown) => void

/** The first value that a notice has, beginning with the head. */
function firstOf<Value>(
  notices: readonly Notice[],
  read: (notice: Notice) => Value | undefined,
  found?: (notice: Notice) => void,
): Value | undefined {
  for (const notice of notices) {
    const value = read(notice)
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue
    found?.(notice)
    return value
  }
  return undefined
}

/** Notices that something else came before: the procedure was published earlier, by what we do not have. */
const afterTheCall: ReadonlySet<string> = new Set(['result', 'cont-modif', 'completion'])

/** A call beside it makes the record the call's. */
function isQualificationSystem(notices: readonly Notice[]): boolean {
  const calls = notices.filter(({ formType }) => formType === 'competition')
  return calls.length > 0 && calls.every(({ noticeType }) => noticeType === 'qu-sy')
}

/** The zone of the authority, by its region or else the place of performance in its country. */
function zoneFor(
  buyer: Organization | undefined,
  place: Notice['place'],
  nutsCodes: readonly string[],
): string | undefined {
  const seat = buyer && authority(buyer)
  const country = seat?.country ?? place?.country
  const isHere = place?.country === undefined || place.country === country
  return zoneOfPlace(country, [seat?.nutsCode, ...(isHere ? [place?.nutsCode, ...nutsCodes] : [])])
}

/** As explained and as stored: one path, so that the two cannot disagree. Only `explain.ts` uses `reportOrigin`. */
export function contentOf(
  id: string,
  notices: readonly Notice[],
  timeline: Timeline,
  lifecycle: Lifecycle,
  reportOrigin: ReportOrigin = () => {},
): TenderContent {
  const { head, fallbacks } = timeline
  /** The first value of the head and the notices after it. */
  const first = <Value>(member: keyof TenderContent, read: (notice: Notice) => Value | undefined): Value | undefined =>
    firstOf(fallbacks, read, (notice) => reportOrigin(member, notice === head ? 'head' : 'first that has it', read))
  const lots = lifecycle.lots.map((lot) => recordLot(lot, head.language))
  const tenderNumber = first('tenderNumber', (notice) => clean(notice.internalReference))
  const description = first('description', (notice) => textIn(descriptionOf(notice), head.language))
  const described = firstOf(fallbacks, (notice) => wordsIn(descriptionOf(notice), head.language))
  const buyers = first('contractingAuthority', (notice) => notice.contractingAuthorities) ?? []
  const isCancelled = lifecycle.status === 'cancelled'
  const awarded = isCancelled ? undefined : awardedAmount(timeline)
  const amount = contractAmount(timeline, lifecycle, awarded, reportOrigin)
  const dates = notices.map((notice) => notice.publicationDate).filter((date) => date !== undefined)
  const deadlines = deadlinesOf(timeline, lifecycle.lots)
  const nutsCodes = uniqueList([
    ...(first('nutsCodes', (notice) => notice.nutsCodes) ?? []),
    ...lots.flatMap((lot) => lot.nutsCodes),
  ])
  const place = first('realizedLocation', (notice) => notice.place ?? notice.lots.find((lot) => lot.place)?.place)
  const procedureType = first('procedureType', (notice) => notice.procedureType)
  const { text: title, language: titleLanguage } = titleOf(
    fallbacks,
    head.language,
    described,
    tenderNumber,
    reportOrigin,
  )
  const carried = Object.fromEntries(
    carriedMembers.map((member) => [member, first<unknown>(member, (notice) => notice[member])]),
  ) as { [Member in (typeof carriedMembers)[number]]: Notice[Member] }
  // only `consolidate.ts` merges records
  return compact<Omit<TenderContent, 'mergedInto'>>({
    id,
    status: lifecycle.status,
    archiveReason: lifecycle.archiveReason,
    title,
    titleLanguage: unlessIn(head.language, titleLanguage),
    displayTitle: displayTitle(title, titleLanguage ?? head.language, [
      description ?? '',
      ...[buyers[0]?.name, buyers[0]?.city, place?.city].map((name) => name ?? ''),
      ...lots.flatMap((lot) => [lot.title ?? '', lot.description ?? '']),
    ]),
    description,
    descriptionLanguage: unlessIn(head.language, described?.language),
    language: head.language === 'und' ? undefined : head.language,
    translations: translationsOf(head),
    tenderNumber,
    procedureId:
      first('procedureId', (notice) => (procedureScope(notice)?.scope === 'bt-04' ? notice.procedureId : undefined)) ??
      first('procedureId', (notice) => notice.procedureId),
    contractingAuthority: buyers[0] && authority(buyers[0]),
    jointAuthorities: buyers.length > 1 ? buyers.slice(1).map(authority) : undefined,
    ...carried,
    ...deadlines,
    publicationDate: maximum(dates),
    firstPublicationDate: notices.every(({ formType }) => afterTheCall.has(formType)) ? undefined : minimum(dates),
    contractAmount: amount ? { value: amount.value, currency: amount.currency, estimated: false } : null,
    awardedAmount: awarded,
    procedureType: procedureType !== undefined && isProcedureType(procedureType) ? procedureType : undefined,
    cpvCodes: uniqueList(first('cpvCodes', (notice) => notice.cpvCodes) ?? []),
    nutsCodes,
    realizedLocation: location(place),
    isQualificationSystem: isQualificationSystem(notices) || undefined,
    isSuspended: lifecycle.isSuspended || undefined,
    isDeadlineUnknown: lifecycle.isDeadlineUnknown || undefined,
    timeZone: zoneFor(buyers[0], place, nutsCodes),
    documentsUrl: first(
      'documentsUrl',
      (notice) => notice.documentsUrl ?? notice.lots.find((lot) => lot.documentsUrl)?.documentsUrl,
    ),
    submissionUrl: first(
      'submissionUrl',
      (notice) => notice.submissionUrl ?? notice.lots.find((lot) => lot.submissionUrl)?.submissionUrl,
    ),
    lots,
    originalSources: [...notices].sort(compareNotices).map((notice) =>
      compact<TenderContent['originalSources'][number]>({
        publisher: notice.publisher,
        format: notice.format,
        noticeId: notice.noticeId,
        noticeVersion: notice.noticeVersion,
        publicationNumber: notice.publicationNumber,
        formType: notice.formType,
        noticeType: notice.noticeType,
        publicationDate: notice.publicationDate,
        language: notice.language === 'und' ? undefined : notice.language,
        url: notice.url,
      }),
    ),
  })
}

/**
 * Without the members that are undefined: absent in the record, never null. `-?`: a new member of the record does not
 * compile until it is named here.
 */
function compact<T extends object>(value: { [Key in keyof T]-?: T[Key] | undefined }): T {
  const present: Partial<T> = {}
  for (const name in value) if (value[name] !== undefined) present[name] = value[name]
  return present as T
}

function clean(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed ? trimmed : undefined
}

/** Most readers of the stock know one of these, most of all the first. */
const usualLanguages = ['de', 'en', 'fr']

/** A text with its language; a number has none. */
type Words = { readonly text: string; readonly language?: string }

/** The text in the given language, else in German, English, French, else in the first language by code that has one. */
function wordsIn(text: MultilingualText | undefined, language: string): Required<Words> | undefined {
  if (!text) return undefined
  for (const each of [language, ...usualLanguages, ...Object.keys(text).sort()]) {
    const found = clean(text[each])
    if (found) return { text: found, language: each }
  }
  return undefined
}

const textIn = (text: MultilingualText | undefined, language: string): string | undefined =>
  wordsIn(text, language)?.text

/** A text that only points to section II.2.4, in any language: the description of the lots in forms of TED. */
const isPointer = (text: string): boolean => text.length <= 120 && /\bII\.?\s?2\.?\s?4\b/.test(text)

/** The description, or that of the first lot where it only points to those of the lots. */
function descriptionOf({ description, lots }: Notice): MultilingualText | undefined {
  if (!description || !Object.values(description).every(isPointer)) return description
  const described = lots.find((lot) => lot.description && !Object.values(lot.description).some(isPointer))
  return described?.description ?? description
}

/** A record says the language of a text only if it is not the record's own. */
const unlessIn = (own: string, language: string | undefined): string | undefined =>
  language === own ? undefined : language

/** What is in `title` when no notice, no lot and no description gives one (C14: a title is never missing or empty). */
const untitled = '(untitled)'
const longestBorrowedTitle = 120

function titleOf(
  fallbacks: readonly Notice[],
  language: string,
  description: Words | undefined,
  tenderNumber: string | undefined,
  reportOrigin: ReportOrigin,
): Words {
  const readTitle = (notice: Notice) => wordsIn(notice.title, language)
  const title = firstOf(fallbacks, readTitle, (notice) =>
    reportOrigin('title', notice === fallbacks[0] ? 'head' : 'first that has it', (each) => readTitle(each)?.text),
  )
  if (title && !isCode(title.text)) return title
  const onlyLots = fallbacks.find((notice) => notice.lots.length === 1)?.lots
  const lotTitle = wordsIn(onlyLots?.[0]?.title, language)
  if (title) return withWords(title, lotTitle ?? startOf(description))
  if (lotTitle) {
    reportOrigin('title', 'the only lot', (notice) =>
      notice.lots.length === 1 ? textIn(notice.lots[0]?.title, language) : undefined,
    )
    return lotTitle
  }
  reportOrigin('title', description ? 'start of the description' : tenderNumber ? 'the number' : 'none has one')
  return startOf(description) ?? { text: tenderNumber ?? untitled }
}

/** Whether a title names the file and not the purchase: `2024-02-GI`, `CPI/02/2020/UCMJ`, `FR`. */
const isCode = (title: string): boolean => !/\p{L}{4}/u.test(title) || (/\d/.test(title) && !/[\s\p{Ll}]/u.test(title))

/** A code with what is bought beside it, in the language of these words. */
function withWords(code: Words, words: Words | undefined): Words {
  if (words === undefined || isCode(words.text)) return code
  return words.text.includes(code.text) ? words : { ...words, text: `${code.text} – ${words.text}` }
}

function startOf(description: Words | undefined): Words | undefined {
  if (description === undefined) return undefined
  const line = description.text.replace(/\s+/g, ' ')
  if (line.length <= longestBorrowedTitle) return { ...description, text: line }
  const start = line.slice(0, longestBorrowedTitle)
  return { ...description, text: `${start.replace(/\s+\S*$/, '') || start}…`.toWellFormed() }
}

/** Title and description of the head in its other official languages. */
function translationsOf(head: Notice): TenderContent['translations'] {
  const languages = uniqueList([...Object.keys(head.title ?? {}), ...Object.keys(head.description ?? {})]).sort()
  const translations: { [language: string]: { title?: string; description?: string } } = {}
  for (const language of languages) {
    if (language === head.language || language === 'und') continue
    const [title, description] = [clean(head.title?.[language]), clean(head.description?.[language])]
    if (title || description)
      translations[language] = { ...(title ? { title } : {}), ...(description ? { description } : {}) }
  }
  return Object.keys(translations).length > 0 ? translations : undefined
}

/** Without a published region it gets one by postal code and town. Its seat is no place of performance (C71). */
function authority(buyer: Organization): TenderOrganization {
  const nutsCode = buyer.nutsCode ?? seatRegion(buyer)
  return organization(nutsCode === undefined ? buyer : { ...buyer, nutsCode })
}

function organization(buyer: Organization): TenderOrganization {
  return compact<TenderOrganization>({
    name: buyer.name,
    nationalId: buyer.nationalId,
    street: buyer.street,
    city: buyer.city,
    postalCode: buyer.postalCode,
    country: buyer.country,
    nutsCode: buyer.nutsCode,
    contactName: buyer.contactName,
    email: buyer.email,
    phone: buyer.phone,
    url: buyer.url,
    isNaturalPerson: buyer.isNaturalPerson,
  })
}

function location(place: Place | undefined): TenderContent['realizedLocation'] {
  if (!place) return undefined
  const found = compact<NonNullable<TenderContent['realizedLocation']>>({
    country: place.country,
    nuts: place.nutsCode,
    postalCode: place.postalCode,
    city: place.city,
  })
  return Object.keys(found).length > 0 ? found : undefined
}

function recordLot({ lotId, status, listed, announced, result }: LotState, language: string): TenderLot {
  const read = <Value>(member: (lot: NoticeLot) => Value | undefined): Value | undefined => {
    const value = listed && member(listed)
    const isMissing = value === undefined || (Array.isArray(value) && value.length === 0)
    return isMissing ? announced && member(announced) : value
  }
  const amount = read((lot) => lot.estimatedValue) ?? read((lot) => lot.frameworkMaximum)
  const [title, description] = [
    read((lot) => wordsIn(lot.title, language)),
    read((lot) => wordsIn(lot.description, language)),
  ]
  const isAwarded = result?.outcome === 'awarded'
  return compact<TenderLot>({
    lotId,
    status,
    title: title?.text,
    titleLanguage: unlessIn(language, title?.language),
    description: description?.text,
    descriptionLanguage: unlessIn(language, description?.language),
    tenderNumber: read((lot) => clean(lot.internalReference)),
    contractNature: read((lot) => lot.contractNature),
    cpvCodes: uniqueList(read((lot) => lot.cpvCodes) ?? []),
    nutsCodes: uniqueList(read((lot) => lot.nutsCodes) ?? []),
    realizedLocation: location(read((lot) => lot.place)),
    submissionDate: listed?.submissionDate,
    participationDate: listed?.participationDate ?? listed?.interestDate,
    contractAmount: amount,
    documentsUrl: read((lot) => lot.documentsUrl),
    submissionUrl: read((lot) => lot.submissionUrl),
    duration: read((lot) => lot.duration),
    nonAwardReason: result?.outcome === 'not-awarded' ? result.reason : undefined,
    awardedAmount: isAwarded && status !== 'cancelled' ? result.awardedValue : undefined,
    winners: isAwarded && result.winners && result.winners.length > 0 ? result.winners.map(organization) : undefined,
    contractDate: isAwarded ? result.contractDate : undefined,
    receivedTenders: result?.receivedTenders,
  })
}

/** The latest deadline among the lots, else the procedure's own: it moves with notices only, never with the clock. */
function deadlinesOf(
  { competition, head }: Timeline,
  lots: readonly LotState[],
): { readonly submissionDate: Instant | undefined; readonly participationDate: Instant | undefined } {
  const notice = competition?.notice ?? head
  const listed = lots.map((lot) => lot.listed).filter((lot) => lot !== undefined)
  const present = (values: readonly (Instant | undefined)[]) => values.filter((value) => value !== undefined)
  return {
    submissionDate: maximum(present(listed.map((lot) => lot.submissionDate))) ?? notice.submissionDate,
    participationDate:
      maximum(present(listed.map((lot) => lot.participationDate ?? lot.interestDate))) ?? notice.participationDate,
  }
}

function maximum(instants: readonly Instant[]): Instant | undefined {
  return instants.reduce<Instant | undefined>(
    (best, instant) => (best === undefined || instant > best ? instant : best),
    undefined,
  )
}

function minimum(instants: readonly Instant[]): Instant | undefined {
  return instants.reduce<Instant | undefined>(
    (best, instant) => (best === undefined || instant < best ? instant : best),
    undefined,
  )
}

function uniqueList(values: readonly string[]): string[] {
  return [...new Set(values)]
}

/** Minimum share of lots with an estimate before their sum represents the tender. */
const pricedLotsShare = 0.8

function sumOfLots(lots: readonly NoticeLot[], read: (lot: NoticeLot) => Money | undefined): Money | undefined {
  const amounts = lots.map(read).filter((amount) => amount !== undefined)
  return amounts.length > 0 && amounts.length >= lots.length * pricedLotsShare ? sumOfMoney(amounts) : undefined
}

/**
 * BT-27, else the sum of the lots unless it exceeds the framework's maximum (BT-271), else that maximum, else what was
 * awarded, else the contract's value in an announced direct award or a modification. Always a published value.
 */
function contractAmount(
  timeline: Timeline,
  { lots: states, status }: Lifecycle,
  awarded: Money | undefined,
  reportOrigin: ReportOrigin,
): Money | undefined {
  const { fallbacks, head } = timeline
  const listed = states.map((state) => state.listed).filter((lot) => lot !== undefined)
  const lots = listed.length > 0 ? listed : head.lots
  const first = (rule: string, value: (notice: Notice) => Money | undefined) => {
    const read = (notice: Notice) => likelyTotal(notice, value(notice))
    return firstOf(fallbacks, read, () => reportOrigin('contractAmount', rule, read))
  }
  const withRule = (rule: string, amount: Money | undefined) => {
    if (amount) reportOrigin('contractAmount', rule)
    return amount
  }
  const sum = likelyTotal(
    head,
    sumOfLots(lots, (lot) => lot.estimatedValue),
  )
  const maximum = firstOf(fallbacks, (notice) => likelyTotal(notice, notice.frameworkMaximum))
  // Each lot of a framework may have the ceiling of all as its estimate.
  const isAboveMaximum = sum !== undefined && sum.currency === maximum?.currency && sum.value > maximum.value
  return (
    first('estimate of the procedure', (notice) => notice.estimatedValue) ??
    withRule('sum of the estimates of the lots', isAboveMaximum ? undefined : sum) ??
    first("the framework's maximum", (notice) => notice.frameworkMaximum) ??
    withRule(
      "sum of the lots' maxima",
      likelyTotal(
        head,
        sumOfLots(lots, (lot) => lot.frameworkMaximum),
      ),
    ) ??
    withRule('what was awarded', awarded) ??
    (status === 'cancelled' ? undefined : first("the contract's value", valueOfContracts))
  )
}

/** BT-161, else the sum of the values of the awarded lots. */
function valueOfContracts(notice: Notice): Money | undefined {
  const awarded = notice.lots.filter((lot) => lot.result?.outcome === 'awarded')
  return notice.awardedValue ?? sumOfMoney(awarded.map((lot) => lot.result?.awardedValue))
}

/**
 * Award notices add up if they decide different lots, or report further contracts of a lot; of two about the same
 * contract, the newer counts. BT-161, else the sum of the awarded lots; for a notice that is partly superseded, the
 * lots that are still valid. Amounts in a currency other than the newest's are left out, and so is a total that a later
 * notice about the same lots repeats. Without results the amounts of modifications count, without those the amounts of
 * announced direct awards.
 */
function awardedAmount({ contracts }: Timeline): Money | undefined {
  const outcomes = lotOutcomes(contracts)
  const counted: Money[] = []
  const countedLots = new Set<string>()
  for (const announcement of [...contracts].reverse() satisfies Announcement[]) {
    const { notice } = announcement
    const awarded = notice.lots.filter((lot) => lot.result?.outcome === 'awarded')
    if (counted.length > 0 && awarded.length === 0) continue
    const total = valueOfContracts(notice)
    const isAboutCounted = awarded.some(({ lotId }) => countedLots.has(lotId))
    if (isAboutCounted && counted.some(({ value }) => value === total?.value)) continue
    const standing = awarded.filter(({ lotId }) =>
      outcomes.get(lotId)!.contracts.some((contract) => contract.announcement === announcement),
    )
    const amount =
      standing.length === awarded.length ? total : sumOfMoney(standing.map((lot) => lot.result?.awardedValue))
    if (!amount || (counted[0] && counted[0].currency !== amount.currency)) continue
    counted.push(amount)
    for (const { lotId } of standing) countedLots.add(lotId)
  }
  const sum = sumOfMoney(counted)
  const fromJournal = contracts.find(({ notice }) => isJournal(notice))
  return fromJournal ? likelyTotal(fromJournal.notice, sum) : sum
}
