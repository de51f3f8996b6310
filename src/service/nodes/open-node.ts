// What `start` and `serve` have in common: the open stock, the editions, and the threads that answer the API.
import { resolve } from 'node:path'
import { cursorKeysOf } from '../../api/cursors/cursor-key-source.ts'
import { tokenSourceOf } from '../../api/tokens/token-source.ts'
import { shiftableClock, steadyClock, systemClock, systemSleep } from '../../platform/clock.ts'
import { sourceKey } from '../../platform/config.ts'
import { type Log, openLog } from '../../platform/log.ts'
import { systemRandom } from '../../platform/random.ts'
import type { Serials } from '../../store/database/change-signal.ts'
import { openDatabaseClock } from '../../store/database/database-clock.ts'
import { untilWritten } from '../../store/database/until-written.ts'
import { lastRedaction } from '../../store/editions/edition-export.ts'
import { openDocumentStore } from '../../store/files/open-document-store.ts'
import { loadRounds, type RoundState } from '../../store/nodes/rounds.ts'
import type { ServiceContext } from '../control/operation-context.ts'
import { workQueue } from '../control/work-queue.ts'
import type { Emit } from '../events/command-event.ts'
import { unsubscribe } from '../hits/mail-digests.ts'
import { addressWarnings } from '../readers/public-addresses.ts'
import { watchDatabase } from '../watch/database-watch.ts'
import { type NodeState, openNodeState } from '../watch/node-state.ts'
import { type Answering, checkPortsAndFolder, type NodeOptions, openAnswering } from './answering.ts'
import { ExplorerAccess } from './explorer-access.ts'
import { awaitDatabase, openStock } from './open-stock.ts'
import { countProcesses } from './process-count.ts'
import { roundRolesOf } from './roles.ts'
import { ShownRounds } from './shown-rounds.ts'
import { databaseUse, openUseLedger } from './use-ledger.ts'
import { witnessEditions } from './witness-editions.ts'

/** A process of the service with everything open. Closing it closes what was opened or deferred, the newest first. */
export type OpenNode = Answering &
  AsyncDisposable & {
    /** What operations work with. */
    readonly context: ServiceContext
    readonly emit: Emit
    readonly stop: AbortSignal
    readonly log: Log
    /** What is wrong with this node, for `/readyz`. */
    readonly state: NodeState
    /** State of the rounds, for `/readyz`. */
    readonly shownRounds: ShownRounds
    /** State of the rounds before this start. */
    readonly keptRounds: RoundState | undefined
    /** It started without the database. */
    readonly isAlone: boolean
    readonly explorer: ExplorerAccess
    /** What last changed, by topic. */
    readonly look: () => Promise<Serials>
    /** Moves the clock of a trial. */
    readonly shift: (ms: number) => number
    /** Registers what to close before everything deferred or opened earlier. */
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
  // closed here if the service does not open
  await using opening = new AsyncDisposableStack()
  let opened: AsyncDisposableStack = opening

  // errors that would end the service later end it before a database is created
  await checkPortsAndFolder(options)
  const documentStore = await openDocumentStore(config.documents, {
    clock: systemClock,
    sleep: systemSleep,
    random,
    version,
  })
  if (documentStore) opening.defer(documentStore.close)
  // answering needs the database until it ends: the drain begins with the signal to stop
  const answered = new AbortController()
  let drainMs = 0
  stop.addEventListener('abort', () => setTimeout(() => answered.abort(), drainMs).unref(), { once: true })
  const { store, kept, awaited } = await openStock(
    { ...options, stop: answered.signal },
    { dataFolder, log, startsAlone, random },
  )
  opening.defer(store.close)
  const state = openNodeState()
  const database = watchDatabase({
    store,
    steadyClock,
    databaseClock,
    clock,
    state,
    log,
    ...(awaited && { silentMs: awaited.silentMs }),
  })
  opening.defer(() => database.close())
  if (kept) opening.defer(kept.follow({ clock: databaseClock.now, isAnswering: database.isAnswering }))
  if (awaited) opening.defer(awaitDatabase(awaited, { state, log, emit }))
  emit({ event: 'opened', data: dataFolder, engine: store.engine })
  if (options.roles.has('serve'))
    for (const message of addressWarnings({ config, host: options.apiHost })) emit({ event: 'warning', message })
  // from here on the database's time is used; if it does not answer, the watch continues to ask
  await database.look().catch(() => {})
  for (const message of state.snapshot().degraded) emit({ event: 'warning', message })
  const ownRounds = roundRolesOf(options.roles)
  const keptRounds = awaited ? undefined : await loadRounds(store.db, ownRounds.length > 0 ? ownRounds : undefined)
  const shownRounds = new ShownRounds(store, clock, state, keptRounds)
  opening.defer(() => shownRounds.close())
  const isShared = options.roles.has('serve') && config.redisUrl !== undefined && store.engine !== 'embedded'
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
  const use = openUseLedger({ sink: databaseUse(store, clock), clock, random, log })
  opening.defer(() => use.close())
  const tokens = tokenSourceOf(store)
  const cursorKeys = cursorKeysOf(store, { clock, randomBytes: random.bytes })
  const answering = await openAnswering(options, {
    dataFolder,
    store,
    source: store,
    database,
    clock,
    clockShift,
    state,
    log,
    tokens: explorer.extend(kept?.keepTokens(tokens) ?? tokens),
    cursorKeys: kept?.keepCursorKeys(cursorKeys) ?? cursorKeys,
    unsubscribe: (token) => unsubscribe({ store, dataFolder, config, random, clock }, token),
    processCount: processes?.memory ?? Int32Array.of(1),
    onUse: use.add,
    redactedAt: untilWritten(store, () => lastRedaction(store.looks)),
    defer: (close) => opened.defer(close),
  })
  opening.defer(await witnessEditions({ store, editions: answering.editions, dataFolder, random, log }))
  opened = opening.move()
  return {
    ...answering,
    listen: async () => {
      const address = await answering.listen()
      drainMs = options.drainMs ?? 0
      return address
    },
    context,
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
    defer: (close) => opened.defer(async () => void (await close())),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
