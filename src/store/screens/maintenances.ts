// When the API was closed for maintenance, from the audit log.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'

/** Maximum number of entries that are read, the newest. */
const mostEntries = 1_000

/** Times in epoch milliseconds. */
export type PastMaintenance = {
  readonly startedAt: number
  /** When it was announced, or its end moved, last. */
  readonly changedAt: number
  /** When it ended or is to end. */
  readonly until: number
}

/** Maintenance that was announced after `since`, the newest first. */
export async function listMaintenances(db: Executor, since: number, limit: number): Promise<PastMaintenance[]> {
  const { rows } = await sql<{ at: number; isOn: boolean; until: string }>`
    select at, action = 'maintenance.on' as "isOn", detail::json ->> 'until' as until from audit_entry
    where organization_id is null and action in ('maintenance.on', 'maintenance.off') and at > ${since}
    order by entry_no desc limit ${mostEntries}::integer`.execute(db)
  const found: PastMaintenance[] = []
  for (const { at, isOn, until } of rows.reverse()) {
    const last = found.at(-1)
    const isGoing = last !== undefined && last.until > at
    if (isGoing) found.pop()
    if (isOn) found.push({ startedAt: isGoing ? last.startedAt : at, changedAt: at, until: Date.parse(until) })
    else if (isGoing) found.push({ ...last, changedAt: at, until: at })
  }
  return found.reverse().slice(0, limit)
}
