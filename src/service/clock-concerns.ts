// What is wrong with clocks, in sentences for the operator. Pure.
import { hourMs, minuteMs, toInstant } from '../domain/time.ts'
import type { Look } from '../store/look.ts'

/** How far a clock may be off before a node reports it. */
const toleratedNodeMs = 30_000
/** How far the publisher's clock may be off: beyond that nothing is published. */
const toleratedPublisherMs = 10_000
/**
 * How far ahead of the database's time an edition may be without being reported: clocks are compared to about a second.
 */
const toleratedAheadMs = 5_000

/** `3 h 2 min`, `90 s`, without a sign. */
function spanText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(Math.abs(ms) / minuteMs)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.round(Math.abs(ms) / (24 * hourMs))} days`
}

/** `differenceMs`: how far the database's clock is ahead of this machine's. */
const offText = (differenceMs: number) =>
  `The clock of this machine is ${spanText(differenceMs)} ${differenceMs > 0 ? 'behind' : 'ahead of'} the database's`

/** Undefined when the clock of this machine is well enough. */
export function nodeClockConcern(differenceMs: number): string | undefined {
  if (Math.abs(differenceMs) <= toleratedNodeMs) return undefined
  return `${offText(differenceMs)}; the node uses the database's time. Synchronize both clocks by NTP.`
}

/** Undefined when the clocks agree well enough to publish. */
export function publisherClockConcern(differenceMs: number): string | undefined {
  if (Math.abs(differenceMs) <= toleratedPublisherMs) return undefined
  return (
    `${offText(differenceMs)}, and nothing is published while the difference exceeds ` +
    `${toleratedPublisherMs / 1000} s: an edition must not be dated by a wrong clock. Synchronize both clocks ` +
    'by NTP; publishing then resumes automatically.'
  )
}

/** All concerns, for `status`. `now`: the database's time. */
export function clockConcerns(differenceMs: number, newest: Look['newest'], now: number): readonly string[] {
  const { dated, stamped } = futureEdition(newest, now)
  const concerns = [publisherClockConcern(differenceMs) ?? nodeClockConcern(differenceMs), dated, stamped]
  return concerns.filter((concern) => concern !== undefined)
}

/** How far the newest edition is ahead of the database's time; both undefined if it is not. */
export type FutureEdition = {
  /** Its date is ahead of the clock: this stops publication. */
  readonly dated: string | undefined
  /** Its stamps are ahead of the clock: this is harmless and ends on its own. */
  readonly stamped: string | undefined
}

/** `now`: the database's time. */
export function futureEdition(newest: Look['newest'], now: number): FutureEdition {
  if (!newest) return { dated: undefined, stamped: undefined }
  const { edition, publishedAt, lastModified } = newest
  return {
    dated:
      publishedAt - now <= toleratedAheadMs
        ? undefined
        : `Edition ${edition} is dated ${toInstant(publishedAt)}, ${spanText(publishedAt - now)} in the ` +
          'future: a clock was ahead when it was published, and the next edition waits until an hour after ' +
          'that date unless you intervene. When the clocks are correct, run: tenderstock publish ' +
          '--accept-future-edition',
    stamped:
      lastModified - now <= toleratedAheadMs
        ? undefined
        : `The stamps (lastModified) of edition ${edition} go up to ${toInstant(lastModified)}, ` +
          `${spanText(lastModified - now)} in the future. No record is lost: new stamps continue above it ` +
          'until the clock has caught up.',
  }
}
