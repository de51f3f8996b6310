// No usable answer came in six attempts over half an hour, or the maximum wait for one request was exceeded.
import { ClientError } from './client-error.ts'

/** `cause` is the last fault: a connection that failed, a timeout, a body that broke off or is no JSON. */
export class UnreachableError extends ClientError {
  override readonly name = 'UnreachableError'
  override readonly code = 'unreachable'
  /** How often the request was sent. */
  readonly attempts: number
  constructor(message: string, attempts: number, cause: unknown) {
    super(message, { cause })
    this.attempts = attempts
  }
}
