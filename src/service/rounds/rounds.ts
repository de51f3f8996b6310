// The rounds of the service: its stages one after the other. A stage that fails is retried after growing pauses; no
// stage can end the service, which continues to answer the API.
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { traced } from '../../platform/tracing.ts'
import { isConnectionLoss } from '../../store/connections/connection-loss.ts'
import { fullDiskSentence } from '../../store/connections/full-disk.ts'
import { failureLine, type RoundFailure, type RoundState, type Stage, stageNames } from '../../store/nodes/rounds.ts'
import type { WorkQueue } from '../control/work-queue.ts'
import type { WorkCounts } from '../metrics/work-counts.ts'

/** Pause after the first failure; it doubles with each further one. */
const firstPauseMs = 1000
/** Maximum pause. */
const longestPauseMs = 60_000
/** How often a healthy state is stored again, so that a hang can be distinguished from a quiet night. */
const keepMs = 15 * 60_000
/** How often an unchanged error is reported again. */
const repeatMs = 3_600_000

type StageCounters = Pick<WorkCounts, 'noteStage' | 'noteRound'>

export type RoundsOptions = {
  readonly queue: WorkQueue
  readonly clock: Clock
  readonly stop: AbortSignal
  /** Pause between two successful rounds. */
  readonly everyMs: number
  /** Runs all stages. `isFirst` is true until a round has completed. */
  readonly round: (isFirst: boolean, stage: RunStage) => Promise<void>
  /** What was stored before this start. */
  readonly before: RoundState | undefined
  /** Called to store the state; may fail, because the database may be what is broken. */
  readonly keep: (state: RoundState) => Promise<void>
  /** Where the data is, for the sentence about a full disk. */
  readonly dataFolder: string
  /** Called with a sentence when a round failed in a new way, and once an hour. */
  readonly onFailure: (sentence: string, error: unknown) => void
  /** Counts rounds and stages. */
  readonly counters?: StageCounters
  /** Called when a round succeeds after some that failed. */
  readonly onRecovery: (failedRounds: number) => void
}

/**
 * Runs one stage. A failure ends the round; with `isAside` the other stages of the round still
 * run, but the round counts as failed.
 */
export type RunStage = (
  stage: Stage,
  work: () => Promise<void>,
  options?: { readonly isAside: boolean },
) => Promise<void>

export type Rounds = {
  /** Runs a round now, unless one is already waiting or the pause after a failure is not over. */
  readonly run: () => void
  readonly state: () => RoundState
  /** Resolves when a round has completed for the first time, or when the service is stopped. */
  readonly first: Promise<void>
  /** Ends the rounds and stores that they ended. */
  readonly close: () => Promise<void>
}

/** Starts with a round immediately. */
export function startRounds(options: RoundsOptions): Rounds {
  const { queue, clock, stop } = options
  let state: RoundState = { ...(options.before ?? { failedRounds: 0 }), isStopped: false }
  let isFirst = true
  let isQueued = false
  let notBefore = Number.NEGATIVE_INFINITY
  let keptAt = Number.NEGATIVE_INFINITY
  let again: NodeJS.Timeout | undefined
  let reported = ''
  let reportedAt = Number.NEGATIVE_INFINITY
  const first = Promise.withResolvers<void>()
  stop.addEventListener('abort', () => first.resolve(), { once: true })

  const keep = async (isNews: boolean) => {
    if (!isNews && clock() - keptAt < keepMs) return
    keptAt = clock()
    // the database itself may be broken: then the state is in memory, and the service reports it
    await options.keep(state).catch(() => {})
  }
  const fail = async (error: unknown) => {
    const failedRounds = state.failedRounds + 1
    const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(failedRounds - 1, 20), longestPauseMs)
    notBefore = clock() + pauseMs
    const lastFailure = failureOf(error, options.dataFolder)
    const sentence = failureLine(lastFailure)
    state = { ...state, failedRounds, lastFailure, lastErrorAt: clock() }
    if (sentence !== reported || clock() - reportedAt >= repeatMs) {
      options.onFailure(sentence, error)
      ;[reported, reportedAt] = [sentence, clock()]
    }
    await keep(true)
    again = setTimeout(() => {
      notBefore = Number.NEGATIVE_INFINITY
      run()
    }, pauseMs)
    again.unref()
  }
  const succeed = async () => {
    const { failedRounds } = state
    state = { ...state, failedRounds: 0, lastRoundAt: clock() }
    notBefore = Number.NEGATIVE_INFINITY
    reported = ''
    if (failedRounds > 0) options.onRecovery(failedRounds)
    await keep(failedRounds > 0 || isFirst)
    isFirst = false
    first.resolve()
  }
  const once = async () => {
    isQueued = false
    if (stop.aborted || clock() < notBefore) return
    const aside: unknown[] = []
    const runStage: RunStage = async (stage, work, { isAside } = { isAside: false }) => {
      const name = stageNames[stage]
      const startedAt = performance.now()
      try {
        if (stop.aborted) return
        await traced(name, {}, work)
        options.counters?.noteStage(name, 'succeeded', performance.now() - startedAt)
      } catch (error) {
        if (!stop.aborted) options.counters?.noteStage(name, 'failed', performance.now() - startedAt)
        const failure = new FailedStage(stage, error)
        if (!isAside) throw failure
        aside.push(failure)
      }
    }
    try {
      await traced('round', {}, () => options.round(isFirst, runStage))
      if (aside.length > 0) throw aside[0]
    } catch (error) {
      // work that is interrupted because the service stops is not a failure
      if (stop.aborted) return
      options.counters?.noteRound('failed')
      await fail(error)
      return
    }
    if (stop.aborted) return
    options.counters?.noteRound('succeeded')
    await succeed()
  }
  const run = () => {
    if (isQueued || stop.aborted || clock() < notBefore) return
    isQueued = true
    void queue.run(isFirst ? 'start' : 'round', once)
  }
  const timer = setInterval(run, options.everyMs)
  run()
  return {
    run,
    state: () => state,
    first: first.promise,
    close: async () => {
      clearInterval(timer)
      clearTimeout(again)
      state = { ...state, isStopped: true }
      await options.keep(state).catch(() => {})
    },
  }
}

class FailedStage extends Error {
  readonly stage: Stage
  constructor(stage: Stage, cause: unknown) {
    super(`${stageNames[stage]} failed`, { cause })
    this.name = 'FailedStage'
    this.stage = stage
  }
}

function failureOf(error: unknown, dataFolder: string): RoundFailure {
  const [stage, cause] = error instanceof FailedStage ? [error.stage, error.cause] : [null, error]
  const firstLine = (text: string): string => text.split('\n', 1)[0]!
  const full = fullDiskSentence(cause, dataFolder)
  if (full !== undefined) return { code: 'disk-full', stage, detail: firstLine(full) }
  const detail = firstLine(cause instanceof Error ? cause.message : String(cause))
  if (isConnectionLoss(cause)) return { code: 'database-lost', stage, detail }
  return { code: cause instanceof OperatorError ? cause.code : 'stage-failed', stage, detail }
}
