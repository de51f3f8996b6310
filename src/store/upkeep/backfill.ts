// Runs the long work that migrations leave for after the start: in short transactions, by one process at a time,
// continuing where a killed one stopped.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { Pace } from '../database/paced.ts'
import { getSetting, setSetting } from '../database/settings.ts'
import { renewDeadlines } from '../hits/hits.ts'

/** Long work that an expanding migration leaves for after the start, in short pieces. */
type Backfill = {
  /** Names it for people, and in the table setting once it is done. */
  readonly name: string
  /** Changes at most `limit` rows that are not changed yet, and returns how many; none: the work is done. */
  readonly change: (trx: Executor, limit: number) => Promise<number>
}

const backfills: readonly Backfill[] = [{ name: 'deadlines of hits', change: renewDeadlines }]

/** Number of the lock: arbitrary, but the same for all processes. */
const backfillLock = 7_271_102
/** How long to wait before checking again whether another process is done. */
const lookAgainMs = 1_000

export type BackfillOptions = {
  readonly known?: readonly Backfill[]
  /** Ends the work after the current piece; the next call continues. */
  readonly signal?: AbortSignal
  /** Called after each piece with the rows that this process has changed. */
  readonly onProgress?: (progress: { readonly name: string; readonly rows: number; readonly isDone: boolean }) => void
}

/** Returns when nothing is left to do, or when aborted. */
export async function runBackfills(
  store: Pick<Store, 'db' | 'engine'>,
  { known = backfills, signal, onProgress = () => {} }: BackfillOptions = {},
): Promise<void> {
  for (const { name, change } of known) {
    const doneSetting = `backfill ${name}`
    const pace = new Pace(store.engine)
    let [rows, isDone] = [0, false]
    while (!isDone && !signal?.aborted) {
      const piece = await pace.run((limit) =>
        inTransaction(store, async (trx) => {
          if ((await getSetting(trx, doneSetting)) === 'yes') return 'done'
          const { rows: locks } = await sql<{ isOurs: boolean }>`
            select pg_try_advisory_xact_lock(${backfillLock}) as "isOurs"`.execute(trx)
          if (!locks[0]!.isOurs) return 'busy'
          const changed = await change(trx, limit)
          if (changed === 0) await setSetting(trx, doneSetting, 'yes')
          return changed
        }),
      )
      if (piece === 'busy') await delay(lookAgainMs, undefined, { signal }).catch(() => {})
      else if (piece === 'done') isDone = true
      else {
        rows += piece
        isDone = piece === 0
        onProgress({ name, rows, isDone })
      }
    }
  }
}
