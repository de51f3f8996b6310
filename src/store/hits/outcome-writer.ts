// Stores which messages were delivered: outcomes that arrive while others are being stored are stored together, in one
// statement.
import type { Executor } from '../database/database.ts'
import { type AttemptEffect, type Delivered, recordDelivered } from './deliveries.ts'

type Waiting = Delivered & Pick<PromiseWithResolvers<AttemptEffect>, 'resolve' | 'reject'>

export class OutcomeWriter {
  readonly #db: Executor
  #waiting: Waiting[] = []
  #isWriting = false

  constructor(db: Executor) {
    this.#db = db
  }

  /** Resolves when it is stored. */
  keep(delivered: Delivered): Promise<AttemptEffect> {
    const { promise, ...settle } = Promise.withResolvers<AttemptEffect>()
    this.#waiting.push({ ...delivered, ...settle })
    if (!this.#isWriting) void this.#write()
    return promise
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      const together = this.#waiting
      this.#waiting = []
      // one that cannot be stored must not prevent the others
      if (!(await this.#store(together))) await Promise.all(together.map((each) => this.#store([each])))
    }
    this.#isWriting = false
  }

  /** Returns false if several could not be stored together. */
  async #store(together: readonly Waiting[]): Promise<boolean> {
    try {
      const areLost = await recordDelivered(this.#db, together)
      for (const [index, { resolve }] of together.entries())
        resolve({ isLeaseLost: areLost[index]!, disabled: undefined })
    } catch (error) {
      if (together.length > 1) return false
      together[0]!.reject(error)
    }
    return true
  }
}
