// What each command does with an open stock. It runs in the command's own process, or inside the service that holds the stock.
import { consolidate, rebuildStock } from '../consolidate/consolidate.ts'
import { fitStock } from '../consolidate/estimate/fit-stock.ts'
import { dayMs, toInstant } from '../domain/time.ts'
import { type IngestSummary, ingest, reparse } from '../ingest/ingest.ts'
import type { Clock } from '../platform/clock.ts'
import { type Config, checkDatabaseUrl } from '../platform/config.ts'
import { OperatorError } from '../platform/errors.ts'
import type { Random } from '../platform/random.ts'
import { type PublishOutcome, publish } from '../publish/publish.ts'
import { type ReceivedDocument, readPath } from '../sources/files.ts'
import { parserVersion } from '../sources/parse-document.ts'
import { loadSources } from '../sources/registry.ts'
import { asOperatorError } from '../store/connection-loss.ts'
import type { Store } from '../store/database.ts'
import type { DatabaseClock } from '../store/database-clock.ts'
import type { DocumentStore } from '../store/document-store.ts'
import { countReceived, listRejections } from '../store/documents.ts'
import { countDoubts } from '../store/doubts.ts'
import { newestEdition } from '../store/editions.ts'
import { newestModel } from '../store/estimates.ts'
import { exportStock } from '../store/export.ts'
import {
  type ApiToken,
  changeOrganization,
  createOrganization,
  createToken,
  findOrganization,
  listOrganizations,
  listTokens,
  type Organization,
  revokeToken,
} from '../store/organizations.ts'
import { loadRounds, type RoundState, whyFailing } from '../store/rounds.ts'
import { getSetting, setSetting } from '../store/settings.ts'
import { countTendersByStatus, countUnpublished, listHolds, tenderHashes } from '../store/status.ts'
import { clockConcerns, publisherClockConcern } from './clock-concerns.ts'
import type { CommandName } from './command-table.ts'
import type { ControlRequest, Emit } from './control-socket.ts'
import { decideReview, explainStock, listReviews, showReview } from './review-operations.ts'
import { checkSources, listSources, runSourceNow, showSource } from './source-operations.ts'
import type { WorkQueue } from './work-queue.ts'

/** The open stock and what belongs to it. */
export type Workplace = {
  readonly store: Store
  readonly dataFolder: string
  readonly clock: Clock
  readonly random: Random
  readonly queue: WorkQueue
  /** The operator's key of a source, by the name of its setting (`SAM_API_KEY`). */
  readonly keyOf: (setting: string) => string | undefined
  readonly config: Config
  readonly version: string
  /** Where raw documents are kept; absent: in the database. */
  readonly documentStore?: DocumentStore
  /** The database's time by the clock of this machine, which `clock` follows. */
  readonly databaseClock: DatabaseClock
  /** The service's own interval; absent where none runs. */
  readonly publishIntervalMs?: number
  /** Called before a publication; it does not take place when this rejects. */
  readonly beforePublish?: () => Promise<void>
  /** How the rounds of this service go; undefined before the first, absent where none runs. */
  readonly rounds?: () => RoundState | undefined
  /** Called when there is a new edition, so that it is served at once. */
  readonly onPublished?: () => Promise<void>
  /** Present only with --trial-clock. Returns the new time. */
  readonly advanceClock?: (ms: number) => Promise<number>
  /** Ends long reading after the batch that is being written. */
  readonly signal?: AbortSignal
}

const exitCodes = { held: 3, tooEarly: 4, failing: 7 } as const

/** The source id under which files given by hand are kept. */
const filesSource = 'files'

type Operation = (place: Workplace, request: ControlRequest, emit: Emit) => Promise<number>

/** Runs a command on an open stock; what writes much waits for its turn. Returns the exit code. */
export async function runOperation(place: Workplace, request: ControlRequest, emit: Emit): Promise<number> {
  const operation = operations[request.command as CommandName]
  if (!operation)
    throw new OperatorError(
      `The running service does not know the command "${request.command}"; use the same version for both.`,
      { exitCode: 2 },
    )
  try {
    if (!queuedCommands.has(request.command)) return await operation(place, request, emit)
    return await place.queue.run(
      request.command,
      () => operation(place, request, emit),
      (busyWith) => emit({ event: 'waiting', for: request.command, busyWith }),
    )
  } catch (error) {
    throw asOperatorError(error, place.dataFolder)
  }
}

const queuedCommands: ReadonlySet<string> = new Set([
  'ingest',
  'publish',
  'rebuild',
  'values fit',
  'review merge',
  'review split',
  'database export',
] satisfies CommandName[])

const operations: { readonly [name in CommandName]?: Operation } = {
  ingest: async (place, { operands }, emit) => {
    await ingestPaths(place, operands, emit)
    await consolidateNow(place, emit)
    return 0
  },
  publish: async (place, { options }, emit) => {
    const outcome = await publishNow(place, emit, {
      minIntervalMs: place.publishIntervalMs ?? Number(options['publish-interval-minutes'] ?? 60) * 60_000,
      overrideGate: options['override-gate'] === true,
      acceptsFutureEdition: options['accept-future-edition'] === true,
    })
    if (outcome === 'clockDiffers') return 1
    return outcome === 'held' ? exitCodes.held : outcome === 'tooEarly' ? exitCodes.tooEarly : 0
  },
  rebuild: async (place, _request, emit) => {
    await rebuild(place, emit)
    return 0
  },
  'values fit': async (place, _request, emit) => {
    await fitValues(place, emit)
    return 0
  },
  status,
  'database export': async ({ store }, { operands }, emit) => {
    if (store.engine === 'server')
      throw new OperatorError(
        'This copies an embedded stock to a server; unset DATABASE_URL and pass the folder with --data.',
        { exitCode: 2 },
      )
    const { rows } = await exportStock(store, checkDatabaseUrl(operands[0]!, 'URL'), (progress) =>
      emit({
        event: 'progress',
        stage: 'export',
        done: progress.rows,
        total: progress.totalRows,
        table: progress.table,
      }),
    )
    emit({ event: 'exported', rows: Object.values(rows).reduce((sum, each) => sum + each, 0), tables: rows })
    return 0
  },
  'source list': listSources,
  'source show': showSource,
  'source check': checkSources,
  'source run': async (place, request, emit) => {
    const exitCode = await runSourceNow(place, request, emit)
    await place.queue.run('consolidate', () => consolidateNow(place, emit))
    return exitCode
  },
  'review list': listReviews,
  'review show': showReview,
  'review merge': (place, request, emit) =>
    decideReview(place, request, 'merge', { emit, apply: () => consolidateNow(place, emit) }),
  'review split': (place, request, emit) =>
    decideReview(place, request, 'split', { emit, apply: () => consolidateNow(place, emit) }),
  explain: explainStock,
  'organization create': async ({ store, clock, random }, { options, operands }, emit) => {
    const outcome = await createOrganization(
      store.db,
      { name: operands[0]!, requestsPerMinute: Number(options['requests-per-minute']) },
      { now: clock(), random },
    )
    if (outcome.kind === 'nameTaken')
      throw new OperatorError(`An organization "${operands[0]}" already exists; choose another name.`)
    emit(organizationEvent(outcome.organization))
    return 0
  },
  'organization list': async ({ store }, _request, emit) => {
    const organizations = await listOrganizations(store.db)
    if (organizations.length === 0)
      emit({ event: 'none', message: 'There is no organization yet: tenderstock organization create NAME' })
    for (const organization of organizations) emit(organizationEvent(organization))
    return 0
  },
  'organization update': async ({ store }, { options, operands }, emit) => {
    const organization = await organizationNamed(store, operands[0]!)
    const { 'requests-per-minute': requestsPerMinute, access } = options
    if (requestsPerMinute === undefined && access === undefined) {
      throw new OperatorError('Nothing to change: pass --requests-per-minute N or --access on|off.', { exitCode: 2 })
    }
    await changeOrganization(store, organization.organizationId, {
      ...(requestsPerMinute !== undefined && { requestsPerMinute: Number(requestsPerMinute) }),
      ...(access !== undefined && { hasApiAccess: access === 'on' }),
    })
    emit(organizationEvent(await organizationNamed(store, organization.organizationId)))
    return 0
  },
  'token create': async ({ store, clock, random }, { options, operands }, emit) => {
    const { organizationId, name } = await organizationNamed(store, operands[0]!)
    const now = clock()
    const days = options['expires-in-days']
    const outcome = await createToken(
      store,
      {
        organizationId,
        name: String(options.name ?? 'API token'),
        ...(days !== undefined && { expiresAt: now + Number(days) * dayMs }),
      },
      { now, random },
    )
    if (outcome.kind === 'noFreeSlot')
      throw new OperatorError(`"${name}" has two valid tokens; revoke one first (tenderstock token list '${name}').`)
    if (outcome.kind === 'noOrganization') throw noOrganization(name)
    emit({ ...tokenEvent(outcome.token, now), token: outcome.plaintext })
    return 0
  },
  'token list': async ({ store, clock }, { operands }, emit) => {
    const { organizationId, name } = await organizationNamed(store, operands[0]!)
    const tokens = await listTokens(store.db, organizationId)
    if (tokens.length === 0)
      emit({ event: 'none', message: `"${name}" has no token yet: tenderstock token create '${name}'` })
    for (const token of tokens) emit(tokenEvent(token, clock()))
    return 0
  },
  'token revoke': async ({ store, clock }, { operands }, emit) => {
    const isKnown = await revokeToken(store, operands[0]!, clock())
    if (!isKnown)
      throw new OperatorError(
        `There is no token with the id "${operands[0]}"; \`tenderstock token list ORGANIZATION\` shows the ids.`,
      )
    emit({ event: 'revoked', tokenId: operands[0]! })
    return 0
  },
  'clock advance': async ({ advanceClock }, { options }, emit) => {
    if (!advanceClock)
      throw new OperatorError('This command needs a running service that was started with --trial-clock.')
    emit({ event: 'clock', now: toInstant(await advanceClock(Number(options.ms))) })
    return 0
  },
}

/** Receives the documents of the paths. Throws OperatorError for a path that does not exist. */
export async function ingestPaths(place: Workplace, paths: readonly string[], emit: Emit): Promise<IngestSummary> {
  return ingestFrom(place, filesSource, documentsOf(paths), emit)
}

async function* documentsOf(paths: readonly string[]): AsyncGenerator<ReceivedDocument> {
  for (const path of paths) yield* readPath(path)
}

async function ingestFrom(
  place: Workplace,
  sourceId: string,
  documents: AsyncIterable<ReceivedDocument>,
  emit: Emit,
): Promise<IngestSummary> {
  const summary = await ingest(place.store, {
    sourceId,
    documents,
    clock: place.clock,
    onProgress: (sums) =>
      emit({ event: 'progress', stage: 'ingest', source: sourceId, done: sums.documents, detail: 'documents' }),
    ...(place.documentStore && { documentStore: place.documentStore }),
    ...(place.signal && { signal: place.signal }),
  })
  emit({ event: 'ingested', source: sourceId, ...summary })
  return summary
}

export async function consolidateNow(place: Workplace, emit: Emit): Promise<void> {
  const summary = await consolidate(place.store, {
    now: place.clock(),
    onProgress: (progress) => emit({ event: 'progress', stage: 'consolidate', ...progress }),
  })
  emit({ event: 'consolidated', ...summary, changed: summary.changed + summary.created })
}

/** Fits the model of values again and estimates what no model has judged yet. */
async function fitValues(place: Workplace, emit: Emit): Promise<void> {
  const summary = await fitStock(place.store, {
    now: place.clock(),
    ...(place.signal && { signal: place.signal }),
  })
  emit({ event: 'valuesFitted', ...summary, version: summary.version ?? null })
  if (summary.reconsidered > 0) await consolidateNow(place, emit)
}

const fitIntervalMs = 24 * 3_600_000

/** Fits when the newest model is a day old; a stock without one is counted each time, so ask seldom. */
export async function fitValuesWhenDue(place: Workplace, emit: Emit): Promise<void> {
  const newest = await newestModel(place.store.db)
  if (!newest || place.clock() - newest.fittedAt >= fitIntervalMs) await fitValues(place, emit)
}

type PublishWish = {
  readonly minIntervalMs: number
  readonly overrideGate?: boolean
  /** Publishes although the newest edition is dated in the future. */
  readonly acceptsFutureEdition?: boolean
}

/** Publishes the next edition when that may be, tells what came of it, and has a new edition served at once. */
export async function publishNow(
  place: Workplace,
  emit: Emit,
  { minIntervalMs, overrideGate = false, acceptsFutureEdition = false }: PublishWish,
): Promise<PublishOutcome['kind'] | 'clockDiffers'> {
  const message = publisherClockConcern(place.databaseClock.differenceMs())
  if (message !== undefined) {
    emit({ event: 'clockDiffers', differenceMs: place.databaseClock.differenceMs(), message })
    return 'clockDiffers'
  }
  await place.beforePublish?.()
  const outcome = await publish(place.store, {
    now: place.clock(),
    clock: place.clock,
    minIntervalMs,
    overrideGate,
    acceptsFutureEdition,
    onProgress: (progress) => emit({ event: 'progress', stage: 'publish', ...progress }),
  })
  const { kind, ...facts } = outcome
  if (kind === 'published') await place.onPublished?.()
  emit({ event: kind, ...facts })
  return kind
}

const pendingRebuild = 'rebuild-pending'

/** True when a rebuild was cut off: the stock has to be rebuilt before it is published. */
export const isRebuildPending = async ({ store }: Workplace) => (await getSetting(store.db, pendingRebuild)) === 'yes'

/** Reads all kept documents again and derives the stock again; tells how the stock differs from the one before. */
export async function rebuild(place: Workplace, emit: Emit): Promise<void> {
  const { store, clock } = place
  const before = await tenderHashes(store.db)
  const { documents: total } = await countReceived(store.db, parserVersion)
  // what is read again replaces notices of the stock: from here to the end it must not be published
  await setSetting(store.db, pendingRebuild, 'yes')
  const read = await reparse(store, {
    clock,
    sources: await loadSources(),
    ...(place.documentStore && { documentStore: place.documentStore }),
    onProgress: ({ documents }) => emit({ event: 'progress', stage: 'reparse', done: documents, total }),
  })
  await rebuildStock(store, {
    now: clock(),
    onProgress: (progress) => emit({ event: 'progress', stage: 'rebuild', ...progress }),
  })
  await setSetting(store.db, pendingRebuild, 'no')
  const after = await tenderHashes(store.db)
  const idsGone = [...before.keys()].filter((id) => !after.has(id)).length
  const idsNew = [...after.keys()].filter((id) => !before.has(id)).length
  const contentsChanged = [...after].filter(([id, hash]) => before.has(id) && before.get(id) !== hash).length
  emit({
    event: 'rebuilt',
    ...read,
    records: after.size,
    idsGone,
    idsNew,
    contentsChanged,
    isSame: idsGone + idsNew + contentsChanged === 0,
  })
}

async function status(place: Workplace, { options }: ControlRequest, emit: Emit): Promise<number> {
  const { db, engine } = place.store
  const newest = await newestEdition(db)
  const received = await countReceived(db, parserVersion)
  const intervalMs = place.publishIntervalMs ?? 60 * 60_000
  const now = place.clock()
  const rounds = place.rounds?.() ?? (await loadRounds(db))
  const failure = whyFailing(rounds, now)
  emit({
    event: 'status',
    isFailing: failure !== undefined,
    failure: failure ?? null,
    editionAgeSeconds: newest ? Math.max(0, Math.floor((now - newest.publishedAt) / 1000)) : null,
    lastRoundAt: rounds?.lastRoundAt ?? null,
    failedRounds: rounds?.failedRounds ?? 0,
    lastError: rounds?.lastError ?? null,
    lastErrorAt: rounds?.lastErrorAt ?? null,
    ...received,
    tenders: await countTendersByStatus(db),
    edition: newest
      ? {
          edition: newest.edition,
          records: newest.records,
          publishedAt: newest.publishedAt,
          checksum: newest.checksum,
        }
      : null,
    doubtedTenders: await countDoubts(db),
    unpublished: await countUnpublished(db),
    nextPublication: Math.max(now, newest ? newest.publishedAt + intervalMs : 0),
    holds: await listHolds(db, Math.min(newest?.publishedAt ?? 0, now - intervalMs), 3),
    clockDifferenceMs: place.databaseClock.differenceMs(),
    clocks: clockConcerns(place.databaseClock.differenceMs(), newest, now),
    busyWith: place.queue.current() ?? null,
    engine,
    data: place.dataFolder,
  })
  if (options.rejections === true) {
    for (const rejection of await listRejections(db, Number(options.limit ?? 50)))
      emit({ event: 'rejection', ...rejection })
  }
  return failure === undefined ? 0 : exitCodes.failing
}

const noOrganization = (name: string) =>
  new OperatorError(`There is no organization "${name}"; \`tenderstock organization list\` shows them.`)

async function organizationNamed(store: Store, name: string): Promise<Organization> {
  const organization = await findOrganization(store.db, name)
  if (!organization) throw noOrganization(name)
  return organization
}

const organizationEvent = (organization: Organization) => ({ event: 'organization', ...organization })

function tokenEvent(token: ApiToken, now: number) {
  return { event: 'token', ...token, isExpired: token.expiresAt !== undefined && token.expiresAt <= now }
}
