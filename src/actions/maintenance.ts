// Closing the API of all nodes until a time, and opening it again. Each runs in the transaction of its caller, and
// leaves one entry of the audit log if it changed something.
import { toInstant } from '../domain/time.ts'
import type { Executor } from '../store/database/database.ts'
import { loadMaintenance, saveMaintenance } from '../store/nodes/maintenance.ts'
import { type ActingNow, record } from './acting.ts'

const subject = 'API'

/** Returns false if it was closed until then already. */
export async function closeApi(trx: Executor, acting: ActingNow, until: number): Promise<boolean> {
  if ((await loadMaintenance(trx)) === until) return false
  await saveMaintenance(trx, until)
  await record(trx, acting, { action: 'maintenance.on', subject, detail: { until: toInstant(until) } })
  return true
}

/** Returns false if it was not closed. */
export async function openApi(trx: Executor, acting: ActingNow): Promise<boolean> {
  const until = await loadMaintenance(trx)
  if (until === undefined || until <= acting.now) return false
  await saveMaintenance(trx, undefined)
  await record(trx, acting, { action: 'maintenance.off', subject, detail: { until: toInstant(until) } })
  return true
}
