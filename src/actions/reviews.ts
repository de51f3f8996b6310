// What operators decide about records that may be one. Each decision runs in the transaction of its caller, and leaves
// one entry of the audit log if it changed something; the next consolidation applies it.
import type { Executor } from '../store/database/database.ts'
import { listDoubts } from '../store/stock/doubts.ts'
import {
  deleteDecisions,
  listDecisions,
  type ReviewDecision,
  reconsiderNotices,
  recordsOfNoticeKeys,
  upsertDecision,
} from '../store/stock/reviews.ts'
import { type ActingNow, record } from './acting.ts'

/** Maximum number of uncertain tenders to search for one. */
const maxDoubts = 10_000

/** Two notices by key, in their order. */
type Pair = Pick<ReviewDecision, 'left' | 'right'>

const subjectOf = ({ left, right }: Pair): string => `${left} ${right}`.slice(0, 300)

/** `linked`: they are one record because of exact references, and no decision changes that. */
export type Decision = { readonly kind: 'decided' } | { readonly kind: 'linked' }

/** Decides whether two notices belong to one record. */
export async function decideReview(
  trx: Executor,
  acting: ActingNow,
  { left, right, decision, note }: Omit<ReviewDecision, 'decidedAt'>,
): Promise<Decision> {
  const records = await recordsOfNoticeKeys(trx, [left, right])
  const doubt = (await listDoubts(trx, maxDoubts)).find((each) => each.left === left && each.right === right)
  // tenders joined by exact references stay joined; an operator may confirm that
  if (records.get(left) === records.get(right) && !(doubt && decision === 'merge')) return { kind: 'linked' }
  await upsertDecision(trx, { left, right, decision, decidedAt: acting.now, note })
  await reconsiderNotices(trx, [left, right])
  await record(trx, acting, { action: `review.${decision}`, subject: subjectOf({ left, right }) })
  return { kind: 'decided' }
}

/** Removes the decisions on two records, and returns them: none if there is none. */
export async function undoReview(trx: Executor, acting: ActingNow, pair: Pair): Promise<readonly ReviewDecision[]> {
  const decisions = await decisionsOn(trx, pair)
  if (decisions.length === 0) return []
  await deleteDecisions(trx, decisions)
  await reconsiderNotices(trx, [...new Set(decisions.flatMap((each) => [each.left, each.right]))])
  await record(trx, acting, { action: 'review.undo', subject: subjectOf(pair) })
  return decisions
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
