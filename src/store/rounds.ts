// The state of the service's rounds: stored in the database, so that it can be read when the service is gone or runs
// elsewhere.
import type { Executor } from './database.ts'
import { getSetting, setSetting } from './settings.ts'

/** Times in epoch milliseconds. */
export type RoundState = {
  /** The end of the last round in which every stage succeeded; absent before the first. */
  readonly lastRoundAt?: number
  /** Rounds in a row that failed since then. */
  readonly failedRounds: number
  /** Which stage failed last and why, in a sentence; absent if none has failed. */
  readonly lastError?: string
  readonly lastErrorAt?: number
  /** True after a clean stop of the service; rounds are not overdue then. */
  readonly isStopped: boolean
}

/**
 * How long after the last successful round the next one is overdue. A round a minute is usual; a rebuild, or the first
 * publication of millions of records, takes hours.
 */
const overdueMs = 3 * 3_600_000

const name = 'rounds'

/** Returns the state stored last; undefined if no service ever ran a round, or if the state cannot be read. */
export async function loadRounds(db: Executor): Promise<RoundState | undefined> {
  const text = await getSetting(db, name)
  return text === undefined ? undefined : readRounds(text)
}

export async function saveRounds(db: Executor, state: RoundState): Promise<void> {
  await setSetting(db, name, JSON.stringify(state))
}

/** Why the pipeline does not work; undefined if it does. */
export function whyFailing(state: RoundState | undefined, now: number): string | undefined {
  if (state === undefined) return undefined
  if (state.failedRounds > 0) return state.lastError ?? 'A round failed.'
  const since = state.lastRoundAt
  if (state.isStopped || since === undefined || now - since <= overdueMs) return undefined
  return 'No round has finished for hours: the service that ran them hangs or has died. Read its log and restart it.'
}

/** Reads the state from its setting. */
export function readRounds(text: string): RoundState | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { lastRoundAt, failedRounds, lastError, lastErrorAt, isStopped } = value as Record<string, unknown>
  return {
    ...(typeof lastRoundAt === 'number' && { lastRoundAt }),
    failedRounds: typeof failedRounds === 'number' ? failedRounds : 0,
    ...(typeof lastError === 'string' && { lastError }),
    ...(typeof lastErrorAt === 'number' && { lastErrorAt }),
    isStopped: isStopped === true,
  }
}
