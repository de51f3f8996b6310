// `tenderstock start`: answers the API, and keeps reading, consolidating and publishing until it is stopped.
import { resolve } from 'node:path'
import { renderDigestLetter } from '../../console/mails/digest-letter.ts'
import { inColor } from '../../console/mails/mail-frame.ts'
import { writeAccountMail } from '../../console/mails/write-mails.ts'
import { hourMs, minuteMs, toInstant } from '../../domain/time.ts'
import { systemClock, systemSleep } from '../../platform/clock.ts'
import { usualName } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { mailDomainOf } from '../../platform/mail-address.ts'
import { shellWord } from '../../platform/shell-word.ts'
import { aborted, within } from '../../platform/within.ts'
import { conformantIntervalMs } from '../../publish/publish.ts'
import { sampleEpoch } from '../../simulator/samples/sample-documents.ts'
import { findPath } from '../../sources/files.ts'
import { loadSources } from '../../sources/registry.ts'
import { getOrCreateSetting } from '../../store/database/settings.ts'
import { openBucket } from '../../store/files/bucket.ts'
import { saveRounds } from '../../store/nodes/rounds.ts'
import { countMails } from '../../store/people/mails.ts'
import { loadTokens } from '../../store/people/organizations.ts'
import { runBackfills } from '../../store/upkeep/backfill.ts'
import { listenForCommands } from '../control/control-socket.ts'
import type { ServiceContext } from '../control/operation-context.ts'
import {
  contactOf,
  openPortalAccess,
  openPortalHttp,
  type SamplePortals,
  simulatorBase,
} from '../control/portal-access.ts'
import { startDeliveries } from '../hits/deliver-hits.ts'
import { type HitRounds, startHitRounds } from '../hits/hit-rounds.ts'
import { allowLoopbackWebhooks, webhookAddressRule } from '../hits/loopback-webhooks.ts'
import { startMails } from '../hits/mail-digests.ts'
import { WorkCounts } from '../metrics/work-counts.ts'
import { addressesOf, type NodeOptions } from '../nodes/answering.ts'
import { startExport } from '../nodes/export-editions.ts'
import type { ListenAddress } from '../nodes/listening-address.ts'
import { type OpenNode, openNode } from '../nodes/open-node.ts'
import { type Role, roles, roundRolesOf } from '../nodes/roles.ts'
import { firstConsoleLink } from '../operations/console-operations.ts'
import { mailMissing } from '../operations/digest-operations.ts'
import { runOperation } from '../operations/operations.ts'
import { sourceNamed } from '../operations/source-operations.ts'
import { claimStockKind, stockKind } from '../operations/stock-kind.ts'
import { type LiveSources, startLiveSources } from '../rounds/live-sources.ts'
import { type Rounds, startRounds } from '../rounds/rounds.ts'
import { watchContracts } from '../rounds/watch-contracts.ts'
import { openSampleHits } from '../samples/sample-hits.ts'
import { openSampleSources, type SampleSources } from '../samples/sample-sources.ts'
import { ensureTrialToken } from '../samples/trial-token.ts'
import { keepLooking } from '../watch/keep-looking.ts'
import { findConsole, openServiceConsole } from './open-console.ts'
import { StockRound } from './stock-round.ts'

export type StartOptions = NodeOptions & {
  readonly ingestPaths: readonly string[]
  /** Made-up notices from the simulator; IDs of its sources, none for the default ones. */
  readonly samples?: { readonly sources: readonly string[] }
  /** Reads the portals themselves; absent: they are not read. */
  readonly live?: {
    /** IDs of the sources to run; empty: all that are not off. */
    readonly sources: readonly string[]
    readonly workers: number
    /** `YYYY-MM-DD`. */
    readonly backfillSince?: string
    /** Address of a running `tenderstock simulate` to read instead of the portals: the notices are made up. */
    readonly simulator?: string
  }
  /** Limit of the trial organization, which only samples have. */
  readonly requestsPerMinute?: number
  readonly publishIntervalMs: number
  readonly hasTrialClock: boolean
  /** Receivers of webhooks on this machine may be saved and reached. */
  readonly allowsLoopbackWebhooks: boolean
  readonly console: ListenAddress
  /** Called with the trial token when it is created, if a person can see it. Never called again for this stock. */
  readonly showToken?: (plaintext: string) => void
  /** Called with the first person's link while there are no people, if a person can see it. */
  readonly showConsoleLink?: (link: string) => void
}

/** Records close by the clock: none stays open longer than this after its deadline. */
const longestTickMs = minuteMs / 2
const hitsConcern = 'Saved searches are not matched at the moment. Editions are published as usual.'
const mailsConcern = 'Mails are not sent at the moment.'
/** How long work in progress may take to end after a signal to stop. */
const longestFinishMs = 5_000
/** How long the bucket may take to answer while a row of the database is locked. */
const bucketTimeoutMs = 10_000

/**
 * Runs `tenderstock start` until `stop` is aborted. Returns when everything is closed.
 *
 * Parts are opened in the order in which they need each other: the store and the edition log (`openNode`), the control
 * socket, what works in the background, the API, the console, metrics, and last the portals and the rounds that read
 * and publish. Each defers its closing to the node, which closes them in the reverse order.
 */
export async function start(options: StartOptions): Promise<void> {
  await checkNamed(options)
  const simulator = options.live?.simulator
  if (simulator !== undefined) simulatorBase(simulator)
  else if (options.live) contactOf(options.config)
  const isMadeUp = options.samples !== undefined || simulator !== undefined
  const has = (role: Role) => options.roles.has(role)
  await using consoleAddress = has('console')
    ? await findConsole(options.console, options.config.consoleUrl)
    : undefined
  const consoleOrigin = consoleAddress?.origin ?? options.config.consoleUrl
  await using node = await openNode(options, { hasTrialClock: options.hasTrialClock, startsAlone: false })
  const { editions, emit, stop } = node
  const { store, dataFolder, clock, queue } = node.context
  if (options.live || options.samples) await claimStockKind(store, isMadeUp ? 'samples' : 'live')
  if (options.publishIntervalMs < conformantIntervalMs) {
    emit({
      event: 'warning',
      message: `An interval of ${options.publishIntervalMs / minuteMs} minutes between editions is for trials: the specification allows at most one an hour.`,
    })
  }
  const counters = new WorkCounts()
  const late = new LateParts()
  const context = contextOf(node, options, { consoleOrigin, late })
  const control = await listenForCommands(dataFolder, (request, emitTo) => runOperation(context, request, emitTo))
  if (control) node.defer(control.close)

  const tokenFile = await openTrial(node, options)
  await allowLoopbackWebhooks(store, options.allowsLoopbackWebhooks)
  if (has('deliver')) await openDeliveries(node, options, counters, consoleOrigin)
  if (has('mail')) await openMails(node, options, { origin: consoleOrigin!, counters })
  if (has('publish')) openContracts(node, options)
  const exported = has('publish') ? openExport(node, options) : undefined
  if (has('consolidate')) keepBackfilling(node)
  if (options.samples && options.allowsLoopbackWebhooks) await openReceiver(node, context)
  await node.takeOver({ isOlderAccepted: options.isOlderAccepted })
  const api = await node.listen()
  if (consoleAddress && api !== undefined)
    await openServiceConsole(node, context, {
      ...consoleAddress,
      apiAddress: options.config.baseUrl ?? api,
      api,
      hasSamples: has('ingest') ? isMadeUp : (await stockKind(store)) === 'samples',
    })
  const metrics = await node.openMetrics({
    counters,
    ...(exported && { exported }),
    rounds: node.shownRounds.state,
    publishes: has('publish'),
    sources: () => late.sources,
  })
  const announce = async () => {
    if (stop.aborted) return
    const newest = editions.newest
    emit({
      event: 'ready',
      ...addressesOf(options.config, api),
      ...(options.roles.size < roles.length && { roles: [...options.roles] }),
      ...(consoleAddress && { console: consoleAddress.origin }),
      ...(metrics !== undefined && { metrics }),
      tokenFile: tokenFile ?? null,
      edition: newest?.edition ?? 0,
      records: newest?.records ?? 0,
      data: dataFolder,
      since: toInstant(newest ? newest.publishedAt - hourMs : clock()),
    })
    const link = consoleAddress && options.showConsoleLink && (await firstConsoleLink(context))
    if (link !== undefined) options.showConsoleLink?.(link)
  }
  const found = editions.newest
  if (found) {
    emit({ event: 'found', edition: found.edition, records: found.records })
    await announce()
  }
  if (has('hits')) late.hits = openMatching(node, counters)
  const samples = options.samples ? await openSamples(node, options.samples, counters) : undefined
  const simulated = simulator === undefined ? undefined : await openSimulated(node, simulator)
  late.portals = samples ?? simulated
  const live = options.live ? await openLive(node, options.live, counters) : undefined
  late.sources = (live ?? samples)?.ids ?? []
  const rounds = openRounds(node, context, options, { live, samples, counters })
  late.rounds = rounds
  await rounds?.first
  if (has('serve') && !editions.newest && !stop.aborted) {
    const latest = `at ${toInstant(context.nextEdition?.()?.at ?? clock())} at the latest`
    emit({
      event: 'warning',
      message: live
        ? `The portals are being read for the first time: the API answers 503 until the first edition, ${latest}.`
        : 'The stock is empty: the API answers 503 until notices are read and an edition is published.',
    })
  }
  if (!found) await announce()

  await aborted(stop)
  emit({ event: 'stopping' })
  // a batch that is being written is finished; longer work is interrupted and done again after the next start
  const finished = within(Promise.all([queue.idle(), live?.done]), longestFinishMs)
  await Promise.all([node.endApi(), finished, rounds && within(rounds.close(), longestFinishMs)])
}

type StockRounds = Rounds & Pick<StockRound, 'nextEdition'>

/** What is opened last. Commands may come before, and find what is open by then. */
class LateParts {
  hits: HitRounds | undefined
  /** Those that commands use in place of the real ones. */
  portals: SamplePortals | undefined
  /** IDs of the sources that are read. */
  sources: readonly string[] = []
  rounds: StockRounds | undefined
}

/** What commands and screens work with. */
function contextOf(
  { context, shownRounds, stop, takeOver, shift }: OpenNode,
  { roles: own, publishIntervalMs, hasTrialClock }: StartOptions,
  { consoleOrigin, late }: { readonly consoleOrigin: string | undefined; readonly late: LateParts },
): ServiceContext {
  return {
    ...context,
    publishIntervalMs,
    ...(consoleOrigin !== undefined && { consoleOrigin }),
    // on a database that lost editions nothing is published until an operator agrees
    beforePublish: () => takeOver(),
    onPublished: async () => {
      late.hits?.run()
      await takeOver()
    },
    rounds: shownRounds.state,
    nextEdition: () => (own.has('publish') ? late.rounds?.nextEdition() : undefined),
    samplePortals: () => late.portals,
    signal: stop,
    ...(hasTrialClock && {
      advanceClock: async (ms: number) => {
        const now = shift(ms)
        late.rounds?.run()
        await context.queue.idle()
        await late.hits?.idle()
        return now
      },
    }),
  }
}

/** Starts the rounds of the stages that are among the roles of this process; undefined if none is. */
function openRounds(
  node: OpenNode,
  context: ServiceContext,
  options: StartOptions,
  parts: {
    readonly live: LiveSources | undefined
    readonly samples: SampleSources | undefined
    readonly counters: WorkCounts
  },
): StockRounds | undefined {
  const { editions, state, emit, log, stop } = node
  const { store, queue, clock, dataFolder } = context
  const own = roundRolesOf(options.roles)
  if (own.length === 0) return undefined
  const { live, samples, counters } = parts
  const stockRound = new StockRound({
    context,
    editions,
    state,
    emit,
    publishIntervalMs: options.publishIntervalMs,
    ingestPaths: options.ingestPaths,
    live,
    samples,
    roles: options.roles,
  })
  const rounds = startRounds({
    queue,
    clock,
    stop,
    everyMs: Math.min(longestTickMs, Math.max(250, options.publishIntervalMs / 4)),
    round: (isFirst, stage) => stockRound.run(isFirst, stage),
    before: node.keptRounds,
    keep: (state) => saveRounds(store.db, state, own),
    counters,
    dataFolder,
    onFailure: (message, error) => {
      log.error({ error: error instanceof Error ? traceOf(error) : String(error) }, message)
      emit({ event: 'warning', message })
    },
    onRecovery: (failedRounds) => emit({ event: 'recovered', failedRounds }),
  })
  node.shownRounds.showOwn(rounds.state, own)
  return { ...rounds, nextEdition: () => stockRound.nextEdition() }
}

const traceOf = (error: Error): string =>
  [error, error.cause].flatMap((each) => (each instanceof Error ? [each.stack] : [])).join('\n')

/**
 * Throws OperatorError for a source or path that does not exist, before anything is opened and the service called
 * ready.
 */
async function checkNamed({ live, samples, ingestPaths }: StartOptions): Promise<void> {
  const named = live?.sources ?? samples?.sources.filter((id) => id !== 'all') ?? []
  if (named.length > 0) {
    const sources = await loadSources()
    for (const id of named) sourceNamed(sources, id)
  }
  for (const path of ingestPaths) await findPath(path)
}

/** Sends hits to the endpoints of organizations. */
async function openDeliveries(
  { context, state, emit, log, defer }: OpenNode,
  options: StartOptions,
  counters: WorkCounts,
  pages: string | undefined,
): Promise<void> {
  const { store, dataFolder, clock, wallClock, random } = context
  const deliveries = startDeliveries({
    store,
    dataFolder,
    config: options.config,
    random,
    clock,
    wallClock,
    addresses: await webhookAddressRule(store, options.config),
    mailDomain: mailDomainOf(options.config.mail?.from),
    pages,
    version: options.version,
    log,
    report: (concern) => state.report('webhooks', concern),
    onAttempt: ({ isSuccess }) => counters.noteAttempt(isSuccess),
    onDisabled: (id, why) =>
      emit({ event: 'warning', message: `The webhook endpoint ${id} was disabled (${why}); its deliveries are held.` }),
  })
  defer(() => within(deliveries.close(), longestFinishMs))
}

/** Ends contracts, tokens and what is kept when their time has come. */
function openContracts({ context, state, log, defer }: OpenNode, options: StartOptions): void {
  const { store, clock } = context
  const contracts = watchContracts({
    store,
    clock,
    log,
    mailDomain: mailDomainOf(options.config.mail?.from),
    ...(options.config.keep && { keep: options.config.keep }),
    ...(context.documentStore && { documentStore: context.documentStore }),
    report: (concern) => state.report('contracts', concern),
  })
  defer(() => within(contracts.close(), longestFinishMs))
}

/** Receives the sample hits on this machine. */
async function openReceiver({ emit, defer }: OpenNode, context: ServiceContext): Promise<void> {
  const receiver = await openSampleHits(context, emit).catch((error: unknown) => {
    if (!(error instanceof OperatorError)) throw error
    // with a different sealing key everything works except the webhooks
    emit({ event: 'warning', message: error.message })
    return undefined
  })
  if (receiver) defer(receiver.close)
}

/** Matches saved searches with editions. */
function openMatching({ context, state, emit, log, stop, defer }: OpenNode, counters: WorkCounts): HitRounds {
  const { store, clock } = context
  const matching = startHitRounds({
    store,
    clock,
    stop,
    emit: (event) => {
      if (event.event === 'matched') counters.hits += event.hits
      emit(event)
    },
    onState: (sentence, error) => {
      state.report('hits', sentence === undefined ? undefined : hitsConcern)
      if (sentence === undefined) return
      log.error({ error: error instanceof Error ? traceOf(error) : String(error) }, sentence)
      emit({ event: 'warning', message: sentence })
    },
  })
  defer(() => within(matching.close(), longestFinishMs))
  return matching
}

/** Sends mails if they are configured; otherwise reports that digests wait. */
async function openMails(
  { context, state, emit, log, defer }: OpenNode,
  { config }: StartOptions,
  { origin, counters }: { readonly origin: string; readonly counters: WorkCounts },
): Promise<void> {
  const { store, dataFolder, clock, random } = context
  const { mail } = config
  const brand = { name: config.site?.name ?? usualName, color: config.site?.color }
  if (!mail) {
    if ((await countMails(store.db)).digests > 0) emit({ event: 'warning', message: mailMissing })
    return
  }
  const mails = startMails({
    store,
    dataFolder,
    config,
    mail,
    random,
    clock,
    log,
    // the reason is only logged: `/readyz` is public
    report: (concern) => state.report('mails', concern === undefined ? undefined : mailsConcern),
    renderAccountMail: async (mail, leaving) => {
      const written = await writeAccountMail({ store, clock, random, origin, brand }, mail, leaving)
      return written && inColor(written, brand.color)
    },
    renderDigest: (letter) => inColor(renderDigestLetter(letter, origin, brand.name), brand.color),
    onGivenUp: ({ digestId, person, error }) => {
      counters.mailsGivenUp++
      emit({
        event: 'warning',
        message: `A mail ${digestId === null ? '' : `of the digest ${digestId} `}to ${person} was given up: ${error}`,
      })
    },
  })
  defer(() => within(mails.close(), longestFinishMs))
}

/** Writes editions into the bucket if one is configured. */
function openExport(
  { context, editions, state, log, stop, defer }: OpenNode,
  { config, version }: StartOptions,
): (() => number | undefined) | undefined {
  const { store, clock, random } = context
  const { editions: location, secretKey } = config
  if (!location || !secretKey) return undefined
  const bucket = openBucket(location, {
    clock: systemClock,
    sleep: systemSleep,
    random,
    version,
    named: 'the address in TENDERSTOCK_EDITIONS',
    timeoutMs: bucketTimeoutMs,
  })
  const report = (concern: string | undefined) => state.report('export', concern)
  const exporting = startExport({ store, bucket, editions, clock, random, secretKey, log, report, stop })
  defer(() => within(exporting.close().finally(bucket.close), longestFinishMs))
  return exporting.exported
}

/** The file of the trial token. Without a token, reports how to create one; no event contains the token itself. */
async function openTrial(node: OpenNode, options: StartOptions): Promise<string | undefined> {
  const { emit, context } = node
  const { store, clock, random, dataFolder } = context
  const where = dataFolder === resolve('data') ? '' : ` --data ${shellWord(dataFolder)}`
  const say = (message: string) => emit({ event: 'note', message })
  if (!options.samples) {
    if (options.roles.has('serve') && (await loadTokens(store.db)).length === 0)
      say(
        `No organization has access yet: run tenderstock organization create NAME${where}, then tenderstock token create NAME${where}`,
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
    say(
      `The trial token was revoked, or its file is not in this folder; create another: tenderstock token create Trial${where}`,
    )
    return undefined
  }
  if (trial.kind === 'made') options.showToken?.(trial.plaintext)
  return trial.file
}

async function openLive(
  node: OpenNode,
  live: NonNullable<StartOptions['live']>,
  counters: WorkCounts,
): Promise<LiveSources> {
  const { context, log, emit, stop } = node
  const { http, contact } = openPortalHttp(context.config, live.simulator)
  node.defer(http.close)
  return startLiveSources({
    ...context,
    log,
    emit,
    stop,
    http,
    contact,
    // a key is only for the portal itself
    ...(live.simulator !== undefined && { keyOf: () => 'simulated' }),
    sources: await loadSources(),
    named: live.sources,
    workers: live.workers,
    onReading: (result) => counters.noteReading(result),
    ...(live.backfillSince !== undefined && { backfillSince: live.backfillSince }),
  })
}

/** What commands use in place of the portals while the service reads a simulator. */
async function openSimulated({ context, emit, defer }: OpenNode, simulator: string): Promise<SamplePortals> {
  emit({
    event: 'warning',
    message: `The portals are simulated by ${simulator}: the stock holds made-up notices, none of them a real tender.`,
  })
  const access = openPortalAccess({ ...context, simulator })
  defer(access.close)
  const sources = await loadSources()
  return { hosts: access.hosts, sourceOf: (id) => sources.get(id) }
}

async function openSamples(
  { context, emit, stop, defer }: OpenNode,
  { sources }: NonNullable<StartOptions['samples']>,
  counters: WorkCounts,
): Promise<SampleSources> {
  const { store, clock } = context
  // stored, so that a later start finds the same world, only older
  const epoch = Number(await getOrCreateSetting(store.db, 'sample-epoch', String(sampleEpoch(clock()))))
  const samples = await openSampleSources({
    ...context,
    emit,
    stop,
    epoch,
    named: sources,
    onReading: (result) => counters.noteReading(result),
  })
  defer(samples.close)
  return samples
}

/** Does the long work that an upgrade left to do, beside the rounds of the service. */
function keepBackfilling({ context, emit, log, state, defer }: OpenNode): void {
  const concern = 'The remaining work of an upgrade failed'
  const backfilling = keepLooking({
    look: (signal) =>
      runBackfills(context.store, {
        signal,
        onProgress: ({ name, rows, isDone }) => {
          if (rows === 0) return
          emit({ event: 'progress', stage: 'backfill', done: rows, detail: `rows (${name})` })
          if (isDone) log.info({ name, rows }, 'the remaining work of an upgrade is done')
        },
      }),
    everyMs: hourMs,
    log,
    concern,
    report: (why) => state.report('backfill', why === undefined ? undefined : `${concern}.`),
  })
  defer(() => within(backfilling.close(), longestFinishMs))
}
