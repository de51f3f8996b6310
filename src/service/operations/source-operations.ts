// The operator's commands about sources: which there are, how each is doing, and reading one now.
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { makeSharedFile } from '#flat/files/own-files'
import type { Actor } from '../../actions/acting.ts'
import { noteReading, releaseSource, turnSourceOff, turnSourceOn } from '../../actions/sources.ts'
import { countStates, isActive, type SourcePast, sourceStates } from '../../domain/source-state.ts'
import { type CheckResult, checkSource } from '../../ingest/check-source.ts'
import { hostGroups } from '../../ingest/host-groups.ts'
import { Recorder } from '../../ingest/recordings.ts'
import { runSource } from '../../ingest/run-sources.ts'
import { needsKey, type SourceHealth, whyOff } from '../../ingest/source-health.ts'
import { sourcesPast, wholePast } from '../../ingest/source-past.ts'
import { sourcesHealth } from '../../ingest/watch-sources.ts'
import { atMost } from '../../platform/at-most.ts'
import { type Clock, systemSleep } from '../../platform/clock.ts'
import { OperatorError, refused } from '../../platform/errors.ts'
import { inFolder } from '../../platform/folders.ts'
import { recordedAnswers } from '../../sources/recorded-answers.ts'
import { countCountries, loadSources, type Sources } from '../../sources/registry.ts'
import type { Source } from '../../sources/source.ts'
import { inTransaction, type Store } from '../../store/database/database.ts'
import { listFill } from '../../store/sources/source-fill.ts'
import { alarmsOf, listRuns } from '../../store/sources/source-health.ts'
import { consolidateNow } from '../control/consolidate-now.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import { actingNow, type Operation, type Operations, type ServiceContext } from '../control/operation-context.ts'
import { openPortalAccess, type PortalAccess } from '../control/portal-access.ts'
import type { SourceCard } from '../events/source-events.ts'
import { checkReport } from './check-report.ts'
import { claimStockKind } from './stock-kind.ts'

/** What these commands need of the context they run in. */
export type SourceContext = {
  readonly store: Store
  readonly clock: Clock
  /** The operator's key of this name (`SAM_API_KEY`), if set. */
  readonly keyOf: (setting: string) => string | undefined
}

/** What a reading of a source needs. */
export type ReadingContext = SourceContext &
  Pick<
    ServiceContext,
    'by' | 'dataFolder' | 'config' | 'version' | 'random' | 'documentStore' | 'samplePortals' | 'signal'
  >

export const sourceExitCodes = { failed: 5, differs: 6 } as const

/** How many hosts a check asks at the same time. */
const hostsAtOnce = 16
const shownRuns = 10
const shownAlarms = 5

/** Finds the source with this ID. Throws OperatorError that suggests similar IDs. */
export function sourceNamed(sources: Sources, id: string): Source {
  const source = sources.get(id)
  if (source) return source
  const near = [...sources.keys()].filter((each) => each.includes(id) || id.includes(each)).slice(0, 5)
  throw new OperatorError(
    'no-source',
    `There is no source "${id}"${near.length > 0 ? `; did you mean ${near.join(', ')}?` : '; `tenderstock source list --all` shows them.'}`,
  )
}

/** `source list`: one event for each source, those with alarms first; sources that were never read only with --all. */
export const listSources: Operation<SourceContext> = async (context, { options }, emit) => {
  const sources = await loadSources()
  const country = options.country === undefined ? undefined : String(options.country).toUpperCase()
  if (country !== undefined && ![...sources.values()].some((source) => source.country === country))
    throw new OperatorError(
      'invalid-option',
      `There is no source in the country "${options.country}"; country codes have two letters, such as DE, GB or EU.`,
    )
  const judged = await sourcesHealth(context.store, watchOf(context, sources))
  const pasts = await sourcesPast(context.store, { sources, now: context.clock() })
  const wanted = judged
    .filter(({ health }) => country === undefined || sources.get(health.sourceId)!.country === country)
    .sort((a, b) => sourceStates.indexOf(a.health.state) - sourceStates.indexOf(b.health.state))
  const isShown = ({ record }: (typeof wanted)[number]) =>
    options.all === true || country !== undefined || record.lastReadAt !== null || record.turnedOff !== null
  for (const each of wanted) {
    const { health, record } = each
    if (!isShown(each)) continue
    const source = sources.get(health.sourceId)!
    emit({
      event: 'source',
      ...health,
      title: source.title,
      country: source.country,
      lastNewAt: record.lastNewAt,
      lastError: record.lastError,
      lastReason: record.lastReason,
      recentDocuments: record.recentDocuments,
      waitingSlots: record.waitingSlots,
      past: pasts.get(health.sourceId) ?? null,
    })
  }
  emit({
    event: 'sources',
    total: wanted.length,
    countries: countCountries(wanted.map(({ health }) => sources.get(health.sourceId)!)),
    states: countStates(wanted.map(({ health }) => health.state)),
    hidden: wanted.filter((each) => !isShown(each)).length,
    past: wholePast(activePasts(pasts, judged), sources),
  })
  return 0
}

/** Of the sources that are read. */
export const activePasts = (
  pasts: ReadonlyMap<string, SourcePast>,
  judged: readonly { readonly health: SourceHealth }[],
): readonly SourcePast[] =>
  judged.flatMap(({ health }) => (isActive(health.state) ? (pasts.get(health.sourceId) ?? []) : []))

/** `source show ID`: its card, its health, its last readings and alarms. */
export const showSource: Operation<SourceContext> = async (context, { operands }, emit) => {
  const sources = await loadSources()
  const source = sourceNamed(sources, operands[0]!)
  const judged = await sourcesHealth(context.store, {
    ...watchOf(context, sources),
    sources: new Map([[source.id, source]]),
  })
  const { health, record } = judged[0]!
  emit({
    event: 'sourceCard',
    ...cardOf(source),
    health,
    record,
    fill: await listFill(context.store.db, source.id),
    runs: await listRuns(context.store.db, source.id, shownRuns),
    alarms: await alarmsOf(context.store.db, source.id, shownAlarms),
  })
  return 0
}

export const watchOf = (context: Pick<SourceContext, 'clock' | 'keyOf'>, sources: Sources) => ({
  sources,
  now: context.clock(),
  hasKey: (setting: string) => context.keyOf(setting) !== undefined,
})

/** The data of a card, without its functions. */
export function cardOf({
  parse: _,
  offBecause: _why,
  documentation,
  recordings,
  clients,
  unnamedClients,
  channels,
  ...card
}: Source): SourceCard {
  return {
    ...card,
    documentation: documentation ?? null,
    recordings: recordings ?? [],
    clients: clients ?? [],
    unnamedClients: unnamedClients ?? 0,
    hasRecordedAnswers: recordedAnswers.has(card.id),
    channels: channels.map(({ name, role, slots, delivery, timetable }) => ({
      name,
      role: role ?? 'current',
      slots: slots.kind,
      since: 'since' in slots ? slots.since : null,
      delivery: delivery.kind,
      timetable: timetable ?? 'every hour',
    })),
  }
}

/** `source run ID`: reads what is due of a source, or the named slots. Exit code 5 when a reading failed. */
export const runSourceNow: Operation<ReadingContext> = async (context, { operands, options }, emit) => {
  const sources = await loadSources()
  const named = sourceNamed(sources, operands[0]!)
  if (options.slot !== undefined && options.channel === undefined)
    throw new OperatorError(
      'option-missing',
      `--slot needs --channel; ${named.id} has ${named.channels.map(({ name }) => name).join(', ')}.`,
    )
  const { clock, random, keyOf } = context
  // it would read nothing, as if nothing were due
  if (context.signal?.aborted) throw refused({ code: 'service-stopping', values: {} })
  const access = accessOf(context, options)
  try {
    const source = cardIn(access, named)
    await claimStockKind(context.store, access.isSimulated ? 'samples' : 'live')
    await noteReading(context.store.db, actingNow(context), named.id)
    const results = await runSource(
      context.store,
      source,
      {
        all: sources.values(),
        clock,
        hosts: access.hosts,
        keyOf: (setting) => keyOf(setting) ?? (access.isSimulated ? 'simulated' : undefined),
        scratchFolder: join(context.dataFolder, 'scratch', String(process.pid)),
        worker: `${hostname()} ${process.pid} ${random.uuid()}`,
        sleep: systemSleep,
        signal: context.signal ?? new AbortController().signal,
        onReading: ({ sourceId, ...facts }) => emit({ event: 'sourceRead', source: sourceId, ...facts }),
        onFault: (_, error) =>
          emit({ event: 'warning', message: error instanceof Error ? error.message : String(error) }),
        ...(context.documentStore && { documentStore: context.documentStore }),
        ...(options['backfill-since'] !== undefined && { backfillSince: String(options['backfill-since']) }),
      },
      {
        ...(options.channel !== undefined && { channel: String(options.channel) }),
        ...(Array.isArray(options.slot) && options.slot.length > 0 && { slots: options.slot as string[] }),
      },
    )
    if (results.length === 0)
      emit({ event: 'none', message: `Nothing is due for ${source.id}; --channel NAME --slot KEY reads a slot again.` })
    return results.some(({ outcome }) => outcome === 'failed' || outcome === 'refused') ? sourceExitCodes.failed : 0
  } finally {
    await access.close()
  }
}

export function accessOf(context: CheckContext, { simulator }: ControlRequest['options']): PortalAccess {
  return openPortalAccess({ ...context, ...(simulator !== undefined && { simulator: String(simulator) }) })
}

export function cardIn(access: PortalAccess, source: Source): Source {
  const card = access.cardOf(source)
  if (card) return card
  throw refused({ code: 'no-sample', values: { source: source.id } })
}

/** Creates the folder of recordings; refuses one that holds something, so that no recording mixes with another. */
async function prepareRecordings(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0)
    throw new OperatorError(
      'recordings-not-empty',
      `${folder} is not empty; name a new folder for the recordings (--record DIR).`,
    )
}

/** What a check needs: no stock is open. */
export type CheckContext = Omit<ReadingContext, 'store' | 'documentStore'>

/**
 * `source check [ID …]`: one small request each, compared with the card. Exit code 6 when one differs or does not
 * answer; a quiet one is not an error. `--record DIR` writes the exchanges into a new folder, `--report FILE` a page.
 */
export const checkSources: Operation<CheckContext> = async (context, { operands, options }, emit) => {
  const sources = await loadSources()
  const named = operands.map((id) => sourceNamed(sources, id))
  if (options.all === true && named.length > 0)
    throw new OperatorError(
      'options-conflict',
      `Name sources or pass --all, not both: --all checks every active source.`,
    )
  const { clock, signal = new AbortController().signal } = context
  const access = accessOf(context, options)
  const keyOf = (source: Source) =>
    source.access.kind === 'open'
      ? undefined
      : (context.keyOf(source.access.setting) ?? (access.isSimulated ? 'simulated' : undefined))
  if (options.record !== undefined) await prepareRecordings(String(options.record))
  const report = options.report === undefined ? undefined : String(options.report)
  const writeReport = (path: string, page: string, flag: 'a' | 'w') =>
    inFolder(dirname(path), 'a report', () => writeFile(path, page, { flag }))
  // a path that cannot be written is reported before the checks, and the page of an earlier check stays until then
  if (report !== undefined) {
    await makeSharedFile(report)
    await writeReport(report, '', 'a')
  }
  const hasKey = (source: Source) => source.access.kind === 'open' || keyOf(source) !== undefined
  const chosen =
    named.length > 0
      ? named
      : [...sources.values()].filter((each) => access.cardOf(each) && whyOff(each, hasKey(each)) === undefined)
  const scratchFolder = join(context.dataFolder, 'scratch', String(process.pid))
  await mkdir(scratchFolder, { recursive: true })
  const results = new Map<string, CheckResult>()
  const checkOne = async (each: Source) => {
    if (signal.aborted) return
    const source = cardIn(access, each)
    if (source.access.kind === 'key' && !hasKey(source)) throw refused(needsKey(source.id, source.access))
    const key = keyOf(source)
    const { send } = access.hosts.openConnection({ source, key, signal })
    const recorder = options.record === undefined ? undefined : new Recorder(send, key)
    const recordedAt = new Date(clock()).toISOString()
    const checking = { send: recorder?.send ?? send, key, now: clock, scratchFolder, signal }
    const result = await checkSource(source, checking)
    results.set(source.id, result)
    await recorder?.write(join(String(options.record), source.id), { sourceId: source.id, recordedAt })
    emit({ event: 'sourceChecked', ...result })
    emit({ event: 'progress', stage: 'check', done: results.size, total: chosen.length })
  }
  try {
    emit({ event: 'progress', stage: 'check', done: 0, total: chosen.length })
    // many hosts at a time, as most of a check is waiting; sources that share a host one after the other
    const groups = hostGroups(chosen)
    const inRoom = atMost(hostsAtOnce)
    const ended = await Promise.allSettled(
      [...Map.groupBy(chosen, ({ id }) => groups.get(id)!).values()].map((some) =>
        inRoom(async () => {
          for (const each of some) await checkOne(each)
        }),
      ),
    )
    for (const each of ended) if (each.status === 'rejected') throw each.reason
  } finally {
    await access.close()
    // also of a check that was broken off
    if (report !== undefined) {
      const why = (source: Source) =>
        !access.cardOf(source)
          ? 'It is not one of the sample portals.'
          : (whyOff(source, hasKey(source)) ?? 'The check ended before it.')
      const listed = named.length > 0 ? named : [...sources.values()]
      const rows = listed.map((source) => ({ source, result: results.get(source.id) ?? why(source) }))
      await writeReport(report, checkReport(rows, clock()), 'w')
    }
  }
  const verdicts = [...results.values()].map(({ verdict }) => verdict)
  const ok = verdicts.filter((verdict) => verdict === 'ok').length
  const quiet = verdicts.filter((verdict) => verdict === 'quiet').length
  emit({ event: 'sourcesChecked', checked: verdicts.length, ok, quiet })
  return ok + quiet === verdicts.length ? 0 : sourceExitCodes.differs
}

/** `source off ID --reason TEXT`: no worker reads it until it is turned on. */
export const turnOff: Operation<SourceContext & { readonly by?: Actor }> = async (
  context,
  { operands, options },
  emit,
) => {
  const { id } = sourceNamed(await loadSources(), operands[0]!)
  const reason = String(options.reason ?? '').trim()
  if (reason === '')
    throw new OperatorError('option-missing', `Say why: \`tenderstock source off ${id} --reason TEXT\`.`)
  await inTransaction(context.store, (trx) => turnSourceOff(trx, actingNow(context), id, reason))
  emit({ event: 'sourceTurnedOff', source: id, reason })
  return 0
}

/** `source on ID`: undoes `source off`. */
export const turnOn: Operation<SourceContext & { readonly by?: Actor }> = async (context, { operands }, emit) => {
  const { id } = sourceNamed(await loadSources(), operands[0]!)
  const isDone = await inTransaction(context.store, (trx) => turnSourceOn(trx, actingNow(context), id))
  if (!isDone) throw refused({ code: 'not-turned-off', values: { source: id } })
  emit({ event: 'sourceTurnedOn', source: id })
  return 0
}

/** `source release ID`: ends the quarantine of a source. `seen`: when the one began that a page has shown. */
export const releaseSourceNow: Operation<SourceContext & { readonly by?: Actor }> = async (
  context,
  { operands, options },
  emit,
) => {
  const { id } = sourceNamed(await loadSources(), operands[0]!)
  const note = options.note === undefined ? '' : String(options.note)
  const seen = options.seen === undefined ? undefined : Number(options.seen)
  const outcome = await inTransaction(context.store, (trx) =>
    releaseSource(trx, actingNow(context), id, { note, seen }),
  )
  if (outcome.kind === 'stale') throw refused({ code: 'changed-meanwhile', values: {} })
  if (outcome.kind === 'none') throw refused({ code: 'no-quarantine', values: { source: id } })
  const { notices, since } = outcome.quarantine
  emit({ event: 'sourceReleased', source: id, notices, since })
  return 0
}

export const operations = {
  'source list': listSources,
  'source show': showSource,
  'source check': checkSources,
  'source off': turnOff,
  'source on': turnOn,
  'source release': async (context, request, emit) => {
    const exitCode = await releaseSourceNow(context, request, emit)
    await context.queue.run('consolidate', () => consolidateNow(context, emit))
    return exitCode
  },
  'source run': async (context, request, emit) => {
    const exitCode = await runSourceNow(context, request, emit)
    await context.queue.run('consolidate', () => consolidateNow(context, emit))
    return exitCode
  },
} satisfies Operations
