// The state of the service's rounds: stored in the database, so that it can be read when the service is gone or runs
// elsewhere.
import { jsonIn } from '../../platform/json-in.ts'
import type { Executor } from '../database/database.ts'
import { setSetting } from '../database/settings.ts'

/** The roles of a process whose work is done in rounds (service/nodes/roles.ts). */
export const roundRoles = ['ingest', 'consolidate', 'publish'] as const
export type RoundRole = (typeof roundRoles)[number]

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

const roundsSetting = (role: RoundRole): string => `rounds ${role}`

/** Returns the state stored last; undefined if no service ever ran a round, or if the state cannot be read. */
export async function loadRounds(
  db: Executor,
  ofRoles: readonly RoundRole[] = roundRoles,
): Promise<RoundState | undefined> {
  const rows = await db.selectFrom('setting').select('value').where('name', 'in', ofRoles.map(roundsSetting)).execute()
  return readRounds(rows.map(({ value }) => value))
}

/** Stores the state of the rounds in which a process does the work of these roles. */
export async function saveRounds(
  db: Executor,
  state: RoundState,
  ofRoles: readonly RoundRole[] = roundRoles,
): Promise<void> {
  for (const role of ofRoles) await setSetting(db, roundsSetting(role), JSON.stringify(state))
}

/** Why the pipeline does not work; undefined if it does. */
export function whyFailing(state: RoundState | undefined, now: number): string | undefined {
  if (state === undefined) return undefined
  if (state.failedRounds > 0) return state.lastError ?? 'A round failed.'
  const since = state.lastRoundAt
  if (state.isStopped || since === undefined || now - since <= overdueMs) return undefined
  return 'No round has finished for hours: the service that ran them hangs or has died. Read its log and restart it.'
}

/** Reads the states from their settings as one. */
export const readRounds = (texts: readonly string[]): RoundState | undefined => joinRounds(texts.map(readState))

/**
 * The rounds of several processes as one state: what fails in one of them fails, and the slowest one tells when the
 * last round was. Processes that were stopped cleanly count when all were.
 */
export function joinRounds(states: readonly (RoundState | undefined)[]): RoundState | undefined {
  const known = states.filter((state) => state !== undefined)
  const running = known.filter(({ isStopped }) => !isStopped)
  const counted = running.length > 0 ? running : known
  if (counted.length === 0) return undefined
  const worst = counted.reduce((a, b) => (b.failedRounds > a.failedRounds ? b : a))
  const ends = counted.flatMap(({ lastRoundAt }) => lastRoundAt ?? [])
  return { ...worst, ...(ends.length > 0 && { lastRoundAt: Math.min(...ends) }) }
}

function readState(text: string): RoundState | undefined {
  const value = jsonIn(text)
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
