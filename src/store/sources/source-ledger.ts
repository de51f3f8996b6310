// The ledger of sources: which slots there are, when each is due, how far it was read, and what its readings brought.
import { sql, type UpdateObject } from 'kysely'
import type { FailureReason } from '../../platform/http.ts'
import type { Executor } from '../database/database.ts'
import { getOrCreateSetting } from '../database/settings.ts'
import type { Database } from '../schema/schema.ts'

/** Names one slot of one channel of one source. */
export type SlotName = { readonly sourceId: string; readonly channel: string; readonly slot: string }

/** Progress of a slot. Times in epoch milliseconds. */
export type LedgerSlot = SlotName & {
  /** When it is read next; null when there is nothing to do. */
  readonly dueAt: number | null
  /** JSON text of the checkpoint of the newest stored step. */
  readonly checkpoint: string | null
  readonly announced: number | null
  readonly delivered: number
  readonly completedAt: number | null
  readonly missing: string | null
  readonly missingSince: number | null
  readonly failures: number
  readonly lastError: string | null
}

/** How long readings are remembered, and how many of one source at most. */
const keptRunsMs = 90 * 86_400_000
const maxRunsOfSource = 5000
const longestDetail = 1000

/** When this installation first read a source: `now` at the first call. */
export async function firstRunOf(db: Executor, sourceId: string, now: number): Promise<number> {
  return Number(await getOrCreateSetting(db, `source-start:${sourceId}`, String(now)))
}

/** All slots of a channel with the time at which they are due. */
export async function listDueTimes(
  db: Executor,
  sourceId: string,
  channel: string,
): Promise<ReadonlyMap<string, { readonly dueAt: number | null; readonly completedAt: number | null }>> {
  const rows = await db
    .selectFrom('source_slot')
    .select(['slot', 'due_at', 'completed_at'])
    .where('source_id', '=', sourceId)
    .where('channel', '=', channel)
    .execute()
  return new Map(rows.map((row) => [row.slot, { dueAt: row.due_at, completedAt: row.completed_at }]))
}

/** Adds slots to the ledger; existing ones stay unchanged. */
export async function insertSlots(
  db: Executor,
  sourceId: string,
  channel: string,
  slots: readonly { readonly slot: string; readonly dueAt: number | null }[],
): Promise<void> {
  if (slots.length === 0) return
  await sql`
    insert into source_slot (source_id, channel, slot, due_at)
    select ${sourceId}::text, ${channel}::text, s.slot, s.due_at
    from unnest(${slots.map((each) => each.slot)}::text[], ${slots.map((each) => each.dueAt)}::bigint[]) as s (slot, due_at)
    on conflict do nothing`.execute(db)
}

/** Slots that are due at `now`, of one source or of all, without an order. */
export async function listDueSlots(
  db: Executor,
  now: number,
  sourceId?: string,
): Promise<(SlotName & { readonly dueAt: number; readonly failures: number })[]> {
  let query = db
    .selectFrom('source_slot')
    .select(['source_id as sourceId', 'channel', 'slot', 'failures'])
    .select(({ ref }) => ref('due_at').$notNull().as('dueAt'))
    .where('due_at', '<=', now)
  if (sourceId !== undefined) query = query.where('source_id', '=', sourceId)
  return query.execute()
}

const ledgerColumns = sql`source_id as "sourceId", channel, slot, due_at as "dueAt", checkpoint, announced, delivered,
  completed_at as "completedAt", missing, missing_since as "missingSince", failures, last_error as "lastError"`

/** One slot's progress; undefined when the ledger does not hold it. */
export async function findSlot(db: Executor, { sourceId, channel, slot }: SlotName): Promise<LedgerSlot | undefined> {
  const { rows } = await sql<LedgerSlot>`
    select ${ledgerColumns} from source_slot
    where source_id = ${sourceId} and channel = ${channel} and slot = ${slot}`.execute(db)
  return rows[0]
}

/** All slots of a source, in the order of channel and slot. For people. */
export async function listSlots(db: Executor, sourceId: string): Promise<LedgerSlot[]> {
  const { rows } = await sql<LedgerSlot>`
    select ${ledgerColumns} from source_slot where source_id = ${sourceId} order by channel, slot`.execute(db)
  return rows
}

/** The newest slots of a source by their names, and before them those that lack something. For people. */
export async function listNewestSlots(db: Executor, sourceId: string, limit: number): Promise<LedgerSlot[]> {
  const { rows } = await sql<LedgerSlot>`
    select ${ledgerColumns} from source_slot where source_id = ${sourceId}
    order by (missing is not null or failures > 0) desc, slot desc, channel limit ${limit}`.execute(db)
  return rows
}

/** How far a reading has come. Absent members stay as they are; `checkpoint` is JSON text, null for the beginning. */
export type SlotProgress = {
  readonly checkpoint?: string | null
  readonly announced?: number | null
  readonly delivered?: number
}

/** How a reading ended. Absent members stay as they are. */
export type SlotOutcome = {
  readonly dueAt: number | null
  readonly checkpoint?: null
  readonly completedAt?: number
  /** Null: nothing is missing. An existing `since` is kept. */
  readonly missing?: { readonly what: string; readonly since: number } | null
  readonly failures: number
  readonly lastError: string | null
}

/**
 * Writes how far a reading has come, in the transaction of what it stored; if it ended, also how, and when the slot is
 * due next.
 */
export async function saveSlot(
  db: Executor,
  name: SlotName,
  progress: SlotProgress,
  outcome?: SlotOutcome,
): Promise<void> {
  await updateSlot(db, name, {
    ...(progress.checkpoint !== undefined && { checkpoint: progress.checkpoint }),
    ...(progress.announced !== undefined && { announced: progress.announced }),
    ...(progress.delivered !== undefined && { delivered: progress.delivered }),
    ...(outcome && columnsOf(outcome)),
  })
}

const columnsOf = ({ missing, checkpoint, ...outcome }: SlotOutcome): UpdateObject<Database, 'source_slot'> => ({
  due_at: outcome.dueAt,
  failures: outcome.failures,
  last_error: outcome.lastError === null ? null : cut(outcome.lastError),
  ...(checkpoint !== undefined && { checkpoint }),
  ...(outcome.completedAt !== undefined && { completed_at: outcome.completedAt }),
  ...(missing === null && { missing: null, missing_since: null }),
  ...(missing && {
    missing: cut(missing.what),
    missing_since: sql<number>`coalesce(missing_since, ${missing.since})`,
  }),
})

/** Takes a slot that no card knows any more out of what is due. Its history stays. */
export async function retireSlot(db: Executor, name: SlotName): Promise<void> {
  await updateSlot(db, name, { due_at: null })
}

async function updateSlot(db: Executor, name: SlotName, values: UpdateObject<Database, 'source_slot'>): Promise<void> {
  await db
    .updateTable('source_slot')
    .set(values)
    .where('source_id', '=', name.sourceId)
    .where('channel', '=', name.channel)
    .where('slot', '=', name.slot)
    .execute()
}

/** Versions under which items of a source were stored; unknown ones are absent. */
export async function knownItemVersions(
  db: Executor,
  sourceId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{ item_key: string; version: string }>`
    select item_key, version from source_item where source_id = ${sourceId} and item_key = any(${keys.map(toText)}::text[])`.execute(
    db,
  )
  return new Map(rows.map((row) => [row.item_key, row.version]))
}

/** Notes the versions of items that are stored now. One key at most once. */
export async function saveItems(
  db: Executor,
  sourceId: string,
  items: readonly { readonly key: string; readonly version: string }[],
): Promise<void> {
  if (items.length === 0) return
  const sorted = [...items].sort((a, b) => (a.key < b.key ? -1 : 1))
  await sql`
    insert into source_item (source_id, item_key, version)
    select ${sourceId}::text, i.item_key, i.version
    from unnest(${sorted.map((each) => toText(each.key))}::text[], ${sorted.map((each) => toText(each.version))}::text[]) as i (item_key, version)
    on conflict (source_id, item_key) do update set version = excluded.version
    where source_item.version is distinct from excluded.version`.execute(db)
}

/** One reading of a slot, for the operator. */
export type SourceRun = SlotName & {
  readonly startedAt: number
  readonly endedAt: number
  readonly outcome: 'complete' | 'notYet' | 'unchanged' | 'empty' | 'short' | 'failed' | 'refused' | 'stopped'
  readonly requests: number
  readonly entries: number
  readonly documents: number
  readonly notices: number
  readonly rejections: number
  readonly detail: string
  /** Why it failed or was refused; null where it was not, and for readings of versions that did not write it. */
  readonly reason: ReadingReason | null
}

/** Why a reading failed. `fault`: an error of this program. */
type ReadingReason = FailureReason | 'fault'

export async function insertRun(db: Executor, run: SourceRun): Promise<void> {
  const results = {
    ended_at: run.endedAt,
    outcome: run.outcome,
    requests: run.requests,
    entries: run.entries,
    documents: run.documents,
    notices: run.notices,
    rejections: run.rejections,
    detail: cut(run.detail),
    reason: run.reason,
  }
  await db
    .insertInto('source_run')
    .values({ source_id: run.sourceId, channel: run.channel, slot: run.slot, started_at: run.startedAt, ...results })
    // twice in one millisecond: the later one has more information
    .onConflict((conflict) => conflict.columns(['source_id', 'started_at', 'channel', 'slot']).doUpdateSet(results))
    .execute()
}

/** Forgets readings older than 90 days, and the oldest of a source beyond 5,000. */
export async function deleteOldRuns(db: Executor, now: number): Promise<void> {
  await db
    .deleteFrom('source_run')
    .where('ended_at', '<', now - keptRunsMs)
    .execute()
  await sql`
    delete from source_run r using (
      select source_id, started_at,
        row_number() over (partition by source_id order by started_at desc) as place from source_run) as old
    where old.place > ${maxRunsOfSource} and r.source_id = old.source_id and r.started_at <= old.started_at`.execute(db)
}

// PostgreSQL's text holds every character but NUL and lone surrogates.
const toText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

const cut = (text: string): string => {
  const clean = toText(text)
  return clean.length > longestDetail ? `${clean.slice(0, longestDetail - 1)}…` : clean
}
