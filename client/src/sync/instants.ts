// Compares the API's times: texts that are stored as delivered and never taken from the client's clock.
import { FeedError } from './feed-error.ts'

/**
 * Returns the milliseconds of an instant as delivered. Throws a FeedError if it is not one: nothing could be ordered by
 * it.
 */
export function instantMs(text: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new FeedError(`The API delivered "${String(text).slice(0, 40)}" where a time was expected.`)
  return ms
}

/** The later of two instants, as it was written; the first of equal ones. */
export function laterOf(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return instantMs(b) > instantMs(a) ? b : a
}

/** The earlier of two instants, as it was written. */
export function earlierOf(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return instantMs(b) < instantMs(a) ? b : a
}
