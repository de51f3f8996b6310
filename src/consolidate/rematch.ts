// Keeps the edges between records true for a batch: only what shares a blocking key with a changed record is compared.
import type { Executor } from '../store/database.ts'
import {
  assignMatchMembers,
  countKeyHolders,
  deleteEdges,
  deleteMatchKeys,
  deleteMatchRecords,
  dropKeys,
  insertMatchKeys,
  type KeyHolder,
  listDroppedKeys,
  listEdgesOf,
  listKeyHolders,
  listRecordsOfNotices,
  loadMatchRecords,
  reviveKeys,
  type StoredEdge,
  type StoredMatchRecord,
  upsertEdges,
  upsertMatchRecords,
} from '../store/matches.ts'
import type { Cluster, MatchContext, MatchDecision, MatchEdge, MatchRecord, Verdict } from './match/match-record.ts'
import type { Component, Unit } from './resolve.ts'

/** The pure functions of the matching. Tests give simpler ones. */
export type Matcher = {
  readonly prepare: (key: string, units: readonly Unit[]) => MatchRecord
  readonly blockingKeys: (record: MatchRecord) => readonly string[]
  /** A blocking key that more records hold tells nothing apart: it is dropped, and so is what it alone had joined. */
  readonly mostHolders: number
  readonly twinKey: (record: MatchRecord) => string | undefined
  readonly decide: (a: MatchRecord, b: MatchRecord, context: MatchContext) => Verdict
  readonly partition: (
    records: readonly MatchRecord[],
    edges: readonly MatchEdge[],
    decisions: readonly MatchDecision[],
  ) => readonly Cluster[]
}

/** Twins are counted up to this: whether there are four or ninety makes no difference to a verdict. */
export const mostTwins = 4

/** So many records are compared at a time, so that memory is bounded whatever the batch. */
const comparedAtOnce = 64

/** The key of the record of a component. */
export function recordKeyOf({ units }: Pick<Component, 'units'>): string {
  return units[0]!.notice.noticeKey
}

/**
 * Takes over the components of a batch: `noticeIds` are all notices that they are made of. Returns the keys of the records
 * that may stand in another tender than before, or whose tender may have another content.
 */
export async function rematch(
  trx: Executor,
  matcher: Matcher,
  components: readonly Component[],
  noticeIds: readonly string[],
): Promise<Set<string>> {
  const fresh = new Map(components.map((component) => preparedOf(matcher, component)))
  const before = await storedBefore(trx, noticeIds, [...fresh.keys()])
  const gone = [...before.keys()].filter((key) => !fresh.has(key))
  const changed = [...fresh.values()].filter(({ row }) => isChanged(before.get(row.recordKey), row))
  await assignMatchMembers(
    trx,
    components.flatMap((component) => {
      const recordKey = recordKeyOf(component)
      return component.units.flatMap(({ rowIds }) => rowIds.map((noticeId) => ({ noticeId, recordKey })))
    }),
  )
  await deleteMatchRecords(trx, gone)
  await upsertMatchRecords(
    trx,
    changed.map(({ row }) => row),
  )
  const changedKeys = changed.map(({ row }) => row.recordKey)
  const moved = [...changedKeys, ...gone]
  const was = (key: string) => before.get(key)
  const is = (key: string) => fresh.get(key)?.row
  const blocks = await moveKeys(trx, matcher.mostHolders, moved, was, is)
  const twins = await twinsWithAnotherCount(trx, moved, was, is)
  const dirty = [...new Set([...changedKeys, ...blocks.revived, ...twins])]

  const touched = new Set([...fresh.keys()])
  const touch = (edges: readonly { readonly left: string; readonly right: string }[]) => {
    for (const { left, right } of edges) touched.add(left).add(right)
  }
  const left = await listEdgesOf(trx, gone)
  await deleteEdges(trx, left)
  touch(left)
  for (let from = 0; from < dirty.length; from += comparedAtOnce)
    touch(await compare(trx, matcher, dirty.slice(from, from + comparedAtOnce), fresh))
  touch(await partBlocks(trx, blocks.droppedHolders, new Set(dirty)))
  for (const key of gone) touched.delete(key)
  return touched
}

type Prepared = { readonly row: StoredMatchRecord; readonly record: MatchRecord }

function preparedOf(matcher: Matcher, component: Component): [string, Prepared] {
  const recordKey = recordKeyOf(component)
  const record = matcher.prepare(recordKey, component.units)
  const row = {
    recordKey,
    isSucceeded: component.isSucceeded,
    keys: [...new Set(matcher.blockingKeys(record))].sort(),
    twinKeys: twinKeysOf(matcher, record),
    content: JSON.stringify(record),
  }
  return [recordKey, { row, record }]
}

/** Records of one portal with one title and buyer are twins: a record is counted once for each of its portals. */
function twinKeysOf(matcher: Matcher, record: MatchRecord): string[] {
  const key = matcher.twinKey(record)
  return key === undefined ? [] : record.publishers.map((publisher) => `twin ${publisher} ${key}`).sort()
}

/** What stood in the place of the components: records with one of their notices, and records of the same key. */
async function storedBefore(
  trx: Executor,
  noticeIds: readonly string[],
  recordKeys: readonly string[],
): Promise<ReadonlyMap<string, StoredMatchRecord>> {
  const keys = new Set([...recordKeys, ...(await listRecordsOfNotices(trx, noticeIds))])
  return new Map((await loadMatchRecords(trx, [...keys])).map((row) => [row.recordKey, row]))
}

function isChanged(before: StoredMatchRecord | undefined, after: StoredMatchRecord): boolean {
  return (
    !before ||
    before.content !== after.content ||
    before.isSucceeded !== after.isSucceeded ||
    before.keys.join('\n') !== after.keys.join('\n') ||
    before.twinKeys.join('\n') !== after.twinKeys.join('\n')
  )
}

/**
 * Files the moved records under their keys of now. `revived`: records in blocks that are small enough again. `droppedHolders`:
 * for each block that has become too large, the records in it.
 */
async function moveKeys(
  trx: Executor,
  mostHolders: number,
  moved: readonly string[],
  was: RowOf,
  is: RowOf,
): Promise<{ readonly revived: readonly string[]; readonly droppedHolders: readonly (readonly string[])[] }> {
  const blocks = differenceOf(moved, was, is, (row) => row.keys)
  const twins = differenceOf(moved, was, is, (row) => row.twinKeys)
  await deleteMatchKeys(trx, [...blocks.removed, ...twins.removed])
  await insertMatchKeys(trx, [...blocks.added, ...twins.added])
  const [shrunk, grown] = [uniqueKeys(blocks.removed), uniqueKeys(blocks.added)]
  const dropped = await listDroppedKeys(trx, [...new Set([...shrunk, ...grown])])
  const limit = mostHolders + 1
  const shrunkCounts = await countKeyHolders(
    trx,
    shrunk.filter((key) => dropped.has(key)),
    limit,
  )
  const revivedKeys = [...shrunkCounts].filter(([, count]) => count <= mostHolders).map(([key]) => key)
  await reviveKeys(trx, revivedKeys)
  const grownCounts = await countKeyHolders(
    trx,
    grown.filter((key) => !dropped.has(key)),
    limit,
  )
  const droppedKeys = [...grownCounts].filter(([, count]) => count > mostHolders).map(([key]) => key)
  await dropKeys(trx, droppedKeys)
  const revived = await listKeyHolders(trx, revivedKeys, mostHolders)
  // All that held it before are among these: until now it had at most so many, and the batch brought the others.
  const holders = await listKeyHolders(trx, droppedKeys, mostHolders + moved.length)
  return {
    revived: [...new Set(revived.map(({ recordKey }) => recordKey))],
    droppedHolders: [...Map.groupBy(holders, ({ key }) => key).values()].map((each) =>
      each.map(({ recordKey }) => recordKey),
    ),
  }
}

type RowOf = (recordKey: string) => StoredMatchRecord | undefined

function differenceOf(
  recordKeys: readonly string[],
  was: RowOf,
  is: RowOf,
  keysOf: (row: StoredMatchRecord) => readonly string[],
): { readonly removed: readonly KeyHolder[]; readonly added: readonly KeyHolder[] } {
  const removed: KeyHolder[] = []
  const added: KeyHolder[] = []
  for (const recordKey of recordKeys) {
    const [before, now] = [was, is].map((rowOf) => {
      const row = rowOf(recordKey)
      return new Set(row ? keysOf(row) : [])
    })
    for (const key of before!) if (!now!.has(key)) removed.push({ key, recordKey })
    for (const key of now!) if (!before!.has(key)) added.push({ key, recordKey })
  }
  return { removed, added }
}

function uniqueKeys(pairs: readonly KeyHolder[]): string[] {
  return [...new Set(pairs.map(({ key }) => key))]
}

/** The records of twin groups whose count, as far as it matters, is another than before the batch. */
async function twinsWithAnotherCount(
  trx: Executor,
  moved: readonly string[],
  was: RowOf,
  is: RowOf,
): Promise<string[]> {
  const change = new Map<string, number>()
  for (const recordKey of moved) {
    for (const key of was(recordKey)?.twinKeys ?? []) change.set(key, (change.get(key) ?? 0) - 1)
    for (const key of is(recordKey)?.twinKeys ?? []) change.set(key, (change.get(key) ?? 0) + 1)
  }
  const keys = [...change].filter(([, difference]) => difference !== 0).map(([key]) => key)
  const holders = await listKeyHolders(trx, keys, mostTwins + moved.length)
  const found: string[] = []
  for (const [key, members] of Map.groupBy(holders, (holder) => holder.key)) {
    const before = members.length - change.get(key)!
    if (Math.min(before, mostTwins) === Math.min(members.length, mostTwins)) continue
    for (const { recordKey } of members) found.push(recordKey)
  }
  return found
}

/** Decides anew on all that shares a key with these records. Returns the edges that are there now or were, where that differs. */
async function compare(
  trx: Executor,
  matcher: Matcher,
  recordKeys: readonly string[],
  fresh: ReadonlyMap<string, Prepared>,
): Promise<StoredEdge[]> {
  const known = new Map<string, Prepared>()
  const load = async (keys: readonly string[]) => {
    const missing = keys.filter((key) => !known.has(key) && !fresh.has(key))
    for (const key of keys) if (fresh.has(key)) known.set(key, fresh.get(key)!)
    for (const row of await loadMatchRecords(trx, missing))
      known.set(row.recordKey, { row, record: JSON.parse(row.content) as MatchRecord })
  }
  await load(recordKeys)
  const keysOf = new Map(recordKeys.map((key) => [key, known.get(key)?.row.keys ?? []]))
  const all = [...new Set([...keysOf.values()].flat())]
  const dropped = await listDroppedKeys(trx, all)
  const holders = Map.groupBy(
    await listKeyHolders(
      trx,
      all.filter((key) => !dropped.has(key)),
      matcher.mostHolders,
    ),
    ({ key }) => key,
  )
  const candidates = new Map<string, Set<string>>()
  for (const [recordKey, keys] of keysOf) {
    const others = new Set<string>()
    for (const key of keys) for (const holder of holders.get(key) ?? []) others.add(holder.recordKey)
    others.delete(recordKey)
    candidates.set(recordKey, others)
  }
  await load([...new Set([...candidates.values()].flatMap((others) => [...others]))])
  const twinKeys = new Set([...known.values()].flatMap(({ row }) => row.twinKeys))
  const twinCounts = await countKeyHolders(trx, [...twinKeys], mostTwins)
  const twinsOf = ({ row }: Prepared): number => Math.max(0, ...row.twinKeys.map((key) => twinCounts.get(key) ?? 0))

  const found = new Map<string, StoredEdge>()
  const compared = new Set<string>()
  for (const [recordKey, others] of candidates) {
    for (const other of others) {
      const [left, right] = recordKey < other ? [recordKey, other] : [other, recordKey]
      const pair = pairKey(left, right)
      if (compared.has(pair)) continue
      compared.add(pair)
      const [a, b] = [known.get(left), known.get(right)]
      if (!a || !b) continue
      const twins = Math.max(twinsOf(a), twinsOf(b))
      const { kind, rule, score, evidence } = matcher.decide(a.record, b.record, { twins })
      if (kind !== 'none') found.set(pair, { left, right, kind, rule, score, evidence })
    }
  }
  const before = new Map((await listEdgesOf(trx, recordKeys)).map((edge) => [pairKey(edge.left, edge.right), edge]))
  const ended = [...before].filter(([pair]) => !found.has(pair)).map(([, edge]) => edge)
  const news = [...found].filter(([pair, edge]) => !isSameEdge(before.get(pair), edge)).map(([, edge]) => edge)
  await deleteEdges(trx, ended)
  await upsertEdges(trx, news)
  return [...ended, ...news]
}

const pairKey = (left: string, right: string): string => `${left}\n${right}`

function isSameEdge(a: StoredEdge | undefined, b: StoredEdge): boolean {
  return a !== undefined && a.kind === b.kind && a.rule === b.rule && a.score === b.score && a.evidence === b.evidence
}

/**
 * Ends the edges between records that only shared a key which is dropped now. Edges of `compared` records are true already.
 * Returns those that ended.
 */
async function partBlocks(
  trx: Executor,
  blocks: readonly (readonly string[])[],
  compared: ReadonlySet<string>,
): Promise<StoredEdge[]> {
  const holders = [...new Set(blocks.flat())].filter((key) => !compared.has(key))
  const inBlock = new Set(holders)
  const edges = (await listEdgesOf(trx, holders)).filter(({ left, right }) => inBlock.has(left) && inBlock.has(right))
  if (edges.length === 0) return []
  const ends = [...new Set(edges.flatMap(({ left, right }) => [left, right]))]
  const keys = new Map((await loadMatchRecords(trx, ends)).map((row) => [row.recordKey, row.keys]))
  const shared = ({ left, right }: StoredEdge): string[] => {
    const others = new Set(keys.get(right) ?? [])
    return (keys.get(left) ?? []).filter((key) => others.has(key))
  }
  const dropped = await listDroppedKeys(trx, [...new Set(edges.flatMap(shared))])
  const ended = edges.filter((edge) => shared(edge).every((key) => dropped.has(key)))
  await deleteEdges(trx, ended)
  return ended
}
