// Addresses that name several servers, as libpq and the clients of Sentinel write them:
// scheme://user@host:port,host:port/name?option
export type ServerList = {
  readonly scheme: string
  /** With its @, still encoded; empty without a user. */
  readonly user: string
  /** host or host:port, at least one. */
  readonly hosts: readonly string[]
  /** What follows them, with its first slash. */
  readonly rest: string
}

const form = /^([a-z+]+):\/\/([^/?#]*@)?([^/?#@]*)([/?#].*)?$/i

/** Undefined for what is no such address. */
export function readServerList(text: string): ServerList | undefined {
  const [, scheme, user = '', hosts, rest = ''] = form.exec(text.trim()) ?? []
  if (scheme === undefined || hosts === undefined) return undefined
  const list = { scheme: scheme.toLowerCase(), user, hosts: hosts.split(','), rest }
  return list.hosts.every((host) => URL.canParse(`${list.scheme}://${user}${host}${rest}`)) ? list : undefined
}

/** The address of each server alone. */
export const singleAddresses = ({ scheme, user, hosts, rest }: ServerList): string[] =>
  hosts.map((host) => `${scheme}://${user}${host}${rest}`)
