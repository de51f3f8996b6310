// How much of the past of each source is read, and how long that took; and what a source means to people now.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'

/** Slots of a channel from the key `first` on, up to but without `end`. */
export type PastAsked = {
  readonly sourceId: string
  readonly channel: string
  readonly first: string
  readonly end: string
}

export type PastFacts = Pick<PastAsked, 'sourceId' | 'channel'> & {
  /** How many of the slots are read. */
  readonly read: number
  /** Key of the oldest of them. */
  readonly oldest: string | null
  /** Key of the newest that waits. */
  readonly waiting: string | null
  /** How many were read since the given time, and for how long the channel was busy with them. */
  readonly recent: number
  readonly busyMs: number
}

/** A longer pause between two readings of the past is not counted: the service was off, or had nothing to read. */
const longestPauseMs = 10 * 60_000

/** One answer for each that is asked. `since`: which readings are measured. */
export async function readPastFacts(
  db: Executor,
  asked: readonly PastAsked[],
  since: number,
): Promise<readonly PastFacts[]> {
  if (asked.length === 0) return []
  const list = (name: keyof PastAsked) => sql`${asked.map((each) => each[name])}::text[]`
  // keys of one kind are in the order of time as texts, byte by byte
  const isAsked = sql`x.source_id = a.source_id and x.channel = a.channel
    and x.slot collate "C" >= a.first and x.slot collate "C" < a.last`
  const { rows } = await sql<PastFacts>`
    select a.source_id as "sourceId", a.channel, s.read, s.oldest, s.waiting, r.recent,
      coalesce(r.busy, 0)::double precision as "busyMs"
    from unnest(${list('sourceId')}, ${list('channel')}, ${list('first')}, ${list('end')})
      as a (source_id, channel, first, last)
    cross join lateral (
      select count(*) filter (where completed_at is not null)::integer as read,
        min(slot collate "C") filter (where completed_at is not null) as oldest,
        max(slot collate "C") filter (where completed_at is null and due_at is not null) as waiting
      from source_slot x where ${isAsked}) s
    cross join lateral (
      select count(distinct slot) filter (where outcome in ('complete', 'empty', 'unchanged'))::integer as recent,
        sum(greatest(ended_at - started_at, least(coalesce(next, ended_at) - started_at, ${longestPauseMs}::bigint))) as busy
      from (
        select slot, outcome, started_at, ended_at, lead(started_at) over (order by started_at) as next
        from source_run x where ended_at > ${since} and ${isAsked}) readings) r`.execute(db)
  return rows
}

/** When each source was first read, epoch milliseconds; those that never were are absent. */
export async function firstRuns(db: Executor): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ sourceId: string; at: string }>`
    select substr(name, 14) as "sourceId", value as at from setting where name like 'source-start:%'`.execute(db)
  return new Map(rows.map(({ sourceId, at }) => [sourceId, Number(at)]))
}

/** What a source means to people now. */
export type SourceUse = { readonly searches: number; readonly tenders: number }

/** By source: open tenders that it announces, and saved searches that have them as hits. Reads the open stock. */
export async function usesOfSources(db: Executor): Promise<ReadonlyMap<string, SourceUse>> {
  const { rows } = await sql<SourceUse & { readonly sourceId: string }>`
    select s.source as "sourceId", count(distinct h.search_no)::integer as searches,
      count(distinct p.tender_id)::integer as tenders
    from published_tender p
      cross join lateral json_array_elements_text(p.sources::json) as s (source)
      left join hit h on h.tender_id = p.tender_id and h.archive_reason is null
    where p.archive_reason is null group by 1`.execute(db)
  return new Map(rows.map(({ sourceId, ...use }) => [sourceId, use]))
}
