// A bound on waiting for work that may never end.

/**
 * True if the work was done within `limitMs`; its error is thrown. False: it continues, and nobody waits for it any
 * more.
 */
export async function within(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, limitMs, false)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
