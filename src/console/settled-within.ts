// Waits for work as long as a page may; the work itself continues.

/** Returns the result of the work; undefined if it takes longer. Rejects only with errors that occur before that. */
export async function settledWithin<Result>(work: Promise<Result>, longestMs: number): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, longestMs, undefined)
  // later errors have nobody to tell
  work.catch(() => {})
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
