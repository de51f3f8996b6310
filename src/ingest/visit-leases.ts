// The leases of a visit: of the source, so that nothing is read twice at once, and of its host, so that nothing crowds
// it.
import type { Source } from '../sources/source.ts'
import type { Store } from '../store/database/database.ts'
import { holdLease, type Lease, LeaseLost, releaseLease, takeLease } from '../store/sources/source-leases.ts'
import type { RunOptions } from './run-options.ts'

/** How long a killed worker's sources stay locked. */
export const leaseMs = 90_000

/**
 * Takes the source's lease, which fences what is written, and one of its host's, which protects the portal from too
 * many readers (none without a group). A manual run overrides a back-off.
 */
export async function takeLeases(
  store: Store,
  source: Source,
  group: string | undefined,
  { worker, clock }: RunOptions,
  endsRest: boolean,
): Promise<[Lease, ...Lease[]] | undefined> {
  const take = (lease: string) => {
    const now = clock()
    return takeLease(store.db, { lease, worker, now, untilMs: now + leaseMs, endsRest })
  }
  const own = await take(`source ${source.id}`)
  if (!own || group === undefined) return own && [own]
  for (let place = 0; place < (source.politeness.connections ?? 1); place += 1) {
    const host = await take(`host ${group} ${place}`)
    if (host) return [own, host]
  }
  await releaseLease(store.db, own, clock())
  return undefined
}

/**
 * Extends leases while `work` runs, and releases them, immediately or at the end of the pause that `work` requested.
 * The signal is aborted when the run has to end or a lease was lost. Every transaction extends the lease as well, so a
 * heartbeat may be late.
 */
export async function withHeartbeat<Result>(
  store: Store,
  leases: readonly Lease[],
  options: RunOptions,
  work: (signal: AbortSignal, rest: (lease: Lease, until: number) => void) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController()
  const rests = new Map<Lease, number>()
  const beat = async () => {
    for (const lease of leases) await holdLease(store.db, lease, options.clock() + leaseMs)
  }
  const timer = setInterval(() => {
    beat().catch((error: unknown) => {
      // the store's own failures show up in the work itself
      if (error instanceof LeaseLost) lost.abort(error)
    })
  }, leaseMs / 4)
  timer.unref()
  try {
    return await work(AbortSignal.any([options.signal, lost.signal]), (lease, until) => rests.set(lease, until))
  } finally {
    clearInterval(timer)
    for (const lease of [...leases].reverse())
      await releaseLease(store.db, lease, rests.get(lease) ?? options.clock()).catch(() => {})
  }
}
