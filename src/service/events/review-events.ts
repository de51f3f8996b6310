// Pairs of records, and why a record is as it is.

import type { ExactReference, ReviewSide } from '../../console/frame/stock-reads.ts'
import type { MemberOrigin } from '../../consolidate/explain.ts'
import type { JoinedBy } from '../../consolidate/explain-stock.ts'
import type { Verdict } from '../../consolidate/match/match-record.ts'
import type { ActReading } from '../../domain/acts/act.ts'
import type { Notice } from '../../domain/notice.ts'
import type { Instant } from '../../domain/time.ts'

export type ReviewEvents = {
  review: {
    left: ReviewSide
    right: ReviewSide
    rule: string
    score: number | null
    /** By what operators decided on pairs of this rule. */
    chance: number | null
    /** Open hits that are one of the two. */
    readers: number | null
    evidence: string
    /** Kept separate by other evidence, although the pair alone would be merged. */
    isHeldApart: boolean
    isOneRecord: boolean
    /** Joined by exact references: `review split` is refused. */
    isExactlyLinked: boolean
  }
  reviewPair: {
    left: ReviewSide
    right: ReviewSide
    isOneRecord: boolean
    isExactlyLinked: boolean
    /** The exact references that lead from one to the other. */
    references: readonly ExactReference[]
    decision: 'merge' | 'split' | null
    /** `isCandidate`: the two were compared because they have a key in common. */
    verdict: (Omit<Verdict, 'contradiction'> & { readonly isCandidate: boolean }) | null
  }
  reviewDecided: { decision: 'merge' | 'split'; left: string; right: string; records: readonly string[] }
  reviewUndone: { left: string; right: string; decisions: number; records: readonly string[] }
  explained: {
    id: string
    mergedFrom: string | null
    notices: readonly {
      readonly key: string
      readonly publisher: string
      readonly format: Notice['format']
      readonly formType: Notice['formType']
      readonly publicationDate: Instant | null
      readonly url: string | null
      readonly sources: readonly string[]
      /** What the notice is, by which rule and words; null if it was read before acts were. */
      readonly act: ActReading | null
      readonly joinedBy: JoinedBy | null
    }[]
    members: readonly (Omit<MemberOrigin, 'value'> & { readonly value: unknown })[]
  }
}
