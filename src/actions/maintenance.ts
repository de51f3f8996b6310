// Closing the API of all nodes until a time, and opening it again. Each runs in the transaction of its caller; if it
// changed something, it leaves one entry of the audit log and queues the mails to the Owners who want them.
import { toInstant } from '../domain/time.ts'
import type { Executor } from '../store/database/database.ts'
import { lockMaintenance, saveMaintenance } from '../store/nodes/maintenance.ts'
import type { Posting } from '../store/people/owner-mails.ts'
import { mailStatusNews } from '../store/people/status-mails.ts'
import { type ActingNow, record } from './acting.ts'

const subject = 'API'

/** Returns false if it was closed until then already. */
export async function closeApi(trx: Executor, acting: ActingNow & Posting, until: number): Promise<boolean> {
  const before = await lockMaintenance(trx)
  if (before === until) return false
  await saveMaintenance(trx, until)
  await record(trx, acting, { action: 'maintenance.on', subject, detail: { until: toInstant(until) } })
  const event = before !== undefined && before > acting.now ? 'changed' : 'began'
  await mailStatusNews(trx, { about: 'maintenance', event, until }, acting)
  return true
}

/** Returns false if it was not closed. */
export async function openApi(trx: Executor, acting: ActingNow & Posting): Promise<boolean> {
  const until = await lockMaintenance(trx)
  if (until === undefined || until <= acting.now) return false
  await saveMaintenance(trx, undefined)
  await record(trx, acting, { action: 'maintenance.off', subject, detail: { until: toInstant(until) } })
  await mailStatusNews(trx, { about: 'maintenance', event: 'ended', until: acting.now }, acting)
  return true
}
