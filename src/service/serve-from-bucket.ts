// `tenderstock serve` with TENDERSTOCK_EDITIONS: the API alone, from a bucket. Nothing here asks a database.
import { createSecretKey } from 'node:crypto'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { bucketSource } from '../edition/write/bucket-source.ts'
import { type EditionLog, openEditionLog } from '../edition/write/edition-log.ts'
import { steadyClock, systemClock, systemSleep } from '../platform/clock.ts'
import type { BucketLocation } from '../platform/config.ts'
import { makeFolder } from '../platform/folders.ts'
import { openLog } from '../platform/log.ts'
import { systemRandom } from '../platform/random.ts'
import { createSealer } from '../platform/sealing.ts'
import { lowerHelperPriority } from '../platform/thread-priority.ts'
import { openBucket } from '../store/bucket.ts'
import { bucketUse } from './bucket-use.ts'
import { watchBucket } from './bucket-watch.ts'
import { followEditions, takeOver } from './follow-editions.ts'
import { findPort } from './listening-address.ts'
import { Metrics } from './metrics.ts'
import { openNodeState } from './node-state.ts'
import { aborted, type NodeOptions, openApi, rushMs } from './open-node.ts'
import { addressWarnings } from './public-addresses.ts'
import { ReaderMeters } from './reader-meters.ts'
import { serveMetrics } from './serve-metrics.ts'
import { openUseLedger } from './use-ledger.ts'
import { watchReadiness } from './watch-readiness.ts'

/** How long the bucket may take to answer before it counts as silent. */
const bucketTimeoutMs = 10_000

export async function serveFromBucket(options: NodeOptions, place: BucketLocation): Promise<void> {
  const { config, emit, stop, version, maxStalenessMs } = options
  const dataFolder = resolve(options.dataFolder)
  const log = openLog(options.logLevel)
  const clock = systemClock
  await using open = new AsyncDisposableStack()
  await findPort(options.apiHost, options.apiPort)
  if (options.metrics) await findPort(options.metrics.host, options.metrics.port, '--metrics-port')
  await makeFolder(dataFolder)
  const bucket = openBucket(place, {
    clock,
    sleep: systemSleep,
    random: systemRandom,
    version,
    named: 'the address in TENDERSTOCK_EDITIONS',
    timeoutMs: bucketTimeoutMs,
  })
  open.defer(bucket.close)
  const source = bucketSource(bucket)
  const sealer = createSealer(createSecretKey(config.secretKey!), systemRandom.bytes)
  const state = openNodeState()
  const editions = await openEditionLog(join(dataFolder, 'editions'), {
    clock,
    onWarning: (warning) => log.warn(warning),
  })
  open.defer(() => editions.close())
  emit({ event: 'opened', data: dataFolder, engine: 'bucket' })
  for (const message of addressWarnings({ config, host: options.apiHost })) emit({ event: 'warning', message })
  const watch = await watchBucket({ bucket, source, sealer, dataFolder, clock, steadyClock, state, log })
  open.defer(() => watch.close())
  const use = openUseLedger({ sink: bucketUse(bucket, sealer, systemRandom), clock, log })
  open.defer(() => use.close())
  const meters = options.metrics && new ReaderMeters()
  const opened = Promise.withResolvers<EditionLog>()
  opened.promise.catch(() => {})
  const api = openApi(options, {
    tokens: watch.tokens,
    cursorKeys: watch.cursorKeys,
    editions: opened.promise,
    state,
    log,
    clockShift: new Float64Array(new SharedArrayBuffer(8)),
    // limits of one organization are shared through Redis, but nobody knows here how many share them
    processCount: Int32Array.of(1),
    onUse: use.add,
    meters,
  })
  api.catch(() => {})
  let isListening = false
  const endApi = async () => {
    if (isListening && stop.aborted) {
      isListening = false
      state.drain()
      await delay(options.drainMs ?? 0)
    }
    opened.reject(new Error('the service is closing'))
    await api.then(
      ({ close }) => close(),
      () => {},
    )
  }
  open.defer(endApi)
  open.defer(() => editions.standDown())
  let lookedAt: number | undefined
  open.defer(
    followEditions({
      editions,
      source,
      database: watch,
      state,
      log,
      onLook: () => {
        lookedAt = clock()
      },
    }),
  )
  const readiness = watchReadiness({ editions, database: watch, state, dataFolder, steadyClock, maxStalenessMs })
  open.defer(readiness.close)
  await takeOver({ editions, source, log }, { isOlderAccepted: options.isOlderAccepted }).catch((error: unknown) => {
    // what the log holds is served
    if (!editions.newest) throw error
    log.warn({ error: String(error) }, 'the bucket gives no editions; the last one is served')
  })
  opened.resolve(editions)
  readiness.look()
  const { address } = await api
  isListening = !stop.aborted
  const afterRush = setTimeout(() => {
    editions.standBy()
    lowerHelperPriority()
  }, rushMs)
  open.defer(() => clearTimeout(afterRush))
  let metricsUrl: string | undefined
  if (options.metrics && meters) {
    const metrics = new Metrics(
      {
        dataFolder,
        version,
        clock,
        editions,
        state,
        database: watch,
        meters,
        lookedAt: () => lookedAt,
        readers: options.readers,
        hasSharedLimits: config.redisUrl !== undefined,
      },
      undefined,
    )
    open.defer(() => metrics.close())
    const served = await serveMetrics(options.metrics, metrics, log)
    open.defer(served.close)
    metricsUrl = served.url
  }
  emit({
    event: 'ready',
    api: address,
    ...(metricsUrl !== undefined && { metrics: metricsUrl }),
    edition: editions.newest?.edition ?? 0,
    records: editions.newest?.records ?? 0,
    data: dataFolder,
    docs: `${config.docsUrl ?? config.baseUrl ?? address}/access`,
  })
  await aborted(stop)
  emit({ event: 'stopping' })
  await endApi()
}
