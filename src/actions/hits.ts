// What people did with hits. It runs in the transaction of its caller, and leaves one entry of the audit log if it
// changed something.
import type { Executor } from '../store/database/database.ts'
import { type HitState, markHits as mark } from '../store/hits/hit-lists.ts'
import { type ActingNow, record } from './acting.ts'

/** Marks hits of an organization. Returns how many changed. */
export async function markHits(
  trx: Executor,
  acting: ActingNow,
  {
    organizationId,
    hitIds,
    state,
  }: { readonly organizationId: string; readonly hitIds: readonly string[]; readonly state: HitState },
): Promise<number> {
  const hits = await mark(trx, organizationId, hitIds, state)
  const [only] = hitIds
  const subject = hitIds.length === 1 ? only! : `${hits} hits`
  if (hits > 0) await record(trx, acting, { action: 'hit.mark', organizationId, subject, detail: { state, hits } })
  return hits
}
