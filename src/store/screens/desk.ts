// The operator's first screen in one query: what is wrong now, and the figures beside it.
import { sql } from 'kysely'
import { dayMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'
import { lastBackupSetting, lastDrillSetting } from '../nodes/last-backup.ts'
import { maintenanceSetting } from '../nodes/maintenance.ts'
import { isWaiting } from '../received/notices.ts'

/** What one query returns about the whole service. Times in epoch milliseconds. */
export type DeskFacts = {
  /** Editions held back since the newest one. */
  readonly holds: number
  readonly heldSince: number | null
  /** Of the newest hold. */
  readonly heldAt: number | null
  readonly holdReasons: readonly string[]
  readonly alarms: readonly {
    readonly sourceId: string
    readonly kind: string
    readonly raisedAt: number
    readonly detail: string
    readonly acknowledgedBy: string | null
    readonly note: string | null
  }[]
  /** Text of the setting that holds the state of rounds; null before the first. */
  readonly rounds: readonly string[]
  /** Text of the setting of maintenance (maintenance.ts). */
  readonly maintenance: string | null
  /** When the state of the newest backup was taken; null without one. */
  readonly lastBackup: number | null
  /** When the newest state that a drill has restored was taken; null without one. */
  readonly lastDrill: number | null
  readonly mailsDue: number
  /** When the oldest waiting mail was created. */
  readonly mailsSince: number | null
  readonly mailsGivenUp: number
  readonly mailError: string | null
  /** Open requests for a quote, and when the oldest was asked. */
  readonly quotes: number
  readonly quotesSince: number | null
  readonly webhooksDisabled: number
  readonly webhooksFailing: number
  readonly failingSince: number | null
  readonly webhooks: number
  readonly contracts: readonly {
    readonly organizationId: string
    readonly name: string
    readonly endsAt: number
    readonly tokens: number
  }[]
  /** Pairs that the rules leave to people, up to `maxCounted`. */
  readonly reviews: number
  readonly doubts: number
  /** Documents rejected in the last day. */
  readonly rejected: number
  /** Notices that are not consolidated yet. */
  readonly waitingNotices: number
}

/** Maximum count of open reviews and of waiting notices. */
export const maxCounted = 1000
const contractsEndMs = 30 * dayMs
const maxAlarms = 200

/** Reads everything at once: on the embedded engine each query may wait behind a publication. */
export async function readDesk(db: Executor, now: number): Promise<DeskFacts> {
  const { rows } = await sql<{ facts: DeskFacts }>`
    with newest as (
      select coalesce((select published_at from edition order by edition desc limit 1), 0) as published_at
    ), held as (
      select held_at, reasons from edition_hold, newest where held_at > published_at
    )
    select json_build_object(
      'holds', (select count(*) from held),
      'heldSince', (select min(held_at) from held),
      'heldAt', (select max(held_at) from held),
      'holdReasons', coalesce((select reasons::json from held order by held_at desc limit 1), '[]'::json),
      'alarms', (
        select coalesce(json_agg(a), '[]'::json) from (
          select source_id as "sourceId", kind, raised_at as "raisedAt", detail, acknowledged_by as "acknowledgedBy", note
          from source_alarm where cleared_at is null order by raised_at, source_id, kind limit ${maxAlarms}::integer) a),
      'rounds', (select coalesce(json_agg(value), '[]'::json) from setting where name like 'rounds %'),
      'maintenance', (select value from setting where name = ${maintenanceSetting}),
      'lastBackup', (select value::bigint from setting where name = ${lastBackupSetting}),
      'lastDrill', (select value::bigint from setting where name = ${lastDrillSetting}),
      'mailsDue', (select count(*) from mail where state = 'due'),
      'mailsSince', (select min(created_at) from mail where state = 'due'),
      'mailsGivenUp', (select count(*) from mail where state = 'given-up'),
      'mailError', (
        select last_error from mail where last_error is not null and state <> 'sent' order by created_at desc limit 1),
      'quotes', (select count(*) from quote where state = 'open'),
      'quotesSince', (select min(created_at) from quote where state = 'open'),
      'webhooksDisabled', (select count(*) from webhook_endpoint where state = 'disabled'),
      'webhooksFailing', (select count(*) from webhook_endpoint where state = 'active' and failing_since is not null),
      'failingSince', (select min(failing_since) from webhook_endpoint where state <> 'removed'),
      'webhooks', (select count(*) from webhook_endpoint where state <> 'removed'),
      'contracts', (
        select coalesce(json_agg(c), '[]'::json) from (
          select organization_id as "organizationId", o.name, c.ends_at as "endsAt",
            (select count(*) from api_token t where t.organization_id = c.organization_id and revoked_at is null) as tokens
          from contract c join organization o using (organization_id)
          where c.ended_at is null and c.ends_at between ${now} and ${now + contractsEndMs} order by c.ends_at) c),
      'reviews', (
        select count(*) from (
          select from tender_match e
          cross join lateral (
            select t.tender_id from match_member m join tender_notice t using (notice_id)
            where m.record_key = e.left_key limit 1) l
          cross join lateral (
            select t.tender_id from match_member m join tender_notice t using (notice_id)
            where m.record_key = e.right_key limit 1) r
          where outcome = 'review' and l.tender_id <> r.tender_id and not exists (
            select from review_decision d where d.left_key = e.left_key and d.right_key = e.right_key)
          limit ${maxCounted}::integer) r),
      'doubts', (
        select count(*) from tender_doubt d where not exists (
          select from review_decision r where r.left_key = d.left_key and r.right_key = d.right_key)),
      'rejected', (select count(*) from rejection where rejected_at > ${now - dayMs}),
      'waitingNotices', (
        select count(*) from (select from notice where ${isWaiting} limit ${maxCounted}::integer) n)
    ) as facts`.execute(db)
  return rows[0]!.facts
}
