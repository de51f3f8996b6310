// What REDIS_URL names: one server, or the Sentinels that know which server is the master.
import { OperatorError } from './errors.ts'
import { readServerList } from './server-list.ts'

export const redisSchemes: readonly string[] = [
  ...['redis', 'rediss', 'valkey', 'valkeys'],
  ...['redis+sentinel', 'rediss+sentinel', 'valkey+sentinel', 'valkeys+sentinel'],
]

/** Sentinels, and what to ask them for. */
export type SentinelAddress = {
  readonly sentinels: readonly { readonly host: string; readonly port: number }[]
  /** Name of the master that they monitor. */
  readonly name: string
  readonly db?: number
  /** Of the servers, not of the Sentinels. */
  readonly username?: string
  readonly password?: string
  readonly sentinelPassword?: string
  readonly hasTls: boolean
}

const sentinelPort = 26_379
const example = 'redis+sentinel://user:password@host:26379,host:26379/name-of-the-master'

/** Throws OperatorError for an address that names several servers or no master. Its value is never repeated. */
export function checkRedisAddress(url: string): void {
  const list = readServerList(url)
  if (list === undefined || (list.hosts.length > 1 && !list.scheme.endsWith('+sentinel')))
    throw new OperatorError('invalid-setting', `REDIS_URL names several servers; name their Sentinels: ${example}.`)
  sentinelAddressOf(url)
}

/** Undefined for the address of one server. */
export function sentinelAddressOf(url: string): SentinelAddress | undefined {
  const list = readServerList(url)
  if (list === undefined || !list.scheme.endsWith('+sentinel')) return undefined
  const { username, password, pathname, searchParams } = new URL(`redis://${list.user}host${list.rest}`)
  const [name = '', db, ...others] = pathname.slice(1).split('/').map(decodeURIComponent)
  if (name === '' || others.length > 0 || (db !== undefined && !/^\d+$/.test(db)))
    throw new OperatorError('invalid-setting', `REDIS_URL names no master of the Sentinels; write it like ${example}.`)
  const sentinelPassword = searchParams.get('sentinelPassword')
  return {
    sentinels: list.hosts.map((host) => {
      const { hostname, port } = new URL(`redis://${host}`)
      return { host: hostname.replace(/^\[(.+)\]$/, '$1'), port: port === '' ? sentinelPort : Number(port) }
    }),
    name,
    ...(db !== undefined && { db: Number(db) }),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(sentinelPassword !== null && { sentinelPassword }),
    hasTls: /^(?:rediss|valkeys)\+/.test(list.scheme),
  }
}
