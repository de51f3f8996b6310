// The same sliding log in Valkey or Redis: one script, the server's time, so that all nodes share one count exactly (C131).
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import {
  type Admission,
  bucketMs,
  type Limiter,
  type LocalLimiter,
  maxExactLimit,
  secondsUntil,
  windowMs,
} from './limiter.ts'
import { createSharedLimiter } from './limiter-shared.ts'

/** A shared count that takes longer is not worth waiting for. */
const defaultTimeoutMs = 50
// KEYS[1] a list of the moments at which requests stop to count, oldest first; ARGV limit, window, bucket (1 = exact).
// The time never falls below that of the newest request, even when the server's clock is set back.
const script = `
local limit, window, bucket = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local newest = redis.call('LINDEX', KEYS[1], -1)
if newest then
  local admitted = tonumber(newest) - window
  if bucket > 1 then admitted = admitted - bucket end
  if admitted > now then now = admitted end
end
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and tonumber(oldest) <= now do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local count = redis.call('LLEN', KEYS[1])
local allowed = 0
if count < limit then
  local leaves = now + window
  if bucket > 1 then leaves = math.floor(now / bucket) * bucket + bucket + window end
  if newest and tonumber(newest) > leaves then leaves = tonumber(newest) end
  redis.call('RPUSH', KEYS[1], string.format('%.0f', leaves))
  redis.call('PEXPIRE', KEYS[1], window + 2 * bucket + 1000)
  count = count + 1
  allowed = 1
end
local index = count - limit
if index < 0 then index = 0 end
return { allowed, count, string.format('%.0f', tonumber(redis.call('LINDEX', KEYS[1], index)) - now) }
`

type ScriptReply = readonly [allowed: number, count: number, waitMs: string]
type WithScript = Redis & {
  takeRequest: (key: string, limit: number, window: number, bucket: number) => Promise<ScriptReply>
}

/** Shared over all nodes; what happens when the store does not answer within 50 ms stands in limiter-shared.ts. */
export function createRedisLimiter(options: {
  readonly url: string
  readonly clock: Clock
  readonly log?: Log | undefined
  readonly keyPrefix?: string
  readonly timeoutMs?: number
  /** The count of this process while the store is down: one for all its threads; one of its own when left out. */
  readonly local?: LocalLimiter | undefined
}): Limiter {
  const { url, clock, log, keyPrefix = 'tenderstock:limit:', timeoutMs = defaultTimeoutMs, local } = options
  const redis = new Redis(url, {
    commandTimeout: timeoutMs,
    connectTimeout: 1000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
  }) as WithScript
  redis.defineCommand('takeRequest', { numberOfKeys: 1, lua: script })
  // Without a listener a lost connection would end the process; the breaker below reports it.
  redis.on('error', () => {})
  // The first requests after a start wait for the connection as long as for an answer.
  let connecting: Promise<void> | undefined = new Promise((resolve) => {
    redis.once('ready', () => {
      connecting = undefined
      resolve()
    })
  })

  async function takeShared(key: string, limit: number): Promise<Admission> {
    const bucket = limit > maxExactLimit ? bucketMs : 1
    const [allowed, count, waitMs] = await redis.takeRequest(keyPrefix + key, limit, windowMs, bucket)
    return {
      isAllowed: allowed === 1,
      limit,
      remaining: Math.max(0, limit - count),
      resetSeconds: secondsUntil(Number(waitMs), 0),
    }
  }

  return createSharedLimiter({
    takeShared: async (key, limit) => {
      if (connecting) await Promise.race([connecting, delay(timeoutMs, undefined, { ref: false })])
      return await takeShared(key, limit)
    },
    clock,
    log,
    local,
    close: async () => {
      redis.disconnect()
    },
  })
}
