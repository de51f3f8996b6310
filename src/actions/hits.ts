// What people did with hits. It runs in the transaction of its caller, and leaves one entry of the audit log if it
// changed something.
import type { Executor } from '../store/database/database.ts'
import { type HitState, type MarkedHit, markHits as mark } from '../store/hits/hit-lists.ts'
import { type ActingNow, record } from './acting.ts'

/** Maximum searches that an entry names. */
const maxNamed = 3

/** Marks hits of an organization. Returns those that changed. */
export async function markHits(
  trx: Executor,
  acting: ActingNow,
  {
    organizationId,
    hitIds,
    state,
  }: { readonly organizationId: string; readonly hitIds: readonly string[]; readonly state: HitState },
): Promise<MarkedHit[]> {
  const marked = await mark(trx, organizationId, hitIds, state)
  if (marked.length === 0) return marked
  const subject = [...new Set(marked.map(({ search }) => search))].slice(0, maxNamed).join(', ')
  await record(trx, acting, { action: 'hit.mark', organizationId, subject, detail: { state, hits: marked.length } })
  return marked
}
