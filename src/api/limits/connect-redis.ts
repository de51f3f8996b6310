// A connection to the store of limits, by the address of one server or by Sentinels.
import { Redis, type RedisOptions } from 'ioredis'
import { sentinelAddressOf } from '../../platform/redis-address.ts'

const sentinelTimeoutMs = 2000
const longestPauseMs = 1000

/** What the constructor takes. */
type Options = Omit<RedisOptions, 'replyMapping'>

export function connectRedis(url: string, options: Options): Redis {
  const shared = {
    ...options,
    // a server that became a replica keeps its connections: the next one leads to the master
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  }
  const address = sentinelAddressOf(url)
  if (address === undefined) return new Redis(url, shared)
  const { sentinels, hasTls, ...named } = address
  const bySentinels: Options = {
    ...shared,
    ...named,
    sentinels: [...sentinels],
    failoverDetector: true,
    sentinelCommandTimeout: sentinelTimeoutMs,
    sentinelRetryStrategy: (attempt: number) => Math.min(attempt * 100, longestPauseMs),
    ...(hasTls && { tls: {}, enableTLSForSentinelMode: true }),
  }
  return new Redis(bySentinels)
}
