// Connects to the store of limits, by one server's address or through Sentinels.
import { Redis, type RedisOptions, type SentinelConnectionOptions, SentinelConnector } from 'ioredis'
import { sentinelAddressOf } from '../../platform/redis-address.ts'

const sentinelTimeoutMs = 2000
const longestPauseMs = 1000

/** Options of the constructor. */
type Options = Omit<RedisOptions, 'replyMapping'>

export function connectRedis(url: string, options: Options): Redis {
  const shared = {
    ...options,
    // a server that became a replica keeps its connections; a new one leads to the master
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
    sentinelRetryStrategy: pauseBefore,
    sentinelReconnectStrategy: pauseBefore,
    Connector: QuietSentinels,
    ...(hasTls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  }
  return new Redis(bySentinels)
}

const pauseBefore = (attempt: number): number => Math.min(attempt * 100, longestPauseMs)

/** Repairs two mistakes of ioredis's own. */
class QuietSentinels extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions)
    // It prints each error of the connections that wait for a failover; one of several Sentinels may be away.
    const connect = this['connectToSentinel'].bind(this)
    this['connectToSentinel'] = (...asked: Parameters<typeof connect>) => connect(...asked).on('error', () => {})
  }

  override connect(emit: Parameters<SentinelConnector['connect']>[0]) {
    // Whoever watched the last connection would break off this one when it learns of the failover, and ioredis never
    // tries again after that.
    this['failoverDetector']?.cleanup()
    return super.connect(emit)
  }
}
