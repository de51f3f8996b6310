// Long work in short pieces, so that whoever else asks the database waits for one piece and not for the work.

/**
 * How long one piece is meant to take. The embedded engine has one connection, and a stranger waits for at most two pieces; on a
 * server nobody waits for another's statement, and a piece must only stay far below its time limit.
 */
const goalMs = { embedded: 25, server: 250 } as const
/** Minimum number of rows in a piece: with fewer the way to the database and back costs more than they do. */
const fewestRows = 50
/** Maximum number of rows in a piece, however quick the database is. */
const mostRows = 2000

/** Finds how many rows a piece may have on this machine, and goes on looking. */
export class Pace {
  readonly #goalMs: number
  #rows = 100

  /** An engine that is not known is taken for the one that must not be held up. */
  constructor(engine: keyof typeof goalMs = 'embedded') {
    this.#goalMs = goalMs[engine]
  }

  /** Runs one piece of at most `limit` rows, and takes its time as the measure for the next one. */
  async run<Result>(piece: (limit: number) => Promise<Result>): Promise<Result> {
    const startedAt = performance.now()
    const result = await piece(this.#rows)
    const factor = this.#goalMs / Math.max(1, performance.now() - startedAt)
    this.#rows = Math.round(Math.min(mostRows, Math.max(fewestRows, this.#rows * Math.min(2, Math.max(0.25, factor)))))
    return result
  }
}
