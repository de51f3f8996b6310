// Tells a database that went away, which comes back, from a fault of ours.
import { OperatorError } from '../platform/errors.ts'

/** Classes of SQLSTATE: connection exceptions; and the server shutting down, after a crash of its own, or starting up. */
const lossStates = /^(?:08...|57P0[123])$/
const lossCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
/** What the driver says, without a code, of a connection that broke. */
const lossMessages =
  /^(?:Connection terminated\b|Client has encountered a connection error\b|timeout exceeded when trying to connect$)/

/** True when the work failed because the connection to the server broke, or none could be had. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { readonly code?: unknown }
  if (typeof code === 'string' && (lossStates.test(code) || lossCodes.has(code))) return true
  return lossMessages.test(error.message) || isConnectionLoss(error.cause)
}

/** A lost connection as an error of the operator's; any other error as it stands. */
export function asOperatorError(error: unknown): unknown {
  if (!isConnectionLoss(error) || error instanceof OperatorError) return error
  return new OperatorError(
    `The connection to the database was lost (${(error as Error).message}); see that the server runs, and run this again. What was not finished left no trace.`,
    { cause: error },
  )
}
