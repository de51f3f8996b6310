// How the connections of a store are used at one moment.

export type ConnectionUse = {
  readonly limit: number
  readonly used: number
  readonly idle: number
  /** Work that waits for a connection. */
  readonly waiting: number
}
