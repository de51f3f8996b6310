// The same sliding log in Valkey or Redis: one script and the server's time, so that all nodes share one exact count
// (C131).
import { setTimeout as delay } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { connectRedis } from './connect-redis.ts'
import { bucketMs, type Limiter, type LocalLimiter, maxExactLimit, windowMs } from './limiter.ts'
import { SharedLimiter } from './limiter-shared.ts'
import { createTurnPatience, type Patience } from './turn-patience.ts'

/** How long to wait for an answer, in turns of the event loop (turn-patience.ts): about 0.1 s of a loop that runs. */
const patienceTurns = 10
const turnMs = 10
/**
 * How long after it was sent the store still counts a request. Beyond it, the answer is not awaited, and the process
 * has decided alone: a store that was stopped does not, on waking, count earlier requests.
 */
const countedWithinMs = 1000
/** How long a start waits for the connection. */
const firstConnectMs = 1000
// KEYS[1] is a list of the moments at which requests stop counting, oldest first; ARGV is limit, window, bucket (1 =
// exact), and the time after which the request is no longer counted (0 = none). KEYS[2] exists as long as the store has
// lost nothing; if it is missing, the time becomes the new one. The time is never below that of the newest request,
// even if the server's clock is set back.
const script = `
local limit, window, bucket = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local clock = string.format('%.0f', now)
if tonumber(ARGV[4]) > 0 and now > tonumber(ARGV[4]) then return { -1, 0, '0', '', clock } end
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
local epoch = redis.call('GET', KEYS[2])
if not epoch then
  epoch = time[1] .. '.' .. time[2]
  redis.call('SET', KEYS[2], epoch)
end
local index = count - limit
if index < 0 then index = 0 end
return { allowed, count, string.format('%.0f', tonumber(redis.call('LINDEX', KEYS[1], index)) - now), epoch, clock }
`

/** `allowed` is -1 for a request that came too late to be counted. */
type ScriptReply = readonly [allowed: number, count: number, waitMs: string, epoch: string, clock: string]
type WithScript = Redis & {
  takeRequest: (
    ...args: [key: string, epochKey: string, limit: number, window: number, bucket: number, until: number]
  ) => Promise<ScriptReply>
}

/** Creates a limiter shared by all processes; limiter-shared.ts says what happens when the store does not answer. */
export function createRedisLimiter(options: {
  readonly url: string
  readonly clock: Clock
  readonly log?: Log | undefined
  readonly keyPrefix?: string
  readonly patience?: Patience
  /** Returns how many processes share the limit. */
  readonly processes?: (() => number) | undefined
  /** Count of this process, one for all its threads; default: a new one. */
  readonly local?: LocalLimiter | undefined
  /** Called when it starts or stops counting without the store. */
  readonly onSharing?: ((isSharing: boolean) => void) | undefined
}): Limiter & {
  /** Resolves when the store can be used, or after a second: until then, requests are counted without it. */
  readonly connected: Promise<void>
} {
  const { url, clock, log, keyPrefix = 'tenderstock:limit:', processes, local } = options
  // Commands have no timeout: it would be a timer of our own loop.
  const redis = connectRedis(url, {
    connectTimeout: 5000,
    keepAlive: 5000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
  }) as WithScript
  redis.defineCommand('takeRequest', { numberOfKeys: 2, lua: script })
  // Without a listener a lost connection would end the process; the count without the store reports it.
  redis.on('error', () => {})
  const ready = new Promise<void>((resolve) => void redis.once('ready', () => resolve()))
  /** Maximum by which the store's clock is ahead of ours; unknown before its first answer. */
  let aheadMs: number | undefined
  const hearTime = (storeMs: number, askedAt: number): void => {
    aheadMs = storeMs - askedAt
  }
  // A new connection may lead to another server.
  redis.on('ready', () => {
    const askedAt = clock()
    redis.time().then(
      ([seconds, micros]) => hearTime(Number(seconds) * 1000 + Math.floor(Number(micros) / 1000), askedAt),
      () => {},
    )
  })
  const limiter = new SharedLimiter({
    takeShared: async (key, limit) => {
      const bucket = limit > maxExactLimit ? bucketMs : 1
      const askedAt = clock()
      const until = aheadMs === undefined ? 0 : askedAt + aheadMs + countedWithinMs
      const keys = [`${keyPrefix}${key}`, `${keyPrefix}epoch`] as const
      const [allowed, count, waitMs, epoch, time] = await redis.takeRequest(...keys, limit, windowMs, bucket, until)
      hearTime(Number(time), askedAt)
      return { isAllowed: allowed === 1, count, waitMs: Number(waitMs), epoch, isExpired: allowed === -1 }
    },
    giveBack: (key) => redis.rpop(`${keyPrefix}${key}`),
    // A command that a replica or a full store would refuse. A connection whose greeting gets no answer, opened while
    // the network swallowed packets, counts as silent too.
    probe: () => (redis.status === 'connect' ? new Promise(() => {}) : redis.set(`${keyPrefix}probe`, '', 'PX', 1000)),
    clock,
    log,
    patience: options.patience ?? createTurnPatience(patienceTurns, turnMs),
    processes,
    local,
    onSharing: options.onSharing,
    reconnect: () => redis.disconnect(true),
    close: async () => {
      redis.disconnect()
    },
  })
  return {
    take: (key, limit) => limiter.take(key, limit),
    close: () => limiter.close(),
    connected: Promise.race([ready, delay(firstConnectMs, undefined, { ref: false })]),
  }
}
