// Whether the clocks of this machine, of the database and of the newest edition agree well enough. Pure.
import type { ClockConcern } from '../../domain/clock-concern.ts'
import type { Look } from '../../store/nodes/look.ts'

/** How far a clock may be off before a node reports it. */
const toleratedNodeMs = 30_000
/** How far the publisher's clock may be off: beyond that nothing is published. */
const toleratedPublisherMs = 10_000
/**
 * How far ahead of the database's time an edition may be without being reported: clocks are compared to about a second.
 */
const toleratedAheadMs = 5_000

/**
 * Undefined when the clock of this machine is well enough. `differenceMs`: how far the database's clock is ahead of it.
 */
export function nodeClockConcern(differenceMs: number): ClockConcern | undefined {
  if (Math.abs(differenceMs) <= toleratedNodeMs) return undefined
  return { code: 'node-clock', values: { differenceMs } }
}

/** Undefined when the clocks agree well enough to publish. */
export function publisherClockConcern(differenceMs: number): ClockConcern | undefined {
  if (Math.abs(differenceMs) <= toleratedPublisherMs) return undefined
  return { code: 'publisher-clock', values: { differenceMs, mostMs: toleratedPublisherMs } }
}

/** All concerns, for `status` and the operator's first screen. `now`: the database's time. */
export function clockConcerns(differenceMs: number, newest: Look['newest'], now: number): readonly ClockConcern[] {
  const { dated, stamped } = futureEdition(newest, now)
  const concerns = [publisherClockConcern(differenceMs) ?? nodeClockConcern(differenceMs), dated, stamped]
  return concerns.filter((concern) => concern !== undefined)
}

/** How far the newest edition is ahead of the database's time; both undefined if it is not. */
export type FutureEdition = {
  /** Its date is ahead of the clock: this stops publication. */
  readonly dated: ClockConcern | undefined
  /** Its stamps are ahead of the clock: this is harmless and ends on its own. */
  readonly stamped: ClockConcern | undefined
}

/** `now`: the database's time. */
export function futureEdition(newest: Look['newest'], now: number): FutureEdition {
  if (!newest) return { dated: undefined, stamped: undefined }
  const { edition, publishedAt, lastModified } = newest
  const ahead = (at: number): number | undefined => (at - now <= toleratedAheadMs ? undefined : at - now)
  const [datedMs, stampedMs] = [ahead(publishedAt), ahead(lastModified)]
  return {
    dated:
      datedMs === undefined
        ? undefined
        : { code: 'future-edition', values: { edition, publishedAt, aheadMs: datedMs } },
    stamped:
      stampedMs === undefined
        ? undefined
        : { code: 'future-stamps', values: { edition, lastModified, aheadMs: stampedMs } },
  }
}
