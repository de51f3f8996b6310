// Matches new editions with the saved searches, beside the rounds of the service: a failure here stops nothing else.
import { setTimeout as sleepFor } from 'node:timers/promises'
import { matchEditions } from '../../hits/match-editions.ts'
import { type Matcher, openMatcher } from '../../hits/matcher.ts'
import { type Clock, every } from '../../platform/clock.ts'
import type { Store } from '../../store/database/database.ts'
import { untilWritten } from '../../store/database/until-written.ts'
import { MarkLostError } from '../../store/hits/hit-mark.ts'
import type { Emit } from '../events/command-event.ts'

/** How often to check for an edition of which nothing was heard: of another process, or of an answer that was lost. */
const lookMs = 10_000
/** Pause after the first failure; it doubles with each further one, up to the longest. */
const firstPauseMs = 1000
const longestPauseMs = 60_000
/** How long matching rests after a page, as a multiple of the page's work: the same cores answer requests. */
const restPerWork = 4
/** Maximum total of all rests in a run; a large backlog is then matched without rests. */
const restsMs = 60_000

export type HitRounds = {
  /** Starts matching what is new. */
  readonly run: () => void
  /** Resolves when nothing is being matched. */
  readonly idle: () => Promise<void>
  readonly close: () => Promise<void>
}

export type HitRoundsOptions = {
  readonly store: Store
  readonly clock: Clock
  readonly stop: AbortSignal
  readonly emit: Emit
  /** Called with a sentence when matching fails in a new way, and with `undefined` when it works again. */
  readonly onState: (sentence: string | undefined, error?: unknown) => void
}

/** Starts immediately. */
export function startHitRounds({ store, clock, stop, emit, onState }: HitRoundsOptions): HitRounds {
  const matcher = lazyMatcher()
  let running: Promise<void> | undefined
  let isWanted = false
  let failures = 0
  let reported: string | undefined
  let again: NodeJS.Timeout | undefined

  const once = async (): Promise<void> => {
    try {
      const outcome = await matchEditions(store, { matcher, clock, signal: stop, rest: restsOfRun(stop) })
      if (outcome.kind === 'matched' && outcome.hits + outcome.unseen > 0)
        emit({ event: 'matched', editions: outcome.editions, hits: outcome.hits, unseen: outcome.unseen })
      failures = 0
      if (reported !== undefined) onState(undefined)
      reported = undefined
    } catch (error) {
      // another process took over, or the service is stopping
      if (error instanceof MarkLostError || stop.aborted) return
      failures++
      const sentence = `Matching saved searches failed; retrying: ${String(error instanceof Error ? error.message : error).split('\n', 1)[0]}`
      if (sentence !== reported) onState(sentence, error)
      reported = sentence
      await matcher.close()
      again = setTimeout(run, Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 20), longestPauseMs))
      again.unref()
    }
  }
  const run = (): void => {
    clearTimeout(again)
    isWanted = true
    running ??= (async () => {
      while (isWanted && !stop.aborted) {
        isWanted = false
        await once()
      }
      running = undefined
    })()
  }
  const look = untilWritten(store, async () => run())
  const endLooks = every(lookMs, () => {
    if (failures === 0) void look()
  })
  run()
  return {
    run,
    idle: async () => running,
    close: async () => {
      endLooks()
      clearTimeout(again)
      await running
      await matcher.close()
    },
  }
}

/** Rests in a run: four times the work, until the total is used up or the service stops. */
export function restsOfRun(
  stop: AbortSignal,
  sleep: (ms: number) => Promise<void> = (ms) => sleepFor(ms, undefined, { signal: stop }),
): (workedMs: number) => Promise<void> {
  let leftMs = restsMs
  return async (workedMs) => {
    const restMs = Math.min(leftMs, restPerWork * workedMs)
    leftMs -= restMs
    // an abort ends the rest; matching stops by its own signal
    if (restMs > 0) await sleep(restMs).catch(() => {})
  }
}

/** Its thread is started with the first search, and again after `close`. */
export function lazyMatcher(): Pick<Matcher, 'load' | 'match' | 'close'> {
  let open: Matcher | undefined
  return {
    load: async (searches, profiles, serial) => {
      if (searches.length === 0 && open === undefined) return
      open ??= openMatcher()
      await open.load(searches, profiles, serial)
    },
    match: async (records, at) => (open === undefined ? [] : open.match(records, at)),
    close: async () => {
      const closing = open
      open = undefined
      await closing?.close()
    },
  }
}
