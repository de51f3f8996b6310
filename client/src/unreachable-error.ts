// No usable answer came, six times over half an hour, or the patience for one request ran out.

/** `cause` is the last fault: a connection that failed, a timeout, a body that broke off or is no JSON. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  /** How often the request was sent. */
  readonly attempts: number
  constructor(message: string, attempts: number, cause: unknown) {
    super(message, { cause })
    this.attempts = attempts
  }
}
