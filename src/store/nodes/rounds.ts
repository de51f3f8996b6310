// The state of the service's rounds: stored in the database, so that it can be read when the service is gone or runs
// elsewhere.
import { type ErrorCode, isErrorCode } from '../../platform/error-codes.ts'
import { jsonIn } from '../../platform/json-in.ts'
import type { Executor } from '../database/database.ts'
import { setSetting } from '../database/settings.ts'

/** The roles of a process whose work is done in rounds (service/nodes/roles.ts). */
export const roundRoles = ['ingest', 'consolidate', 'publish'] as const
export type RoundRole = (typeof roundRoles)[number]

/** The stages of a round, as English sentences and metrics name them. */
export const stageNames = {
  'finish-publication': 'Finishing a publication',
  'read-files': 'Reading the given notices',
  'read-samples': 'Reading the sample portals',
  'store-deliveries': 'Storing what portals deliver',
  rebuild: 'Rebuilding',
  consolidate: 'Consolidating',
  estimate: 'Estimating values',
  'watch-sources': 'Watching the sources',
  publish: 'Publishing',
  'count-outcomes': 'Counting what was published',
  'plant-hold': 'Planting the hold of the samples',
} as const
export type Stage = keyof typeof stageNames

/** Why the pipeline does not work. `stage-failed`: for a reason that has no code; `detail` says which. */
export type RoundFailure = {
  readonly code: 'rounds-overdue' | 'stage-failed' | ErrorCode
  /** Null if no stage failed. */
  readonly stage: Stage | null
  /** The first line of the error; empty where the code says everything. */
  readonly detail: string
}

/** Times in epoch milliseconds. */
export type RoundState = {
  /** The end of the last round in which every stage succeeded; absent before the first. */
  readonly lastRoundAt?: number
  /** Rounds in a row that failed since then. */
  readonly failedRounds: number
  /** Which stage failed last and why; absent if none has failed. */
  readonly lastFailure?: RoundFailure
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
export function whyFailing(state: RoundState | undefined, now: number): RoundFailure | undefined {
  if (state === undefined) return undefined
  if (state.failedRounds > 0) return state.lastFailure ?? { code: 'stage-failed', stage: null, detail: '' }
  const since = state.lastRoundAt
  if (state.isStopped || since === undefined || now - since <= overdueMs) return undefined
  return { code: 'rounds-overdue', stage: null, detail: '' }
}

/** The English sentence of a failure, for the log and `status`. */
export function failureLine({ code, stage, detail }: RoundFailure): string {
  if (code === 'rounds-overdue')
    return 'No round has finished for hours: the service that ran them hangs or has died. Read its log and restart it.'
  if (code === 'database-lost') return `Lost the database connection; retrying: ${detail}`
  const what = stage === null ? 'A round failed' : `${stageNames[stage]} failed`
  return detail === '' ? `${what}.` : `${what}; retrying: ${detail}`
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
  const { lastRoundAt, failedRounds, lastFailure, lastErrorAt, isStopped } = value as Record<string, unknown>
  return {
    ...(typeof lastRoundAt === 'number' && { lastRoundAt }),
    failedRounds: typeof failedRounds === 'number' ? failedRounds : 0,
    // written by this program, or by one of another version that knows other codes and stages
    ...(typeof lastFailure === 'object' && lastFailure !== null && { lastFailure: readFailure(lastFailure) }),
    ...(typeof lastErrorAt === 'number' && { lastErrorAt }),
    isStopped: isStopped === true,
  }
}

function readFailure(value: object): RoundFailure {
  const { code, stage, detail } = value as Record<string, unknown>
  const isStage = typeof stage === 'string' && Object.hasOwn(stageNames, stage)
  return {
    code: typeof code === 'string' && isErrorCode(code) ? code : 'stage-failed',
    stage: isStage ? (stage as Stage) : null,
    detail: typeof detail === 'string' ? detail : '',
  }
}
