// Updates the node state every second: whether this node may receive requests, and whether its disk has free space.
import type { EditionLog } from '../../edition/write/edition-log.ts'
import { type Clock, every } from '../../platform/clock.ts'
import { freeBytes } from '../../platform/folders.ts'
import type { DatabaseWatch } from './database-watch.ts'
import { judgeReadiness } from './judge-readiness.ts'
import type { NodeState } from './node-state.ts'

const lookMs = 1000
/** The disk is checked once in this many checks. */
const looksPerDisk = 10
/** Below this the disk space is low: several large editions, their compaction, and the log of the database need it. */
const lowDiskBytes = 1e9

export type ReadinessWatch = {
  /** Judges now, because something is known to have changed. */
  readonly look: () => void
  readonly close: () => void
}

/** Judges immediately, then every second. */
export function watchReadiness(options: {
  readonly editions: Pick<EditionLog, 'newest' | 'isLost' | 'isReplaced'>
  readonly database: Pick<DatabaseWatch, 'newestKnown' | 'answeredAt' | 'accessAt'>
  readonly state: NodeState
  readonly dataFolder: string
  /** A clock that only moves forwards, also used by `database`. */
  readonly steadyClock: Clock
  readonly maxStalenessMs: number
}): ReadinessWatch {
  const { editions, database, state, dataFolder, steadyClock } = options
  const judge = judgeReadiness(options.maxStalenessMs)
  let rounds = 0
  const look = () =>
    state.setUnready(
      judge({
        now: steadyClock(),
        answeredAt: database.answeredAt(),
        accessAt: database.accessAt?.(),
        known: database.newestKnown(),
        held: editions.newest?.edition ?? 0,
        isDamaged: editions.isLost,
        isReplaced: editions.isReplaced,
      }),
    )
  const lookAtDisk = async () => {
    const free = await freeBytes(dataFolder).catch(() => Number.POSITIVE_INFINITY)
    // rounded down, so that the sentence rarely changes
    const left = Math.floor(free / 1e8) / 10
    state.report(
      'disk',
      free >= lowDiskBytes
        ? undefined
        : `The disk of the data folder has only ${left} GB left (low is below ${lowDiskBytes / 1e9} GB). Make room there.`,
    )
  }
  const round = () => {
    if (rounds++ % looksPerDisk === 0) void lookAtDisk()
    look()
  }
  round()
  return { look, close: every(lookMs, round) }
}
