// Which of the servers new connections go to, and which connections are still trusted.
import type { WatchedClient } from './watched-client.ts'

/** Where and when a connection was made. */
export type Made = Pick<WatchedClient, 'server' | 'generation'>

export class ServerInUse {
  readonly #urls: readonly string[]
  /** Index of the server. */
  #server = 0
  /** Increases when a server is left or a connection is given up: those made before are not reused. */
  #generation = 0

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  get url(): string {
    return this.#urls[this.#server]!
  }

  /** How many servers there are. */
  get count(): number {
    return this.#urls.length
  }

  /** A connection that begins, or was seen alive, now. */
  get made(): Made {
    return { server: this.#server, generation: this.#generation }
  }

  isCurrent({ generation }: Pick<Made, 'generation'>): boolean {
    return generation === this.#generation
  }

  /** Directs new connections to the next server; none that was made before is used again. */
  leave(made: Made): void {
    if (made.server !== this.#server || !this.isCurrent(made)) return
    this.#server = (this.#server + 1) % this.#urls.length
    this.#generation++
  }

  /** A connection is dead: the others that were made before have probably died of the same cause. */
  suspectAll(made: Pick<Made, 'generation'>): void {
    if (this.isCurrent(made)) this.#generation++
  }
}
