// Long work in short pieces, so that other users of the database wait for one piece and not for all the work.

/**
 * Target duration of one piece. The embedded engine has one connection, and another user waits for at most two pieces;
 * on a server no user waits for another's statement, and a piece must only stay far below its time limit.
 */
const goalMs = { embedded: 25, server: 250 } as const
/** Minimum number of rows in a piece: with fewer, the round trip to the database costs more than the rows do. */
const fewestRows = 50
/** Maximum number of rows in a piece, however fast the database is. */
const maxRows = 2000

/** Finds how many rows a piece may have on this machine, and keeps measuring. */
export class Pace {
  readonly #goalMs: number
  #rows = 100

  /** An unknown engine is treated as the one that must not be delayed. */
  constructor(engine: keyof typeof goalMs = 'embedded') {
    this.#goalMs = goalMs[engine]
  }

  /**
   * How many rows each piece may have, without an end. The body of the loop is the piece: it is measured to choose the
   * size of the next one. `between` is called between two pieces.
   */
  async *limits(between?: () => Promise<void>): AsyncGenerator<number> {
    for (;;) {
      const startedAt = performance.now()
      try {
        yield this.#rows
      } finally {
        this.#measure(performance.now() - startedAt)
      }
      await between?.()
    }
  }

  /** Runs one piece of at most `limit` rows, and measures it to choose the size of the next one. */
  async run<Result>(piece: (limit: number) => Promise<Result>): Promise<Result> {
    const startedAt = performance.now()
    const result = await piece(this.#rows)
    this.#measure(performance.now() - startedAt)
    return result
  }

  #measure(tookMs: number): void {
    const factor = this.#goalMs / Math.max(1, tookMs)
    this.#rows = Math.round(Math.min(maxRows, Math.max(fewestRows, this.#rows * Math.min(2, Math.max(0.25, factor)))))
  }
}
