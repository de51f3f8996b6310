// The figures of the whole stock that a monitoring system requests every few seconds: one statement over small tables
// and partial indexes, in which every count is bounded.
import { sql } from 'kysely'
import { minuteMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'
import { isMatched } from '../hits/deliveries.ts'
import { lastBackupSetting, lastDrillSetting } from '../nodes/last-backup.ts'
import { isWaiting } from '../received/notices.ts'
import { quarantineKind } from '../sources/source-fill.ts'

/** Times in epoch milliseconds. */
export type StockFigures = {
  /** Newest edition; 0 before the first. */
  readonly edition: number
  /** Editions held back since the newest one. */
  readonly holds: number
  /** When each source last answered. */
  readonly checks: readonly { readonly sourceId: string; readonly checkedAt: number }[]
  readonly alarms: readonly { readonly sourceId: string; readonly kind: string }[]
  /** Slots of sources that are due, up to `maxFigured`. */
  readonly slotsDue: number
  /** Notices that are not consolidated yet and not in quarantine, up to `maxFigured`. */
  readonly waitingNotices: number
  /** Notices of sources in quarantine that wait for a release, up to `maxFigured`. */
  readonly quarantinedNotices: number
  /** Mails that wait for their time, mails that are due, and those given up in 30 days; each up to `maxFigured`. */
  readonly mailsQueued: number
  readonly mailsDue: number
  readonly mailsGivenUp: number
  /** Mails not sent 15 minutes after they were made, whenever their next attempt is; up to `maxFigured`. */
  readonly mailsLate: number
  /** Deliveries of webhooks that are due, and those that are held; each up to `maxFigured`. */
  readonly deliveriesDue: number
  /** Deliveries not made 15 minutes after their creation, whenever their next attempt is; up to `maxFigured`. */
  readonly deliveriesLate: number
  readonly deliveriesHeld: number
  readonly endpoints: { readonly active: number; readonly failing: number; readonly disabled: number }
  /** When the state of the newest backup was taken; null without one. */
  readonly lastBackup: number | null
  /** When the newest state that a drill has restored was taken; null without one. */
  readonly lastDrill: number | null
  /** Size of the database in bytes. */
  readonly databaseBytes: number
  /** Editions that are not matched with saved searches yet. */
  readonly editionsUnmatched: number
}

/** Maximum number of rows that are counted. */
const maxFigured = 10_000
const maxAlarms = 1000
/** After this time an unsent mail or delivery is late. */
const patienceMs = 15 * minuteMs

/** Reads nothing that grows with the stock. */
export async function readStockFigures(db: Executor, now: number): Promise<StockFigures> {
  const most = sql`limit ${maxFigured}::integer`
  const { rows } = await sql<{ figures: StockFigures }>`
    with newest as (
      select coalesce(max(edition), 0) as edition, coalesce(max(published_at), 0) as published_at
      from (select edition, published_at from edition order by edition desc limit 1) e
    )
    select json_build_object(
      'edition', (select edition from newest),
      'holds', (select count(*) from edition_hold, newest where held_at > published_at),
      'lastBackup', (select value::bigint from setting where name = ${lastBackupSetting}),
      'lastDrill', (select value::bigint from setting where name = ${lastDrillSetting}),
      'databaseBytes', pg_database_size(current_database()),
      'checks', (select coalesce(json_agg(json_build_object('sourceId', source_id, 'checkedAt', checked_at)), '[]'::json)
        from source_check),
      'alarms', (select coalesce(json_agg(json_build_object('sourceId', source_id, 'kind', kind)), '[]'::json)
        from (select source_id, kind from source_alarm where cleared_at is null limit ${maxAlarms}::integer) a),
      'slotsDue', (select count(*) from (select from source_slot where due_at <= ${now} ${most}) s),
      'waitingNotices', (select count(*) from (select from notice where ${isWaiting} ${most}) n),
      'quarantinedNotices', (select count(*) from (select from notice where not is_consolidated and source_id in (
        select source_id from source_alarm where kind = ${quarantineKind} and cleared_at is null) ${most}) n),
      'mailsQueued', (select count(*) from (select from mail where state = 'due' and due_at > ${now} ${most}) m),
      'mailsDue', (select count(*) from (select from mail where state = 'due' and due_at <= ${now} ${most}) m),
      'mailsLate', (select count(*) from (
        select from mail where state = 'due' and created_at <= ${now - patienceMs} ${most}) m),
      'mailsGivenUp', (select count(*) from (select from mail where state = 'given-up' ${most}) m),
      'deliveriesDue', (select count(*) from (
        select from delivery where state = 'due' and due_at <= ${now} ${most}) d),
      'deliveriesLate', (select count(*) from (
        select from delivery d where state = 'due' and created_at <= ${now - patienceMs} and ${isMatched} ${most}) d),
      'deliveriesHeld', (select count(*) from (select from delivery where state = 'held' ${most}) d),
      'endpoints', (select json_build_object(
          'active', count(*) filter (where state = 'active' and failing_since is null),
          'failing', count(*) filter (where state = 'active' and failing_since is not null),
          'disabled', count(*) filter (where state = 'disabled')) from webhook_endpoint),
      'editionsUnmatched', (select greatest(0, newest.edition - hit_mark.edition) from hit_mark, newest)
    ) as figures`.execute(db)
  return rows[0]!.figures
}
