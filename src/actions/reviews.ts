// What operators decide about records that may be one. Each decision runs in the transaction of its caller, and leaves
// one entry of the audit log if it changed something; the next consolidation applies it.
import type { Executor } from '../store/database/database.ts'
import { listDoubts } from '../store/stock/doubts.ts'
import {
  deleteDecisions,
  listDecisions,
  lockDecisions,
  noticesBeside,
  type ReviewDecision,
  reconsiderNotices,
  recordsOfNoticeKeys,
  upsertDecision,
} from '../store/stock/reviews.ts'
import { type ActingNow, record, versionOf } from './acting.ts'

/** Maximum number of uncertain tenders to search for one. */
const maxDoubts = 10_000

/** Two notices by key, in their order. */
type Pair = Pick<ReviewDecision, 'left' | 'right'>
type Seen = { readonly seen?: string | undefined }

const subjectOf = ({ left, right }: Pair): string => `${left} ${right}`.slice(0, 300)

/** Tells two decisions on the same notices apart. */
export const decisionVersion = ({ left, right, decision, decidedAt }: ReviewDecision): string =>
  versionOf([left, right, decision, decidedAt])

/** Tells two states of a pair apart: the notices of its records, and what was decided on them. */
export async function pairVersion(db: Executor, pair: Pair): Promise<string> {
  const decisions = await decisionsOn(db, pair)
  return versionOf([await noticesBeside(db, [pair.left, pair.right]), decisions.map(decisionVersion)])
}

/**
 * `linked`: they are one record because of exact references, and no decision changes that. `stale`: somebody decided,
 * or one of the records changed, since `seen` was read.
 */
export type Decision = { readonly kind: 'decided' | 'linked' | 'stale' }

/** Decides whether two notices belong to one record. `seen`: the version that whoever acts had before them. */
export async function decideReview(
  trx: Executor,
  acting: ActingNow,
  { left, right, decision, note, seen }: Omit<ReviewDecision, 'decidedAt'> & Seen,
): Promise<Decision> {
  await lockDecisions(trx)
  const records = await recordsOfNoticeKeys(trx, [left, right])
  const doubt = (await listDoubts(trx, maxDoubts)).find((each) => each.left === left && each.right === right)
  // tenders joined by exact references stay joined; an operator may confirm that
  if (records.get(left) === records.get(right) && !(doubt && decision === 'merge')) return { kind: 'linked' }
  if (seen !== undefined && seen !== (await pairVersion(trx, { left, right }))) return { kind: 'stale' }
  await upsertDecision(trx, { left, right, decision, decidedAt: acting.now, note })
  await reconsiderNotices(trx, [left, right])
  await record(trx, acting, { action: `review.${decision}`, subject: subjectOf({ left, right }) })
  return { kind: 'decided' }
}

export type Undoing = { readonly kind: 'stale' } | { readonly kind: 'undone'; readonly decisions: ReviewDecision[] }

/**
 * Removes the decisions on two records, and returns them: none if there is none. `seen`: the version of the pair,
 * or of its decision, that whoever acts had before them.
 */
export async function undoReview(trx: Executor, acting: ActingNow, { seen, ...pair }: Pair & Seen): Promise<Undoing> {
  await lockDecisions(trx)
  const decisions = await decisionsOn(trx, pair)
  if (decisions.length === 0) return { kind: 'undone', decisions }
  const isSeen = seen === undefined || decisions.some((each) => decisionVersion(each) === seen)
  if (!isSeen && seen !== (await pairVersion(trx, pair))) return { kind: 'stale' }
  await deleteDecisions(trx, decisions)
  await reconsiderNotices(trx, [...new Set(decisions.flatMap((each) => [each.left, each.right]))])
  await record(trx, acting, { action: 'review.undo', subject: subjectOf(pair) })
  return { kind: 'undone', decisions }
}

/**
 * The decision on these two notices, and those on the two records that they are in: a remaining one would still apply.
 */
async function decisionsOn(db: Executor, { left, right }: Pair): Promise<ReviewDecision[]> {
  const decisions = await listDecisions(db)
  const keys = decisions.flatMap((each) => [each.left, each.right])
  const records = await recordsOfNoticeKeys(db, [...keys, left, right])
  const pairOfKeys = (a: string, b: string) => [records.get(a), records.get(b)].sort().join('\n')
  const areTwo = records.get(left) !== records.get(right)
  return decisions.filter(
    (each) =>
      (each.left === left && each.right === right) ||
      (areTwo && pairOfKeys(each.left, each.right) === pairOfKeys(left, right)),
  )
}
