// Waits for work as long as a page may; the work itself continues.

import { within } from '../../platform/within.ts'

/** Returns the result of the work; undefined if it takes longer. Rejects only with errors that occur before that. */
export async function settledWithin<Result>(work: Promise<Result>, longestMs: number): Promise<Result | undefined> {
  // later errors have nobody to tell
  work.catch(() => {})
  return (await within(work, longestMs)) ? work : undefined
}
