// The service: opens the stock, answers the API, and keeps reading, consolidating and publishing until it is told to stop.
import { isIPv6 } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cursorKeysOf } from '../api/cursor-key-source.ts'
import { tokenSourceOf } from '../api/token-source.ts'
import { dayMs, hourMs, minuteMs, toInstant } from '../domain/time.ts'
import { catchUp, type EditionLog, openEditionLog } from '../edition/edition-log.ts'
import { watchSources } from '../ingest/watch-sources.ts'
import { type Clock, shiftableClock, systemClock, systemSleep } from '../platform/clock.ts'
import { type Config, sourceKey } from '../platform/config.ts'
import { OperatorError } from '../platform/errors.ts'
import { makeFolder } from '../platform/folders.ts'
import { openHttp } from '../platform/http.ts'
import { type Log, type LogLevel, openLog } from '../platform/log.ts'
import { type Random, systemRandom } from '../platform/random.ts'
import { lowerHelperPriority } from '../platform/thread-priority.ts'
import { sampleEpoch } from '../simulator/samples/sample-documents.ts'
import { findPath } from '../sources/files.ts'
import { loadSources } from '../sources/registry.ts'
import { readSerials } from '../store/change-signal.ts'
import { isConnectionLoss } from '../store/connection-loss.ts'
import { openStore, type Store } from '../store/database.ts'
import type { DocumentStore } from '../store/document-store.ts'
import { openDocumentStore } from '../store/open-document-store.ts'
import { getOrCreateSetting } from '../store/settings.ts'
import { type Emit, listenForCommands } from './control-socket.ts'
import { startLiveSources } from './live-sources.ts'
import {
  consolidateNow,
  fitValuesWhenDue,
  ingestPaths,
  isRebuildPending,
  publishNow,
  rebuild,
  runOperation,
  type Workplace,
} from './operations.ts'
import { contactOf } from './portal-line.ts'
import { startReaders } from './readers.ts'
import { openSampleSources, type SampleSources } from './sample-sources.ts'
import { sourceNamed } from './source-operations.ts'
import { claimStockKind } from './stock-kind.ts'
import { ensureTrialToken } from './trial-token.ts'
import { workQueue } from './work-queue.ts'

export type ServiceOptions = {
  readonly version: string
  readonly dataFolder: string
  readonly apiHost: string
  readonly apiPort: number
  /** Threads that answer the API. */
  readonly readers: number
  readonly logLevel: LogLevel
  readonly config: Config
  readonly emit: Emit
  /** Aborted by the first signal to stop. */
  readonly stop: AbortSignal
}

export type StartOptions = ServiceOptions & {
  readonly ingestPaths: readonly string[]
  /** Made-up notices from the simulator; ids of its sources, none for the usual ones. */
  readonly samples?: { readonly sources: readonly string[] }
  /** Reads the portals themselves; absent: it does not. */
  readonly live?: {
    /** Ids of the only sources to run; empty: all that are not off. */
    readonly sources: readonly string[]
    readonly workers: number
    /** `YYYY-MM-DD`. */
    readonly backfillSince?: string
  }
  readonly requestsPerMinute?: number
  readonly publishIntervalMs: number
  readonly hasTrialClock: boolean
}

/** The specification's most frequent publication (sync.md P7). */
const conformantIntervalMs = hourMs
/** Deadlines pass by the clock: no record stays open longer than this after its own. */
const longestTickMs = minuteMs / 2
/**
 * A reader shows an edition some seconds after it was published, one sooner and the next later. With this much more than
 * an hour between two publications, at least an hour lies between what any reader shows (C5).
 */
const takeOverAllowanceMs = minuteMs
const serialPollMs = 1000
/** In this time every piece of the edition log is read again and compared with its checksum. */
const checkRoundMs = dayMs
/** The rush of the start is over: what packs large editions is loaded, and the threads that help give way to the readers. */
const rushMs = 5000
const watchMs = 5 * minuteMs
const heldPauseMs = 10 * minuteMs
const retryPauseMs = 1000
const longestFinishMs = 10_000
/** A first edition does not wait longer for the first reading of all portals. */
const longestFirstReadMs = 15 * minuteMs

/** Runs `tenderstock start` until `stop` is aborted. Returns when everything is closed. */
export async function start(options: StartOptions): Promise<void> {
  await checkNamed(options)
  await using service = await openService(options, options.hasTrialClock)
  const { store, clock, random, emit, stop, log } = service
  const dataFolder = service.dataFolder
  if (options.live) contactOf(options.config)
  if (options.live || options.samples) await claimStockKind(store, options.live ? 'live' : 'samples')
  if (options.publishIntervalMs < conformantIntervalMs) {
    emit({
      event: 'warning',
      message: `An edition every ${options.publishIntervalMs / minuteMs} minutes is for trials: the specification allows at most one an hour.`,
    })
  }
  const queue = workQueue()
  const serveNewest = () => takeOver(service)
  let tick: () => void = () => {}
  const place: Workplace = {
    store,
    dataFolder,
    clock,
    random,
    queue,
    keyOf: sourceKey,
    config: options.config,
    version: options.version,
    ...(service.documentStore && { documentStore: service.documentStore }),
    publishIntervalMs: options.publishIntervalMs,
    onPublished: serveNewest,
    signal: stop,
    ...(options.hasTrialClock && {
      advanceClock: async (ms: number) => {
        const now = service.shift(ms)
        tick()
        await queue.idle()
        return now
      },
    }),
  }
  const control = await listenForCommands(dataFolder, (request, emitTo) => runOperation(place, request, emitTo))
  if (control) service.defer(control.close)

  const token = await ensureTrialToken(store, {
    dataFolder,
    clock,
    random,
    ...(options.requestsPerMinute !== undefined && { requestsPerMinute: options.requestsPerMinute }),
  })
  await serveNewest()
  const api = await service.listen()
  let isReady = false
  const announce = () => {
    if (isReady || stop.aborted) return
    isReady = true
    const newest = service.editions.newest
    emit({
      event: 'ready',
      api,
      token: token ?? null,
      edition: newest?.edition ?? 0,
      records: newest?.records ?? 0,
      data: dataFolder,
      since: toInstant(newest ? newest.publishedAt - hourMs : clock()),
      docs: `${options.config.docsUrl ?? api}/access`,
    })
  }
  const found = service.editions.newest
  if (found) {
    emit({ event: 'found', edition: found.edition, records: found.records })
    announce()
  }

  const samples = options.samples ? await openSamples(service, options.samples, options) : undefined
  const live = options.live ? await openLive(service, options.live, options) : undefined
  const readSources = async () => {
    await samples?.read()
  }
  let heldUntil = 0
  const startedAt = clock()
  let lookedAtModel = Number.NEGATIVE_INFINITY
  let watchedAt = Number.NEGATIVE_INFINITY
  /** Raises and clears the alarms of sources, before the gate looks at them. */
  const watch = async () => {
    if (!live || clock() - watchedAt < watchMs) return
    watchedAt = clock()
    const hasKey = (setting: string) => sourceKey(setting) !== undefined
    const { raised, cleared } = await watchSources(store, { sources: await loadSources(), now: clock(), hasKey })
    for (const message of raised) emit({ event: 'warning', message })
    for (const alarm of cleared) emit({ event: 'alarmCleared', alarm })
  }
  /** One round of the later stages. A round of the clock is told of only when it did something. */
  const advance = async (isFirst: boolean) => {
    if (stop.aborted) return
    if (await isRebuildPending(place)) {
      emit({ event: 'warning', message: 'A rebuild was cut off; it is done again before anything is published.' })
      await rebuild(place, emit)
    }
    await consolidateNow(place, (event) => {
      if (isFirst || event.event !== 'consolidated' || Number(event.changed) > 0) emit(event)
    })
    if (clock() - lookedAtModel >= hourMs) {
      await fitValuesWhenDue(place, (event) => {
        if (event.event !== 'valuesFitted' || event.version !== null) emit(event)
      })
      lookedAtModel = clock()
    }
    await watch()
    const { newest } = service.editions
    const isConformant = options.publishIntervalMs >= conformantIntervalMs
    const waitMs = options.publishIntervalMs + (isConformant ? takeOverAllowanceMs : 0)
    // the first edition is worth waiting for until every source was asked once, or for a while
    const isFirstRead = !live || live.isCaughtUp() || clock() - startedAt >= longestFirstReadMs
    const isDue = newest ? clock() - newest.publishedAt >= waitMs : isFirstRead
    if (stop.aborted || (!isFirst && (!isDue || clock() < heldUntil))) return
    if (!newest && !isFirstRead) return
    const outcome = await publishNow(
      place,
      (event) => {
        if (isFirst || (event.event !== 'nothingNew' && event.event !== 'tooEarly')) emit(event)
      },
      { minIntervalMs: options.publishIntervalMs },
    )
    // the gate looks again when something may have changed, and does not repeat itself with every round
    if (outcome === 'held') heldUntil = clock() + Math.min(options.publishIntervalMs, heldPauseMs)
  }

  const firstRound = async () => {
    if (options.ingestPaths.length > 0) await ingestPaths(place, options.ingestPaths, emit)
    await readSources()
    await advance(true)
  }
  const first = queue.run('start', async () => {
    // what was read before the database went away changes nothing when it is read again
    while (!(await isDone(firstRound, emit)) && !stop.aborted)
      await delay(retryPauseMs, undefined, { signal: stop }).catch(() => {})
  })
  await Promise.race([first, aborted(stop)])
  if (!service.editions.newest && !stop.aborted) {
    emit({
      event: 'warning',
      message: live
        ? 'The portals are being read for the first time: the API answers 503 until the first edition, in a few minutes.'
        : 'The stock is empty: the API answers 503 until notices are read and an edition is published.',
    })
  }
  announce()

  // From here on by the clock: sources once an hour (oftener in trials), deadlines and editions as they fall due.
  const roundMs = Math.min(hourMs, Math.max(options.publishIntervalMs, 1000))
  let lastRoundAt = clock()
  let isQueued = false
  tick = () => {
    if (isQueued || stop.aborted) return
    isQueued = true
    void queue
      .run('round', async () => {
        isQueued = false
        if (clock() - lastRoundAt >= roundMs) {
          lastRoundAt = clock()
          await readSources()
        }
        await advance(false)
      })
      .catch((error: unknown) => {
        log.error(
          { error: error instanceof Error ? error.stack : String(error) },
          'a round failed; the next one tries again',
        )
        emit({
          event: 'warning',
          message: `A round failed and will be tried again: ${error instanceof Error ? error.message : String(error)}`,
        })
      })
  }
  const timer = setInterval(tick, Math.min(longestTickMs, Math.max(250, options.publishIntervalMs / 4)))
  await aborted(stop)
  clearInterval(timer)
  emit({ event: 'stopping' })
  await service.endApi()
  // a batch that is being written ends; what takes longer is cut off and done again at the next start
  first.catch(() => {})
  await Promise.race([
    Promise.all([queue.idle(), live?.done.catch(() => {})]),
    delay(longestFinishMs, undefined, { ref: false }),
  ])
}

/** Throws OperatorError for a source or path that does not exist, before anything is opened and the service called ready. */
async function checkNamed({ live, samples, ingestPaths }: StartOptions): Promise<void> {
  const named = live?.sources ?? samples?.sources.filter((id) => id !== 'all') ?? []
  if (named.length > 0) {
    const sources = await loadSources()
    for (const id of named) sourceNamed(sources, id)
  }
  for (const path of ingestPaths) await findPath(path)
}

/** Runs `tenderstock serve`: the API alone, from editions that another process publishes. */
export async function serve(options: ServiceOptions): Promise<void> {
  await using service = await openService(options, false)
  const { store, clock, random, emit, stop, dataFolder } = service
  const control = await listenForCommands(dataFolder, (request, emitTo) =>
    runOperation(
      {
        store,
        dataFolder,
        clock,
        random,
        queue: service.queue,
        keyOf: sourceKey,
        config: options.config,
        version: options.version,
        ...(service.documentStore && { documentStore: service.documentStore }),
        onPublished: () => takeOver(service),
      },
      request,
      emitTo,
    ),
  )
  if (control) service.defer(control.close)
  await takeOver(service)
  const api = await service.listen()
  const newest = service.editions.newest
  emit({
    event: 'ready',
    api,
    edition: newest?.edition ?? 0,
    records: newest?.records ?? 0,
    data: dataFolder,
    docs: `${options.config.docsUrl ?? api}/access`,
  })
  await aborted(stop)
  emit({ event: 'stopping' })
}

/** False when the database went away meanwhile: a service waits for it. */
async function isDone(round: () => Promise<void>, emit: Emit): Promise<boolean> {
  try {
    await round()
    return true
  } catch (error) {
    if (!isConnectionLoss(error)) throw error
    emit({ event: 'warning', message: `The database was lost, and is tried again: ${(error as Error).message}` })
    return false
  }
}

type Service = AsyncDisposable & {
  readonly store: Store
  /** Where raw documents are kept; absent: in the database. */
  readonly documentStore?: DocumentStore
  readonly dataFolder: string
  readonly editions: EditionLog
  readonly clock: Clock
  readonly random: Random
  readonly emit: Emit
  readonly stop: AbortSignal
  readonly log: Log
  readonly queue: ReturnType<typeof workQueue>
  /** Starts the API and returns its address. */
  readonly listen: () => Promise<string>
  /** Takes no more requests and finishes those that run. */
  readonly endApi: () => Promise<void>
  /** Closed before what was deferred or opened earlier. */
  readonly defer: (close: () => Promise<unknown>) => void
  readonly shift: (ms: number) => number
}

async function openService(options: ServiceOptions, hasTrialClock: boolean): Promise<Service> {
  const { config, emit, stop } = options
  const dataFolder = resolve(options.dataFolder)
  const log = openLog(options.logLevel)
  const clockShift = new Float64Array(new SharedArrayBuffer(8))
  const shiftable = shiftableClock(systemClock, clockShift)
  const clock = hasTrialClock ? shiftable.now : systemClock
  const random = systemRandom
  const closers: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each()
  }
  try {
    await makeFolder(dataFolder)
    const store = await openStore({
      dataFolder,
      onHousekeepingError: (error) => log.warn({ error: String(error) }, 'housekeeping failed; it is tried again'),
      ...(config.databaseUrl !== undefined && { databaseUrl: config.databaseUrl }),
    })
    closers.push(store.close)
    const documentStore = await openDocumentStore(config.documents, {
      clock: systemClock,
      sleep: systemSleep,
      random,
      version: options.version,
    })
    if (documentStore) closers.push(documentStore.close)
    emit({ event: 'starting', version: options.version, data: dataFolder, engine: store.engine, pid: process.pid })
    // readers load while the log is read
    const opened = Promise.withResolvers<EditionLog>()
    const openApi = async () => {
      const { apiHost: host, apiPort, readers: count, logLevel } = options
      const port = await findPort(host, apiPort)
      const address = `http://${hostOf(host)}:${port}`
      const readers = await startReaders({
        count,
        host,
        port,
        address,
        editions: opened.promise,
        tokens: tokenSourceOf(store),
        cursorKeys: cursorKeysOf(store, { clock, randomBytes: random.bytes }),
        config,
        logLevel,
        clockShift,
        clock: systemClock,
        log,
        stop,
        onLoss: (message) => emit({ event: 'warning', message }),
      }).catch((error: unknown) => {
        throw listenError(error as NodeJS.ErrnoException, host, port)
      })
      return { address, close: readers.close }
    }
    const api = openApi()
    const endApi = async () => {
      opened.reject(new Error('the service is closing'))
      await api.then(
        ({ close: closeReaders }) => closeReaders(),
        () => {},
      )
    }
    // whoever listens is told
    api.catch(() => {})
    opened.promise.catch(() => {})
    closers.push(endApi)
    const editions = await openEditionLog(join(dataFolder, 'editions'), {
      clock,
      onWarning: (warning) => log.warn(warning),
    })
    closers.push(async () => editions.standDown())
    const stopFollowing = followEditions(editions, store, log)
    closers.push(async () => stopFollowing())
    const listen = async () => {
      opened.resolve(editions)
      const { address } = await api
      const afterRush = setTimeout(() => {
        editions.standBy()
        lowerHelperPriority()
      }, rushMs)
      closers.push(async () => clearTimeout(afterRush))
      closers.push(endApi)
      return address
    }
    return {
      store,
      ...(documentStore && { documentStore }),
      dataFolder,
      editions,
      clock,
      random,
      emit,
      stop,
      log,
      listen,
      endApi,
      queue: workQueue(),
      defer: (each) => closers.push(each),
      shift: shiftable.advance,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Takes over what is new. Without room for it, what the log holds is served, and `followEditions` tries again. */
async function takeOver({ editions, store, log }: Service): Promise<void> {
  try {
    await catchUp(editions, store)
  } catch (error) {
    if (!(error instanceof OperatorError) || editions.newest === undefined) throw error
    log.warn(error.message)
  }
}

/** Takes over editions that other processes publish, and what could not be taken over before; looks after the files. */
function followEditions(editions: EditionLog, store: Store, log: Log): () => void {
  let seen = -1
  let isBusy = false
  let told = ''
  const look = async () => {
    if (isBusy) return
    isBusy = true
    try {
      const { edition } = await readSerials(store.db)
      if (edition !== seen || editions.isDamaged) {
        await catchUp(editions, store)
        seen = edition
      }
      told = ''
    } catch (error) {
      if (told !== String(error))
        log.warn({ error: String(error) }, 'new editions cannot be seen; the last one goes on being served')
      told = String(error)
    } finally {
      editions.checkSome(serialPollMs / checkRoundMs)
      isBusy = false
    }
  }
  const timer = setInterval(() => void look(), serialPollMs)
  timer.unref()
  return () => clearInterval(timer)
}

async function openLive(service: Service, live: NonNullable<StartOptions['live']>, { config, version }: StartOptions) {
  const contact = contactOf(config)
  const http = openHttp({ network: 'public' })
  service.defer(http.close)
  return startLiveSources({
    store: service.store,
    dataFolder: service.dataFolder,
    clock: service.clock,
    random: service.random,
    log: service.log,
    emit: service.emit,
    stop: service.stop,
    http,
    contact,
    version,
    keyOf: sourceKey,
    sources: await loadSources(),
    named: live.sources,
    workers: live.workers,
    ...(live.backfillSince !== undefined && { backfillSince: live.backfillSince }),
    ...(service.documentStore && { documentStore: service.documentStore }),
  })
}

async function openSamples(
  { store, clock, random, emit, stop, dataFolder, documentStore, defer }: Service,
  { sources }: NonNullable<StartOptions['samples']>,
  { version }: StartOptions,
): Promise<SampleSources> {
  // kept, so that a later start finds the same world, only older
  const epoch = Number(await getOrCreateSetting(store.db, 'sample-epoch', String(sampleEpoch(clock()))))
  const samples = await openSampleSources({
    store,
    dataFolder,
    clock,
    random,
    emit,
    stop,
    version,
    epoch,
    named: sources,
    ...(documentStore && { documentStore }),
  })
  defer(samples.close)
  return samples
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((done) => {
    if (signal.aborted) return done()
    signal.addEventListener('abort', () => done(), { once: true })
  })

/** How clients on this machine reach the host that the API listens on. */
function hostOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIPv6(host) ? `[${host}]` : host
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new OperatorError(
        `Port ${port} on ${host} is taken; stop what listens there, or choose another with --api-port.`,
        { cause: error },
      )
    case 'EACCES':
      return new OperatorError(`Port ${port} may not be used by this user; choose one above 1023 with --api-port.`, {
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new OperatorError(`This machine has no address ${host}; choose another with --api-host.`, { cause: error })
    case 'ENOTSUP':
    case 'EINVAL':
      return new OperatorError('This system cannot share a port between readers; start with --readers 1.', {
        cause: error,
      })
    default:
      return error
  }
}

/** The port itself, or a free one for 0. Readers share a port, so a second service there would not be noticed: it is tried alone. */
export async function findPort(host: string, wanted: number): Promise<number> {
  const { createServer } = await import('node:net')
  const server = createServer()
  await new Promise<void>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => fail(listenError(error, host, wanted)))
    server.listen(wanted, host, done)
  })
  const { port } = server.address() as import('node:net').AddressInfo
  await new Promise<void>((done) => server.close(() => done()))
  return port
}
