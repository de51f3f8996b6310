// Waits for work as long as a page may; the work itself continues.

/** What the work gave; undefined when it takes longer. Rejects only with what the work met before. */
export async function settledWithin<Result>(work: Promise<Result>, longestMs: number): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, longestMs, undefined)
  // what it meets later has nobody to tell
  work.catch(() => {})
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
