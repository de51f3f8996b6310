// The part of a process that answers the API, whether its editions come from a database or a bucket: the threads, the
// log of editions that they read, whether the node may receive requests, and its metrics.
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { bulkFolder } from '../../edition/bulk/bulk-state.ts'
import { type CatchUpOptions, type EditionLog, openEditionLog } from '../../edition/write/edition-log.ts'
import type { EditionSource, SourceStore } from '../../edition/write/edition-source.ts'
import { type Clock, steadyClock, systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import { makeFolder } from '../../platform/folders.ts'
import type { Log } from '../../platform/log.ts'
import type { LogLevel } from '../../platform/log-levels.ts'
import { lowerHelperPriority } from '../../platform/thread-priority.ts'
import { aborted } from '../../platform/within.ts'
import type { Store } from '../../store/database/database.ts'
import type { Emit } from '../events/command-event.ts'
import { Metrics, type StockContext } from '../metrics/metrics.ts'
import { publicAddresses } from '../readers/public-addresses.ts'
import { ReaderMeters } from '../readers/reader-meters.ts'
import { type ReadersOptions, startReaders } from '../readers/readers.ts'
import type { DatabaseWatch } from '../watch/database-watch.ts'
import type { NodeState } from '../watch/node-state.ts'
import { watchReadiness } from '../watch/watch-readiness.ts'
import { openBulkBucket } from './bulk-bucket.ts'
import { closeFiles } from './close-files.ts'
import { followEditions, takeOver } from './follow-editions.ts'
import { findPort, hostOf, type ListenAddress, listenError } from './listening-address.ts'
import { makeBulkFiles, removeBulkFiles } from './make-bulk-files.ts'
import type { Roles } from './roles.ts'
import { serveMetrics } from './serve-metrics.ts'
import type { UseLedger } from './use-ledger.ts'

/**
 * How long the start has priority. Afterwards the packer of large editions is loaded, and helper threads yield to the
 * readers.
 */
const rushMs = 5000

export type NodeOptions = {
  readonly version: string
  /** With `serve` the process answers the API. */
  readonly roles: Roles
  readonly dataFolder: string
  readonly apiHost: string
  readonly apiPort: number
  /** Threads that answer the API. */
  readonly readers: number
  /** Whether to send the draft fields RateLimit and RateLimit-Policy as well (D34). */
  readonly hasRateLimitFields: boolean
  readonly logLevel: LogLevel
  readonly config: Config
  readonly emit: Emit
  /** A database that lacks the newest editions of the log replaces them. */
  readonly isOlderAccepted: boolean
  /** How long a node without an answer from the database may receive requests. */
  readonly maxStalenessMs: number
  /** How long the node keeps answering after the signal to stop, so that load balancers notice; default 0. */
  readonly drainMs?: number
  /** Where /metrics listens; absent: nowhere. */
  readonly metrics?: ListenAddress
  /** Aborted by the first signal to stop. */
  readonly stop: AbortSignal
}

export type Answering = {
  readonly editions: EditionLog
  /** Serves the newest edition of the source immediately (follow-editions). */
  readonly takeOver: (options?: CatchUpOptions) => Promise<void>
  /** Starts the API and returns its address; without the role `serve` there is none. */
  readonly listen: () => Promise<string | undefined>
  /** Serves /metrics if it is enabled, and returns its URL. */
  readonly openMetrics: (stock?: StockContext) => Promise<string | undefined>
  /**
   * Announces that the node is stopping, and keeps answering while it drains; then accepts no more requests and
   * finishes those in progress.
   */
  readonly endApi: () => Promise<void>
}

/** Closes the data folder to others. Throws OperatorError when a port is in use, or it cannot be created. */
export async function checkPortsAndFolder({
  roles,
  apiHost,
  apiPort,
  metrics,
  dataFolder,
  config,
  emit,
}: NodeOptions): Promise<void> {
  if (roles.has('serve')) await findPort(apiHost, apiPort)
  if (metrics) await findPort(metrics.host, metrics.port, '--metrics-port')
  await makeFolder(resolve(dataFolder))
  await closeFiles({ dataFolder, ...config }, emit)
}

type AnsweringParts = Pick<ReadersOptions, 'tokens' | 'cursorKeys' | 'unsubscribe'> & {
  readonly dataFolder: string
  /** Absent in a node that reads a bucket. */
  readonly store?: Store
  readonly source: SourceStore | EditionSource
  readonly database: DatabaseWatch
  readonly clock: Clock
  readonly clockShift: Float64Array
  readonly state: NodeState
  readonly log: Log
  readonly processCount: Int32Array
  readonly onUse: UseLedger['add']
  /** When the last redaction was applied; 0 before the first. */
  readonly redactedAt: () => Promise<number>
  /** Called with functions that close parts of it, the newest first. */
  readonly defer: (close: () => void | Promise<void>) => void
}

export async function openAnswering(options: NodeOptions, parts: AnsweringParts): Promise<Answering> {
  const { store, dataFolder, source, database, clock, state, log, redactedAt, defer, ...answers } = parts
  const { version, stop, config, maxStalenessMs, drainMs = 0 } = options
  // readers start while the log is read
  const opened = Promise.withResolvers<EditionLog>()
  const meters = options.metrics && new ReaderMeters()
  const api = options.roles.has('serve')
    ? openApi(options, { ...answers, dataFolder, editions: opened.promise, state, log, meters })
    : undefined
  let isListening = false
  const endApi = async () => {
    if (isListening && stop.aborted) {
      isListening = false
      state.drain()
      await delay(drainMs)
    }
    opened.reject(new Error('the service is closing'))
    await api?.then(
      ({ close }) => close(),
      () => {},
    )
  }
  // its rejection reaches the code that awaits it
  api?.catch(() => {})
  opened.promise.catch(() => {})
  defer(endApi)
  const editions = await openEditionLog(join(dataFolder, 'editions'), {
    clock,
    onWarning: (warning) => log.warn(warning),
  })
  defer(() => editions.standDown())
  let lookedAt: number | undefined
  const onLook = () => {
    lookedAt = clock()
  }
  defer(followEditions({ editions, source, database, state, log, onLook }))
  const readiness = watchReadiness({ editions, database, state, dataFolder, steadyClock, maxStalenessMs })
  defer(readiness.close)
  return {
    editions,
    takeOver: (how) => takeOver({ editions, source, log }, how),
    listen: async () => {
      opened.resolve(editions)
      readiness.look()
      const address = (await api)?.address
      if (address !== undefined) {
        const { tokens } = answers
        const bucket = config.bulkFiles && openBulkBucket(config.bulkFiles, version)
        const bulk = makeBulkFiles({ editions, tokens, redactedAt, dataFolder, state, log, bucket })
        defer(() => bulk.close())
      } else await removeBulkFiles(dataFolder)
      isListening = address !== undefined && !stop.aborted
      const afterRush = setTimeout(() => {
        editions.standBy()
        lowerHelperPriority()
      }, rushMs)
      defer(() => clearTimeout(afterRush))
      defer(endApi)
      return address
    },
    openMetrics: async (stock) => {
      if (!options.metrics || !meters) return undefined
      const context = { dataFolder, version, clock, editions, state, database, meters, lookedAt: () => lookedAt }
      const hasSharedLimits = config.redisUrl !== undefined
      const metrics = new Metrics(
        { ...context, ...(store && { store }), readers: options.readers, hasSharedLimits },
        stock,
      )
      defer(() => metrics.close())
      const served = await serveMetrics(options.metrics, metrics, log)
      defer(served.close)
      return served.url
    },
    endApi,
  }
}

/** Where the API and its documentation are, for the ready event. */
export function addressesOf({ docsUrl, baseUrl }: Config, api: string | undefined): { api?: string; docs?: string } {
  const docs = docsUrl ?? baseUrl ?? api
  return { ...(api !== undefined && { api }), ...(docs !== undefined && { docs: `${docs}/access` }) }
}

/** Answers the API and nothing else until the signal to stop. */
export async function answerUntilStopped(
  { config, dataFolder, emit, stop }: NodeOptions,
  node: Answering,
): Promise<void> {
  const api = await node.listen()
  const metrics = await node.openMetrics()
  const { newest } = node.editions
  emit({
    event: 'ready',
    ...addressesOf(config, api),
    ...(metrics !== undefined && { metrics }),
    edition: newest?.edition ?? 0,
    records: newest?.records ?? 0,
    data: resolve(dataFolder),
  })
  await aborted(stop)
  emit({ event: 'stopping' })
  await node.endApi()
}

type ApiParts = Pick<
  ReadersOptions,
  | 'tokens'
  | 'cursorKeys'
  | 'unsubscribe'
  | 'editions'
  | 'state'
  | 'log'
  | 'clockShift'
  | 'processCount'
  | 'onUse'
  | 'meters'
> & { readonly dataFolder: string }

/** Starts the threads of the API. They listen once `editions` resolves. */
async function openApi(
  { version, apiHost: host, apiPort, readers: count, hasRateLimitFields, logLevel, emit, stop, config }: NodeOptions,
  { dataFolder, ...parts }: ApiParts,
): Promise<{ readonly address: string; readonly close: () => Promise<void> }> {
  const port = await findPort(host, apiPort)
  const address = `http://${hostOf(host)}:${port}`
  const readers = await startReaders({
    ...parts,
    version,
    bulkFolder: join(dataFolder, bulkFolder),
    count,
    host,
    port,
    addresses: publicAddresses({ config, host }, address),
    config,
    hasRateLimitFields,
    logLevel,
    clock: systemClock,
    stop,
    onLoss: (message) => emit({ event: 'warning', message }),
  }).catch((error: unknown) => {
    throw listenError(error as NodeJS.ErrnoException, host, port)
  })
  return { address, close: readers.close }
}
