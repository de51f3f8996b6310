// Incidents: what the operator publishes about a disturbance on the status page.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'

/** Times in epoch milliseconds. */
export type Incident = {
  readonly incidentId: string
  /** One public line. */
  readonly title: string
  /** What happened, what it means for clients, and what was done. */
  readonly detail: string
  readonly startedAt: number
  /** Undefined: it is open. */
  readonly endedAt: number | undefined
  /** The mail address of the operator who wrote it; never shown in public. */
  readonly createdBy: string
}

const columns = [
  'incident_id as incidentId',
  'title',
  'detail',
  'started_at as startedAt',
  'ended_at as endedAt',
  'created_by as createdBy',
] as const
const incidentOf = <Row extends { readonly endedAt: number | null }>(row: Row) => ({
  ...row,
  endedAt: row.endedAt ?? undefined,
})

/** Incidents that are open or began after `since`, the newest first. */
export async function listIncidents(db: Executor, since: number, limit: number): Promise<Incident[]> {
  const rows = await db
    .selectFrom('incident')
    .select(columns)
    .where((where) => where.or([where('ended_at', 'is', null), where('started_at', '>', since)]))
    .orderBy('started_at', 'desc')
    .orderBy('incident_id')
    .limit(limit)
    .execute()
  return rows.map(incidentOf)
}

/** When incidents were edited last, after `since`: from the audit log. */
export async function listIncidentEdits(db: Executor, since: number): Promise<Map<string, number>> {
  const { rows } = await sql<{ incidentId: string; at: number }>`
    select detail::json ->> 'incident' as "incidentId", max(at) as at from audit_entry
    where organization_id is null and action = 'incident.change' and at > ${since} group by 1`.execute(db)
  return new Map(rows.map(({ incidentId, at }) => [incidentId, at]))
}

export async function findIncident(db: Executor, incidentId: string): Promise<Incident | undefined> {
  const row = await db.selectFrom('incident').select(columns).where('incident_id', '=', incidentId).executeTakeFirst()
  return row && incidentOf(row)
}

/** The incident as it is now; others that change it wait until the transaction ends. */
export async function lockIncident(trx: Executor, incidentId: string): Promise<Incident | undefined> {
  const query = trx.selectFrom('incident').select(columns).where('incident_id', '=', incidentId)
  const row = await query.forUpdate().executeTakeFirst()
  return row && incidentOf(row)
}

/** Adds an open incident. */
export async function createIncident(trx: Executor, incident: Omit<Incident, 'endedAt'>): Promise<void> {
  await trx
    .insertInto('incident')
    .values({
      incident_id: incident.incidentId,
      title: incident.title,
      detail: incident.detail,
      started_at: incident.startedAt,
      created_by: incident.createdBy,
    })
    .execute()
}

/** Changes what an incident says, or when it began. False where there is no such incident. */
export async function changeIncident(
  trx: Executor,
  incidentId: string,
  change: Partial<Pick<Incident, 'title' | 'detail' | 'startedAt'>>,
): Promise<boolean> {
  const { title, detail, startedAt } = change
  const { numUpdatedRows } = await trx
    .updateTable('incident')
    .set((value) => ({
      title: title ?? value.ref('title'),
      detail: detail ?? value.ref('detail'),
      started_at: startedAt ?? value.ref('started_at'),
    }))
    .where('incident_id', '=', incidentId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends an incident. False where there is no open one. */
export async function endIncident(trx: Executor, incidentId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('incident')
    .set({ ended_at: now })
    .where('incident_id', '=', incidentId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
