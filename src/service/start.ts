// The service: opens the stock, answers the API, and keeps reading, consolidating and publishing until it is stopped.
import { isIPv6 } from 'node:net'
import { join, resolve } from 'node:path'
import { cursorKeysOf } from '../api/cursors/cursor-key-source.ts'
import { tokenSourceOf } from '../api/token-source.ts'
import { dayMs, hourMs, minuteMs, toInstant } from '../domain/time.ts'
import { type CatchUpOptions, catchUp, type EditionLog, openEditionLog } from '../edition/write/edition-log.ts'
import { WrongEntriesError } from '../edition/write/log-state.ts'
import { OlderDatabaseError } from '../edition/write/take-over.ts'
import { watchSources } from '../ingest/watch-sources.ts'
import { type Clock, shiftableClock, systemClock, systemSleep } from '../platform/clock.ts'
import { type Config, sourceKey } from '../platform/config.ts'
import { OperatorError } from '../platform/errors.ts'
import { makeFolder } from '../platform/folders.ts'
import { openHttp } from '../platform/http.ts'
import { type Log, type LogLevel, openLog } from '../platform/log.ts'
import { type Random, systemRandom } from '../platform/random.ts'
import { lowerHelperPriority } from '../platform/thread-priority.ts'
import { within } from '../platform/within.ts'
import { conformantIntervalMs } from '../publish/publish.ts'
import { sampleEpoch } from '../simulator/samples/sample-documents.ts'
import { findPath } from '../sources/files.ts'
import { loadSources } from '../sources/registry.ts'
import { openStore, type Store } from '../store/database.ts'
import { type DatabaseClock, openDatabaseClock } from '../store/database-clock.ts'
import type { DocumentStore } from '../store/document-store.ts'
import { openDocumentStore } from '../store/open-document-store.ts'
import { loadTokens } from '../store/organizations.ts'
import { isPublicationBegun } from '../store/publication.ts'
import { loadRounds, type RoundState, saveRounds, whyFailing } from '../store/rounds.ts'
import { getOrCreateSetting } from '../store/settings.ts'
import type { Emit } from './command-event.ts'
import { listenForCommands } from './control-socket.ts'
import { type DatabaseWatch, watchDatabase } from './database-watch.ts'
import { startDeliveries } from './deliver-hits.ts'
import { type HitRounds, startHitRounds } from './hit-rounds.ts'
import { startLiveSources } from './live-sources.ts'
import { allowLoopbackWebhooks, webhookAddressRule } from './loopback-webhooks.ts'
import { type NodeState, openNodeState } from './node-state.ts'
import type { ServiceContext } from './operation-context.ts'
import {
  consolidateNow,
  fitValuesWhenDue,
  ingestPaths,
  isRebuildPending,
  publishNow,
  rebuild,
  runOperation,
} from './operations.ts'
import { contactOf } from './portal-access.ts'
import { countProcesses } from './process-count.ts'
import { addressWarnings, publicAddresses } from './public-addresses.ts'
import { startReaders } from './readers.ts'
import { type Rounds, type RunStage, startRounds } from './rounds.ts'
import { openSampleHits } from './sample-hits.ts'
import { openSampleSources, type SampleSources } from './sample-sources.ts'
import { shellWord } from './shell-word.ts'
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
  /** The draft fields RateLimit and RateLimit-Policy besides (D34). */
  readonly hasRateLimitFields: boolean
  readonly logLevel: LogLevel
  readonly config: Config
  readonly emit: Emit
  /** A database that lacks the newest editions of the log takes their place. */
  readonly isOlderAccepted: boolean
  /** Aborted by the first signal to stop. */
  readonly stop: AbortSignal
}

export type StartOptions = ServiceOptions & {
  readonly ingestPaths: readonly string[]
  /** Made-up notices from the simulator; ids of its sources, none for the usual ones. */
  readonly samples?: { readonly sources: readonly string[] }
  /** Reads the portals themselves; absent: it does not. */
  readonly live?: {
    /** IDs of the only sources to run; empty: all that are not off. */
    readonly sources: readonly string[]
    readonly workers: number
    /** `YYYY-MM-DD`. */
    readonly backfillSince?: string
  }
  /** Limit of the trial organization, which only samples have. */
  readonly requestsPerMinute?: number
  readonly publishIntervalMs: number
  readonly hasTrialClock: boolean
  /** Receivers of webhooks on this machine may be saved and reached. */
  readonly allowsLoopbackWebhooks: boolean
  /** Called with the trial token when it is made, where a person sees it. Never called again for this stock. */
  readonly showToken?: (plaintext: string) => void
}

/** Deadlines pass by the clock: no record stays open longer than this after its own. */
const longestTickMs = minuteMs / 2
/**
 * A reader shows an edition some seconds after its publication, one sooner and the next later. With this much more
 * than an hour between two publications, any reader shows them at least an hour apart (C5).
 */
const takeOverAllowanceMs = minuteMs
const serialPollMs = 1000
/** Maximum number of rounds between two attempts at an edition that did not come whole. */
const longestRefusedRounds = 60
const olderConcern =
  'The database lacks the newest editions that this node serves: the node still serves them, and nothing is published.'
const hitsConcern = 'Saved searches are not matched at the moment. Editions are published as usual.'
const refusedConcern = 'An edition from the database was incomplete: the previous one is still served.'
/** How often readers are told the state of the rounds. */
const roundsPollMs = 2000
/** How long one round of checks takes, in which every piece of the edition log is compared with its checksum. */
const checkRoundMs = dayMs
/**
 * How long the start has priority. Then the packer of large editions is loaded, and helper threads yield to the
 * readers.
 */
const rushMs = 5000
const watchMs = 5 * minuteMs
const heldPauseMs = 10 * minuteMs
/** How long work under way may take to end after a signal to stop. */
const longestFinishMs = 5_000
/** How long the first edition waits for the first reading of all portals. */
const longestFirstReadMs = 15 * minuteMs

/** Runs `tenderstock start` until `stop` is aborted. Returns when everything is closed. */
export async function start(options: StartOptions): Promise<void> {
  await checkNamed(options)
  if (options.live) contactOf(options.config)
  await using service = await openService(options, options.hasTrialClock)
  const { store, clock, random, emit, stop, log } = service
  const dataFolder = service.dataFolder
  if (options.live || options.samples) await claimStockKind(store, options.live ? 'live' : 'samples')
  if (options.publishIntervalMs < conformantIntervalMs) {
    emit({
      event: 'warning',
      message: `An edition every ${options.publishIntervalMs / minuteMs} minutes is for trials: the specification allows at most one an hour.`,
    })
  }
  const queue = workQueue()
  const serveNewest = () => takeOver(service)
  let rounds: Rounds | undefined
  let hits: HitRounds | undefined
  const place: ServiceContext = {
    store,
    dataFolder,
    clock,
    wallClock: service.databaseClock.now,
    random,
    queue,
    keyOf: sourceKey,
    config: options.config,
    version: options.version,
    ...(service.documentStore && { documentStore: service.documentStore }),
    publishIntervalMs: options.publishIntervalMs,
    databaseClock: service.databaseClock,
    // on a database that lost editions nothing is published until an operator agrees
    beforePublish: serveNewest,
    onPublished: async () => {
      hits?.run()
      await serveNewest()
    },
    rounds: () => rounds?.state(),
    signal: stop,
    ...(options.hasTrialClock && {
      advanceClock: async (ms: number) => {
        const now = service.shift(ms)
        rounds?.run()
        await queue.idle()
        await hits?.idle()
        return now
      },
    }),
  }
  const control = await listenForCommands(dataFolder, (request, emitTo) => runOperation(place, request, emitTo))
  if (control) service.defer(control.close)

  const tokenFile = await openTrial(service, options)
  await allowLoopbackWebhooks(store, options.allowsLoopbackWebhooks)
  const deliveries = startDeliveries({
    store,
    dataFolder,
    config: options.config,
    random,
    clock,
    wallClock: service.databaseClock.now,
    addresses: await webhookAddressRule(store, options.config),
    version: options.version,
    log,
    report: (concern) => service.state.report('webhooks', concern),
    onDisabled: (id, why) =>
      emit({ event: 'warning', message: `The webhook endpoint ${id} was disabled (${why}); its deliveries are held.` }),
  })
  service.defer(() => within(deliveries.close(), longestFinishMs))
  if (options.samples && options.allowsLoopbackWebhooks) {
    const receiver = await openSampleHits(place, emit).catch((error: unknown) => {
      if (!(error instanceof OperatorError)) throw error
      // a sealing key that is another one: all but the webhooks works
      emit({ event: 'warning', message: error.message })
      return undefined
    })
    if (receiver) service.defer(receiver.close)
  }
  await takeOver(service, { isOlderAccepted: options.isOlderAccepted })
  const api = await service.listen()
  let isReady = false
  const announce = () => {
    if (isReady || stop.aborted) return
    isReady = true
    const newest = service.editions.newest
    emit({
      event: 'ready',
      api,
      tokenFile: tokenFile ?? null,
      edition: newest?.edition ?? 0,
      records: newest?.records ?? 0,
      data: dataFolder,
      since: toInstant(newest ? newest.publishedAt - hourMs : clock()),
      docs: `${options.config.docsUrl ?? options.config.baseUrl ?? api}/access`,
    })
  }
  const found = service.editions.newest
  if (found) {
    emit({ event: 'found', edition: found.edition, records: found.records })
    announce()
  }

  const matching = startHitRounds({
    store,
    clock,
    stop,
    emit,
    onState: (sentence, error) => {
      service.state.report('hits', sentence === undefined ? undefined : hitsConcern)
      if (sentence === undefined) return
      log.error({ error: error instanceof Error ? traceOf(error) : String(error) }, sentence)
      emit({ event: 'warning', message: sentence })
    },
  })
  hits = matching
  service.defer(() => within(matching.close(), longestFinishMs))

  const samples = options.samples ? await openSamples(service, options.samples, options) : undefined
  const live = options.live ? await openLive(service, options.live, options) : undefined
  let heldUntil = 0
  let toldOfClockUntil = 0
  const startedAt = clock()
  let lookedAtModel = Number.NEGATIVE_INFINITY
  let watchedAt = Number.NEGATIVE_INFINITY
  /** Raises and clears the alarms of sources, before the gate reads them. */
  const watch = async () => {
    if (!live || clock() - watchedAt < watchMs) return
    watchedAt = clock()
    const hasKey = (setting: string) => sourceKey(setting) !== undefined
    const { raised, cleared } = await watchSources(store, { sources: await loadSources(), now: clock(), hasKey })
    for (const message of raised) emit({ event: 'warning', message })
    for (const alarm of cleared) emit({ event: 'alarmCleared', alarm })
  }
  /** One round. One of the clock is reported only when it did something. */
  const round = async (isFirst: boolean, stage: RunStage) => {
    // Runs before anything changes the stock and undoes an unfinished edition; this is also the way out if the
    // publication fails.
    const finish = async () => {
      if ((await isPublicationBegun(store.db)) && !(await isRebuildPending(place))) await publishWhenDue(isFirst)
    }
    await stage('Finishing a publication', finish, { isAside: true })
    if (isFirst && options.ingestPaths.length > 0)
      await stage('Reading the given notices', async () => void (await ingestPaths(place, options.ingestPaths, emit)))
    if (isFirst || clock() - readAt >= roundMs)
      await stage('Reading the sample portals', async () => {
        await samples?.read()
        readAt = clock()
      })
    await stage('Storing what portals deliver', async () => live?.throwFault(), { isAside: true })
    await stage('Rebuilding', async () => {
      if (!(await isRebuildPending(place))) return
      emit({ event: 'warning', message: 'A rebuild was interrupted; it will be repeated before the next publication.' })
      await rebuild(place, emit)
    })
    await stage('Consolidating', () =>
      consolidateNow(place, (event) => {
        if (isFirst || event.event !== 'consolidated' || event.changed > 0) emit(event)
      }),
    )
    const fit = async () => {
      if (clock() - lookedAtModel < hourMs) return
      await fitValuesWhenDue(place, (event) => {
        if (event.event !== 'valuesFitted' || event.version !== null) emit(event)
      })
      lookedAtModel = clock()
    }
    await stage('Estimating values', fit, { isAside: true })
    await stage('Watching the sources', watch)
    await stage('Publishing', () => publishWhenDue(isFirst))
  }
  const publishWhenDue = async (isFirst: boolean) => {
    const { newest } = service.editions
    const isConformant = options.publishIntervalMs >= conformantIntervalMs
    const waitMs = options.publishIntervalMs + (isConformant ? takeOverAllowanceMs : 0)
    // the first edition waits until every source was read once, or for a while
    const isFirstRead = !live || live.isCaughtUp() || clock() - startedAt >= longestFirstReadMs
    const isDue = newest ? clock() - newest.publishedAt >= waitMs : isFirstRead
    if (!isFirst && (!isDue || clock() < heldUntil)) return
    if (!newest && !isFirstRead) return
    const outcome = await publishNow(
      place,
      (event) => {
        if (event.event === 'clockDiffers') {
          service.state.report('publishing', event.message)
          if (clock() < toldOfClockUntil) return
          toldOfClockUntil = clock() + heldPauseMs
        }
        if (isFirst || (event.event !== 'nothingNew' && event.event !== 'tooEarly')) emit(event)
      },
      { minIntervalMs: options.publishIntervalMs },
    )
    if (outcome !== 'clockDiffers') service.state.report('publishing', undefined)
    // the gate looks again when something may have changed, and does not repeat itself with every round
    if (outcome === 'held') heldUntil = clock() + Math.min(options.publishIntervalMs, heldPauseMs)
  }

  // Sources once an hour (oftener in trials), deadlines and editions as they fall due.
  const roundMs = Math.min(hourMs, Math.max(options.publishIntervalMs, 1000))
  let readAt = Number.NEGATIVE_INFINITY
  rounds = startRounds({
    queue,
    clock,
    stop,
    everyMs: Math.min(longestTickMs, Math.max(250, options.publishIntervalMs / 4)),
    round,
    before: service.keptRounds,
    keep: (state) => saveRounds(store.db, state),
    dataFolder,
    onFailure: (message, error) => {
      log.error({ error: error instanceof Error ? traceOf(error) : String(error) }, message)
      emit({ event: 'warning', message })
    },
    onRecovery: (failedRounds) => emit({ event: 'recovered', failedRounds }),
  })
  service.tellRounds(rounds.state)
  await rounds.first
  if (!service.editions.newest && !stop.aborted) {
    emit({
      event: 'warning',
      message: live
        ? 'The portals are being read for the first time: the API answers 503 until the first edition, in a few minutes.'
        : 'The stock is empty: the API answers 503 until notices are read and an edition is published.',
    })
  }
  announce()

  await aborted(stop)
  emit({ event: 'stopping' })
  // a batch that is being written ends; what takes longer is cut off and done again at the next start
  const finished = within(Promise.all([queue.idle(), live?.done]), longestFinishMs)
  await Promise.all([service.endApi(), finished, within(rounds.close(), longestFinishMs)])
}

const traceOf = (error: Error): string =>
  [error, error.cause].flatMap((each) => (each instanceof Error ? [each.stack] : [])).join('\n')

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
        wallClock: service.databaseClock.now,
        random,
        queue: service.queue,
        keyOf: sourceKey,
        config: options.config,
        version: options.version,
        ...(service.documentStore && { documentStore: service.documentStore }),
        databaseClock: service.databaseClock,
        beforePublish: () => takeOver(service),
        onPublished: () => takeOver(service),
      },
      request,
      emitTo,
    ),
  )
  if (control) service.defer(control.close)
  await takeOver(service, { isOlderAccepted: options.isOlderAccepted })
  const api = await service.listen()
  const newest = service.editions.newest
  emit({
    event: 'ready',
    api,
    edition: newest?.edition ?? 0,
    records: newest?.records ?? 0,
    data: dataFolder,
    docs: `${options.config.docsUrl ?? options.config.baseUrl ?? api}/access`,
  })
  await aborted(stop)
  emit({ event: 'stopping' })
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
  /** What is wrong with this node; `/readyz` reports it. */
  readonly state: NodeState
  readonly databaseClock: DatabaseClock
  /** Starts the API and returns its address. */
  readonly listen: () => Promise<string>
  /** Takes no more requests and finishes those that run. */
  readonly endApi: () => Promise<void>
  /** Closed before what was deferred or opened earlier. */
  readonly defer: (close: () => Promise<unknown>) => void
  readonly shift: (ms: number) => number
  /** How the rounds went before this start. */
  readonly keptRounds: RoundState | undefined
  /** From then on `/readyz` reports the rounds of this process. */
  readonly tellRounds: (rounds: () => RoundState | undefined) => void
}

async function openService(options: ServiceOptions, hasTrialClock: boolean): Promise<Service> {
  const { config, emit, stop } = options
  const dataFolder = resolve(options.dataFolder)
  const log = openLog(options.logLevel)
  const clockShift = new Float64Array(new SharedArrayBuffer(8))
  const databaseClock = openDatabaseClock(systemClock)
  const shiftable = shiftableClock(databaseClock.now, clockShift)
  const clock = hasTrialClock ? shiftable.now : databaseClock.now
  const random = systemRandom
  const closers: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each()
  }
  try {
    // what would end the service later ends it before a database is made
    await findPort(options.apiHost, options.apiPort)
    await makeFolder(dataFolder)
    const documentStore = await openDocumentStore(config.documents, {
      clock: systemClock,
      sleep: systemSleep,
      random,
      version: options.version,
    })
    if (documentStore) closers.push(documentStore.close)
    const store = await openStore({
      dataFolder,
      onHousekeepingError: (error) => log.warn({ error: String(error) }, 'housekeeping failed; retrying'),
      ...(config.databaseUrl !== undefined && { databaseUrl: config.databaseUrl }),
      signal: stop,
    })
    closers.push(store.close)
    const state = openNodeState()
    const database = watchDatabase({ store, ownClock: systemClock, databaseClock, clock, state, log })
    closers.push(async () => database.close())
    emit({ event: 'opened', data: dataFolder, engine: store.engine })
    for (const message of addressWarnings({ config, host: options.apiHost })) emit({ event: 'warning', message })
    // from here on the time is the database's; without an answer the watch continues to ask
    await database.look().catch(() => {})
    for (const message of state.snapshot().degraded) emit({ event: 'warning', message })
    const keptRounds = await loadRounds(store.db)
    let ownRounds: (() => RoundState | undefined) | undefined
    const tellReaders = (rounds: RoundState | undefined) => {
      if (!rounds) return
      const { failedRounds, lastRoundAt } = rounds
      const isFailing = whyFailing(rounds, clock()) !== undefined
      state.setPipeline({ isFailing, failedRounds, ...(lastRoundAt !== undefined && { lastRoundAt }) })
      state.report('pipeline', isFailing ? 'No newer edition is published: an earlier stage fails.' : undefined)
    }
    tellReaders(keptRounds)
    const lookAtRounds = setInterval(() => {
      // what runs them knows more than it may have been able to keep
      if (ownRounds) tellReaders(ownRounds())
      else void loadRounds(store.db).then(tellReaders, () => {})
    }, roundsPollMs)
    closers.push(async () => clearInterval(lookAtRounds))
    // readers load while the log is read
    const opened = Promise.withResolvers<EditionLog>()
    const isShared = config.redisUrl !== undefined && store.engine !== 'embedded'
    const processes = isShared ? await countProcesses(store, random, log) : undefined
    if (processes) closers.push(processes.close)
    const openApi = async () => {
      const { apiHost: host, apiPort, readers: count, hasRateLimitFields, logLevel } = options
      const port = await findPort(host, apiPort)
      const address = `http://${hostOf(host)}:${port}`
      const readers = await startReaders({
        count,
        host,
        port,
        addresses: publicAddresses({ config, host }, address),
        editions: opened.promise,
        tokens: tokenSourceOf(store),
        cursorKeys: cursorKeysOf(store, { clock, randomBytes: random.bytes }),
        state,
        config,
        hasRateLimitFields,
        logLevel,
        clockShift,
        processCount: processes?.memory ?? Int32Array.of(1),
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
    const stopFollowing = followEditions(editions, { store, database, state, log })
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
      state,
      databaseClock,
      defer: (each) => closers.push(each),
      shift: shiftable.advance,
      keptRounds,
      tellRounds: (rounds) => {
        ownRounds = rounds
      },
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Takes over what is new. Without room for it, what the log holds is served, and `followEditions` tries again; so it does for an
 * edition that did not come whole. Throws OlderDatabaseError.
 */
async function takeOver({ editions, store, log }: Service, options: CatchUpOptions = {}): Promise<void> {
  try {
    await catchUp(editions, store, options)
  } catch (error) {
    if (error instanceof OlderDatabaseError) log.error(error.message)
    const isWaitedFor = error instanceof WrongEntriesError || editions.newest !== undefined
    if (!(error instanceof OperatorError) || error instanceof OlderDatabaseError || !isWaitedFor) throw error
    log.warn(error.message)
  }
}

/** Loads editions that other processes publish, and those that could not be loaded before; maintains the files. */
function followEditions(
  editions: EditionLog,
  { store, database, state, log }: Pick<Service, 'store' | 'state' | 'log'> & { readonly database: DatabaseWatch },
): () => void {
  let isBusy = false
  /** What did not come whole is requested again after 1, 2, 4 … rounds. */
  let pause = 0
  let waiting = 0
  let told = ''
  const look = async () => {
    if (isBusy) return
    if (waiting > 0) {
      waiting--
      return
    }
    isBusy = true
    try {
      const { edition } = await database.look()
      if (edition !== editions.serial || editions.isDamaged || editions.olderDatabase !== undefined)
        await catchUp(editions, store)
      told = ''
      pause = 0
      state.report('editions', undefined)
    } catch (error) {
      const isRefusal = error instanceof WrongEntriesError || error instanceof OlderDatabaseError
      if (told !== String(error)) {
        if (isRefusal) log.error(error.message)
        else log.warn({ error: String(error) }, 'cannot see new editions; the last one is still served')
      }
      told = String(error)
      if (isRefusal) {
        pause = Math.min(longestRefusedRounds, Math.max(1, 2 * pause))
        waiting = pause
        state.report('editions', error instanceof OlderDatabaseError ? olderConcern : refusedConcern)
      }
    } finally {
      editions.checkSome(serialPollMs / checkRoundMs)
      isBusy = false
    }
  }
  const timer = setInterval(() => void look(), serialPollMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** The file of the trial token. Without a token, says how to make one; the token itself is in no event. */
async function openTrial(service: Service, options: StartOptions): Promise<string | undefined> {
  const { store, clock, random, emit, dataFolder } = service
  const where = dataFolder === resolve('data') ? '' : ` --data ${shellWord(dataFolder)}`
  const say = (message: string) => emit({ event: 'none', message })
  if (!options.samples) {
    if ((await loadTokens(store.db)).length === 0)
      say(
        `Nobody has access yet: tenderstock organization create NAME${where}, then tenderstock token create NAME${where}`,
      )
    return undefined
  }
  const trial = await ensureTrialToken(store, {
    dataFolder,
    clock,
    random,
    ...(options.requestsPerMinute !== undefined && { requestsPerMinute: options.requestsPerMinute }),
  })
  if (trial.kind === 'gone') {
    say(`The trial token was revoked or is not in this folder; create another: tenderstock token create Trial${where}`)
    return undefined
  }
  if (trial.kind === 'made') options.showToken?.(trial.plaintext)
  return trial.file
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
        `Port ${port} on ${host} is in use; stop the program that listens there, or choose another with --api-port.`,
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
