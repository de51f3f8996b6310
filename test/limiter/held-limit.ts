// Checks from outside how a limit was applied: when each request was sent, when it was answered, and with what.

export const minuteMs = 60_000

/** One request. It was decided at some moment between the two times. */
export type Request = {
  readonly node: number
  readonly sentMs: number
  readonly answeredMs: number
  readonly isAdmitted: boolean
}

/** Requests that were certainly admitted within one minute that is entirely in the span: the maximum. */
export function peakWithin(requests: readonly Request[], fromMs: number, toMs: number): number {
  const admitted = requests.filter(
    ({ isAdmitted, sentMs, answeredMs }) => isAdmitted && sentMs >= fromMs && answeredMs <= toMs,
  )
  let peak = 0
  for (const start of [fromMs, ...admitted.map(({ sentMs }) => sentMs)]) {
    if (start + minuteMs > toMs) continue
    peak = Math.max(
      peak,
      admitted.filter(({ sentMs, answeredMs }) => sentMs >= start && answeredMs <= start + minuteMs).length,
    )
  }
  return peak
}

/** Denials of a node that may at most have admitted fewer than its share in the minute before, and all nodes less than the limit. */
export function denialsBelowShare(requests: readonly Request[], limit: number, nodes: number): readonly Request[] {
  const share = Math.floor(limit / nodes)
  const admitted = requests.filter(({ isAdmitted }) => isAdmitted)
  return requests.filter((denied) => {
    if (denied.isAdmitted) return false
    const before = admitted.filter(
      ({ sentMs, answeredMs }) => answeredMs > denied.sentMs - minuteMs && sentMs < denied.answeredMs,
    )
    return before.filter(({ node }) => node === denied.node).length < share && before.length < limit
  })
}
