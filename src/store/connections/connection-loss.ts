// Distinguishes a database that went away, which comes back, from our own error.
import { OperatorError } from '../../platform/errors.ts'
import { fullDiskSentence } from './full-disk.ts'

/**
 * Classes of SQLSTATE: connection exceptions; the server shutting down, after a crash of its own, or starting up; a
 * session that it ended because it was idle, within a transaction too; one that does not accept writes (any more),
 * because another server became the primary.
 */
const lossStates = /^(?:08...|57P0[1235]|25P03|25006)$/
const lossCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/**
 * What the driver and Kysely report, without a code, about a broken connection. Kysely discards one that could not roll
 * back.
 */
const lossMessages = new RegExp(
  String.raw`^(?:Connection terminated\b|Postgres connection has been discarded$|Cannot use a pool after calling end\b|` +
    String.raw`Client (?:has encountered a connection error|was closed)\b|` +
    'timeout (?:exceeded when trying to connect|expired)$)',
)

/** SQLSTATE of a wait for a lock that took too long. */
export const lockTimedOut = '55P03'

/** True if the work failed because the connection to the server broke, or none was available. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { readonly code?: unknown }
  if (typeof code === 'string' && (lossStates.test(code) || lossCodes.has(code))) return true
  return lossMessages.test(error.message) || isConnectionLoss(error.cause)
}

/** Turns a lost connection or a full disk into an OperatorError; returns any other error unchanged. */
export function asOperatorError(error: unknown, dataFolder: string): unknown {
  // a backup says itself what becomes of its parts
  if (error instanceof OperatorError && error.code === 'disk-full') return error
  const full = fullDiskSentence(error, dataFolder)
  if (full !== undefined)
    return new OperatorError('disk-full', `${full} Then run this again; unfinished work left no trace.`, {
      cause: error,
    })
  if (error instanceof Error && (error as { readonly code?: unknown }).code === lockTimedOut)
    return new OperatorError(
      'database-busy',
      `Another process keeps the database busy (${error.message}). Wait until it is done, or end that ` +
        'session (pg_terminate_backend), and run this again. Unfinished work left no trace.',
      { cause: error },
    )
  if (!isConnectionLoss(error) || error instanceof OperatorError) return error
  return new OperatorError(
    'database-lost',
    `The connection to the database was lost (${(error as Error).message}); check that the server runs, and run this again. Unfinished work left no trace.`,
    { cause: error },
  )
}
