// At most so many works at a time; the others wait for their turn.

/** Runs a work as soon as there is room for it, in the order of the calls. */
export type AtMost = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Room for `count` works at the same time. */
export function atMost(count: number): AtMost {
  let free = count
  const waiting: (() => void)[] = []
  return async (work) => {
    // a work that ends hands its place to the first one that waits
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
