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

/**
 * Denials of a node that can have admitted at most fewer than its share in the minute before, and all nodes less than
 * the limit.
 */
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

/**
 * Requests that a node admitted after it had denied one, while the whole limit that it denied for surely still counted:
 * all of it was admitted, by any node, before the denial and less than a minute before.
 */
export function admittedAfterDenial(requests: readonly Request[], limit: number): readonly Request[] {
  const admitted = requests.filter(({ isAdmitted }) => isAdmitted)
  return admitted.filter((late) =>
    requests.some(
      (denied) =>
        !denied.isAdmitted &&
        denied.node === late.node &&
        denied.answeredMs <= late.sentMs &&
        admitted.filter(({ sentMs, answeredMs }) => answeredMs <= denied.sentMs && sentMs > late.answeredMs - minuteMs)
          .length >= limit,
    ),
  )
}
