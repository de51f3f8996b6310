// The verdict of learned weights on two records, in contrast to `decide`: the same vetoes and the same rules within one
// portal.
import { type Comparison, compareRecords } from '../../src/consolidate/match/comparison.ts'
import { decide, isSameSet } from '../../src/consolidate/match/decide.ts'
import type { MatchContext, MatchRecord, Verdict } from '../../src/consolidate/match/match-record.ts'
import { hasLoneDiscriminator, vetoOf } from '../../src/consolidate/match/vetoes.ts'
import { type Term, termsOf } from './evidence.ts'
import { type MatchWeights, matchWeights } from './match-weights.ts'
import { translationTerms } from './translation.ts'

function scoreOf(terms: readonly Term[], { weights }: MatchWeights): number {
  const sum = terms.reduce((total, [name, factor]) => total + (weights[name] ?? 0) * factor, 0)
  return Math.round(sum * 100) / 100
}

/** Independent agreement, apart from title and buyer, that hardly happens by chance. */
const hasStrongAgreement = ({ deadline, description, descriptionRest, isRewritten, sharedReference }: Comparison) =>
  deadline === 'minute' || sharedReference || ((description ?? 0) >= 0.8 && descriptionRest <= 3 && !isRewritten)

/**
 * The whole and a part of a project, or two parts, have one title, one deadline and often one text: no score
 * distinguishes them.
 */
function mayBePart(a: MatchRecord, b: MatchRecord, comparison: Comparison, twins: number): boolean {
  const { title, cpv, description, sharedReference } = comparison
  if (!title) return true
  if (sharedReference) return false
  const isStrong = hasStrongAgreement(comparison)
  if (twins > 2 && !isStrong) return true
  // A mark in the title is a part of the project; one in a text may be there by chance.
  const isLoneInTitle = (a.isMarkedInTitle || b.isMarkedInTitle) && hasLoneDiscriminator(a, b)
  if (isLoneInTitle && !isStrong) return true
  if (((isLoneInTitle && !title.isCompleted) || title.isNumberMore) && !title.isTruncated) return true
  if (!title.isEqual && (description ?? 1) < 0.1) return true
  // Different codes, and one title names more: the other trade of a project.
  const isOtherCode = cpv !== 'same' && cpv !== 'unknown' && !isSameSet(a.cpv, b.cpv)
  return isOtherCode && (title.isTruncated || title.largerRest > 4)
}

const none = (rule: string, score: number): Verdict => ({ kind: 'none', rule, score, evidence: '' })

/** Symmetric, like `decide`. */
export function decideByLearned(
  first: MatchRecord,
  second: MatchRecord,
  context: MatchContext,
  table: MatchWeights = matchWeights(),
): Verdict {
  const [a, b] = first.key <= second.key ? [first, second] : [second, first]
  const comparison = compareRecords(a, b)
  if (comparison.isSameSource) return decide(a, b, context)
  const veto = vetoOf(a, b, comparison)
  if (veto) return none(`veto-${veto.name}`, 0)
  const { least, leastOfTranslation, leastToReview } = table
  if (!comparison.title) {
    const terms = translationTerms(a, b, comparison)
    if (!terms) return none('title', 0)
    const own = scoreOf(terms, table)
    const score = Math.round((least + own - leastOfTranslation) * 100) / 100
    return own >= leastOfTranslation
      ? { kind: 'merge', rule: 'translation', score, evidence: '' }
      : none('translation', score)
  }
  const score = scoreOf(termsOf(a, b, comparison, context.twins), table)
  if (score < leastToReview) return none('score', score)
  if (mayBePart(a, b, comparison, context.twins)) return none('part', score)
  return { kind: score >= least ? 'merge' : 'review', rule: 'learned', score, evidence: '' }
}
