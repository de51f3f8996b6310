// Addresses that name several servers, as libpq and the clients of Sentinel write them:
// scheme://user@host:port,host:port/name?option
export type ServerList = {
  readonly scheme: string
  /** Ends with @, still encoded; empty without a user. */
  readonly user: string
  /** host or host:port, at least one. */
  readonly hosts: readonly string[]
  /** The rest, beginning with its first slash. */
  readonly rest: string
}

const form = /^([a-z+]+):\/\/([^/?#]*@)?([^/?#@]*)([/?#].*)?$/i

/** Undefined for any other text. */
export function readServerList(text: string): ServerList | undefined {
  const [, scheme, user = '', hosts, rest = ''] = form.exec(text.trim()) ?? []
  if (scheme === undefined || hosts === undefined) return undefined
  const list = { scheme: scheme.toLowerCase(), user, hosts: hosts.split(','), rest }
  return list.hosts.every((host) => URL.canParse(`${list.scheme}://${user}${host}${rest}`)) ? list : undefined
}

/** The addresses of the individual servers. */
export const singleAddresses = ({ scheme, user, hosts, rest }: ServerList): string[] =>
  hosts.map((host) => `${scheme}://${user}${host}${rest}`)
