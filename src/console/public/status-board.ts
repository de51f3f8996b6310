// The state of the service in public words: days of editions, sources, incidents. Read from the database, cached for a
// minute.
import { dayMs, hourMs, minuteMs } from '../../domain/time.ts'
import { type Incident, listIncidentEdits, listIncidents } from '../../store/screens/incidents.ts'
import { listMaintenances, type PastMaintenance } from '../../store/screens/maintenances.ts'
import {
  editionsSince,
  type PublicEditions,
  type PublicSource,
  publicSources,
} from '../../store/screens/public-status.ts'
import type { ConsoleContext } from '../frame/console-context.ts'

/** How many days are shown. */
const shownDays = 90
/** Maximum time between two editions that counts as on time. */
export const lateMs = 2 * hourMs
const keptMs = minuteMs
const maxIncidents = 50

/** `none`: before the first edition. */
export type DayState = 'onTime' | 'late' | 'held' | 'none'

export type StatusDay = {
  /** Its beginning in UTC, epoch milliseconds. */
  readonly day: number
  readonly state: DayState
  readonly editions: number
  /** Longest time without a new edition that touches the day, milliseconds; 0 before the first edition. */
  readonly longestGapMs: number
  /** How often an edition was held back. */
  readonly holds: number
}

export type StatusBoard = {
  /** When the database was queried. */
  readonly at: number
  /** The newest last. */
  readonly days: readonly StatusDay[]
  readonly newestAt: number | undefined
  /** Whether an edition is held back now: the last hold is newer than the newest edition. */
  readonly isHeld: boolean
  readonly sources: readonly PublicSource[]
  readonly incidents: readonly Incident[]
  /** When those were edited last that were. */
  readonly edits: ReadonlyMap<string, number>
  readonly maintenances: readonly PastMaintenance[]
}

/** Queries the database at most once a minute. */
export class StatusBoards {
  readonly #context: Pick<ConsoleContext, 'store' | 'clock'>
  #board: StatusBoard | undefined
  #reading: Promise<StatusBoard> | undefined

  constructor(context: Pick<ConsoleContext, 'store' | 'clock'>) {
    this.#context = context
  }

  /** The board, at most a minute old. */
  async read(): Promise<StatusBoard> {
    const now = this.#context.clock()
    if (this.#board && now - this.#board.at < keptMs) return this.#board
    this.#reading ??= this.#read(now).finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  /** The last board, however old; undefined before the first. */
  get last(): StatusBoard | undefined {
    return this.#board
  }

  async #read(now: number): Promise<StatusBoard> {
    const { db } = this.#context.store
    const since = startOfDay(now) - (shownDays - 1) * dayMs
    const editions = await editionsSince(db, since)
    const sources = await publicSources(db)
    const incidents = await listIncidents(db, since, maxIncidents)
    const edits = await listIncidentEdits(db, since)
    const maintenances = await listMaintenances(db, since, maxIncidents)
    const newestAt = editions.publishedAt.at(-1)
    this.#board = {
      at: now,
      days: statusDays(editions, now),
      newestAt,
      isHeld: (editions.heldAt.at(-1) ?? 0) > (newestAt ?? Number.POSITIVE_INFINITY),
      sources,
      incidents,
      edits,
      maintenances,
    }
    return this.#board
  }
}

const startOfDay = (at: number): number => at - (at % dayMs)

/** The last 90 days up to the one of `now`, each by its editions. */
function statusDays({ publishedAt, heldAt, firstAt }: PublicEditions, now: number): StatusDay[] {
  const today = startOfDay(now)
  return Array.from({ length: shownDays }, (_, index) => {
    const day = today - (shownDays - 1 - index) * dayMs
    const end = Math.min(day + dayMs, now + 1)
    const inside = (times: readonly number[]) => times.filter((at) => at >= day && at < end).length
    const holds = inside(heldAt)
    const longestGapMs = longestGap(publishedAt, day, end)
    const isBefore = firstAt === null || firstAt >= day + dayMs
    const state = isBefore ? 'none' : holds > 0 ? 'held' : longestGapMs > lateMs ? 'late' : 'onTime'
    return { day, state, editions: inside(publishedAt), longestGapMs: isBefore ? 0 : longestGapMs, holds }
  })
}

/** The longest time between two editions, or since the last, of which a part lies between `from` and `to`. */
function longestGap(publishedAt: readonly number[], from: number, to: number): number {
  let longest = 0
  for (const [index, at] of publishedAt.entries()) {
    // the time without an edition after `to` belongs to later days
    const next = Math.min(publishedAt[index + 1] ?? to, to)
    if (at < to && next > from) longest = Math.max(longest, next - at)
  }
  return longest
}
