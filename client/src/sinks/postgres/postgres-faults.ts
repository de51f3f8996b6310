// Errors of PostgreSQL, and of the way to it, as sentences that say what to do.
import { faultText } from '../../fault-text.ts'
import { SinkError } from '../faults/sink-error.ts'

/** Where a connection leads; the password is not part of it. */
export type PostgresPlace = {
  readonly host: string
  readonly port: number
  readonly user?: string | undefined
  readonly database?: string | undefined
}

const wordsOf: { readonly [code: string]: (message: string, place: PostgresPlace, at: string) => string } = {
  '28P01': (message, _, at) => `${at} refuses the account (${message}): check user and password.`,
  '28000': (message, _, at) =>
    `${at} refuses the account (${message}): check the user, and its line in pg_hba.conf on the server.`,
  '3D000': (message, { database }, at) =>
    `${at} has no such database (${message}): create it (createdb ${database}), or correct the URL.`,
  '42501': (message, { user }) =>
    `The account ${user} lacks a right (${message}): it needs CREATE on the database, or a schema that it owns.`,
  '25006': (message, _, at) =>
    `${at} only allows reading (${message}): name the server that accepts writes, with an account that may write.`,
  '53100': (_, __, at) => `The disk of ${at} is full: make space; the next run continues.`,
  '53300': (message, _, at) => `${at} has no free connection (${message}): the next run tries again.`,
  '42703': (message) => changed(message),
  '42P01': (message) => changed(message),
}

const changed = (message: string): string =>
  `The tables are not as this sink made them (${message}): undo the change, or drop the schema and run again.`

/** What a person can do about an error; any other error unchanged. */
export function postgresFaultOf(error: unknown, place: PostgresPlace): unknown {
  if (!(error instanceof Error) || error instanceof SinkError) return error
  const at = `PostgreSQL at ${place.host}:${place.port}`
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const words = wordsOf[code]
  if (words) return new SinkError(words(error.message, place, at), { cause: error })
  if ('severity' in error && error.severity !== 'ERROR')
    return new SinkError(`The connection to ${at} was ended: ${error.message} (${code}).`, { cause: error })
  if ('severity' in error)
    return new SinkError(`${at} refused a statement: ${error.message} (${code}).`, { cause: error })
  if ('syscall' in error || error.message === 'timeout expired')
    return new SinkError(`${at} cannot be reached: ${faultText(error)}.`, { cause: error })
  return error
}
