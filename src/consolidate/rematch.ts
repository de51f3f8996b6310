// Keeps the edges between records true for a batch: only records that share a blocking key with a changed record are
// compared.
import type { Executor } from '../store/database/database.ts'
import {
  assignMatchMembers,
  countKeyHolders,
  deleteEdges,
  deleteMatchKeys,
  deleteMatchRecords,
  dropKeys,
  ensureMatchKeys,
  type FiledRecord,
  insertMatchKeys,
  type KeyHolder,
  listDroppedKeys,
  listEdgesOf,
  listFiledRecords,
  listKeyHolders,
  listRecordsOfNotices,
  listSomeKeyHolders,
  loadCandidates,
  loadMatchRecords,
  type NumberedMatchRecord,
  reviveKeys,
  type StoredEdge,
  type StoredMatchRecord,
  upsertEdges,
  upsertMatchRecords,
} from '../store/stock/matches.ts'
import { blockNumber, isWeakNumber } from './match/block-number.ts'
import type { Cluster, MatchContext, MatchDecision, MatchEdge, MatchRecord, Verdict } from './match/match-record.ts'
import type { Unit } from './notice-units.ts'
import type { Component } from './resolve.ts'

/** The pure functions of the matching. Tests give simpler ones. */
export type Matcher = {
  readonly prepare: (key: string, units: readonly Unit[]) => MatchRecord
  readonly blockingKeys: (record: MatchRecord) => readonly string[]
  /** Whether a key means less than others: then `maxHoldersOfWeak` applies. */
  readonly isWeakKey: (key: string) => boolean
  /**
   * Maximum number of records that share a blocking key: beyond it, the key distinguishes nothing and is dropped, with
   * all joins that only it had caused.
   */
  readonly maxHolders: number
  readonly maxHoldersOfWeak: number
  /** The data stored with the keys of a record, so that hopeless pairs are not even read. */
  readonly mark: (record: MatchRecord) => number
  /** True only if `decide` says `none` of every two records with these marks. Symmetric. */
  readonly areTooFarApart: (first: number, second: number) => boolean
  readonly twinKey: (record: MatchRecord) => string | undefined
  /** A pair that is `none` with one twin is `none` with any number of them: twins are never evidence for a pair. */
  readonly decide: (a: MatchRecord, b: MatchRecord, context: MatchContext) => Verdict
  readonly partition: (
    records: readonly MatchRecord[],
    edges: readonly MatchEdge[],
    decisions: readonly MatchDecision[],
  ) => readonly Cluster[]
  /** How a record is packed and unpacked. Equal records give equal texts. */
  readonly pack: (record: MatchRecord) => string
  readonly unpack: (text: string) => MatchRecord
}

/** Maximum number of twins that are counted: four or ninety make no difference to a verdict. */
export const maxTwins = 4

/** Maximum number of records compared at a time, which bounds the memory for any batch. */
const comparedAtOnce = 64

/** The key of the record of a component. */
export function recordKeyOf({ units }: Pick<Component, 'units'>): string {
  return units[0]!.notice.noticeKey
}

/**
 * Processes the components of a batch, as prepared: `noticeIds` are all their notices. Returns the keys of the records
 * that may now be in a different tender, or whose tender may have different content.
 */
export async function rematch(
  trx: Executor,
  matcher: Matcher,
  components: readonly Component[],
  prepared: readonly PreparedRecord[],
  noticeIds: readonly string[],
): Promise<Set<string>> {
  await ensureMatchKeys(trx)
  const fresh = new Map(prepared.map((each) => [each.row.recordKey, each]))
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
  const written = await upsertMatchRecords(
    trx,
    changed.map(({ row }) => row),
  )
  const numberOf = (key: string): number => before.get(key)?.recordNo ?? written.get(key)!
  const changedKeys = changed.map(({ row }) => row.recordKey)
  const moves: Move[] = [...changedKeys, ...gone].map((key) => ({
    recordNo: numberOf(key),
    was: before.get(key),
    is: fresh.get(key)?.row,
  }))
  const blocks = await moveKeys(trx, matcher, moves)
  const twins = await twinsWithAnotherCount(trx, moves)
  const changedNos = changedKeys.map(numberOf)
  const others = new Set([...blocks.revived, ...twins])
  for (const recordNo of changedNos) others.delete(recordNo)

  const byNo = new Map(
    [...fresh].map(([key, { row, record }]) => [numberOf(key), { ...row, recordNo: numberOf(key), record }]),
  )
  const touched = new Set([...fresh.keys()])
  const touch = (edges: readonly { readonly left: string; readonly right: string }[]) => {
    for (const { left, right } of edges) touched.add(left).add(right)
  }
  const left = await listEdgesOf(trx, gone)
  await deleteEdges(trx, left)
  touch(left)
  const dirty = [...changedNos, ...others]
  for (let from = 0; from < dirty.length; from += comparedAtOnce)
    touch(await compare(trx, matcher, dirty.slice(from, from + comparedAtOnce), byNo, blocks.holders))
  touch(await partBlocks(trx, blocks.dropped, new Set(dirty)))
  for (const key of gone) touched.delete(key)
  return touched
}

/** The record of a component, and how it is stored. */
export type PreparedRecord = { readonly row: StoredMatchRecord; readonly record: MatchRecord }

/** Pure, and most of the work on a component. */
export function preparedRecord(matcher: Matcher, component: Component): PreparedRecord {
  const recordKey = recordKeyOf(component)
  const record = matcher.prepare(recordKey, component.units)
  const row = {
    recordKey,
    isSucceeded: component.isSucceeded,
    mark: matcher.mark(record),
    keys: numbersOf(matcher.blockingKeys(record), matcher),
    twinKeys: numbersOf(twinKeysOf(matcher, record), matcher),
    content: matcher.pack(record),
  }
  return { row, record }
}

function numbersOf(keys: readonly string[], matcher: Matcher): number[] {
  return [...new Set(keys.map((key) => blockNumber(key, matcher.isWeakKey(key))))].sort((a, b) => a - b)
}

/** Records of one portal with one title and buyer are twins: a record is counted once for each of its portals. */
function twinKeysOf(matcher: Matcher, record: MatchRecord): string[] {
  const key = matcher.twinKey(record)
  return key === undefined ? [] : record.publishers.map((publisher) => `twin ${publisher} ${key}`)
}

/** The previous records of the components: records with one of their notices, and records of the same key. */
async function storedBefore(
  trx: Executor,
  noticeIds: readonly string[],
  recordKeys: readonly string[],
): Promise<ReadonlyMap<string, NumberedMatchRecord>> {
  const keys = new Set([...recordKeys, ...(await listRecordsOfNotices(trx, noticeIds))])
  return new Map((await loadMatchRecords(trx, [...keys])).map((row) => [row.recordKey, row]))
}

function isChanged(before: StoredMatchRecord | undefined, after: StoredMatchRecord): boolean {
  return (
    !before ||
    before.content !== after.content ||
    before.isSucceeded !== after.isSucceeded ||
    before.mark !== after.mark ||
    before.keys.join(' ') !== after.keys.join(' ') ||
    before.twinKeys.join(' ') !== after.twinKeys.join(' ')
  )
}

/** A record as it was filed before the batch and as it is filed now. */
type Move = {
  readonly recordNo: number
  readonly was: StoredMatchRecord | undefined
  readonly is: StoredMatchRecord | undefined
}

/** Holders of each of these keys now; undefined for a key that is dropped. */
type Blocks = Map<number, readonly KeyHolder[] | undefined>

const limitOf = (matcher: Matcher, key: number): number =>
  isWeakNumber(key) ? matcher.maxHoldersOfWeak : matcher.maxHolders

/**
 * Files the moved records under their current keys. `holders`: the blocks of these keys. `revived`: records in blocks
 * that are small enough again. `dropped`: for each block that has become too large, the records in it.
 */
async function moveKeys(
  trx: Executor,
  matcher: Matcher,
  moves: readonly Move[],
): Promise<{
  readonly holders: Blocks
  readonly revived: readonly number[]
  readonly dropped: readonly (readonly number[])[]
}> {
  const blocks = differenceOf(moves, (row) => row.keys)
  const twins = differenceOf(moves, (row) => row.twinKeys)
  await deleteMatchKeys(trx, [...blocks.removed, ...twins.removed])
  // What the batch adds is known: only the previous holders of the keys are queried, and most keys are new.
  const holders = await blocksOf(trx, [
    ...new Set([...blocks.removed.map(({ key }) => key), ...moves.flatMap(({ is }) => is?.keys ?? [])]),
  ])
  await insertMatchKeys(trx, [...blocks.added, ...twins.added])
  const dropped: KeyHolder[][] = []
  for (const [key, added] of Map.groupBy(blocks.added, ({ key }) => key)) {
    const before = holders.get(key)
    if (!before) continue
    const all = [...before, ...added]
    if (all.length > limitOf(matcher, key)) {
      dropped.push(all)
      holders.set(key, undefined)
    } else holders.set(key, all)
  }
  await dropKeys(
    trx,
    dropped.map(([holder]) => holder!.key),
  )
  const shrunk = [...new Set(blocks.removed.map(({ key }) => key))].filter((key) => !holders.get(key))
  const counts = await countKeyHolders(trx, shrunk, Math.max(matcher.maxHolders, matcher.maxHoldersOfWeak) + 1)
  const revivedKeys = [...counts].filter(([key, count]) => count <= limitOf(matcher, key)).map(([key]) => key)
  await reviveKeys(trx, revivedKeys)
  const revived = await blocksOf(trx, revivedKeys)
  for (const [key, each] of revived) holders.set(key, each)
  return {
    holders,
    revived: [...new Set([...revived.values()].flatMap((each) => each!.map(({ recordNo }) => recordNo)))],
    dropped: dropped.map((each) => each.map(({ recordNo }) => recordNo)),
  }
}

async function blocksOf(trx: Executor, keys: readonly number[]): Promise<Blocks> {
  const dropped = await listDroppedKeys(trx, keys)
  const blocks = new Map(keys.map((key) => [key, dropped.has(key) ? undefined : ([] as KeyHolder[])]))
  const counted = keys.filter((key) => !dropped.has(key))
  for (const holder of await listKeyHolders(trx, counted)) blocks.get(holder.key)!.push(holder)
  return blocks
}

function differenceOf(
  moves: readonly Move[],
  keysOf: (row: StoredMatchRecord) => readonly number[],
): { readonly removed: readonly KeyHolder[]; readonly added: readonly KeyHolder[] } {
  const removed: KeyHolder[] = []
  const added: KeyHolder[] = []
  for (const { recordNo, was, is } of moves) {
    const [before, now] = [new Set(was ? keysOf(was) : []), new Set(is ? keysOf(is) : [])]
    const isMarkSame = was?.mark === is?.mark
    if (was) for (const key of before) if (!now.has(key) || !isMarkSame) removed.push({ key, recordNo, mark: was.mark })
    if (is) for (const key of now) if (!before.has(key) || !isMarkSame) added.push({ key, recordNo, mark: is.mark })
  }
  return { removed, added }
}

/** The records of twin groups whose relevant count has changed with the batch. */
async function twinsWithAnotherCount(trx: Executor, moves: readonly Move[]): Promise<number[]> {
  const change = new Map<number, number>()
  for (const { was, is } of moves) {
    for (const key of was?.twinKeys ?? []) change.set(key, (change.get(key) ?? 0) - 1)
    for (const key of is?.twinKeys ?? []) change.set(key, (change.get(key) ?? 0) + 1)
  }
  const keys = [...change].filter(([, difference]) => difference !== 0).map(([key]) => key)
  const holders = await listSomeKeyHolders(trx, keys, maxTwins + moves.length)
  const found: number[] = []
  for (const [key, members] of Map.groupBy(holders, (holder) => holder.key)) {
    const before = members.length - change.get(key)!
    if (Math.min(before, maxTwins) === Math.min(members.length, maxTwins)) continue
    for (const { recordNo } of members) found.push(recordNo)
  }
  return found
}

/** A record in memory. */
type Known = Pick<NumberedMatchRecord, 'recordNo' | 'recordKey' | 'twinKeys'> & { readonly record: MatchRecord }

/**
 * Decides again for all records that share a key with these. `fresh` are the records of the batch, `known` the blocks
 * of those that it changed. Returns the edges that exist now or existed before, where that differs.
 */
async function compare(
  trx: Executor,
  matcher: Matcher,
  recordNos: readonly number[],
  fresh: ReadonlyMap<number, Known & FiledRecord>,
  known: Blocks,
): Promise<StoredEdge[]> {
  const stored = recordNos.filter((recordNo) => !fresh.has(recordNo))
  const filed: FiledRecord[] = [
    ...recordNos.flatMap((recordNo) => fresh.get(recordNo) ?? []),
    ...(await listFiledRecords(trx, stored)),
  ]
  const unknown = [...new Set(filed.flatMap(({ keys }) => keys))].filter((key) => !known.has(key))
  const others = await blocksOf(trx, unknown)
  const pairs = new Map<string, readonly [number, number]>()
  for (const { recordNo, mark, keys } of filed)
    for (const key of keys)
      for (const holder of known.get(key) ?? others.get(key) ?? [])
        if (holder.recordNo !== recordNo && !matcher.areTooFarApart(mark, holder.mark)) {
          const pair: [number, number] =
            recordNo < holder.recordNo ? [recordNo, holder.recordNo] : [holder.recordNo, recordNo]
          pairs.set(pair.join(' '), pair)
        }
  const records = await candidatesOf(trx, matcher, new Set([...stored, ...[...pairs.values()].flat()]), fresh)

  // Twins are only evidence against a pair: they are counted for the few that would be joined without any.
  const likely: (readonly [Known, Known, Verdict])[] = []
  for (const [first, second] of pairs.values()) {
    const [one, other] = [records.get(first), records.get(second)]
    if (!one || !other) continue
    const [a, b] = one.recordKey < other.recordKey ? [one, other] : [other, one]
    const verdict = matcher.decide(a.record, b.record, { twins: 1 })
    if (verdict.kind !== 'none') likely.push([a, b, verdict])
  }
  const counts = await countKeyHolders(
    trx,
    [...new Set(likely.flatMap(([a, b]) => [...a.twinKeys, ...b.twinKeys]))],
    maxTwins,
  )
  const found = new Map<string, StoredEdge>()
  for (const [a, b, alone] of likely) {
    const twins = Math.max(0, ...[...a.twinKeys, ...b.twinKeys].map((key) => counts.get(key) ?? 0))
    const verdict = twins === 1 ? alone : matcher.decide(a.record, b.record, { twins })
    const { kind, rule, score, evidence } = verdict
    const [left, right] = [a.recordKey, b.recordKey]
    if (kind !== 'none') found.set(pairKey(left, right), { left, right, kind, rule, score, evidence })
  }
  const compared = recordNos.flatMap((recordNo) => records.get(recordNo)?.recordKey ?? [])
  const before = new Map((await listEdgesOf(trx, compared)).map((edge) => [pairKey(edge.left, edge.right), edge]))
  const ended = [...before].filter(([pair]) => !found.has(pair)).map(([, edge]) => edge)
  const news = [...found].filter(([pair, edge]) => !isSameEdge(before.get(pair), edge)).map(([, edge]) => edge)
  await deleteEdges(trx, ended)
  await upsertEdges(trx, news)
  return [...ended, ...news]
}

/** The records with these numbers: of the batch, or from the store. */
async function candidatesOf(
  trx: Executor,
  matcher: Matcher,
  recordNos: ReadonlySet<number>,
  fresh: ReadonlyMap<number, Known>,
): Promise<ReadonlyMap<number, Known>> {
  const found = new Map<number, Known>(fresh)
  const missing = [...recordNos].filter((recordNo) => !fresh.has(recordNo))
  for (const { content, ...row } of await loadCandidates(trx, missing))
    found.set(row.recordNo, { ...row, record: matcher.unpack(content) })
  return found
}

const pairKey = (left: string, right: string): string => `${left}\n${right}`

function isSameEdge(a: StoredEdge | undefined, b: StoredEdge): boolean {
  return a !== undefined && a.kind === b.kind && a.rule === b.rule && a.score === b.score && a.evidence === b.evidence
}

/**
 * Removes the edges between records that only shared a key that is now dropped. Edges of `compared` records are already
 * correct. Returns those that ended.
 */
async function partBlocks(
  trx: Executor,
  blocks: readonly (readonly number[])[],
  compared: ReadonlySet<number>,
): Promise<StoredEdge[]> {
  const holders = await listFiledRecords(
    trx,
    [...new Set(blocks.flat())].filter((recordNo) => !compared.has(recordNo)),
  )
  const keys = new Map(holders.map((row) => [row.recordKey, row.keys]))
  const edges = (await listEdgesOf(trx, [...keys.keys()])).filter(
    ({ left, right }) => keys.has(left) && keys.has(right),
  )
  if (edges.length === 0) return []
  const shared = ({ left, right }: StoredEdge): number[] => {
    const others = new Set(keys.get(right))
    return keys.get(left)!.filter((key) => others.has(key))
  }
  const dropped = await listDroppedKeys(trx, [...new Set(edges.flatMap(shared))])
  const ended = edges.filter((edge) => shared(edge).every((key) => dropped.has(key)))
  await deleteEdges(trx, ended)
  return ended
}
