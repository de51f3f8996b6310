// Waits for another process by counting turns of our own event loop. A timer alone would measure our own stalls: after
// one, it fires before the answer in the socket's buffer is read.

/** Thrown if the answer did not arrive while the event loop turned. */
export class LateAnswer extends Error {
  constructor() {
    super('no answer in time')
    this.name = 'LateAnswer'
  }
}

export type Patience = {
  /** Settles as `answer` does; rejects with LateAnswer if that takes too long. */
  readonly within: <Answer>(answer: Promise<Answer>) => Promise<Answer>
}

type Waiting = { readonly lastTurn: number; readonly giveUp: () => void }

/**
 * Waits for `turns` turns that begin `turnMs` apart. After the timer of each turn, everything that has arrived is read,
 * and only then does the turn count: a stall of any length is one turn. All waiting calls share one timer.
 */
export function createTurnPatience(turns: number, turnMs: number): Patience {
  // In the order in which they give up.
  const waiting = new Set<Waiting>()
  let turn = 0
  let isTurning = false
  const nextTurn = (): void => {
    isTurning = true
    // The poll for input happens between a timer and an immediate.
    setTimeout(() => setImmediate(endTurn), turnMs).unref()
  }
  const endTurn = (): void => {
    turn++
    for (const each of waiting) {
      if (each.lastTurn > turn) break
      waiting.delete(each)
      each.giveUp()
    }
    isTurning = false
    if (waiting.size > 0) nextTurn()
  }
  return {
    within: (answer) =>
      new Promise((resolve, reject) => {
        // The turn in progress may end at any moment.
        const each: Waiting = { lastTurn: turn + turns + 1, giveUp: () => reject(new LateAnswer()) }
        waiting.add(each)
        if (!isTurning) nextTurn()
        answer.then(
          (known) => {
            waiting.delete(each)
            resolve(known)
          },
          (error: unknown) => {
            waiting.delete(each)
            reject(error)
          },
        )
      }),
  }
}
