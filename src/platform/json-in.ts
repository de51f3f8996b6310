// JSON from outside, which may be anything.

/** The value that a text holds as JSON; undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
