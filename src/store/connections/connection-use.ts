// How the connections of a store are used now.

export type ConnectionUse = {
  readonly limit: number
  readonly used: number
  readonly idle: number
  /** Number of callers that wait for a connection. */
  readonly waiting: number
}
