// Requests and deliveries of organizations by hour: counts for people, not bills.
import { sql } from 'kysely'
import { dayMs, hourMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'

/** How long counts are kept. */
const useMs = 400 * dayMs
/** Maximum rows per statement. */
const maxRows = 1_000

/** The `tokenId` for all tokens of an organization together; their busiest minute is not the sum of the tokens' own. */
export const allTokens = ''

/** Requests in one minute. */
export type UsedMinute = {
  readonly organizationId: string
  readonly tokenId: string
  /** Answered, whatever the status. */
  readonly answered: number
  /** Refused because of the limit (429). */
  readonly refused: number
  /** Records in the answers, and their bytes; absent from nodes of an older version. */
  readonly records?: number
  readonly bytes?: number
}

/**
 * Adds the requests of one minute; several processes add to the same rows. The busiest minute is exact when each
 * process adds its minutes in order and within a minute after their end. `minutes` has each token once.
 */
export async function addApiUse(db: Executor, minuteMs: number, minutes: readonly UsedMinute[]): Promise<void> {
  for (let start = 0; start < minutes.length; start += maxRows)
    await sql`
      insert into api_use (organization_id, token_id, hour_ms, answered, refused, peak_minute, minute_ms, minute_answered,
        records, bytes)
      select "organizationId", "tokenId", ${minuteMs - (minuteMs % hourMs)}::bigint, answered, refused, answered,
        ${minuteMs}::bigint, answered, records, bytes
      from json_to_recordset(${JSON.stringify(minutes.slice(start, start + maxRows))}::json)
        as n ("organizationId" text, "tokenId" text, answered integer, refused integer, records bigint, bytes bigint)
      order by 1, 2
      on conflict (organization_id, token_id, hour_ms) do update set
        answered = api_use.answered + excluded.answered, refused = api_use.refused + excluded.refused,
        records = coalesce(api_use.records + excluded.records, api_use.records, excluded.records),
        bytes = coalesce(api_use.bytes + excluded.bytes, api_use.bytes, excluded.bytes),
        peak_minute = greatest(api_use.peak_minute, case when api_use.minute_ms = excluded.minute_ms
          then api_use.minute_answered + excluded.minute_answered else excluded.minute_answered end),
        minute_answered = case when api_use.minute_ms = excluded.minute_ms
            then api_use.minute_answered + excluded.minute_answered
          when api_use.minute_ms < excluded.minute_ms then excluded.minute_answered else api_use.minute_answered end,
        minute_ms = greatest(api_use.minute_ms, excluded.minute_ms)`.execute(db)
}

/** Where a token was last used from. */
export type TokenOrigin = { readonly tokenId: string; readonly from: string; readonly agent: string }

/** Records where tokens are used from; writes only what differs. */
export async function noteOrigins(db: Executor, origins: readonly TokenOrigin[]): Promise<void> {
  if (origins.length === 0) return
  await sql`
    update api_token t set last_used_from = n."from", last_used_agent = n.agent
    from json_to_recordset(${JSON.stringify(origins)}::json) as n ("tokenId" text, "from" text, agent text)
    where t.token_id = n."tokenId" and (t.last_used_from, t.last_used_agent) is distinct from (n."from", n.agent)`.execute(
    db,
  )
}

export type UsedHour = {
  /** The beginning of the hour. */
  readonly hourMs: number
  readonly answered: number
  readonly refused: number
  /** Most requests answered in one minute of it. */
  readonly peakMinute: number
}

/**
 * Requests of all tokens of an organization together since then, by hour, oldest first; hours without requests are left
 * out.
 */
export function listApiUse(db: Executor, organizationId: string, since: number): Promise<UsedHour[]> {
  return db
    .selectFrom('api_use')
    .select(['hour_ms as hourMs', 'answered', 'refused', 'peak_minute as peakMinute'])
    .where('organization_id', '=', organizationId)
    .where('token_id', '=', allTokens)
    .where('hour_ms', '>=', since)
    .orderBy('hour_ms')
    .execute()
}

/** Deletes counts that are older than 400 days. */
export async function pruneApiUse(db: Executor, now: number): Promise<void> {
  await sql`delete from api_use where hour_ms < ${now - useMs}`.execute(db)
}
