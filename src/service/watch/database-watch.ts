// Asks the database every second, an embedded one after something was written: what changed, what time it is there, and
// whether it answers at all.
import { type ClockConcern, clockLine } from '../../domain/clock-concern.ts'
import { type Clock, every } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Serials } from '../../store/database/change-signal.ts'
import type { Store } from '../../store/database/database.ts'
import type { DatabaseClock } from '../../store/database/database-clock.ts'
import { untilWritten } from '../../store/database/until-written.ts'
import { type Look, measureClock } from '../../store/nodes/look.ts'
import { futureEdition, nodeClockConcern } from './clock-concerns.ts'
import type { NodeState } from './node-state.ts'

export type DatabaseWatch = {
  /** The serials, from a query in progress or a new one. Rejects when the database does not answer it. */
  readonly look: () => Promise<Serials>
  /** The newest edition that the database reported; 0 for none. */
  readonly newestKnown: () => number
  /** When the database last answered, initially when this watch began, by the steady clock. */
  readonly answeredAt: () => number
  /**
   * When the tokens that are known here were written, by the steady clock; absent where the last answer says it.
   */
  readonly accessAt?: () => number
  /** False after ten seconds without an answer. */
  readonly isAnswering: () => boolean
  readonly close: () => void
}

const roundMs = 1000
/**
 * How many rounds may pass without a successful query before that is reported. Rounds are counted and not timed: a
 * frozen process sends no queries.
 */
const quietRounds = 10
/** After how many rounds it is logged again. */
const repeatRounds = 600

export function watchDatabase(options: {
  readonly store: Pick<Store, 'engine' | 'looks' | 'writes'>
  readonly steadyClock: Clock
  /** Called with every measurement. */
  readonly databaseClock: DatabaseClock
  /** The time by which editions are judged: the database's, plus the shift of a trial clock. */
  readonly clock: Clock
  readonly state: NodeState
  readonly log: Log
  /** How long ago the database last answered, if it does not answer at the start. */
  readonly silentMs?: number
}): DatabaseWatch {
  const { store, steadyClock, databaseClock, clock, state, log } = options
  let newestKnown = 0
  let answeredAt = steadyClock() - (options.silentMs ?? 0)
  let looking: Promise<Serials> | undefined
  let missedRounds = 0
  let lastError = ''
  /** The last log line about each topic, without its numbers, which change with every poll. */
  const reported = new Map<string, string>()

  const ask = untilWritten(store, () => measureClock(store, databaseClock))
  async function lookOnce(): Promise<Serials> {
    try {
      const look = await ask()
      answeredAt = steadyClock()
      newestKnown = look.newest?.edition ?? 0
      state.setMaintenance(look.maintenanceUntil)
      judge(look)
      if (missedRounds >= quietRounds)
        log.warn({ seconds: seconds() }, 'the database answers again; new editions and changed tokens arrive')
      missedRounds = 0
      state.report('database', undefined)
      return look.serials
    } catch (error) {
      lastError = error instanceof Error ? error.message : String(error)
      throw error
    } finally {
      looking = undefined
    }
  }

  function judge({ newest }: Look): void {
    const differenceMs = databaseClock.differenceMs()
    state.setDatabaseTime({ clockDifferenceMs: differenceMs, databaseAheadMs: databaseClock.aheadMs() })
    report('clock', nodeClockConcern(differenceMs))
    const { dated, stamped } = futureEdition(newest, clock())
    report('edition', dated)
    report('stamps', stamped, { isDegraded: false })
  }

  function report(topic: string, concern: ClockConcern | undefined, { isDegraded = true } = {}): void {
    const line = concern && clockLine(concern)
    if (isDegraded) state.report(topic, line)
    const gist = line?.replace(/\d+/g, '') ?? ''
    if ((reported.get(topic) ?? '') === gist) return
    reported.set(topic, gist)
    if (line !== undefined) log.warn(line)
  }

  const look = () => {
    looking ??= lookOnce()
    return looking
  }
  const seconds = () => Math.round((missedRounds * roundMs) / 1000)

  function round(): void {
    void look().catch(() => {})
    // there is no network to the embedded engine: it is busy when it does not answer
    if (store.engine === 'embedded' || ++missedRounds < quietRounds) return
    state.report(
      'database',
      `The database has not answered for ${seconds()} seconds; the last edition is still served, but new editions and token changes do not arrive.`,
    )
    if ((missedRounds - quietRounds) % repeatRounds === 0)
      log.error(
        { seconds: seconds(), ...(lastError !== '' && { error: lastError }) },
        'the database does not answer; the last edition is still served, but new editions and token changes ' +
          'do not arrive. Retrying every second: check that it runs and that this machine reaches it',
      )
  }

  const close = every(roundMs, round)
  return {
    look,
    newestKnown: () => newestKnown,
    answeredAt: () => answeredAt,
    isAnswering: () => missedRounds < quietRounds,
    close,
  }
}
