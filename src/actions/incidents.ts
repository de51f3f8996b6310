// What operators publish about incidents. Each change runs in the transaction of its caller; if it changed something,
// it leaves one entry of the audit log and queues the mails to the Owners who want them.
import type { Executor } from '../store/database/database.ts'
import type { Posting } from '../store/people/owner-mails.ts'
import { mailStatusNews } from '../store/people/status-mails.ts'
import {
  changeIncident,
  createIncident,
  endIncident as end,
  findIncident,
  type Incident,
  lockIncident,
} from '../store/screens/incidents.ts'
import { type Acting, type ActingNow, record, versionOf } from './acting.ts'

/** What people read. */
export type IncidentInput = Pick<Incident, 'title' | 'detail' | 'startedAt'>

/** Tells two states of an incident apart. */
export const incidentVersion = ({ title, detail, startedAt }: IncidentInput): string =>
  versionOf([title, detail, startedAt])

/** Returns the ID of the new incident. */
export async function addIncident(trx: Executor, acting: Acting & Posting, input: IncidentInput): Promise<string> {
  const incidentId = acting.random.uuid()
  await createIncident(trx, { incidentId, ...input, createdBy: acting.actor })
  const detail = { incident: incidentId }
  await record(trx, acting, { action: 'incident.create', subject: input.title, detail })
  await mailStatusNews(trx, { about: 'incident', event: 'began', incidentId, ...input }, acting)
  return incidentId
}

/** `stale`: somebody changed the incident since `seen` was read. `gone`: there is none. */
export type IncidentEdit = { readonly kind: 'edited' | 'unchanged' | 'stale' | 'gone' }

/** Changes what an incident says, or when it began. `seen` is the version that whoever acts had before them. */
export async function editIncident(
  trx: Executor,
  acting: ActingNow & Posting,
  { incidentId, seen, input }: { readonly incidentId: string; readonly seen: string; readonly input: IncidentInput },
): Promise<IncidentEdit> {
  const before = await lockIncident(trx, incidentId)
  if (!before) return { kind: 'gone' }
  if (incidentVersion(before) !== seen) return { kind: 'stale' }
  if (incidentVersion(input) === seen) return { kind: 'unchanged' }
  await changeIncident(trx, incidentId, input)
  const detail = { incident: incidentId, before: before.title }
  await record(trx, acting, { action: 'incident.change', subject: input.title, detail })
  await mailStatusNews(trx, { about: 'incident', event: 'changed', incidentId, ...input }, acting)
  return { kind: 'edited' }
}

/** Returns false if there is no open one. */
export async function endIncident(trx: Executor, acting: ActingNow & Posting, incidentId: string): Promise<boolean> {
  if (!(await end(trx, incidentId, acting.now))) return false
  const { title, detail, startedAt } = (await findIncident(trx, incidentId))!
  await record(trx, acting, { action: 'incident.end', subject: title, detail: { incident: incidentId } })
  const news = { about: 'incident', event: 'ended', incidentId, title, detail, startedAt } as const
  await mailStatusNews(trx, news, acting)
  return true
}
