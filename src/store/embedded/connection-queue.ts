// Who may use the one connection: first come, first served.

/** A lock with a queue in order of arrival. */
export class ConnectionQueue {
  readonly #waiting: { readonly go: () => void; readonly refuse: (error: Error) => void }[] = []
  #isTaken = false
  #closedBecause: Error | undefined

  /** Waits for the connection; call `release` once when done. Rejects if the queue is or becomes closed. */
  async acquire(): Promise<void> {
    if (this.#closedBecause) throw this.#closedBecause
    if (!this.#isTaken) {
      this.#isTaken = true
      return
    }
    await new Promise<void>((go, refuse) => this.#waiting.push({ go, refuse }))
  }

  /** Whether it is taken, and how many wait. */
  get use(): { readonly isTaken: boolean; readonly waiting: number } {
    return { isTaken: this.#isTaken, waiting: this.#waiting.length }
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next) next.go()
    else this.#isTaken = false
  }

  /** Rejects all current and future callers; resolves when the current holder is done. */
  async close(reason: Error): Promise<void> {
    if (this.#closedBecause) return
    const waiting = this.#waiting.splice(0)
    const holderDone = this.#isTaken
      ? new Promise<void>((go, refuse) => this.#waiting.push({ go, refuse }))
      : Promise.resolve()
    this.#closedBecause = reason
    for (const { refuse } of waiting) refuse(reason)
    await holderDone
  }
}
