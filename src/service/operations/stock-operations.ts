// What changes the stock: receiving, publishing, rebuilding, fitting the model of values. Rounds call it, and commands.

import { noteFit, noteIngest, notePublication, noteRebuild } from '../../actions/stock.ts'
import { continueRebuild, rebuildStock } from '../../consolidate/consolidate.ts'
import { fitStock } from '../../consolidate/estimate/fit-stock.ts'
import { modelGeneration } from '../../consolidate/estimate/value-inputs.ts'
import { clockLine } from '../../domain/clock-concern.ts'
import { stockRules } from '../../domain/stock-rules.ts'
import {
  helpReparse,
  type IngestSummary,
  ingest,
  previewReparse,
  type ReparseOptions,
  reparse,
} from '../../ingest/ingest.ts'
import { OperatorError } from '../../platform/errors.ts'
import { previewPublication } from '../../publish/preview-publication.ts'
import { type PublishOutcome, publish } from '../../publish/publish.ts'
import { type ReceivedDocument, readPath } from '../../sources/files.ts'
import { parserVersion } from '../../sources/parser-version.ts'
import { loadSources } from '../../sources/registry.ts'
import { asRebuild, type Rebuild, rebuildState } from '../../store/editions/rebuild-mark.ts'
import { countReceived } from '../../store/received/documents.ts'
import { newestModel } from '../../store/stock/estimates.ts'
import { tenderHashes } from '../../store/stock/status.ts'
import { consolidateNow } from '../control/consolidate-now.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import { actingNow, type Operations, type ServiceContext } from '../control/operation-context.ts'
import type { Emit, EventOf } from '../events/command-event.ts'
import { publisherClockConcern } from '../watch/clock-concerns.ts'
import { callRoll } from './roll-call.ts'

const exitCodes = { held: 3, tooEarly: 4 } as const

/** The source ID of files that are read by hand. */
const filesSource = 'files'

const intervalOf = (context: ServiceContext, options: ControlRequest['options']): number =>
  context.publishIntervalMs ?? Number(options['publish-interval-minutes'] ?? 60) * 60_000

/** `publish --dry-run`: ends as `publish` would end. */
async function previewPublish(
  context: ServiceContext,
  options: ControlRequest['options'],
  emit: Emit,
): Promise<number> {
  const differenceMs = context.databaseClock.differenceMs()
  const concern = publisherClockConcern(differenceMs)
  if (concern !== undefined) {
    emit({ event: 'clockDiffers', differenceMs, message: clockLine(concern) })
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

/** Records an edition that is published in spite of objections. */
async function noteObjections(context: ServiceContext, options: ControlRequest['options']): Promise<void> {
  const isForced = options['override-gate'] === true
  if (!isForced && options['accept-future-edition'] !== true) {
    if (options['reason'] === undefined) return
    throw new OperatorError('option-missing', '--reason says why the gate is overridden: pass it with --override-gate.')
  }
  await notePublication(context.store.db, actingNow(context), {
    inSpiteOf: isForced ? 'gate' : 'future',
    reason: options['reason'] === undefined ? undefined : String(options['reason']),
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

/**
 * Fits when the newest model is a day old, or follows earlier rules; a stock without one is counted each time, so call
 * it rarely.
 */
export async function fitValuesWhenDue(context: ServiceContext, emit: Emit): Promise<void> {
  const newest = await newestModel(context.store.db)
  const isOfToday = newest?.version.startsWith(modelGeneration) === true
  if (!isOfToday || context.clock() - newest.fittedAt >= fitIntervalMs) await fitValues(context, emit)
}

type PublishWish = {
  readonly minIntervalMs: number
  readonly overrideGate?: boolean
  /** Publishes although the newest edition is dated in the future. */
  readonly acceptsFutureEdition?: boolean
}

/**
 * Publishes the next edition when it is due, reports the result, and makes a new edition visible immediately. A rebuild
 * that has begun and not ended is not reported: the caller knows what it means.
 */
export async function publishNow(
  context: ServiceContext,
  emit: Emit,
  { minIntervalMs, overrideGate = false, acceptsFutureEdition = false }: PublishWish,
): Promise<PublishOutcome['kind'] | 'clockDiffers'> {
  const differenceMs = context.databaseClock.differenceMs()
  const concern = publisherClockConcern(differenceMs)
  if (concern !== undefined) {
    emit({ event: 'clockDiffers', differenceMs, message: clockLine(concern) })
    return 'clockDiffers'
  }
  await context.beforePublish?.()
  const outcome = await publish(context.store, {
    now: context.clock(),
    clock: context.clock,
    minIntervalMs,
    overrideGate,
    acceptsFutureEdition,
    callWitnesses: () => callRoll({ ...context, warn: (message) => emit({ event: 'warning', message }) }),
    onProgress: (progress) => emit({ event: 'progress', stage: 'publish', ...progress }),
  })
  if (outcome.kind === 'rebuilding') return 'rebuilding'
  const { kind, ...facts } = outcome
  if (kind === 'published') await context.onPublished?.()
  emit({ event: kind, ...facts } as EventOf<typeof kind>)
  return kind
}

/** Throws OperatorError while the stock is neither what it was before a rebuild nor what it will be. */
async function assertNoRebuild({ store }: ServiceContext): Promise<void> {
  const state = await rebuildState(store)
  if (state === 'running')
    throw new OperatorError('rebuild-running', 'The stock is being rebuilt: publish again when that has ended.')
  if (state === 'interrupted')
    throw new OperatorError(
      'rebuild-interrupted',
      'A rebuild was interrupted: run `tenderstock rebuild` before publishing. A running service repeats it by itself.',
    )
}

/**
 * Re-parses all stored documents and rebuilds the stock; reports how the stock differs from the previous one. False if
 * another process is rebuilding it.
 */
export async function rebuild(context: ServiceContext, emit: Emit): Promise<boolean> {
  const { store, random, version } = context
  return (
    (await asRebuild(store, { random, version, rules: stockRules }, (mark) => rebuildUnder(context, mark, emit))) !==
    undefined
  )
}

/** Reads a part of the documents that a rebuild by another process has to read. */
export async function helpRebuild(context: ServiceContext): Promise<void> {
  await helpReparse(context.store, await rereading(context))
}

async function rereading({ clock, documentStore, signal }: ServiceContext): Promise<ReparseOptions> {
  return { clock, sources: await loadSources(), ...(documentStore && { documentStore }), ...(signal && { signal }) }
}

/** Values are part of what a rebuild changes: a model by earlier rules is replaced before anything is published. */
async function refitUnder({ store, clock }: ServiceContext, signal: AbortSignal): Promise<void> {
  const newest = await newestModel(store.db)
  if (newest === undefined || newest.version.startsWith(modelGeneration)) return
  const { reconsidered } = await fitStock(store, { now: clock(), signal })
  if (reconsidered > 0) await continueRebuild(store, { now: clock(), signal })
}

async function rebuildUnder(context: ServiceContext, { signal, share }: Rebuild, emit: Emit): Promise<void> {
  const { store, clock } = context
  const before = await tenderHashes(store.db)
  const { documents: total } = await countReceived(store.db, parserVersion)
  const read = await reparse(store, {
    ...(await rereading(context)),
    signal,
    onProgress: ({ documents }) => emit({ event: 'progress', stage: 'reparse', done: documents, total }),
  })
  await rebuildStock(store, {
    now: clock(),
    signal,
    onPrepared: share,
    onProgress: (progress) => emit({ event: 'progress', stage: 'rebuild', ...progress }),
  })
  await refitUnder(context, signal)
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

export const operations = {
  ingest: async (context, { operands }, emit) => {
    await noteIngest(context.store.db, actingNow(context), operands)
    await ingestPaths(context, operands, emit)
    await consolidateNow(context, emit)
    return 0
  },
  publish: async (context, { options }, emit) => {
    await assertNoRebuild(context)
    if (options['dry-run'] === true) return previewPublish(context, options, emit)
    await noteObjections(context, options)
    const outcome = await publishNow(context, emit, {
      minIntervalMs: intervalOf(context, options),
      overrideGate: options['override-gate'] === true,
      acceptsFutureEdition: options['accept-future-edition'] === true,
    })
    if (outcome === 'rebuilding') await assertNoRebuild(context)
    if (outcome === 'clockDiffers') return 1
    return outcome === 'held' ? exitCodes.held : outcome === 'tooEarly' ? exitCodes.tooEarly : 0
  },
  rebuild: async (context, { options }, emit) => {
    if (options['dry-run'] === true) return previewRebuild(context, emit)
    await noteRebuild(context.store.db, actingNow(context))
    if (!(await rebuild(context, emit)))
      throw new OperatorError(
        'rebuild-running',
        'Another process is rebuilding the stock; wait until it has ended. If it died, it is given up after a minute.',
      )
    return 0
  },
  'values fit': async (context, _request, emit) => {
    await noteFit(context.store.db, actingNow(context))
    await fitValues(context, emit)
    return 0
  },
} satisfies Operations
