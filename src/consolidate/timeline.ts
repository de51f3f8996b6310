// The notices of one tender in order (docs/consolidation.md, "Which notices count"). Three steps:
//
// 1. `liveAnnouncements`: folds copies of one notice, gives each its role, and drops what a cancellation voided and
//    what a change or a newer version superseded.
// 2. `competitionState`: replays the calls from the oldest to the newest; a full notice replaces the state, a partial
//    one (corrigendum, OCDS release) changes the members that it has.
// 3. `timelineOf`: the state of the call, the results, and all notices by precedence: the head of the record and, after
//    it, those that fill in what it lacks.
import { lotNumbersIn } from '../domain/acts/ended-lots.ts'
import { followUpText } from '../domain/acts/follow-up.ts'
import type { Notice, NoticeLot } from '../domain/notice.ts'
import { dayMs, epochMs, type Instant, toInstant } from '../domain/time.ts'
import { credible } from './credible.ts'
import { isPlanning, isToldOnly, versionNumber } from './link-keys.ts'
import { withLotsOfCalls } from './lot-numbers.ts'

/**
 * What a notice does to a tender. `intention`: a direct award announced beforehand; `execution`: the contract runs or
 * ended; `correction`: a corrigendum of anything but a call, which changes nothing in the record.
 */
type Role = 'planning' | 'competition' | 'intention' | 'result' | 'execution' | 'correction'

/** A notice that counts, its copies on other portals folded into it. */
export type Announcement = {
  readonly notice: Notice
  readonly role: Role
  /**
   * Dispatch, else publication, in epoch milliseconds; -Infinity when it has neither, so that it changes nothing dated.
   */
  readonly at: number
  /** Position in time order; ties in `at` are broken by version, change, publication number, key. */
  readonly order: number
}

/** A lot as the competition last listed it. */
type ListedLot = { readonly lot: NoticeLot; readonly listing: Announcement }

/** The newest state of the call: the newest full notice counts, corrigenda change only what they carry. */
export type CompetitionState = {
  readonly notice: Notice
  readonly listing: Announcement
  readonly lots: readonly ListedLot[]
}

export type Timeline = {
  /** Live announcements, oldest first. */
  readonly live: readonly Announcement[]
  /** Every announcement was voided by a `cancel` change. */
  readonly isVoid: boolean
  readonly competition: CompetitionState | undefined
  /** Live results, oldest first. */
  readonly results: readonly Announcement[]
  /**
   * Live announcements that report contracts, oldest first: the results; without one the modifications and completions,
   * which report the contract in its current state; without those the direct awards announced after the call.
   */
  readonly contracts: readonly Announcement[]
  /** The notice whose texts the record shows. */
  readonly head: Notice
  /** The notices searched for a field that the head lacks, the head first. */
  readonly fallbacks: readonly Notice[]
}

function roleOf(notice: Notice): Role {
  // it ends what was announced, and is no state of a call
  if (isToldOnly(notice) && notice.act?.act === 'cancellation' && notice.isCancelled) return 'correction'
  if (isPlanning(notice)) return 'planning'
  const subtype = Number(notice.noticeSubtype)
  switch (notice.formType) {
    case 'dir-awa-pre':
      return 'intention'
    case 'result':
      return 'result'
    case 'cont-modif':
    case 'completion':
      return 'execution'
    case 'change':
      // Until SDK 1.8 a change had a form type of its own; what it changes shows in the subtype, or in the results it
      // holds.
      if (notice.format !== 'eforms') return 'competition'
      if (notice.lots.some((lot) => lot.result) && !(subtype >= 25 && subtype <= 28)) return 'result'
      if ((subtype >= 38 && subtype <= 40) || /^E[56]$/.test(notice.noticeSubtype ?? '')) return 'execution'
      if (subtype >= 29 || /^(?:E4|T02)$/.test(notice.noticeSubtype ?? '')) return 'result'
      return subtype >= 25 ? 'intention' : 'competition'
    default:
      return 'competition'
  }
}

/** The corrigendum of a direct award corrects no call, whether the announcement is present or not. */
const isOfDirectAward = ({ procedureType }: Notice): boolean => procedureType === 'neg-wo-call'

/**
 * The roles of notices in time order. A corrigendum has the role of the notice that it corrects, if that is present.
 */
function rolesOf(sorted: readonly Notice[]): Role[] {
  const roles: Role[] = []
  for (const [index, notice] of sorted.entries()) {
    const role = roleOf(notice)
    if (notice.formType !== 'change' || role !== 'competition' || isToldOnly(notice)) {
      roles.push(role)
      continue
    }
    const corrected = sorted.findIndex((other, at) => at < index && doesChange(notice, other, true))
    const isOfCall = corrected < 0 ? !isOfDirectAward(notice) : roles[corrected] === 'competition'
    roles.push(isOfCall ? 'competition' : 'correction')
  }
  return roles
}

/**
 * Whether a reference of a notice says that it changes the other; an id without a version means those before the
 * notice.
 */
function doesChange(notice: Notice, other: Notice, isBefore: boolean): boolean {
  return notice.references.some(
    ({ kind, noticeId, noticeVersion, publicationNumber }) =>
      kind === 'changes' &&
      ((noticeId !== undefined &&
        noticeId === other.noticeId &&
        (noticeVersion === undefined
          ? isBefore
          : versionNumber(noticeVersion) === versionNumber(other.noticeVersion))) ||
        (publicationNumber !== undefined && publicationNumber === other.publicationNumber)),
  )
}

/**
 * 0 is best (docs/consolidation.md, "Which notices count"): TED and other eForms or TED_EXPORT documents, then DÖE,
 * then OCDS, then a portal's own shape.
 */
function portalRank(notice: Notice): number {
  if (notice.format === 'portal') return 3
  if (notice.format === 'ocds') return 2
  return notice.publisher === 'doe' ? 1 : 0
}

/**
 * TED_EXPORT corrigenda list what they change; OCDS releases and the portals' own formats may leave out what did not
 * change.
 */
function isPartial(notice: Notice): boolean {
  return isSnapshot(notice) || isCorrigendum(notice)
}

/** It lists what it changes, and holds nothing else of the call. */
function isCorrigendum(notice: Notice): boolean {
  return (notice.format === 'ted-export' && notice.formType === 'change') || isToldOnly(notice)
}

/** Whether it is an OCDS release or a portal's page: the state at that time, not one announcement among others. */
export function isSnapshot(notice: Notice): boolean {
  return notice.format === 'ocds' || notice.format === 'portal'
}

function isChange(notice: Notice): boolean {
  return (
    notice.formType === 'change' ||
    notice.changeReasons !== undefined ||
    notice.references.some((reference) => reference.kind === 'changes')
  )
}

function instantMs(notice: Notice): number {
  const instant = notice.dispatchDate ?? notice.publicationDate
  return instant === undefined ? Number.NEGATIVE_INFINITY : Date.parse(instant)
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const compareNumber = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)

function compareInTime(a: Notice, b: Notice): number {
  return (
    compareNumber(instantMs(a), instantMs(b)) ||
    compareNumber(versionNumber(a.noticeVersion), versionNumber(b.noticeVersion)) ||
    compareNumber(Number(isChange(a)), Number(isChange(b))) ||
    compareText(a.publicationNumber ?? '', b.publicationNumber ?? '') ||
    compareText(a.noticeKey, b.noticeKey)
  )
}

/**
 * Copies of one notice id and version on several portals: that of the best portal, completed with members that only the
 * others have.
 */
function foldCopies(notices: readonly Notice[]): Notice[] {
  const groups = Map.groupBy(notices, ({ noticeId, noticeVersion, noticeKey }) => {
    const isNamed = noticeId !== undefined && noticeVersion !== undefined
    return isNamed ? `${noticeId}/${versionNumber(noticeVersion)}` : noticeKey
  })
  return [...groups.values()].map((copies) => {
    const [best, ...others] = copies.sort(
      (a, b) => portalRank(a) - portalRank(b) || compareText(a.noticeKey, b.noticeKey),
    )
    return others.reduce(completed, best!)
  })
}

/** `base` with the members of `other` that it lacks; an empty list lacks everything. */
function completed(base: Notice, other: Notice): Notice {
  const result: { [member: string]: unknown } = { ...other, ...base }
  for (const [member, value] of Object.entries(base))
    if (Array.isArray(value) && value.length === 0) result[member] = other[member as keyof Notice]
  return result as Notice
}

/**
 * No lot is worth more than the notice says that all its contracts are worth: its value includes VAT, covers several
 * years, or is a mistake. The only awarded lot is then worth the total, one of several an unknown part of it.
 */
function withinTotal(notice: Notice): Notice {
  const total = notice.awardedValue
  const isOver = ({ result }: NoticeLot): boolean =>
    total !== undefined &&
    result?.awardedValue !== undefined &&
    result.awardedValue.currency === total.currency &&
    result.awardedValue.value > total.value
  if (!total || !notice.lots.some(isOver)) return notice
  const isOnly = notice.lots.filter(({ result }) => result?.outcome === 'awarded').length === 1
  const lots = notice.lots.map((lot): NoticeLot => {
    if (!isOver(lot)) return lot
    const { awardedValue: _, ...result } = lot.result!
    return { ...lot, result: isOnly ? { ...result, awardedValue: total } : result }
  })
  return { ...notice, lots }
}

/** Notices in time order, without what a later one of the same publisher takes back. */
function withoutWithdrawn(sorted: readonly Notice[]): readonly Notice[] {
  if (sorted.every(({ withdrawn }) => withdrawn === undefined)) return sorted
  return sorted.map((notice, order) => {
    const later = sorted.slice(order + 1).filter(({ publisher }) => publisher === notice.publisher)
    const gone = new Set(later.flatMap(({ withdrawn = [] }) => withdrawn))
    if (gone.size === 0) return notice
    const without = <T extends object>(value: T): T =>
      Object.fromEntries(Object.entries(value).filter(([name]) => !gone.has(name as 'submissionDate'))) as T
    return { ...without(notice), lots: gone.has('submissionDate') ? notice.lots.map(without) : notice.lots }
  })
}

/** Live announcements in time order: without what a `cancel` voided and without superseded versions. */
function liveAnnouncements(notices: readonly Notice[]): {
  readonly all: Announcement[]
  readonly live: Announcement[]
  readonly superseded: ReadonlySet<Announcement>
} {
  const sorted = withoutWithdrawn(foldCopies(notices).map(withinTotal).sort(compareInTime))
  const roles = rolesOf(sorted)
  const all = sorted.map((notice, order) => ({ notice, role: roles[order]!, at: instantMs(notice), order }))
  const targetsOf = (from: Announcement): Announcement[] =>
    all.filter(({ notice, order }) => notice !== from.notice && doesChange(from.notice, notice, order < from.order))
  const earlierVersionsOf = (from: Announcement): Announcement[] =>
    all.filter(
      ({ notice, role, order }) =>
        from.notice.noticeId !== undefined &&
        notice.noticeId === from.notice.noticeId &&
        role === from.role &&
        order < from.order,
    )
  const replacedBy = (from: Announcement): Announcement[] => [
    ...targetsOf(from).filter((target) => target.order < from.order),
    ...earlierVersionsOf(from),
  ]
  const voided = new Set<Announcement>()
  const voidWithChain = (announcement: Announcement): void => {
    if (voided.has(announcement)) return
    voided.add(announcement)
    for (const earlier of replacedBy(announcement)) voidWithChain(earlier)
  }
  for (const announcement of all.filter(({ notice }) => notice.changeReasons?.includes('cancel'))) {
    voidWithChain(announcement)
    const named = announcement.notice.references.some((reference) => reference.kind === 'changes')
    // A change block without the id of the changed notice occurs; then it means the last one of its kind.
    const last = all.findLast(({ role, order }) => role === announcement.role && order < announcement.order)
    for (const target of named ? targetsOf(announcement) : last ? [last] : []) voidWithChain(target)
  }
  const remaining = all.filter((announcement) => !voided.has(announcement))
  const superseded = new Set(remaining.filter(({ notice }) => !isPartial(notice)).flatMap(replacedBy))
  const live = remaining.filter((announcement) => !superseded.has(announcement))
  return { all, live, superseded }
}

/** Same day: the better portal comes later and wins; other days: the newer. */
function comparePrecedence(a: Announcement, b: Announcement): number {
  const day = (announcement: Announcement) => Math.floor(announcement.at / dayMs)
  return (
    compareNumber(day(a), day(b)) ||
    compareNumber(portalRank(b.notice), portalRank(a.notice)) ||
    compareNumber(a.order, b.order)
  )
}

const corrected = [
  'submissionDate',
  'participationDate',
  'validityEnd',
  'documentsUrl',
  'submissionUrl',
  'estimatedValue',
] as const
const correctedLot = [
  'submissionDate',
  'participationDate',
  'interestDate',
  'documentsUrl',
  'submissionUrl',
  'estimatedValue',
] as const

function withMembers<T extends object>(base: T, from: T, members: readonly (keyof T)[]): T {
  const result = { ...base }
  for (const member of members) if (from[member] !== undefined) result[member] = from[member]
  return result
}

/** All members that `from` has; lists only when they are not empty. */
function overlaid<T extends object>(base: T, from: T): T {
  const members = (Object.keys(from) as (keyof T)[]).filter((member) => {
    const value = from[member]
    return !(Array.isArray(value) && value.length === 0)
  })
  return withMembers(base, from, members)
}

/** Whether two lists number the lots in the same way: they share an id. */
export function shareLots(a: Iterable<string>, b: Iterable<string>): boolean {
  const ids = new Set(a)
  for (const id of b) if (ids.has(id)) return true
  return false
}

function overlayPartial(state: CompetitionState, listing: Announcement): CompetitionState {
  const { notice } = listing
  const isListed = isCorrigendum(notice)
  if (isToldOnly(notice)) return overlayTold(state, listing)
  const lots = state.lots.map(({ lot, listing: before }): ListedLot => {
    const change = notice.lots.find((candidate) => candidate.lotId === lot.lotId)
    if (!change) return { lot, listing: before }
    return { lot: isListed ? withMembers(lot, change, correctedLot) : overlaid(lot, change), listing }
  })
  const isMoved = notice.submissionDate !== undefined || notice.participationDate !== undefined
  // A new deadline of the whole procedure applies to its lots too, unless the corrigendum names lots.
  const isWhole = isMoved && !lots.some(({ listing: of }) => of === listing)
  const moved = isWhole
    ? lots.map(({ lot }) => ({
        lot: withMembers(lot, notice as NoticeLot & Notice, ['submissionDate', 'participationDate']),
        listing,
      }))
    : lots
  if (isListed) return { notice: withMembers(state.notice, notice, corrected), listing, lots: moved }
  const added =
    state.lots.length === 0 ||
    shareLots(
      lotIds(state.lots),
      notice.lots.map((lot) => lot.lotId),
    )
      ? notice.lots.filter((lot) => !state.lots.some((known) => known.lot.lotId === lot.lotId))
      : []
  return {
    notice: { ...overlaid(state.notice, notice), lots: state.notice.lots },
    listing,
    lots: [...moved, ...added.map((lot) => ({ lot, listing }))],
  }
}

/** What a notice tells about a call: another deadline, ended lots, a halt, and its words after those of the call. */
function overlayTold(state: CompetitionState, listing: Announcement): CompetitionState {
  const { notice } = listing
  const days = notice.extendedByDays
  const later = (instant: Instant | undefined): Instant | undefined =>
    notice.submissionDate ??
    notice.participationDate ??
    (instant === undefined || days === undefined ? undefined : toInstant(epochMs(instant) + days * dayMs))
  const moved = <Holder extends NoticeLot | Notice>(holder: Holder): Holder => {
    const member =
      holder.participationDate !== undefined && holder.submissionDate === undefined
        ? 'participationDate'
        : 'submissionDate'
    const instant = later(holder[member])
    return instant === undefined ? holder : { ...holder, [member]: instant }
  }
  const hasLotDates = state.lots.some(({ lot }) => lot.submissionDate ?? lot.participationDate)
  const lots = withEndedLots(state, notice).map(
    ({ lot }): ListedLot => ({ lot: hasLotDates && !lot.cancelled ? moved(lot) : lot, listing }),
  )
  const call = hasLotDates ? state.notice : moved(state.notice)
  return { notice: { ...withSuspension(call, notice), ...describedWith(call, notice) }, listing, lots }
}

/** How much of a title can name the lot that it is. */
const titleCharacters = 400

/** The number of a lot as texts write it: `2` of `LOT-0002`, `2.1` of `2.1`; empty for `A`, which no number names. */
const numberInText = (lotId: string): string =>
  (/\d+(?:\.\d+)*(?=\D*$)/.exec(lotId)?.[0].split('.').map(Number) ?? []).join('.')

/**
 * The lots of a call, without those that a notice ends. A call that is itself a lot by its title ends as a whole,
 * unless one of its own lots has that number.
 */
function withEndedLots({ notice: call, lots }: CompetitionState, notice: Notice): readonly ListedLot[] {
  const ended = new Set(notice.act?.lotNumbers)
  if (ended.size === 0) return lots
  const isListed = lots.length > 1 && lots.some(({ lot }) => ended.has(numberInText(lot.lotId)))
  const ends = call === notice || isListed ? undefined : endsByTitle(call, ended)
  return lots.map((listed): ListedLot => {
    const isEnded = ends ?? ended.has(numberInText(listed.lot.lotId))
    return isEnded ? { lot: { ...listed.lot, cancelled: true }, listing: listed.listing } : listed
  })
}

/** Whether a call ends with these lots by its own title; undefined if no title names a lot. */
export function endsByTitle({ title = {} }: Notice, ended: ReadonlySet<string>): boolean | undefined {
  const named = Object.entries(title).map(([language, text]) => lotNumbersIn(text.slice(0, titleCharacters), language))
  const own = named.filter(({ length }) => length > 0)
  return own.length > 0 ? own.some((numbers) => numbers.every((number) => ended.has(number))) : undefined
}

function withSuspension(call: Notice, notice: Notice): Notice {
  const { changeReasons, ...rest } = call
  const others = changeReasons?.filter((reason) => reason !== 'susp-review') ?? []
  const reasons = notice.act?.act === 'suspension' ? [...others, 'susp-review'] : others
  return reasons.length > 0 || changeReasons?.length === 0 ? { ...rest, changeReasons: reasons } : rest
}

/** The text of the call stays; what is told about it is appended in its language, else in the first of the notice. */
function describedWith({ description }: Notice, notice: Notice): Pick<Notice, 'description'> {
  const told = Object.entries(notice.description ?? {}).map(
    ([language, text]) => [language, followUpText(text)] as const,
  )
  const texts: { [language: string]: string } = { ...description }
  for (const [language, text] of told)
    if (text !== undefined && text !== '' && !texts[language]?.includes(text))
      texts[language] = texts[language] === undefined ? text : `${texts[language]}\n\n${text}`
  return Object.keys(texts).length > 0 ? { description: texts } : {}
}

function lotIds(lots: readonly ListedLot[]): string[] {
  return lots.map(({ lot }) => lot.lotId)
}

function competitionState(calls: readonly Announcement[]): CompetitionState | undefined {
  const official = calls.filter(({ notice }) => portalRank(notice) < 2)
  // An official chain of changes takes precedence over every other portal's release (rule 6a).
  const hasOfficialChain = official.some(({ notice }) => isChange(notice))
  let state: CompetitionState | undefined
  for (const listing of [...(hasOfficialChain ? official : calls)].sort(comparePrecedence)) {
    const lots = listing.notice.lots.map((lot) => ({ lot, listing }))
    if (state && isPartial(listing.notice)) {
      state = overlayPartial(state, listing)
    } else if (state && isChange(listing.notice) && shareLots(lotIds(state.lots), lotIds(lots))) {
      // A lot that a change leaves out is not thereby withdrawn: it stays as it was last listed.
      const dropped: ListedLot[] = state.lots.filter(({ lot }) => !lots.some((known) => known.lot.lotId === lot.lotId))
      state = { notice: listing.notice, listing, lots: [...lots, ...dropped] }
    } else {
      state = { notice: listing.notice, listing, lots }
      if (isToldOnly(listing.notice)) state = { ...state, lots: withEndedLots(state, listing.notice) }
    }
  }
  return state
}

/** Puts the notices of one tender (each once) in order. `notices` is not empty. */
export function timelineOf(notices: readonly Notice[]): Timeline {
  const { all, live, superseded } = liveAnnouncements(withLotsOfCalls(notices.map(credible)))
  const isVoid = live.length === 0
  const counted = isVoid ? all : live
  const of = (role: Role) => counted.filter((announcement) => announcement.role === role)
  const results = of('result')
  const calls = of('competition')
  // A lone corrigendum of a call that was never received is not a call once there is anything else.
  const isCorrigendaOnly = calls.every(({ notice }) => isCorrigendum(notice))
  const hasOther = counted.some(({ role }) => role !== 'competition' && role !== 'correction')
  const competition = isCorrigendaOnly && hasOther ? undefined : competitionState(calls)
  // A change that superseded its predecessor dropped lots with it; the predecessor's lots are checked again.
  const complete = competition && !isVoid ? withDroppedLots(competition, superseded) : competition
  const heads = [
    ...(complete ? [complete.notice] : []),
    ...[...calls].reverse().map(({ notice }) => notice),
    ...[...results].reverse().map(({ notice }) => notice),
    ...[...of('intention')].reverse().map(({ notice }) => notice),
    ...[...of('execution')].reverse().map(({ notice }) => notice),
    ...[...of('planning')].reverse().map(({ notice }) => notice),
    ...[...of('correction')].reverse().map(({ notice }) => notice),
  ]
  // A call after the announcement of a direct award replaced it.
  const intentions = of('intention').filter(({ order }) => !complete || order > complete.listing.order)
  const contracts = [results, of('execution'), intentions].find(({ length }) => length > 0) ?? []
  const fallbacks = [...new Set(heads)]
  return { live: counted, isVoid, competition: complete, results, contracts, head: heads[0]!, fallbacks }
}

/** Lots of superseded calls that the newest change no longer lists, as they were last listed. */
function withDroppedLots(state: CompetitionState, superseded: ReadonlySet<Announcement>): CompetitionState {
  if (!isChange(state.listing.notice)) return state
  const lots = [...state.lots]
  for (const listing of [...superseded].sort((a, b) => b.order - a.order)) {
    if (listing.role !== 'competition' || listing.order > state.listing.order) continue
    const ids = lotIds(lots)
    if (
      !shareLots(
        ids,
        listing.notice.lots.map((lot) => lot.lotId),
      )
    )
      continue
    for (const lot of listing.notice.lots) if (!ids.includes(lot.lotId)) lots.push({ lot, listing })
  }
  return { ...state, lots }
}
