// The facts of a record of whose later changes the owner of a hit may want to be notified, and what changed between two
// of its entries.
import type { HitChange } from '../domain/hit-event.ts'
import type { TenderRecord } from '../domain/tender.ts'

/** These facts in one entry of the record. */
export type WatchedState = {
  readonly archiveReason: string | null
  readonly mergedInto: string | null
  /** Epoch milliseconds. */
  readonly deadlineMs: number | null
  /** Amount and currency, published or estimated. */
  readonly value: string | null
}

export function watchedState(record: TenderRecord): WatchedState {
  const deadline = record.submissionDate ?? record.participationDate
  const amount = record.contractAmount
  return {
    archiveReason: record.archiveReason ?? null,
    mergedInto: record.mergedInto ?? null,
    deadlineMs: deadline === undefined ? null : Date.parse(deadline),
    // no database accepts a NUL, and one would stop the matching of every later edition
    value: amount === null ? null : `${amount.value} ${amount.currency}`.replaceAll('\0', ''),
  }
}

/** Empty if it did not change. */
export function hitChanges(before: WatchedState, after: WatchedState): HitChange[] {
  const isClosed = ({ archiveReason }: WatchedState) => archiveReason !== null && archiveReason !== 'merged'
  const changes: HitChange[] = []
  if (isClosed(after) && !isClosed(before)) changes.push('closed')
  if (after.mergedInto !== null && after.mergedInto !== before.mergedInto) changes.push('merged')
  if (after.deadlineMs !== before.deadlineMs) changes.push('deadline')
  if (after.value !== before.value) changes.push('value')
  return changes
}
