// Whether this node may receive requests, judging by its editions. Pure: times are passed in.
import type { UnreadyReason } from '../../api/readiness.ts'

/** How long a node may know of a newer edition than it serves. */
const longestBehindMs = 60_000
/** The most that one check counts of it: a process that was frozen in between had no time to load anything. */
const longestCheckMs = 5_000
/** A database counts as answering if its last answer is not older than this. */
const answeringMs = 10_000

/**
 * What a node holds, and what it learned from the database. Times by a clock that only moves forwards, in milliseconds.
 */
export type ReadinessFacts = {
  readonly now: number
  /** When the database last answered, initially when the node started. */
  readonly answeredAt: number
  /** When the tokens that are known here were written; undefined where `answeredAt` says it. */
  readonly accessAt?: number | undefined
  /** The newest edition that the database reported; 0 for none. */
  readonly known: number
  /** The newest edition that the node serves; 0 for none. */
  readonly held: number
  /** The node lost records that its own files cannot restore. */
  readonly isDamaged: boolean
  /** Others were published in place of the newest editions that it holds. */
  readonly isReplaced: boolean
}

export type ReadinessJudge = (facts: ReadinessFacts) => UnreadyReason | undefined

/**
 * Judges successive moments. The age of an edition never counts, and neither does the time without a database, below
 * `maxStalenessMs`: otherwise a lost database would take out all nodes that had just learned of an edition.
 */
export function judgeReadiness(maxStalenessMs: number): ReadinessJudge {
  let hasCaughtUp = false
  let behindMs = 0
  let lastAt: number | undefined
  return ({ now, answeredAt, accessAt, known, held, isDamaged, isReplaced }) => {
    const passedMs = now - (lastAt ?? now)
    lastAt = now
    const isBehind = known > held
    const isAnswering = now - answeredAt <= answeringMs
    if (!isBehind) {
      hasCaughtUp = true
      behindMs = 0
    } else if (isAnswering) behindMs += Math.min(passedMs, longestCheckMs)
    if (isReplaced) return 'replaced'
    if (isDamaged) return 'damaged'
    if (accessAt !== undefined && now - accessAt > maxStalenessMs) return 'access'
    if (now - answeredAt > maxStalenessMs) return 'stale'
    if (isBehind && !hasCaughtUp) return 'loading'
    return isBehind && isAnswering && behindMs > longestBehindMs ? 'behind' : undefined
  }
}
