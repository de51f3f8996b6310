// What a batch must resolve again: records connected through edges that merge, through decisions, or through a tender.
import type { Executor } from '../store/database/database.ts'
import { listEdgesOf, listRecordsOfSameTenders, loadMatchRecords } from '../store/stock/matches.ts'
import { listDecisions, recordsOfNoticeKeys } from '../store/stock/reviews.ts'
import type { Cluster, MatchDecision, MatchEdge } from './match/match-record.ts'
import type { Matcher } from './rematch.ts'

export type ConnectedRecords = {
  readonly recordKeys: readonly string[]
  /** Each cluster is one tender. */
  readonly clusters: readonly Cluster[]
}

/** All records connected with the given ones, and how they form tenders. */
export async function connectedRecords(
  trx: Executor,
  matcher: Matcher,
  from: ReadonlySet<string>,
): Promise<ConnectedRecords> {
  const decisions = await currentDecisions(trx)
  const decidedWith = new Map<string, string[]>()
  for (const { left, right } of decisions) {
    decidedWith.set(left, [...(decidedWith.get(left) ?? []), right])
    decidedWith.set(right, [...(decidedWith.get(right) ?? []), left])
  }
  const seen = new Set(from)
  const edges = new Map<string, MatchEdge>()
  let frontier = [...seen]
  while (frontier.length > 0) {
    const next = new Set<string>()
    for (const edge of await listEdgesOf(trx, frontier)) {
      edges.set(`${edge.left}\n${edge.right}`, edge)
      if (edge.kind === 'merge') next.add(edge.left).add(edge.right)
    }
    for (const key of await listRecordsOfSameTenders(trx, frontier)) next.add(key)
    for (const key of frontier) for (const other of decidedWith.get(key) ?? []) next.add(other)
    frontier = [...next].filter((key) => !seen.has(key))
    for (const key of frontier) seen.add(key)
  }
  // most records have neither an edge nor a decision: their content need not be read
  const pairs = [...[...edges.values()].filter(({ kind }) => kind === 'merge'), ...decisions]
  const paired = new Set(pairs.flatMap(({ left, right }) => [left, right]).filter((key) => seen.has(key)))
  const rows = await loadMatchRecords(trx, [...paired].sort())
  const here = new Set(rows.map((row) => row.recordKey))
  const isHere = ({ left, right }: { readonly left: string; readonly right: string }) =>
    here.has(left) && here.has(right)
  const clusters = matcher.partition(
    rows.map((row) => matcher.unpack(row.content)),
    [...edges.values()].filter(isHere),
    decisions.filter(isHere),
  )
  const alone = [...seen].filter((key) => !here.has(key))
  return {
    recordKeys: [...seen],
    clusters: [...clusters, ...alone.map((key) => ({ keys: [key], joinedBy: [], reviews: [] }))],
  }
}

/** Decisions on the records that hold the decided notices now; of several on two records, the newest. */
export async function currentDecisions(db: Executor): Promise<MatchDecision[]> {
  const decisions = await listDecisions(db)
  const records = await recordsOfNoticeKeys(
    db,
    decisions.flatMap(({ left, right }) => [left, right]),
  )
  const found = new Map<string, MatchDecision>()
  for (const { left, right, decision } of decisions) {
    const [a, b] = [records.get(left), records.get(right)]
    if (a === undefined || b === undefined || a === b) continue
    const [low, high] = a < b ? [a, b] : [b, a]
    const pair = `${low}\n${high}`
    found.delete(pair)
    found.set(pair, { left: low, right: high, decision })
  }
  return [...found.values()]
}
