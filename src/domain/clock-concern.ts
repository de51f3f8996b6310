// What can be wrong with the clocks of an installation, and how the service says it.
import { type Lines, lineOf } from './lines.ts'
import { hourMs, minuteMs, toInstant } from './time.ts'

/** `differenceMs`: how far the database's clock is ahead of this machine's. `aheadMs`: of the database's time. */
export type ClockConcern =
  | { readonly code: 'node-clock'; readonly values: { readonly differenceMs: number } }
  | { readonly code: 'publisher-clock'; readonly values: { readonly differenceMs: number; readonly mostMs: number } }
  | {
      readonly code: 'future-edition'
      readonly values: { readonly edition: number; readonly publishedAt: number; readonly aheadMs: number }
    }
  | {
      readonly code: 'future-stamps'
      readonly values: { readonly edition: number; readonly lastModified: number; readonly aheadMs: number }
    }

/** Whether nothing is published because of it. */
export const stopsPublication = ({ code }: ClockConcern): boolean =>
  code === 'publisher-clock' || code === 'future-edition'

/** `3 h 2 min`, `90 s`, without a sign; `days` is the word for them. */
export function spanText(ms: number, days: string): string {
  const seconds = Math.round(Math.abs(ms) / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(Math.abs(ms) / minuteMs)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.round(Math.abs(ms) / (24 * hourMs))} ${days}`
}

const span = (ms: number): string => spanText(ms, 'days')

const off = (differenceMs: number): string =>
  `The clock of this machine is ${span(differenceMs)} ${differenceMs > 0 ? 'behind' : 'ahead of'} the database's`

export const clockLines = {
  'node-clock': ({ differenceMs }) =>
    `${off(differenceMs)}; the node uses the database's time. Synchronize both clocks by NTP.`,
  'publisher-clock': ({ differenceMs, mostMs }) =>
    `${off(differenceMs)}, and nothing is published while the difference exceeds ${mostMs / 1000} s: ` +
    'an edition must not be dated by a wrong clock. Synchronize both clocks by NTP; ' +
    'publishing then resumes automatically.',
  'future-edition': ({ edition, publishedAt, aheadMs }) =>
    `Edition ${edition} is dated ${toInstant(publishedAt)}, ${span(aheadMs)} in the future: ` +
    'a clock was ahead when it was published, and the next edition waits until an hour after that date ' +
    'unless you intervene. When the clocks are correct, run: tenderstock publish --accept-future-edition',
  'future-stamps': ({ edition, lastModified, aheadMs }) =>
    `The stamps (lastModified) of edition ${edition} go up to ${toInstant(lastModified)}, ` +
    `${span(aheadMs)} in the future. No record is lost: ` +
    'new stamps continue above it until the clock has caught up.',
} satisfies Lines<ClockConcern>

export const clockLine = (concern: ClockConcern): string => lineOf(clockLines, concern)
