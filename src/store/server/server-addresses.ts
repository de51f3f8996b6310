// Which servers DATABASE_URL names, and which of them is used: the first that accepts writes, until it no longer does.
import { OperatorError } from '../../platform/errors.ts'
import { readServerList, singleAddresses } from '../../platform/server-list.ts'
import { shellWord } from '../../platform/shell-word.ts'

/** What the server must accept, by the names of libpq. */
type Wanted = 'any' | 'read-write'

export type ServerAddresses = {
  /** An address for each server, without our own options. */
  readonly urls: readonly string[]
  readonly wanted: Wanted
}

const option = 'target_session_attrs'

/**
 * `postgres://user@host:5432,host:5432/name?target_session_attrs=read-write`. If there are several servers and no
 * option, the one that accepts writes is used. Throws OperatorError for anything but an address of PostgreSQL.
 */
export function serverAddresses(databaseUrl: string): ServerAddresses {
  const list = readServerList(databaseUrl)
  if (list === undefined || !/^postgres(?:ql)?$/.test(list.scheme))
    throw new OperatorError(
      'database-address',
      'DATABASE_URL is not of the form postgres://user:password@host:port/database; correct it. Several servers are written host:port,host:port.',
    )
  const addresses = singleAddresses(list).map((text) => new URL(text))
  const said = addresses[0]!.searchParams.get(option)
  for (const address of addresses) address.searchParams.delete(option)
  return { urls: addresses.map(({ href }) => href), wanted: wantedOf(said, list.hosts.length) }
}

function wantedOf(said: string | null, hosts: number): Wanted {
  if (said === null) return hosts > 1 ? 'read-write' : 'any'
  if (said === 'any') return 'any'
  if (said === 'read-write' || said === 'primary') return 'read-write'
  throw new OperatorError(
    'database-address',
    `The address of the database has ${option}=${said}, but it is written to: pass read-write or primary, or omit it.`,
  )
}

/** The same address, with options of its sessions besides its own: `-c search_path=other`. */
export function withOptions(databaseUrl: string, options: string): string {
  const [address, query] = databaseUrl.split('?', 2) as [string, string?]
  const parameters = new URLSearchParams(query)
  parameters.set('options', [parameters.get('options'), options].filter(Boolean).join(' '))
  // PostgreSQL reads a plus sign as itself
  return `${address}?${parameters.toString().replaceAll('+', '%20')}`
}

/** Hosts, ports and name, without user and password. */
export function shownAddress(databaseUrl: string): string {
  const urls = serverAddresses(databaseUrl).urls.map((text) => new URL(text))
  return `${urls.map(({ host }) => host).join(',')}${urls[0]!.pathname}`
}

/**
 * Why a database cannot be used, as a sentence that says what to do. `advice`: what to check when the server gives no
 * reason that we know.
 */
export function unusable(error: unknown, databaseUrl: string, advice: string): OperatorError {
  const address = shownAddress(databaseUrl)
  const { message, code } = error as { readonly message?: string; readonly code?: string }
  if (code === missingDatabase) {
    const name = decodeURIComponent(new URL(serverAddresses(databaseUrl).urls[0]!).pathname.slice(1))
    return new OperatorError(
      'no-database',
      `The database ${address} does not exist; create it on the server (createdb ${shellWord(name)}), or correct the name in the address.`,
      { cause: error },
    )
  }
  return new OperatorError(
    'database-unusable',
    `The database ${address} cannot be used (${message || code || 'no connection'}); ${advice}.`,
    {
      cause: error,
    },
  )
}

/** SQLSTATE of a connection to a database that does not exist. */
const missingDatabase = '3D000'

/**
 * A server refuses writes although one that accepts them is required. The code is that of a statement that it would
 * refuse.
 */
export class ReadOnlyServerError extends Error {
  readonly code = '25006'
  constructor(hosts: number) {
    super(hosts === 1 ? 'the server accepts no writes' : `none of the ${hosts} servers accepts writes`)
    this.name = 'ReadOnlyServerError'
  }
}
