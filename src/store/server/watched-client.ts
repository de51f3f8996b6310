// One connection to a PostgreSQL server whose socket we hold, so that it can be cut whatever the driver waits for.
import { Socket } from 'node:net'
import pg from 'pg'

/** How many rounds the goodbye of a connection (the message Terminate) may take. */
const longestGoodbyeRounds = 5

/** A statement failed because no answer came. Its code is that of a connection that timed out. */
export class SilentConnection extends Error {
  readonly code = 'ETIMEDOUT'
  constructor(reason: string) {
    super(`the connection was given up: ${reason}`)
    this.name = 'SilentConnection'
  }
}

/** Identifies a session of the server, even after a restart. */
export type Session = { readonly pid: number; readonly startedAt: string }

export class WatchedClient extends pg.Client {
  readonly socket: Socket
  /** Undefined behind a pooler that shares sessions: then the state of a statement cannot be checked. */
  session: Session | undefined
  /** Number that increases with every abandoned connection. A connection of an earlier generation is not reused. */
  generation = 0
  /** Index of the server. */
  server = 0
  /** It took no writes when the connection was made. */
  isReadOnly = false
  #goodbyeRounds = 0
  #isEnding = false

  constructor(config: pg.ClientConfig) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    this.socket = socket
  }

  override end(callback?: unknown): Promise<void> {
    this.#isEnding = true
    return (super.end as (callback?: unknown) => Promise<void>).call(this, callback)
  }

  /** Destroys the socket if the goodbye takes too long: on a dead connection nobody answers it. */
  endGoodbye(): void {
    if (this.#isEnding && ++this.#goodbyeRounds > longestGoodbyeRounds) this.socket.destroy()
  }

  /** Changes with every byte that is sent or received. */
  get progress(): number {
    return this.socket.bytesRead + this.socket.bytesWritten - this.socket.writableLength
  }
}
