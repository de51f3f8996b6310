// A reader: a thread that answers the API from the edition log that the main thread writes. It shares the log's columns
// and the rate limits with the other readers, has files and connections of its own, and asks the main thread for tokens
// and keys.
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { openAddresses } from '../../api/bulk/bulk-addresses.ts'
import { createBulkLinks } from '../../api/bulk/bulk-links.ts'
import type { BulkServing } from '../../api/bulk/bulk-serving.ts'
import { createCursorSealer } from '../../api/cursors/cursor.ts'
import { openCursorKeyRing } from '../../api/cursors/cursor-key-ring.ts'
import { createFloodGuard } from '../../api/limits/flood-guard.ts'
import type { Limiter } from '../../api/limits/limiter.ts'
import { MemoryLimiter } from '../../api/limits/limiter-memory.ts'
import { RequestCounts } from '../../api/request-counts.ts'
import { buildApi } from '../../api/server.ts'
import { openTokenTable } from '../../api/tokens/token-table.ts'
import { UseCounter } from '../../api/tokens/use-counter.ts'
import { FollowedLog } from '../../edition/read/log-feed.ts'
import { every, sharedTime, shiftableClock, steadyClock, systemClock } from '../../platform/clock.ts'
import { openLog } from '../../platform/log.ts'
import { systemRandom } from '../../platform/random.ts'
import type { CursorKey } from '../../store/editions/cursor-keys.ts'
import type { TokenGrant } from '../../store/people/organizations.ts'
import type { FromReader, ReaderQuestion, ReaderSettings, ToReader } from './reader-messages.ts'

const keysPauseMs = 500
/** Pause between two reports of token use. */
const usePauseMs = 1000

const port = parentPort
if (!port) throw new Error('a reader is a thread of the service, not a program')
const settings = workerData as ReaderSettings
const { config, limiterMemory, floodMemory, thread } = settings
const send = (message: FromReader) => port.postMessage(message)

/** Limits and pauses: setting the machine's clock neither forgets nor denies a request. */
const steady = shiftableClock(steadyClock, settings.clockShift).now
const random = systemRandom
const log = openLog(settings.logLevel)
let nodeState = settings.state
/** The time that all nodes share: one node's cursors and tokens are judged by others. */
const databaseClock = shiftableClock(() => sharedTime(nodeState.databaseAheadMs, systemClock), settings.clockShift).now
const editions = new FollowedLog({ clock: databaseClock, onDamage: () => send({ type: 'damaged' }) })

const asked = new Map<number, { readonly done: (value: unknown) => void; readonly fail: (error: Error) => void }>()
let questions = 0
function ask<Answer>(question: ReaderQuestion, ...parameters: readonly unknown[]): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    asked.set(++questions, { done: (value) => resolve(value as Answer), fail: reject })
    send({ type: 'ask', ask: questions, question, parameters })
  })
}
function answered(id: number): { readonly done: (value: unknown) => void; readonly fail: (error: Error) => void } {
  const waiting = asked.get(id)
  // a bug of the main thread: each question is answered once
  if (!waiting) throw new Error(`an answer to question ${id}, which was not asked`)
  asked.delete(id)
  return waiting
}

const prepared = Promise.withResolvers<{ readonly listen: () => Promise<void>; readonly stop: () => Promise<void> }>()
let isPrepared = false
port.on('message', (message: ToReader) => {
  switch (message.type) {
    case 'log':
      editions.apply(message.message)
      break
    case 'state':
      nodeState = message.state
      break
    case 'settle':
      send({ type: 'settled', turn: message.turn })
      break
    case 'answer':
      answered(message.ask).done(message.value)
      break
    case 'failure':
      answered(message.ask).fail(new Error(message.message))
      break
    case 'listen':
      void prepared.promise.then(({ listen }) => listen())
      break
    case 'stop':
      if (!isPrepared) process.exit()
      void prepared.promise.then(({ stop }) => stop()).then(() => port.close())
      break
  }
})

const tokens = await openTokenTable({
  source: {
    serial: () => ask<number>('tokenSerial'),
    load: () => ask<readonly TokenGrant[]>('tokens'),
    touch: (tokenIds, now) => ask<void>('touchTokens', tokenIds, now),
  },
  clock: databaseClock,
  known: await ask<readonly TokenGrant[]>('knownTokens'),
  log,
})
/** The database may be unreachable at the start: a reader waits for its first keys. */
async function openRing() {
  for (;;) {
    try {
      return await openCursorKeyRing({ load: () => ask<readonly CursorKey[]>('cursorKeys'), clock: steady })
    } catch (error) {
      log.warn({ error: String(error) }, 'cannot read the cursor keys yet; retrying')
      await delay(keysPauseMs)
    }
  }
}
const ring = await openRing()
const counts = settings.countMemory && new RequestCounts(settings.countMemory)
const local = new MemoryLimiter({ memory: limiterMemory, clock: steady, thread })
async function openLimiter(): Promise<Limiter> {
  if (config.redisUrl === undefined) return local
  const { createRedisLimiter } = await import('../../api/limits/limiter-redis.ts')
  const processes = () => Atomics.load(settings.processCount, 0)
  const onSharing = (isSharing: boolean) => {
    if (counts) counts.isSharingLimits = isSharing
  }
  onSharing(true)
  const shared = createRedisLimiter({ url: config.redisUrl, clock: steady, log, local, processes, onSharing })
  await shared.connected
  return shared
}
const addresses = settings.bulkBucket && openAddresses(settings.bulkBucket, systemClock)
const filesFrom = (folder: string): BulkServing => ({
  folder,
  addressOf: (name) => (nodeState.bulk?.inBucket?.includes(name) ? addresses?.(name) : undefined),
  state: () => nodeState.bulk,
  links: createBulkLinks({ ring, clock: databaseClock, randomBytes: random.bytes }),
  grantOf: tokens.grantOf,
})
const limiter = await openLimiter()
const use = new UseCounter(databaseClock)
const reportUse = () => {
  const counted = use.take()
  if (counted.length > 0) send({ type: 'use', use: counted })
}
const endReports = every(usePauseMs, reportUse)
const app = buildApi({
  reader: editions,
  tokens,
  limiter,
  cursors: createCursorSealer({ ring, clock: databaseClock, randomBytes: random.bytes }),
  clock: databaseClock,
  random,
  ...settings.addresses,
  unready: () => nodeState.unready,
  maintenanceUntil: () => nodeState.maintenanceUntil,
  degraded: () => nodeState.degraded,
  pipeline: () => nodeState.pipeline,
  hasDraftRateLimitHeaders: settings.hasRateLimitFields,
  connections: settings.connections && {
    ...settings.connections,
    thread,
    clock: steadyClock,
    warn: (message) => log.warn(message),
  },
  floodGuard: createFloodGuard(steady, undefined, { memory: floodMemory, thread }),
  use,
  counts,
  unsubscribe: (token) => ask<boolean>('unsubscribe', token),
  tools: {
    findTenders: (question) => ask('findTenders', question),
    findCodes: (question) => ask('findCodes', question),
  },
  version: settings.version,
  bulk: settings.bulkFolder === undefined ? undefined : filesFrom(settings.bulkFolder),
  log,
})
const stop = async () => {
  await app.close()
  endReports()
  reportUse()
  await tokens.close()
  await limiter.close()
  editions.close()
}
const listen = async () => {
  const { host, port: apiPort, isPortShared } = settings
  try {
    await app.listen({ host, port: apiPort, ...(isPortShared && { reusePort: true }) })
    send({ type: 'listening' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    send({ type: 'refused', code, message })
    await stop()
    port.close()
  }
}
isPrepared = true
prepared.resolve({ listen, stop })
