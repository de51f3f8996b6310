// From edges to tenders: a function of sets, so that neither the order of arrival nor the batches affect it.
import { isExcluded } from './decide.ts'
import type { Cluster, MatchDecision, MatchEdge, MatchRecord } from './match-record.ts'
import { runnerUpMargin } from './thresholds.ts'

const pairKey = (a: string, b: string): string => (a < b ? `${a}\n${b}` : `${b}\n${a}`)
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Descending score, then keys. */
function compareEdges(a: MatchEdge, b: MatchEdge): number {
  return b.score - a.score || compareText(a.left, b.left) || compareText(a.right, b.right)
}

function operatorEdge({ left, right }: MatchDecision): MatchEdge {
  const [first, second] = left < right ? [left, right] : [right, left]
  return {
    left: first,
    right: second,
    kind: 'merge',
    rule: 'operator',
    score: 100,
    evidence: 'an operator joined them',
  }
}

/**
 * The clusters of these records. Decisions of operators come first: pairs to be merged are, pairs to be split are never
 * in one cluster unless other decisions join them. Then merge edges by descending score, unless the clusters that they
 * would join hold two records that cannot be one tender. If two edges of a record have similar scores and lead to
 * records that cannot be one tender, both become reviews. Edges to unknown keys are left out; of several decisions on a
 * pair the last in order counts.
 */
export function partition(
  records: readonly MatchRecord[],
  edges: readonly MatchEdge[],
  decisions: readonly MatchDecision[],
): Cluster[] {
  const byKey = new Map(records.map((record) => [record.key, record]))
  const isKnown = ({ left, right }: { left: string; right: string }): boolean =>
    left !== right && byKey.has(left) && byKey.has(right)
  const decided = new Map(
    decisions.filter(isKnown).map((decision) => [pairKey(decision.left, decision.right), decision]),
  )
  const known = edges.filter((edge) => isKnown(edge) && !decided.has(pairKey(edge.left, edge.right)))
  const merges = known.filter(({ kind }) => kind === 'merge').sort(compareEdges)
  const mergePairs = new Set(merges.map(({ left, right }) => pairKey(left, right)))

  const excluded = new Map<string, boolean>()
  /** Whether no cluster may hold the two records, unless an edge connects them directly. */
  const cannotJoin = (a: string, b: string): boolean => {
    const pair = pairKey(a, b)
    if (decided.get(pair)?.decision === 'split') return true
    if (decided.get(pair)?.decision === 'merge' || mergePairs.has(pair)) return false
    const found = excluded.get(pair) ?? exclude(byKey.get(a)!, byKey.get(b)!)
    excluded.set(pair, found)
    return found
  }

  const ambiguous = ambiguousEdges(merges, cannotJoin)
  const members = new Map(records.map(({ key }) => [key, [key]]))
  const rootOf = new Map(records.map(({ key }) => [key, key]))
  const joinedBy = new Map<string, MatchEdge[]>()
  const unite = (edge: MatchEdge): void => {
    const [a, b] = [rootOf.get(edge.left)!, rootOf.get(edge.right)!]
    const [root, other] = a < b ? [a, b] : [b, a]
    joinedBy.set(root, [...(joinedBy.get(root) ?? []), ...(a === b ? [] : (joinedBy.get(other) ?? [])), edge])
    if (a === b) return
    for (const key of members.get(other)!) rootOf.set(key, root)
    members.set(root, [...members.get(root)!, ...members.get(other)!])
    members.delete(other)
    joinedBy.delete(other)
  }

  const byOperators = [...decided.values()].filter(({ decision }) => decision === 'merge').map(operatorEdge)
  for (const edge of byOperators.sort(compareEdges)) unite(edge)
  const reviews: MatchEdge[] = known.filter(({ kind }) => kind === 'review')
  for (const edge of merges) {
    const [a, b] = [rootOf.get(edge.left)!, rootOf.get(edge.right)!]
    if (ambiguous.has(edge) && a !== b) {
      reviews.push({ ...edge, kind: 'review', rule: 'runner-up' })
      continue
    }
    const isSane =
      a === b || !members.get(a)!.some((first) => members.get(b)!.some((second) => cannotJoin(first, second)))
    if (isSane) unite(edge)
    else reviews.push({ ...edge, kind: 'review', rule: 'cluster' })
  }
  const open = reviews.filter(({ left, right }) => rootOf.get(left) !== rootOf.get(right)).sort(compareEdges)
  return [...members]
    .map(([root, keys]) => ({
      keys: keys.sort(compareText),
      joinedBy: (joinedBy.get(root) ?? []).sort(compareEdges),
      reviews: open.filter(({ left, right }) => rootOf.get(left) === root || rootOf.get(right) === root),
    }))
    .sort((a, b) => compareText(a.keys[0]!, b.keys[0]!))
}

/** Records a veto between the two, or two calls that one portal lists separately. */
function exclude(a: MatchRecord, b: MatchRecord): boolean {
  if (a.callPublishers.some((publisher) => b.callPublishers.includes(publisher))) return true
  return isExcluded(a, b) !== undefined
}

/** Edges of a record whose best has a rival within the margin that cannot be the same tender. */
function ambiguousEdges(
  merges: readonly MatchEdge[],
  cannotJoin: (a: string, b: string) => boolean,
): ReadonlySet<MatchEdge> {
  const byRecord = new Map<string, MatchEdge[]>()
  for (const edge of merges)
    for (const key of [edge.left, edge.right]) {
      const known = byRecord.get(key)
      if (known) known.push(edge)
      else byRecord.set(key, [edge])
    }
  const ambiguous = new Set<MatchEdge>()
  for (const [key, own] of byRecord) {
    const other = ({ left, right }: MatchEdge): string => (left === key ? right : left)
    const best = own[0]!
    const rivals = own.slice(1).filter((edge) => cannotJoin(other(best), other(edge)))
    // Sorted by score: the first rival is the runner-up.
    if (rivals[0] && best.score - rivals[0].score <= runnerUpMargin)
      for (const edge of [best, ...rivals]) ambiguous.add(edge)
  }
  return ambiguous
}
