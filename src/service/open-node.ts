// What `start` and `serve` have in common: the open stock, the editions, and the threads that answer the API.
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cursorKeysOf } from '../api/cursors/cursor-key-source.ts'
import { tokenSourceOf } from '../api/token-source.ts'
import { type CatchUpOptions, type EditionLog, openEditionLog } from '../edition/write/edition-log.ts'
import { shiftableClock, steadyClock, systemClock, systemSleep } from '../platform/clock.ts'
import { type Config, sourceKey } from '../platform/config.ts'
import { makeFolder } from '../platform/folders.ts'
import { type Log, type LogLevel, openLog } from '../platform/log.ts'
import { systemRandom } from '../platform/random.ts'
import { lowerHelperPriority } from '../platform/thread-priority.ts'
import type { Serials } from '../store/change-signal.ts'
import { openDatabaseClock } from '../store/database-clock.ts'
import { openDocumentStore } from '../store/open-document-store.ts'
import { loadRounds, type RoundState } from '../store/rounds.ts'
import type { Emit } from './command-event.ts'
import { watchDatabase } from './database-watch.ts'
import { ExplorerAccess } from './explorer-access.ts'
import { followEditions, takeOver } from './follow-editions.ts'
import { findPort, hostOf, listenError } from './listening-address.ts'
import { unsubscribe } from './mail-digests.ts'
import { Metrics, type StockPlace } from './metrics.ts'
import { type NodeState, openNodeState } from './node-state.ts'
import { awaitDatabase, openStock } from './open-stock.ts'
import type { ServiceContext } from './operation-context.ts'
import { countProcesses } from './process-count.ts'
import { addressWarnings, publicAddresses } from './public-addresses.ts'
import { ReaderMeters } from './reader-meters.ts'
import { type ReadersOptions, startReaders } from './readers.ts'
import { type MetricsAddress, serveMetrics } from './serve-metrics.ts'
import { ShownRounds } from './shown-rounds.ts'
import { databaseUse, openUseLedger, type UseLedger } from './use-ledger.ts'
import { watchReadiness } from './watch-readiness.ts'
import { workQueue } from './work-queue.ts'

/**
 * How long the start has priority. Then the packer of large editions is loaded, and helper threads yield to the
 * readers.
 */
export const rushMs = 5000

export type NodeOptions = {
  readonly version: string
  readonly dataFolder: string
  readonly apiHost: string
  readonly apiPort: number
  /** Threads that answer the API. */
  readonly readers: number
  /** The draft fields RateLimit and RateLimit-Policy besides (D34). */
  readonly hasRateLimitFields: boolean
  readonly logLevel: LogLevel
  readonly config: Config
  readonly emit: Emit
  /** A database that lacks the newest editions of the log takes their place. */
  readonly isOlderAccepted: boolean
  /** How long a node without an answer of the database may receive requests. */
  readonly maxStalenessMs: number
  /** How long the node keeps answering after the signal to stop, so that load balancers notice; 0 when left out. */
  readonly drainMs?: number
  /** Where /metrics listens; absent: nowhere. */
  readonly metrics?: MetricsAddress
  /** Aborted by the first signal to stop. */
  readonly stop: AbortSignal
}

/** A process of the service with everything open. It closes what was opened or deferred, the newest first. */
export type OpenNode = AsyncDisposable & {
  /** What an operation has to work with. */
  readonly context: ServiceContext
  readonly editions: EditionLog
  readonly emit: Emit
  readonly stop: AbortSignal
  readonly log: Log
  /** What is wrong with this node; `/readyz` reports it. */
  readonly state: NodeState
  /** What `/readyz` says of the rounds. */
  readonly shownRounds: ShownRounds
  /** How the rounds went before this start. */
  readonly keptRounds: RoundState | undefined
  /** It started without the database. */
  readonly isAlone: boolean
  readonly explorer: ExplorerAccess
  /** What changed last, by topic. */
  readonly look: () => Promise<Serials>
  /** Moves the clock of a trial. */
  readonly shift: (ms: number) => number
  /** Serves the newest edition of the database at once (follow-editions). */
  readonly takeOver: (options?: CatchUpOptions) => Promise<void>
  /** Starts the API and returns its address. */
  readonly listen: () => Promise<string>
  /** Serves /metrics, where it is wanted, and returns its URL. */
  readonly openMetrics: (stock?: StockPlace) => Promise<string | undefined>
  /**
   * Announces that the node stops, and keeps answering while it drains; then takes no more requests and finishes
   * those that run.
   */
  readonly endApi: () => Promise<void>
  /** Closed before what was deferred or opened earlier. */
  readonly defer: (close: () => unknown) => void
}

export async function openNode(
  options: NodeOptions,
  { hasTrialClock, startsAlone }: { readonly hasTrialClock: boolean; readonly startsAlone: boolean },
): Promise<OpenNode> {
  const { config, emit, stop, version } = options
  const dataFolder = resolve(options.dataFolder)
  const log = openLog(options.logLevel)
  const clockShift = new Float64Array(new SharedArrayBuffer(8))
  const databaseClock = openDatabaseClock(systemClock)
  const shiftable = shiftableClock(databaseClock.now, clockShift)
  const clock = hasTrialClock ? shiftable.now : databaseClock.now
  const random = systemRandom
  // closed here when the service does not open
  await using opening = new AsyncDisposableStack()

  // what would end the service later ends it before a database is made
  await findPort(options.apiHost, options.apiPort)
  if (options.metrics) await findPort(options.metrics.host, options.metrics.port, '--metrics-port')
  await makeFolder(dataFolder)
  const documentStore = await openDocumentStore(config.documents, {
    clock: systemClock,
    sleep: systemSleep,
    random,
    version,
  })
  if (documentStore) opening.defer(documentStore.close)
  const { store, kept, awaited } = await openStock(options, { dataFolder, log, startsAlone, random })
  opening.defer(store.close)
  const state = openNodeState()
  const database = watchDatabase({
    ...{ store, ownClock: systemClock, steadyClock, databaseClock, clock, state, log },
    ...(awaited && { silentMs: awaited.silentMs }),
  })
  opening.defer(() => database.close())
  if (kept) opening.defer(kept.follow({ clock: databaseClock.now, isAnswering: database.isAnswering }))
  if (awaited) opening.defer(awaitDatabase(awaited, { state, log, emit }))
  emit({ event: 'opened', data: dataFolder, engine: store.engine })
  for (const message of addressWarnings({ config, host: options.apiHost })) emit({ event: 'warning', message })
  // from here on the time is the database's; without an answer the watch continues to ask
  await database.look().catch(() => {})
  for (const message of state.snapshot().degraded) emit({ event: 'warning', message })
  const keptRounds = awaited ? undefined : await loadRounds(store.db)
  const shownRounds = new ShownRounds(store, clock, state, keptRounds)
  opening.defer(() => shownRounds.close())
  const isShared = config.redisUrl !== undefined && store.engine !== 'embedded'
  const processes = isShared ? await countProcesses(store, random, log) : undefined
  if (processes) opening.defer(processes.close)

  const context: ServiceContext = {
    store,
    dataFolder,
    clock,
    wallClock: databaseClock.now,
    random,
    queue: workQueue(),
    keyOf: sourceKey,
    config,
    version,
    ...(documentStore && { documentStore }),
    databaseClock,
  }
  const explorer = new ExplorerAccess(random)
  opening.defer(() => explorer.close())
  const use = openUseLedger({ sink: databaseUse(store), clock, log })
  opening.defer(() => use.close())
  // readers load while the log is read
  const opened = Promise.withResolvers<EditionLog>()
  const meters = options.metrics && new ReaderMeters()
  let lookedAt: number | undefined
  const tokens = tokenSourceOf(store)
  const cursorKeys = cursorKeysOf(store, { clock, randomBytes: random.bytes })
  const api = openApi(options, {
    tokens: explorer.extend(kept?.keepTokens(tokens) ?? tokens),
    cursorKeys: kept?.keepCursorKeys(cursorKeys) ?? cursorKeys,
    unsubscribe: (token) => unsubscribe({ store, dataFolder, config, random }, token),
    editions: opened.promise,
    state,
    log,
    clockShift,
    processCount: processes?.memory ?? Int32Array.of(1),
    onUse: use.add,
    meters,
  })
  let isListening = false
  const endApi = async () => {
    const { drainMs = 0 } = options
    if (isListening && stop.aborted) {
      isListening = false
      state.drain()
      await delay(drainMs)
    }
    opened.reject(new Error('the service is closing'))
    await api.then(
      ({ close }) => close(),
      () => {},
    )
  }
  // its rejection reaches whoever awaits it
  api.catch(() => {})
  opened.promise.catch(() => {})
  opening.defer(endApi)
  const editions = await openEditionLog(join(dataFolder, 'editions'), {
    clock,
    onWarning: (warning) => log.warn(warning),
  })
  opening.defer(() => editions.standDown())
  const onLook = () => {
    lookedAt = clock()
  }
  opening.defer(followEditions({ editions, source: store, database, state, log, onLook }))
  const { maxStalenessMs } = options
  const readiness = watchReadiness({ editions, database, state, dataFolder, steadyClock, maxStalenessMs })
  opening.defer(readiness.close)
  const open = opening.move()
  return {
    context,
    editions,
    emit,
    stop,
    log,
    state,
    shownRounds,
    keptRounds,
    isAlone: awaited !== undefined,
    explorer,
    look: database.look,
    shift: shiftable.advance,
    takeOver: (how) => takeOver({ editions, source: store, log }, how),
    listen: async () => {
      opened.resolve(editions)
      readiness.look()
      const { address } = await api
      isListening = !stop.aborted
      const afterRush = setTimeout(() => {
        editions.standBy()
        lowerHelperPriority()
      }, rushMs)
      open.defer(() => clearTimeout(afterRush))
      open.defer(endApi)
      return address
    },
    openMetrics: async (stock) => {
      if (!options.metrics || !meters) return undefined
      const place = { store, dataFolder, version, clock, editions, state, database, meters, lookedAt: () => lookedAt }
      const metrics = new Metrics(
        { ...place, readers: options.readers, hasSharedLimits: config.redisUrl !== undefined },
        stock,
      )
      open.defer(() => metrics.close())
      const served = await serveMetrics(options.metrics, metrics, log)
      open.defer(served.close)
      return served.url
    },
    endApi,
    defer: (close) => open.defer(async () => void (await close())),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export type ApiParts = Pick<ReadersOptions, 'tokens' | 'cursorKeys' | 'unsubscribe'> & {
  readonly editions: Promise<EditionLog>
  readonly state: NodeState
  readonly log: Log
  readonly clockShift: Float64Array
  readonly processCount: Int32Array
  readonly onUse: UseLedger['add']
  readonly meters: ReaderMeters | undefined
}

/** Starts the threads of the API. They listen once `editions` resolves. */
export async function openApi(
  { apiHost: host, apiPort, readers: count, hasRateLimitFields, logLevel, emit, stop, config }: NodeOptions,
  parts: ApiParts,
): Promise<{ readonly address: string; readonly close: () => Promise<void> }> {
  const port = await findPort(host, apiPort)
  const address = `http://${hostOf(host)}:${port}`
  const readers = await startReaders({
    ...parts,
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

/** Resolves when the signal is aborted. */
export const aborted = (signal: AbortSignal) =>
  new Promise<void>((done) => {
    if (signal.aborted) return done()
    signal.addEventListener('abort', () => done(), { once: true })
  })
