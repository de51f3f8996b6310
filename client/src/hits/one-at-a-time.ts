// Calls that must not overlap, in the order in which they were made.

/** The same function, called again only when the call before has ended, however it ended. */
export function oneAtATime<Given, Result>(act: (given: Given) => Promise<Result>): (given: Given) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (given) => {
    const done = last.then(() => act(given))
    last = done.catch(() => {})
    return done
  }
}
