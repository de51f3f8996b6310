// What each command does with an open stock. It runs in the command's own process, or inside the service that holds the
// stock.

import { consolidate, rebuildStock } from '../consolidate/consolidate.ts'
import { fitStock } from '../consolidate/estimate/fit-stock.ts'
import { toInstant } from '../domain/time.ts'
import { type IngestSummary, ingest, previewReparse, reparse } from '../ingest/ingest.ts'
import { checkDatabaseUrl } from '../platform/config.ts'
import { OperatorError, wrongUse } from '../platform/errors.ts'
import { type PublishOutcome, previewPublication, publish } from '../publish/publish.ts'
import { type ReceivedDocument, readPath } from '../sources/files.ts'
import { parserVersion } from '../sources/parse-document.ts'
import { loadSources } from '../sources/registry.ts'
import { listAuditEntries } from '../store/audit.ts'
import { asOperatorError } from '../store/connection-loss.ts'
import { countReceived, listRejections } from '../store/documents.ts'
import { countDoubts } from '../store/doubts.ts'
import { exportProgress } from '../store/edition-export.ts'
import { newestEdition } from '../store/editions.ts'
import { newestModel } from '../store/estimates.ts'
import { exportStock, previewExport } from '../store/export.ts'
import { readHitLag } from '../store/hit-mark.ts'
import { countMails } from '../store/mails.ts'
import { loadMaintenance } from '../store/maintenance.ts'
import { listOrganizations } from '../store/organizations.ts'
import { loadRounds, whyFailing } from '../store/rounds.ts'
import { getSetting, setSetting } from '../store/settings.ts'
import { countTendersByStatus, countUnpublished, listHolds, tenderHashes } from '../store/status.ts'
import { backUp, beginNewEpoch } from './backup-operations.ts'
import { clockConcerns, publisherClockConcern } from './clock-concerns.ts'
import type { Emit, EventOf } from './command-event.ts'
import { noteCommand } from './command-note.ts'
import { makeConsoleLink } from './console-operations.ts'
import type { ControlRequest } from './control-socket.ts'
import { createDigestNow, editDigest, listDigestsNow, removeDigestNow } from './digest-operations.ts'
import { exportEditionNow } from './edition-operations.ts'
import {
  activateSearch,
  createProfileNow,
  createSearchNow,
  editProfile,
  editSearch,
  explainSearch,
  listHitsNow,
  listProfilesNow,
  listSearchesNow,
  releaseHits,
  showProfile,
  showSearch,
} from './hit-operations.ts'
import { beginMaintenance, endMaintenance } from './maintenance-operations.ts'
import type { Operation, ServiceContext } from './operation-context.ts'
import { organizationNamed } from './organization-named.ts'
import {
  createOrganizationNow,
  endOrganization,
  listOrganizationsNow,
  renameOrganizationNow,
  showOrganization,
  updateOrganization,
} from './organization-operations.ts'
import { importRedactions, listRedactionsNow, redactNow, undoRedaction } from './redact-operations.ts'
import { decideReview, explainStock, listReviews, showReview, undoReview } from './review-operations.ts'
import { showSettings } from './setting-operations.ts'
import { checkSources, listSources, runSourceNow, showSource } from './source-operations.ts'
import { createTokenNow, listTokensNow, revokeTokenNow, rotateTokenNow } from './token-operations.ts'
import {
  createWebhook,
  disableWebhook,
  enableWebhook,
  listWebhookDeliveries,
  listWebhooks,
  releaseWebhook,
  removeWebhook,
  replayWebhook,
  rotateWebhook,
  testWebhook,
  updateWebhook,
} from './webhook-operations.ts'

const exitCodes = { held: 3, tooEarly: 4, failing: 7 } as const

/** The source ID of files that are read by hand. */
const filesSource = 'files'

/** Runs a command on an open stock; operations that write much wait for their turn. Returns the exit code. */
export async function runOperation(context: ServiceContext, request: ControlRequest, emit: Emit): Promise<number> {
  const operation: Operation | undefined = operations[request.command as OperationName]
  if (!operation)
    throw wrongUse(`The running service does not know the command "${request.command}"; use the same version for both.`)
  try {
    if (!queuedCommands.has(request.command)) return await operation(context, request, emit)
    return await context.queue.run(
      request.command,
      () => operation(context, request, emit),
      (busyWith) => emit({ event: 'waiting', for: request.command, busyWith }),
    )
  } catch (error) {
    throw asOperatorError(error, context.dataFolder)
  }
}

const queuedCommands: ReadonlySet<string> = new Set([
  'ingest',
  'publish',
  'rebuild',
  'values fit',
  'review merge',
  'review split',
  'review undo',
  'database export',
] satisfies OperationName[])

const operations = {
  ingest: async (context, { operands }, emit) => {
    await noteCommand(context.store.db, context, {
      action: 'documents.ingest',
      subject: operands.join(' ').slice(0, 300),
    })
    await ingestPaths(context, operands, emit)
    await consolidateNow(context, emit)
    return 0
  },
  publish: async (context, { options }, emit) => {
    if (options['dry-run'] === true) return previewPublish(context, options, emit)
    await notePublication(context, options)
    const outcome = await publishNow(context, emit, {
      minIntervalMs: intervalOf(context, options),
      overrideGate: options['override-gate'] === true,
      acceptsFutureEdition: options['accept-future-edition'] === true,
    })
    if (outcome === 'clockDiffers') return 1
    return outcome === 'held' ? exitCodes.held : outcome === 'tooEarly' ? exitCodes.tooEarly : 0
  },
  rebuild: async (context, { options }, emit) => {
    if (options['dry-run'] === true) return previewRebuild(context, emit)
    await noteCommand(context.store.db, context, { action: 'stock.rebuild', subject: 'stock' })
    await rebuild(context, emit)
    return 0
  },
  audit: listAudit,
  redact: (context, request, emit) => redactNow(context, request, { emit, apply: consolidateNow }),
  'redact list': listRedactionsNow,
  'redact undo': (context, request, emit) => undoRedaction(context, request, { emit, apply: consolidateNow }),
  'redact import': (context, request, emit) => importRedactions(context, request, { emit, apply: consolidateNow }),
  'values fit': async (context, _request, emit) => {
    await noteCommand(context.store.db, context, { action: 'values.fit', subject: 'value model' })
    await fitValues(context, emit)
    return 0
  },
  status,
  config: async (_context, _request, emit) => showSettings({ isRunning: true }, emit),
  'maintenance on': beginMaintenance,
  'maintenance off': endMaintenance,
  'database export': async (context, { options, operands }, emit) => {
    const { store } = context
    if (store.engine === 'server')
      throw wrongUse('This copies an embedded stock to a server; unset DATABASE_URL and pass the folder with --data.')
    const target = checkDatabaseUrl(operands[0]!, 'URL')
    if (options['dry-run'] === true) {
      const { rows: tables, ...preview } = await previewExport(store, target)
      const rows = Object.values(tables).reduce((sum, each) => sum + each, 0)
      emit({ event: 'exportPreview', ...preview, rows, tables })
      return preview.usedTable === null ? 0 : 1
    }
    const { host, pathname } = new URL(target)
    await noteCommand(store.db, context, { action: 'stock.export', subject: `${host}${pathname}` })
    const { rows } = await exportStock(store, target, (progress) =>
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
  backup: backUp,
  'edition export': exportEditionNow,
  'database new-epoch': beginNewEpoch,
  'source list': listSources,
  'source show': showSource,
  'source check': checkSources,
  'source run': async (context, request, emit) => {
    const exitCode = await runSourceNow(context, request, emit)
    await context.queue.run('consolidate', () => consolidateNow(context, emit))
    return exitCode
  },
  'review list': listReviews,
  'review show': showReview,
  'review merge': (context, request, emit) =>
    decideReview(context, request, 'merge', { emit, apply: () => consolidateNow(context, emit) }),
  'review split': (context, request, emit) =>
    decideReview(context, request, 'split', { emit, apply: () => consolidateNow(context, emit) }),
  'review undo': (context, request, emit) =>
    undoReview(context, request, { emit, apply: () => consolidateNow(context, emit) }),
  explain: (context, request, emit) =>
    request.options['search'] === undefined
      ? explainStock(context, request, emit)
      : explainSearch(context, request, emit),
  'profile create': createProfileNow,
  'profile edit': editProfile,
  'profile list': listProfilesNow,
  'profile show': showProfile,
  'search create': createSearchNow,
  'search edit': editSearch,
  'search pause': (context, request, emit) => activateSearch(context, request, false, emit),
  'search resume': (context, request, emit) => activateSearch(context, request, true, emit),
  'search list': listSearchesNow,
  'search show': showSearch,
  'hit list': listHitsNow,
  'hit release': releaseHits,
  'digest create': createDigestNow,
  'digest edit': editDigest,
  'digest list': listDigestsNow,
  'digest remove': removeDigestNow,
  'console link': makeConsoleLink,
  'organization create': createOrganizationNow,
  'organization list': listOrganizationsNow,
  'organization show': showOrganization,
  'organization update': updateOrganization,
  'organization rename': renameOrganizationNow,
  'organization end': endOrganization,
  'token create': createTokenNow,
  'token list': listTokensNow,
  'token revoke': revokeTokenNow,
  'token rotate': rotateTokenNow,
  'webhook create': createWebhook,
  'webhook update': updateWebhook,
  'webhook list': listWebhooks,
  'webhook test': testWebhook,
  'webhook rotate': rotateWebhook,
  'webhook enable': enableWebhook,
  'webhook disable': disableWebhook,
  'webhook remove': removeWebhook,
  'webhook deliveries': listWebhookDeliveries,
  'webhook replay': replayWebhook,
  'webhook release': releaseWebhook,
  'clock advance': async ({ advanceClock }, { options }, emit) => {
    if (!advanceClock)
      throw new OperatorError('This command needs a running service that was started with --trial-clock.')
    emit({ event: 'clock', now: toInstant(await advanceClock(Number(options.ms))) })
    return 0
  },
} satisfies { readonly [command: string]: Operation }

export type OperationName = keyof typeof operations

const intervalOf = (context: ServiceContext, options: ControlRequest['options']): number =>
  context.publishIntervalMs ?? Number(options['publish-interval-minutes'] ?? 60) * 60_000

/** `publish --dry-run`: ends as `publish` would end. */
async function previewPublish(
  context: ServiceContext,
  options: ControlRequest['options'],
  emit: Emit,
): Promise<number> {
  const differenceMs = context.databaseClock.differenceMs()
  const message = publisherClockConcern(differenceMs)
  if (message !== undefined) {
    emit({ event: 'clockDiffers', differenceMs, message })
    return 1
  }
  const preview = await previewPublication(context.store, {
    now: context.clock(),
    minIntervalMs: intervalOf(context, options),
    acceptsFutureEdition: options['accept-future-edition'] === true,
  })
  emit({ event: 'publishPreview', ...preview })
  if (preview.allowedAt !== null) return exitCodes.tooEarly
  return preview.reasons.length > 0 && options['override-gate'] !== true ? exitCodes.held : 0
}

/** `rebuild --dry-run` */
async function previewRebuild(context: ServiceContext, emit: Emit): Promise<number> {
  const { store, documentStore, signal } = context
  const { documents: total } = await countReceived(store.db, parserVersion)
  const preview = await previewReparse(store, {
    sources: await loadSources(),
    ...(documentStore && { documentStore }),
    ...(signal && { signal }),
    onProgress: ({ documents }) => emit({ event: 'progress', stage: 'reparse', done: documents, total }),
  })
  emit({ event: 'rebuildPreview', ...preview })
  return 0
}

/** Records an edition that is published in spite of objections: who decided so, why, and the objections. */
async function notePublication(context: ServiceContext, options: ControlRequest['options']): Promise<void> {
  const isForced = options['override-gate'] === true
  if (!isForced && options['accept-future-edition'] !== true) {
    if (options['reason'] === undefined) return
    throw wrongUse('--reason says why the gate is overridden: pass it with --override-gate.')
  }
  const { db } = context.store
  const newest = await newestEdition(db)
  const [hold] = isForced ? await listHolds(db, newest?.publishedAt ?? 0, 1) : []
  await noteCommand(db, context, {
    action: isForced ? 'edition.publishAnyway' : 'edition.acceptFuture',
    subject: `edition ${(newest?.edition ?? 0) + 1}`,
    detail: {
      ...(options['reason'] !== undefined && { reason: String(options['reason']) }),
      ...(hold && { held: hold.reasons.join(' ').slice(0, 1000) }),
    },
  })
}

/** Receives the documents of the paths. Throws OperatorError for a path that does not exist. */
export async function ingestPaths(
  context: ServiceContext,
  paths: readonly string[],
  emit: Emit,
): Promise<IngestSummary> {
  return ingestFrom(context, filesSource, documentsOf(paths), emit)
}

async function* documentsOf(paths: readonly string[]): AsyncGenerator<ReceivedDocument> {
  for (const path of paths) yield* readPath(path)
}

async function ingestFrom(
  context: ServiceContext,
  sourceId: string,
  documents: AsyncIterable<ReceivedDocument>,
  emit: Emit,
): Promise<IngestSummary> {
  const summary = await ingest(context.store, {
    sourceId,
    documents,
    clock: context.clock,
    onProgress: (sums) =>
      emit({ event: 'progress', stage: 'ingest', source: sourceId, done: sums.documents, detail: 'documents' }),
    ...(context.documentStore && { documentStore: context.documentStore }),
    ...(context.signal && { signal: context.signal }),
  })
  emit({ event: 'ingested', source: sourceId, ...summary })
  return summary
}

export async function consolidateNow(context: ServiceContext, emit: Emit): Promise<void> {
  const summary = await consolidate(context.store, {
    now: context.clock(),
    onProgress: (progress) => emit({ event: 'progress', stage: 'consolidate', ...progress }),
  })
  emit({ event: 'consolidated', ...summary, changed: summary.changed + summary.created })
}

/** Fits the model of values again and estimates values that no model has judged yet. */
async function fitValues(context: ServiceContext, emit: Emit): Promise<void> {
  const summary = await fitStock(context.store, {
    now: context.clock(),
    ...(context.signal && { signal: context.signal }),
  })
  emit({ event: 'valuesFitted', ...summary, version: summary.version ?? null })
  if (summary.reconsidered > 0) await consolidateNow(context, emit)
}

const fitIntervalMs = 24 * 3_600_000

/** Fits when the newest model is a day old; a stock without one is counted each time, so call it rarely. */
export async function fitValuesWhenDue(context: ServiceContext, emit: Emit): Promise<void> {
  const newest = await newestModel(context.store.db)
  if (!newest || context.clock() - newest.fittedAt >= fitIntervalMs) await fitValues(context, emit)
}

type PublishWish = {
  readonly minIntervalMs: number
  readonly overrideGate?: boolean
  /** Publishes although the newest edition is dated in the future. */
  readonly acceptsFutureEdition?: boolean
}

/** Publishes the next edition when it is due, reports the result, and makes a new edition visible immediately. */
export async function publishNow(
  context: ServiceContext,
  emit: Emit,
  { minIntervalMs, overrideGate = false, acceptsFutureEdition = false }: PublishWish,
): Promise<PublishOutcome['kind'] | 'clockDiffers'> {
  const message = publisherClockConcern(context.databaseClock.differenceMs())
  if (message !== undefined) {
    emit({ event: 'clockDiffers', differenceMs: context.databaseClock.differenceMs(), message })
    return 'clockDiffers'
  }
  await context.beforePublish?.()
  const outcome = await publish(context.store, {
    now: context.clock(),
    clock: context.clock,
    minIntervalMs,
    overrideGate,
    acceptsFutureEdition,
    onProgress: (progress) => emit({ event: 'progress', stage: 'publish', ...progress }),
  })
  const { kind, ...facts } = outcome
  if (kind === 'published') await context.onPublished?.()
  emit({ event: kind, ...facts } as EventOf<typeof kind>)
  return kind
}

const pendingRebuild = 'rebuild-pending'

/** True when a rebuild was interrupted: the stock has to be rebuilt before it is published. */
export const isRebuildPending = async ({ store }: ServiceContext) =>
  (await getSetting(store.db, pendingRebuild)) === 'yes'

/** Re-parses all stored documents and rebuilds the stock; reports how the stock differs from the previous one. */
export async function rebuild(context: ServiceContext, emit: Emit): Promise<void> {
  const { store, clock } = context
  const before = await tenderHashes(store.db)
  const { documents: total } = await countReceived(store.db, parserVersion)
  // reading documents again replaces notices of the stock: it must not be published from here to the end
  await setSetting(store.db, pendingRebuild, 'yes')
  const read = await reparse(store, {
    clock,
    sources: await loadSources(),
    ...(context.documentStore && { documentStore: context.documentStore }),
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

async function status(context: ServiceContext, { options }: ControlRequest, emit: Emit): Promise<number> {
  const { db, engine } = context.store
  const newest = await newestEdition(db)
  const received = await countReceived(db, parserVersion)
  const intervalMs = context.publishIntervalMs ?? 60 * 60_000
  const now = context.clock()
  const rounds = context.rounds?.() ?? (await loadRounds(db))
  const failure = whyFailing(rounds, now)
  const maintenance = await loadMaintenance(db)
  const exported = await exportProgress(db)
  emit({
    event: 'status',
    maintenanceUntil: maintenance !== undefined && maintenance > now ? maintenance : null,
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
    hits: await readHitLag(db),
    mails: { ...(await countMails(db)), isConfigured: context.config.mail !== undefined },
    ...(exported && { exported }),
    unpublished: await countUnpublished(db),
    nextPublication: Math.max(now, newest ? newest.publishedAt + intervalMs : 0),
    holds: await listHolds(db, Math.min(newest?.publishedAt ?? 0, now - intervalMs), 3),
    clockDifferenceMs: context.databaseClock.differenceMs(),
    clocks: clockConcerns(context.databaseClock.differenceMs(), newest, now),
    busyWith: context.queue.current() ?? null,
    engine,
    data: context.dataFolder,
  })
  if (options.rejections === true) {
    for (const rejection of await listRejections(db, Number(options.limit ?? 50)))
      emit({ event: 'rejection', ...rejection })
  }
  return failure === undefined ? 0 : exitCodes.failing
}

/** `audit`: the newest entry first. */
async function listAudit({ store: { db } }: ServiceContext, { options }: ControlRequest, emit: Emit): Promise<number> {
  const wanted = options['organization']
  const organizationId =
    wanted === undefined ? undefined : (await organizationNamed({ db }, String(wanted))).organizationId
  const which = { limit: Number(options['limit'] ?? 50), ...(organizationId !== undefined && { organizationId }) }
  const entries = await listAuditEntries(db, which)
  if (entries.length === 0) emit({ event: 'none', message: 'Nobody has changed anything yet.' })
  const names = new Map((await listOrganizations(db)).map(({ organizationId: id, name }) => [id, name]))
  for (const { organizationId: id, ...entry } of entries)
    emit({ event: 'auditEntry', ...entry, organization: id === undefined ? null : (names.get(id) ?? id) })
  return 0
}
