// The status of a tender and its lots: a pure function of its notices and of the current time (docs/consolidation.md).
import type { LotResult, Notice, NoticeLot } from '../domain/notice.ts'
import type { ArchiveReason, LotStatus, Status } from '../domain/tender.ts'
import { dayMs, type Instant } from '../domain/time.ts'
import { isStandingSystem } from './credible.ts'
import { isToldOnly } from './link-keys.ts'
import { type LotOutcome, lotOutcomes } from './lot-outcomes.ts'
import { type Announcement, type CompetitionState, endsByTitle, shareLots, type Timeline } from './timeline.ts'

/** A lot of the record: what the call says about it, what the result says about it, and its status. */
export type LotState = {
  readonly lotId: string
  readonly status: LotStatus
  readonly listed?: NoticeLot
  readonly announced?: NoticeLot
  readonly result?: LotResult
}

export type Lifecycle = {
  readonly status: Exclude<Status, 'merged'>
  readonly archiveReason?: Exclude<ArchiveReason, 'merged'>
  /** By lotId. */
  readonly lots: readonly LotState[]
  readonly isSuspended: boolean
  readonly isDeadlineUnknown: boolean
  /**
   * When the clock next changes any of this, in epoch milliseconds; absent if only a notice can. Always after `now`.
   */
  readonly nextTransitionMs?: number
}

/** How long a call without a deadline, or an intention to award, counts as open after its publication. */
const withoutDeadlineMs = 90 * dayMs
/** How long, if only words about a missing call say that there is one: those are published while it is open (D64). */
const toldWithoutDeadlineMs = 30 * dayMs

type Decision = { readonly result: LotResult; readonly at: Announcement; readonly lot?: NoticeLot }

const ms = (instant: Instant | undefined): number | undefined =>
  instant === undefined ? undefined : Date.parse(instant)

function publicationMs({ notice }: Announcement): number | undefined {
  return ms(notice.publicationDate ?? notice.dispatchDate)
}

/** BT-131, else BT-1311, else BT-630. */
function ownDeadline(lot: NoticeLot): number | undefined {
  return ms(lot.submissionDate ?? lot.participationDate ?? lot.interestDate)
}

function yearAfter(fromMs: number): number {
  const date = new Date(fromMs)
  date.setUTCFullYear(date.getUTCFullYear() + 1)
  return date.getTime()
}

/**
 * Status, lots and next transition. A deadline that is reached at `now` has passed. `isSucceeded`: other tenders
 * followed this announcement (resolve.ts).
 */
export function lifecycleOf(timeline: Timeline, now: number, isSucceeded = false): Lifecycle {
  if (timeline.isVoid) {
    const listed = timeline.competition?.lots.map(({ lot }) => lot) ?? timeline.head.lots
    return {
      status: 'cancelled',
      archiveReason: 'cancelled',
      lots: sortedLots(listed.map((lot) => ({ lotId: lot.lotId, status: 'cancelled', listed: lot }))),
      isSuspended: false,
      isDeadlineUnknown: false,
    }
  }
  if (timeline.competition) return competitionLifecycle(timeline, timeline.competition, now)
  const isPlanned = timeline.live.some(({ role }) => role === 'planning')
  const hasMore = timeline.live.some(({ role }) => role !== 'planning' && role !== 'correction')
  return hasMore || !isPlanned ? uncalledLifecycle(timeline, now) : planningLifecycle(timeline, now, isSucceeded)
}

/** Announced only: until a year after publication, or until another tender refers to it. */
function planningLifecycle({ live, head }: Timeline, now: number, isSucceeded: boolean): Lifecycle {
  const published = live.map(publicationMs).filter((at) => at !== undefined)
  const end = published.length > 0 ? yearAfter(Math.max(...published)) : undefined
  const isCancelled =
    head.isCancelled === true || live.some(({ notice }) => notice.isCancelled === true && isToldOnly(notice))
  const isOver = isCancelled || isSucceeded || (end !== undefined && end <= now)
  const lotStatus: LotStatus = isCancelled ? 'cancelled' : 'planned'
  return {
    ...(isCancelled
      ? { status: 'cancelled', archiveReason: 'cancelled' }
      : isOver
        ? { status: 'closed', archiveReason: 'expired' }
        : { status: 'planned' }),
    lots: sortedLots(head.lots.map((lot) => ({ lotId: lot.lotId, status: lotStatus, listed: lot }))),
    isSuspended: false,
    isDeadlineUnknown: false,
    ...(isOver || end === undefined ? {} : { nextTransitionMs: end }),
  }
}

/** Results, contracts or intentions without a known call: nothing is open. */
function uncalledLifecycle(timeline: Timeline, now: number): Lifecycle {
  const { results, contracts, live, head } = timeline
  const outcomes = lotOutcomes(contracts)
  // What is announced is not decided yet: the lots are pending, but the future contractor is known.
  const isIntended = contracts[0]?.role === 'intention'
  const whole = wholeDecision(timeline)
  const announced = new Map<string, NoticeLot>()
  for (const { notice } of contracts) for (const lot of notice.lots) announced.set(lot.lotId, lot)
  if (announced.size === 0) for (const lot of head.lots) announced.set(lot.lotId, lot)
  const hasExecution = live.some(({ role }) => role === 'execution')
  const lots = [...announced.values()].map((lot): LotState => {
    const outcome = outcomes.get(lot.lotId)
    const ofWhole = whole?.result ?? (hasExecution ? { outcome: 'awarded' as const } : undefined)
    const decision = isIntended ? ofWhole : (outcome?.result ?? ofWhole)
    const result = decision ?? (outcome?.result.outcome === 'awarded' ? outcome.result : undefined)
    return {
      lotId: lot.lotId,
      status: decidedStatus(decision) ?? 'pending',
      announced: outcome?.lot ?? lot,
      ...(result ? { result } : {}),
    }
  })
  const decided =
    lots.length > 0
      ? lots.map(({ status }) => status)
      : [decidedStatus(whole?.result) ?? (hasExecution ? 'awarded' : 'pending')]
  const common = { lots: sortedLots(lots), isSuspended: false, isDeadlineUnknown: false }
  if (decided.includes('awarded')) return { status: 'awarded', archiveReason: 'awarded', ...common }
  if (decided.every((status) => status === 'cancelled'))
    return { status: 'cancelled', archiveReason: 'cancelled', ...common }
  const intention = live.findLast(({ role }) => role === 'intention')
  if (intention && results.length === 0)
    return { ...intentionStatus(intention, now), ...common, isDeadlineUnknown: true }
  return { status: 'closed', archiveReason: 'expired', ...common }
}

function intentionStatus(
  intention: Announcement,
  now: number,
): Pick<Lifecycle, 'status' | 'archiveReason' | 'nextTransitionMs'> {
  const published = publicationMs(intention)
  if (published === undefined) return { status: 'awardIntended' }
  const end = published + withoutDeadlineMs
  return end > now ? { status: 'awardIntended', nextTransitionMs: end } : { status: 'closed', archiveReason: 'expired' }
}

function decidedStatus(result: LotResult | undefined): LotStatus | undefined {
  if (result?.outcome === 'awarded') return 'awarded'
  if (result?.outcome === 'not-awarded') return 'cancelled'
  return result?.outcome === 'pending' ? 'pending' : undefined
}

/**
 * The newest decision about the procedure as a whole: a result that names no lot's outcome, a withdrawal, a running
 * contract.
 */
function wholeDecision({ live, competition }: Timeline): Decision | undefined {
  let decision: Decision | undefined
  const hasResult = live.some(({ role }) => role === 'result')
  for (const announcement of live) {
    const { notice, role } = announcement
    const isEnded = notice.isCancelled === true || notice.isUnsuccessful === true || endsOnlyLot(competition, notice)
    if (role !== 'planning' && isEnded && !notice.lots.some((lot) => lot.result?.outcome === 'awarded'))
      decision = { result: { outcome: 'not-awarded' }, at: announcement }
    else if (role === 'result' && !notice.lots.some((lot) => lot.result || lot.cancelled))
      decision = { result: { outcome: 'awarded' }, at: announcement }
    else if (role === 'execution' && !hasResult) decision = { result: { outcome: 'awarded' }, at: announcement }
  }
  return decision
}

/** A call without other lots is itself the lot that a cancellation names, unless its title says that it is another. */
function endsOnlyLot(competition: CompetitionState | undefined, { act, noticeKey }: Notice): boolean {
  if (competition === undefined || competition.lots.length > 1) return false
  if (act?.act !== 'cancellation' || act.lotNumbers === undefined) return false
  const { notice } = competition
  return notice.noticeKey === noticeKey || endsByTitle(notice, new Set(act.lotNumbers)) !== false
}

/** Results from notices that number the lots differently count for the whole. */
function foreignDecision(timeline: Timeline, ids: readonly string[]): Decision | undefined {
  let decision: Decision | undefined
  const decided = ({ notice }: Announcement): readonly NoticeLot[] => notice.lots.filter((lot) => lot.result)
  const foreign = timeline.contracts.filter((announcement) => {
    if (announcement.role === 'intention') return false
    const lots = decided(announcement).map(({ lotId }) => lotId)
    return lots.length > 0 && !shareLots(ids, lots)
  })
  const standing = lotOutcomes(foreign)
  for (const announcement of foreign) {
    const lots = decided(announcement)
    const outcomes = lots.map((lot) => lot.result!.outcome)
    const outcome = outcomes.includes('awarded') ? 'awarded' : outcomes.includes('pending') ? 'pending' : 'not-awarded'
    if (outcome === 'pending' && decision) continue
    // one award never goes to several lots
    const only = lots.length === 1 && ids.length < 2 ? lots[0] : undefined
    decision = only
      ? { result: standing.get(only.lotId)!.result, at: announcement, lot: only }
      : { result: { outcome }, at: announcement }
  }
  return decision
}

function newer(a: Decision | undefined, b: Decision | undefined): Decision | undefined {
  return !a || (b && b.at.order > a.at.order) ? b : a
}

/** A call that lists the lot after the decision, with a deadline after the decision, opens it again (rule 2). */
function isReopened(decision: Decision, listing: Announcement, deadline: number | undefined): boolean {
  return listing.order > decision.at.order && deadline !== undefined && deadline > decision.at.at
}

function competitionLifecycle(timeline: Timeline, competition: CompetitionState, now: number): Lifecycle {
  const { notice, listing } = competition
  const deadlines = competition.lots.map(({ lot }) => ownDeadline(lot)).filter((deadline) => deadline !== undefined)
  const shared =
    ms(notice.submissionDate ?? notice.participationDate) ?? (deadlines.length > 0 ? Math.max(...deadlines) : undefined)
  // awards under such a system do not end it (rule 4)
  const standing = isStandingSystem(notice)
  const isTerminated = timeline.live.some(
    ({ notice: each, role }) => role !== 'planning' && each.isDynamicPurchasingSystemTerminated === true,
  )
  // The portal's own status, given for this call or after it; a newer call opens it again.
  const isClosed = timeline.live.some(
    ({ notice: each, role, order }) => role !== 'planning' && each.isClosed === true && order >= listing.order,
  )
  const validityEnd = ms(notice.validityEnd)
  const published = publicationMs(listing)
  const unknownMs = isToldOnly(notice) ? toldWithoutDeadlineMs : withoutDeadlineMs
  const isDeadlineUnknown = shared === undefined && !standing
  const endOf = (own: number | undefined): number | undefined => {
    if (isClosed) return Number.NEGATIVE_INFINITY
    const deadline = own ?? shared
    if (!standing) return deadline ?? (published === undefined ? undefined : published + unknownMs)
    if (isTerminated) return Number.NEGATIVE_INFINITY
    return deadline === undefined ? validityEnd : Math.max(deadline, validityEnd ?? deadline)
  }

  const { contracts } = timeline
  const isIntended = contracts[0]?.role === 'intention'
  const outcomes = lotOutcomes(isIntended ? [] : contracts)
  const ids = competition.lots.map(({ lot }) => lot.lotId)
  const foreign = foreignDecision(timeline, ids)
  const decided = wholeDecision(timeline)
  // A modification decides the whole too, but its statement about its lot says more.
  const whole = foreign?.at.role === 'execution' ? newer(foreign, decided) : newer(decided, foreign)
  const ends: number[] = []
  const evaluate = (lot: NoticeLot | undefined, of: Announcement): { status: LotStatus; decision?: Decision } => {
    const outcome = lot && outcomes.get(lot.lotId)
    const own: Decision | undefined = outcome && { result: outcome.result, at: outcome.announcement, lot: outcome.lot }
    const withdrawn: Decision | undefined = lot?.cancelled ? { result: { outcome: 'not-awarded' }, at: of } : undefined
    const decision = [withdrawn, whole].reduce(newer, own)
    const end = endOf(lot && ownDeadline(lot))
    const isOpen = end === undefined || end > now
    const status = decidedStatus(decision?.result)
    const isDecided = decision !== undefined && status !== undefined && status !== 'pending'
    const isStandingAward = standing && decision?.result.outcome === 'awarded'
    if (isDecided && !isStandingAward && !isReopened(decision, of, end)) return { status, decision }
    if (isOpen) {
      if (end !== undefined) ends.push(end)
      return { status: 'open', ...(isStandingAward ? { decision } : {}) }
    }
    if (isStandingAward) return { status: 'awarded', decision }
    return { status: 'pending', ...(decision && !isDecided ? { decision } : {}) }
  }

  const lots = competition.lots.map(({ lot, listing: of }): LotState => {
    const { status, decision } = evaluate(lot, of)
    const intended =
      isIntended && status === 'pending' && !decision ? intendedFor(lot.lotId, ids, contracts) : undefined
    if (intended) return { lotId: lot.lotId, status, listed: lot, announced: intended.lot, result: intended.result }
    return {
      lotId: lot.lotId,
      status,
      listed: lot,
      ...(decision?.lot ? { announced: decision.lot } : {}),
      ...(decision ? { result: decision.result } : {}),
    }
  })
  // Without lots the call is open, or not, as a whole; its undecided lots follow it.
  const statusOfWhole = ids.length === 0 ? evaluate(undefined, listing).status : undefined
  // Lots that only a result knows: a tranche of the same procedure, when the numbering is the same.
  if (ids.length === 0 || shareLots(ids, outcomes.keys()))
    for (const [lotId, { result, lot }] of outcomes) {
      if (ids.includes(lotId)) continue
      const status =
        result.outcome === 'pending' && statusOfWhole === 'open' ? 'open' : (decidedStatus(result) ?? 'pending')
      lots.push({ lotId, status, announced: lot, result })
    }

  const statuses = lots.map(({ status }) => status)
  if (statusOfWhole) statuses.push(statusOfWhole)
  const common = {
    lots: sortedLots(lots),
    isSuspended: notice.changeReasons?.includes('susp-review') === true,
    isDeadlineUnknown,
  }
  if (statuses.includes('open'))
    return { status: 'open', ...common, ...(ends.length > 0 ? { nextTransitionMs: Math.min(...ends) } : {}) }
  const closed = { ...common, isSuspended: false }
  if (statuses.includes('awarded')) return { status: 'awarded', archiveReason: 'awarded', ...closed }
  if (statuses.every((status) => status === 'cancelled'))
    return { status: 'cancelled', archiveReason: 'cancelled', ...closed }
  const intention = timeline.live.findLast(({ role }) => role === 'intention')
  if (
    intention &&
    intention.order > listing.order &&
    timeline.results.every((result) => result.order < intention.order)
  )
    return { ...intentionStatus(intention, now), ...closed }
  return { status: 'closed', archiveReason: 'expired', ...closed }
}

/** What announced direct awards say about a lot, or about the only lot, however it is numbered. */
function intendedFor(
  lotId: string,
  ids: readonly string[],
  intentions: readonly Announcement[],
): LotOutcome | undefined {
  const outcomes = lotOutcomes(intentions)
  const only = ids.length === 1 && outcomes.size === 1 ? [...outcomes.values()][0] : undefined
  const found = outcomes.get(lotId) ?? only
  return found?.result.outcome === 'awarded' ? found : undefined
}

function sortedLots(lots: readonly LotState[]): LotState[] {
  const key = ({ lotId }: LotState) => lotId.replace(/\d+/g, (digits) => digits.padStart(8, '0'))
  const byId = new Map(lots.map((lot) => [lot.lotId, lot]))
  return [...byId.values()].sort((a, b) => {
    const [left, right] = [key(a), key(b)]
    return left < right ? -1 : left > right ? 1 : a.lotId < b.lotId ? -1 : 1
  })
}
