// How many processes share the rate limits, for when the shared store does not answer. Counted in the database.
import type { Log } from '../../platform/log.ts'
import type { Random } from '../../platform/random.ts'
import { within } from '../../platform/within.ts'
import type { Store } from '../../store/database/database.ts'
import { beat, endBeat, livingMs } from '../../store/nodes/api-processes.ts'

/** Several signs of life fit into the time after which a process counts as gone. */
const beatEveryMs = livingMs / 5
/** How long a stopping process waits for the database. */
const longestEndMs = 1000

export type ProcessCount = {
  /** Shared with the readers: one whole number, at least 1. */
  readonly memory: Int32Array
  readonly close: () => Promise<void>
}

/** Starts counting. While the database is down the last count remains. */
export async function countProcesses({ db }: Store, random: Random, log: Log): Promise<ProcessCount> {
  const memory = new Int32Array(new SharedArrayBuffer(4))
  Atomics.store(memory, 0, 1)
  const processId = random.uuid()
  const look = async (): Promise<void> => {
    try {
      Atomics.store(memory, 0, await beat(db, processId))
    } catch (error) {
      log.debug({ error: String(error) }, 'cannot count the live processes; keeping the last count')
    }
  }
  let looking: Promise<void> | undefined
  const lookOnce = (): Promise<void> =>
    (looking ??= look().finally(() => {
      looking = undefined
    }))
  await lookOnce()
  const timer = setInterval(() => void lookOnce(), beatEveryMs)
  timer.unref()
  return {
    memory,
    close: async () => {
      clearInterval(timer)
      // A sign of life being written would outlive its withdrawal.
      const ended = Promise.resolve(looking).then(() => endBeat(db, processId))
      // The database may be unreachable: then the sign of life expires.
      await within(
        ended.catch(() => {}),
        longestEndMs,
      )
    },
  }
}
