// The facts of a record of whose later changes the owner of a hit may want to be notified, and what changed between two
// of its entries.
import { type DeadlineKind, firstDeadline } from '#flat/record/first-deadline'
import type { HitChange } from '../domain/hit-event.ts'
import type { Status, TenderRecord } from '../domain/tender.ts'

/** These facts in one entry of the record. */
export type WatchedState = {
  /**
   * Why the hit is closed: the archive reason, or the status of what is no call for its search; null: it is not.
   * `merged`: the hit represents another record, which has not ended, or which has a hit of its own.
   */
  readonly closedAs: string | null
  /** Null: the state was written before hits had this. */
  readonly status: string | null
  readonly mergedInto: string | null
  /** The deadline that a bidder meets first, epoch milliseconds. */
  readonly deadlineMs: number | null
  /** Null: there is none, or the state was written before hits had this. */
  readonly deadlineKind: DeadlineKind | null
  /** Amount and currency, published or estimated. */
  readonly value: string | null
}

/** Statuses of what is not archived and no call. */
const noCall: readonly (string | null)[] = ['planned', 'awardIntended'] satisfies Status[]

/**
 * Whether a tender that is not archived is no call for the search that hit it. `asked`: the statuses for which that
 * asks; null: all, and then only what was a call before is none any more.
 */
function isNoCall(
  { status }: TenderRecord,
  asked: readonly string[] | null,
  before: WatchedState | undefined,
): boolean {
  if (asked !== null) return !asked.includes(status)
  return noCall.includes(status) && (before?.status === 'open' || noCall.includes(before?.closedAs ?? null))
}

/**
 * Of a hit whose tender was merged, which represents the survivor from then on. `survivor`: its entry of that edition,
 * unless it has a hit of its own. Without it everything stays as it was: a merged record says only what its first
 * notice says.
 */
export function mergedState(
  before: WatchedState,
  mergedInto: string,
  asked: readonly string[] | null,
  survivor: TenderRecord | undefined,
): WatchedState {
  if (survivor === undefined) return { ...before, closedAs: 'merged', mergedInto }
  const state = watchedState(survivor, asked, before)
  return { ...state, closedAs: state.closedAs ?? 'merged', mergedInto }
}

/** `asked`: the statuses for which the search of the hit asks; null: all. `before`: of a hit that exists. */
export function watchedState(
  record: TenderRecord,
  asked: readonly string[] | null = null,
  before?: WatchedState,
): WatchedState {
  const deadline = firstDeadline(record)
  const amount = record.contractAmount
  return {
    closedAs: record.archiveReason ?? (isNoCall(record, asked, before) ? record.status : null),
    status: record.status,
    mergedInto: null,
    deadlineMs: deadline === undefined ? null : Date.parse(deadline.at),
    deadlineKind: deadline?.kind ?? null,
    // no database accepts a NUL, and one would stop the matching of every later edition
    value: amount === null ? null : `${amount.value} ${amount.currency}`.replaceAll('\0', ''),
  }
}

/**
 * A state as today's rule would have written it, as far as a later entry of the record shows. A state
 * without a kind has the deadline of submission even if that to participate was earlier: the change of the rule is no
 * change of the deadline.
 */
export function byTodaysRule(before: WatchedState, later: TenderRecord): WatchedState {
  if (before.deadlineKind !== null) return before
  const byOldRule = Date.parse(later.submissionDate ?? later.participationDate ?? '')
  return byOldRule === before.deadlineMs ? { ...before, deadlineMs: watchedState(later).deadlineMs } : before
}

/** Whether the passing of a deadline that both know closed it, and nothing else happened. */
export const isExpiry = (before: WatchedState, after: WatchedState): boolean =>
  after.closedAs === 'expired' &&
  after.deadlineMs !== null &&
  after.deadlineMs === before.deadlineMs &&
  after.value === before.value

/** Empty if it did not change. */
export function hitChanges(before: WatchedState, after: WatchedState): HitChange[] {
  const isClosed = ({ closedAs }: WatchedState) => closedAs !== null && closedAs !== 'merged'
  const changes: HitChange[] = []
  if (isClosed(after) && !isClosed(before)) changes.push('closed')
  if (after.mergedInto !== null && after.mergedInto !== before.mergedInto) changes.push('merged')
  if (after.deadlineMs !== before.deadlineMs) changes.push('deadline')
  if (after.value !== before.value) changes.push('value')
  return changes
}
