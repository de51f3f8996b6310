// Queries and updates about the health of sources: what their readings brought, open alarms, new names.
import { type RawBuilder, sql } from 'kysely'
import { arrayText } from '../database/array-text.ts'
import type { Executor } from '../database/database.ts'
import type { SourceRun } from './source-ledger.ts'

/** Totals of the readings of a source. Times in epoch milliseconds. */
export type ReadingTotals = {
  readonly sourceId: string
  readonly firstReadAt: number
  readonly lastReadAt: number
  readonly lastSuccessAt: number | null
  readonly lastNewAt: number | null
  /** Number of failed readings since the last success. */
  readonly failures: number
  readonly lastError: string | null
  /** Why the newest of these readings failed; null where it was not written. */
  readonly lastReason: string | null
}

const successful = sql.raw(`('complete', 'unchanged', 'empty')`)
const unsuccessful = sql.raw(`('failed', 'refused')`)

/**
 * One row for each of these sources that was ever read. Each figure is one step in an index: 90 days of readings are
 * some 100,000 rows.
 */
export async function readingsBySource(db: Executor, sourceIds: readonly string[]): Promise<ReadingTotals[]> {
  const of = sql.raw('from source_run r where r.source_id = s.source_id')
  const failed = sql`${of} and r.outcome in ${unsuccessful} and r.ended_at > coalesce(success.at, 0)`
  const { rows } = await sql<ReadingTotals>`
    select s.source_id as "sourceId", (select min(r.started_at) ${of}) as "firstReadAt",
      (select max(r.ended_at) ${of}) as "lastReadAt", success.at as "lastSuccessAt",
      (select max(r.ended_at) ${of} and r.documents > 0) as "lastNewAt",
      (select count(*)::integer ${failed}) as failures,
      (select r.detail ${failed} order by r.ended_at desc limit 1) as "lastError",
      (select r.reason ${failed} order by r.ended_at desc limit 1) as "lastReason"
    from unnest(${arrayText(sourceIds)}::text[]) as s(source_id)
    cross join lateral (select max(r.ended_at) as at ${of} and r.outcome in ${successful}) as success
    where exists (select ${of}) order by 1`.execute(db)
  return rows
}

export type NewDocuments = {
  readonly sourceId: string
  /** Day in the zone of the source (`YYYY-MM-DD`). */
  readonly day: string
  readonly documents: number
  /** Of these, what came since `recentSince`. */
  readonly recent: number
}

/** New documents since `since`, by source and day. `zones`: the zone of each source by its id. */
export async function newDocumentsByDay(
  db: Executor,
  zones: ReadonlyMap<string, string>,
  { since, recentSince }: { readonly since: number; readonly recentSince: number },
): Promise<NewDocuments[]> {
  const { rows } = await sql<NewDocuments>`
    select source_id as "sourceId", (to_timestamp(ended_at / 1000) at time zone zone)::date::text as day,
      sum(documents)::integer as documents,
      coalesce(sum(documents) filter (where ended_at >= ${recentSince}), 0)::integer as recent
    from unnest(${arrayText([...zones.keys()])}::text[], ${arrayText([...zones.values()])}::text[]) as s(source_id, zone)
    join source_run using (source_id)
    where ended_at >= ${since} and documents > 0
    group by 1, (to_timestamp(ended_at / 1000) at time zone zone)::date`.execute(db)
  return rows
}

/** Rejections of these sources since `since`, by source and reason. */
export async function rejectionsSince(
  db: Executor,
  sourceIds: readonly string[],
  since: number,
): Promise<{ readonly sourceId: string; readonly reason: string; readonly count: number }[]> {
  const { rows } = await sql<{ sourceId: string; reason: string; count: number }>`
    select d.source_id as "sourceId", r.reason, count(*)::integer as count from rejection r join source_document d using (document_id)
    where r.rejected_at >= ${since} and d.source_id = any(${arrayText(sourceIds)}::text[]) group by 1, 2`.execute(db)
  return rows
}

/** Slots whose last reading said that something is missing, oldest first. */
export async function shortSlots(db: Executor): Promise<
  {
    readonly sourceId: string
    readonly channel: string
    readonly slot: string
    readonly announced: number | null
    readonly delivered: number
    readonly missing: string
    readonly missingSince: number | null
  }[]
> {
  return db
    .selectFrom('source_slot')
    .select(['source_id as sourceId', 'channel', 'slot', 'announced', 'delivered', 'missing_since as missingSince'])
    .select(({ ref }) => ref('missing').$notNull().as('missing'))
    .where('missing', 'is not', null)
    .orderBy('source_id')
    .orderBy('slot')
    .execute()
}

/** Slots that are due at `now`, by source. */
export async function countDueSlots(db: Executor, now: number): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ source_id: string; count: number }>`
    select source_id, count(*)::integer as count from source_slot where due_at <= ${now} group by 1`.execute(db)
  return new Map(rows.map((row) => [row.source_id, row.count]))
}

export type AlarmRow = {
  readonly sourceId: string
  readonly kind: string
  readonly raisedAt: number
  readonly clearedAt: number | null
  readonly detail: string
  /** Share of the source that is affected, 0 to 1. */
  readonly share: number
  /** The note of an operator who has seen it. */
  readonly acknowledged?: { readonly at: number; readonly by: string; readonly note: string }
}

/** Records that somebody has seen an alarm. False if there is none of this name. */
export async function acknowledgeAlarm(
  trx: Executor,
  alarm: Pick<AlarmRow, 'sourceId' | 'kind' | 'raisedAt'>,
  { at, by, note }: NonNullable<AlarmRow['acknowledged']>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('source_alarm')
    .set({ acknowledged_at: at, acknowledged_by: by, note })
    .where('source_id', '=', alarm.sourceId)
    .where('kind', '=', alarm.kind)
    .where('raised_at', '=', alarm.raisedAt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Alarms that are open, oldest first. */
export function openAlarms(db: Executor): Promise<AlarmRow[]> {
  return listAlarms(db, sql`cleared_at is null order by raised_at, source_id, kind`)
}

/** The newest alarms of a source, open and cleared. */
export function alarmsOf(db: Executor, sourceId: string, limit: number): Promise<AlarmRow[]> {
  return listAlarms(db, sql`source_id = ${sourceId} order by raised_at desc limit ${limit}`)
}

async function listAlarms(db: Executor, which: RawBuilder<unknown>): Promise<AlarmRow[]> {
  const { rows } = await sql<
    Omit<AlarmRow, 'acknowledged'> & {
      readonly at: number | null
      readonly by: string | null
      readonly note: string | null
    }
  >`
    select source_id as "sourceId", kind, raised_at as "raisedAt", cleared_at as "clearedAt", detail, share,
      acknowledged_at as at, acknowledged_by as by, note
    from source_alarm where ${which}`.execute(db)
  return rows.map(({ at, by, note, ...alarm }) => ({
    ...alarm,
    ...(at !== null && { acknowledged: { at, by: by ?? '', note: note ?? '' } }),
  }))
}

/** Raises an alarm. */
export async function insertAlarm(db: Executor, alarm: Omit<AlarmRow, 'clearedAt' | 'acknowledged'>): Promise<void> {
  await db
    .insertInto('source_alarm')
    .values({
      source_id: alarm.sourceId,
      kind: alarm.kind,
      raised_at: alarm.raisedAt,
      cleared_at: null,
      detail: alarm.detail,
      share: alarm.share,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Updates what an open alarm is about, or closes it. */
export async function updateAlarm(
  db: Executor,
  alarm: AlarmRow,
  change: { readonly detail?: string; readonly share?: number; readonly clearedAt?: number },
): Promise<void> {
  await db
    .updateTable('source_alarm')
    .set({
      ...(change.detail !== undefined && { detail: change.detail }),
      ...(change.share !== undefined && { share: change.share }),
      ...(change.clearedAt !== undefined && { cleared_at: change.clearedAt }),
    })
    .where('source_id', '=', alarm.sourceId)
    .where('kind', '=', alarm.kind)
    .where('raised_at', '=', alarm.raisedAt)
    .execute()
}

export type ListedRun = Omit<SourceRun, 'sourceId' | 'outcome' | 'reason'> & {
  readonly outcome: string
  readonly reason: string | null
}

/** The newest readings of a source. */
export function listRuns(db: Executor, sourceId: string, limit: number): Promise<ListedRun[]> {
  return db
    .selectFrom('source_run')
    .select(['channel', 'slot', 'started_at as startedAt', 'ended_at as endedAt', 'outcome', 'requests', 'entries'])
    .select(['documents', 'notices', 'rejections', 'detail', 'reason'])
    .where('source_id', '=', sourceId)
    .orderBy('ended_at', 'desc')
    .limit(limit)
    .execute()
}

/** Name of the row that counts the documents of its source whose names were examined. */
export const lookedAt = ''

/**
 * Names known for a source with the number of documents that held them; −1 for those that it used from the beginning.
 * They are read with every batch, some thousand of them: as one row, because reading rows costs more than reading their
 * content.
 */
export async function knownNames(db: Executor, sourceId: string): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ names: readonly string[] | null; documents: readonly number[] | null }>`
    select json_agg(name) as names, json_agg(documents) as documents from source_drift where source_id = ${sourceId}`.execute(
    db,
  )
  const { names, documents } = rows[0]!
  return new Map(names?.map((name, index) => [name, documents![index]!]))
}

/**
 * Adds to the counts of names; new ones begin with this number. −1 marks a name that was used from the beginning and is
 * never added to.
 */
export async function addNames(
  db: Executor,
  sourceId: string,
  names: ReadonlyMap<string, number>,
  now: number,
): Promise<void> {
  if (names.size === 0) return
  const sorted = [...names].sort(([a], [b]) => (a < b ? -1 : 1))
  await sql`
    insert into source_drift (source_id, name, first_seen_at, last_seen_at, documents)
    select ${sourceId}, n.name, ${now}, ${now}, n.documents
    from unnest(${arrayText(sorted.map(([name]) => name.replaceAll('\0', '').toWellFormed()))}::text[],
      ${arrayText(sorted.map(([, documents]) => documents))}::integer[]) as n(name, documents)
    on conflict (source_id, name) do update set last_seen_at = excluded.last_seen_at,
      documents = source_drift.documents + greatest(excluded.documents, 0)
    where source_drift.documents >= 0`.execute(db)
}

/** Names that appeared after the beginning, by source. */
export async function newNames(
  db: Executor,
  atLeast: number,
): Promise<
  { readonly sourceId: string; readonly name: string; readonly documents: number; readonly firstSeenAt: number }[]
> {
  return db
    .selectFrom('source_drift')
    .select(['source_id as sourceId', 'name', 'documents', 'first_seen_at as firstSeenAt'])
    .where('documents', '>=', atLeast)
    .where('name', '<>', lookedAt)
    .execute()
}
