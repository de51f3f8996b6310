// One round of `tenderstock start`: the stages from reading notices to publishing an edition.
import { stockRules } from '../../domain/stock-rules.ts'
import { hourMs, minuteMs } from '../../domain/time.ts'
import type { EditionLog } from '../../edition/write/edition-log.ts'
import { watchSources } from '../../ingest/watch-sources.ts'
import { sourceKey } from '../../platform/config.ts'
import { traced } from '../../platform/tracing.ts'
import { countOutcomes } from '../../publish/count-outcomes.ts'
import { conformantIntervalMs } from '../../publish/publish.ts'
import { loadSources } from '../../sources/registry.ts'
import { isPublicationBegun } from '../../store/editions/publication.ts'
import { rebuildState } from '../../store/editions/rebuild-mark.ts'
import { countNoticesToConsolidate } from '../../store/received/notices.ts'
import { comparedWith } from '../../store/stock/rules.ts'
import { consolidateNow } from '../control/consolidate-now.ts'
import type { NextEdition, ServiceContext } from '../control/operation-context.ts'
import type { CommandEvent, Emit } from '../events/command-event.ts'
import type { Roles } from '../nodes/roles.ts'
import { fitValuesWhenDue, helpRebuild, ingestPaths, publishNow, rebuild } from '../operations/stock-operations.ts'
import { alarmLines } from '../rounds/alarm-lines.ts'
import type { LiveSources } from '../rounds/live-sources.ts'
import type { RunStage } from '../rounds/rounds.ts'
import { plantHold } from '../samples/sample-hold.ts'
import type { SampleSources } from '../samples/sample-sources.ts'
import type { NodeState } from '../watch/node-state.ts'

/**
 * A reader shows an edition some seconds after its publication, sometimes sooner, sometimes later. With this much more
 * than an hour between two publications, every reader shows them at least an hour apart (C5).
 */
const takeOverAllowanceMs = minuteMs
const watchMs = 5 * minuteMs
const heldPauseMs = 10 * minuteMs
/** How long the first edition waits for the portals. */
const longestFirstReadMs = 15 * minuteMs

export type StockRoundOptions = {
  readonly context: ServiceContext
  readonly editions: EditionLog
  readonly state: NodeState
  readonly emit: Emit
  readonly publishIntervalMs: number
  /** Files and folders of notices that the first round reads. */
  readonly ingestPaths: readonly string[]
  readonly live: LiveSources | undefined
  readonly samples: SampleSources | undefined
  readonly roles: Roles
}

export class StockRound {
  readonly #options: StockRoundOptions
  readonly #startedAt: number
  #heldUntil = 0
  #clockReportedUntil = 0
  #readAt = Number.NEGATIVE_INFINITY
  #lookedAtModel = Number.NEGATIVE_INFINITY
  #progressReportedAt = Number.NEGATIVE_INFINITY
  #watchedAt = Number.NEGATIVE_INFINITY

  constructor(options: StockRoundOptions) {
    this.#options = options
    this.#startedAt = options.context.clock()
  }

  /** Runs the stages in order. The first round reports more than later ones, which run several times a minute. */
  async run(isFirst: boolean, stage: RunStage): Promise<void> {
    const { context, emit, live, samples, ingestPaths: paths, roles } = this.#options
    // Runs before anything changes the stock, and undoes an unfinished edition; if publication fails, this is also what
    // clears it up.
    if (roles.has('publish'))
      await stage('finish-publication', () => this.#finishPublication(isFirst), { isAside: true })
    if (roles.has('ingest')) {
      if (isFirst && paths.length > 0)
        await stage('read-files', async () => void (await ingestPaths(context, paths, emit)))
      if (isFirst || this.#isReadingDue()) await stage('read-samples', () => this.#readSamples())
      await stage('store-deliveries', async () => live?.throwFault(), { isAside: true })
    }
    if (roles.has('consolidate')) {
      await stage('rebuild', () => this.#rebuildIfDue())
      const report = (event: CommandEvent) => {
        if (event.event === 'warning') return
        if (isFirst || event.event !== 'consolidated' || event.changed > 0) emit(event)
      }
      await stage('consolidate', () => consolidateNow(context, report, { version: context.version }))
      await stage('estimate', () => this.#fitValues(), { isAside: true })
    }
    this.#reportFirstReading()
    if (roles.has('ingest')) await stage('watch-sources', () => this.#watchSources())
    if (roles.has('publish')) {
      await stage('publish', () => this.#publishWhenDue(isFirst))
      await stage('count-outcomes', () => this.#countOutcomes(), { isAside: true })
    }
    if (samples)
      await stage('plant-hold', () => plantHold(context.store, { now: context.clock(), sources: samples.ids }), {
        isAside: true,
      })
  }

  async #countOutcomes(): Promise<void> {
    const { context } = this.#options
    await countOutcomes(context.store, { now: context.clock() })
  }

  async #finishPublication(isFirst: boolean): Promise<void> {
    const { context } = this.#options
    if (await isPublicationBegun(context.store.db)) await this.#publishWhenDue(isFirst)
  }

  /** Sources are read once an hour, more often in trials. */
  #isReadingDue(): boolean {
    const everyMs = Math.min(hourMs, Math.max(this.#options.publishIntervalMs, 1000))
    return this.#options.context.clock() - this.#readAt >= everyMs
  }

  async #readSamples(): Promise<void> {
    await this.#options.samples?.read()
    this.#readAt = this.#options.context.clock()
  }

  /** Helps a rebuild, repeats an interrupted one, or begins one if this program has newer rules than the stock. */
  async #rebuildIfDue(): Promise<void> {
    const { context, emit } = this.#options
    const state = await rebuildState(context.store)
    if (state === 'running') await helpRebuild(context)
    if (state === 'running') return
    const { rules, areNewer } = await comparedWith(context.store.db, stockRules)
    if (state === 'interrupted')
      emit({ event: 'warning', message: 'A rebuild was interrupted; it will be repeated before the next publication.' })
    else if (!areNewer) return
    else {
      const message =
        `These rules changed since the stock was derived: ${rules.join(', ')}. ` +
        'It is derived again before the next publication, which names them.'
      emit({ event: 'warning', message })
    }
    await rebuild(context, emit)
  }

  async #fitValues(): Promise<void> {
    const { context, emit } = this.#options
    if (context.clock() - this.#lookedAtModel < hourMs) return
    await fitValuesWhenDue(context, (event) => {
      if (event.event !== 'valuesFitted' || event.version !== null) emit(event)
    })
    this.#lookedAtModel = context.clock()
  }

  /** Raises and clears the alarms of sources, before the gate reads them. */
  async #watchSources(): Promise<void> {
    const { context, emit, live } = this.#options
    const now = context.clock()
    if (!live || now - this.#watchedAt < watchMs) return
    const watchedAt = this.#watchedAt
    this.#watchedAt = now
    const hasKey = (setting: string) => sourceKey(setting) !== undefined
    const sources = await loadSources()
    const { raised, cleared } = await watchSources(context.store, { sources, now, hasKey, watchedAt })
    for (const message of alarmLines(raised)) emit({ event: 'warning', message })
    for (const alarm of cleared) emit({ event: 'alarmCleared', alarm })
  }

  /** Says once a minute how far the first reading is. */
  #reportFirstReading(): void {
    const { context, emit } = this.#options
    const { at, firstReading } = this.nextEdition()
    if (!firstReading || context.clock() - this.#progressReportedAt < minuteMs) return
    this.#progressReportedAt = context.clock()
    emit({ event: 'firstReading', ...firstReading, latestAt: at })
  }

  async #publishWhenDue(isFirst: boolean): Promise<void> {
    const { context, state, publishIntervalMs } = this.#options
    if (!(await this.#isPublicationDue(isFirst))) return
    const report = (event: CommandEvent) => this.#reportPublication(event, isFirst)
    const outcome = await traced('publication', {}, async (span) => {
      const reached = await publishNow(context, report, { minIntervalMs: publishIntervalMs })
      span.setAttribute('tenderstock.outcome', reached)
      return reached
    })
    if (outcome !== 'clockDiffers') state.report('publishing', undefined)
    // the gate checks again when something may have changed, instead of repeating itself in every round
    if (outcome === 'held') this.#heldUntil = context.clock() + Math.min(publishIntervalMs, heldPauseMs)
  }

  /** When the next edition is published if there is something to publish, as far as the clock decides that. */
  nextEdition(): NextEdition {
    const { context, editions, live } = this.#options
    const now = context.clock()
    if (editions.newest) return { at: Math.max(now, this.#heldUntil, editions.newest.publishedAt + this.#waitMs()) }
    const longest = this.#startedAt + longestFirstReadMs
    const firstReading = live?.firstReading()
    if (firstReading && now < longest) return { at: longest, firstReading }
    return { at: Math.max(now, this.#heldUntil) }
  }

  #waitMs(): number {
    const { publishIntervalMs } = this.#options
    return publishIntervalMs + (publishIntervalMs >= conformantIntervalMs ? takeOverAllowanceMs : 0)
  }

  async #isPublicationDue(isFirst: boolean): Promise<boolean> {
    const { context, editions } = this.#options
    const now = context.clock()
    if (!editions.newest)
      return (isFirst || now >= this.#heldUntil) && (now - this.#startedAt >= longestFirstReadMs || this.#isCaughtUp())
    return isFirst || (now - editions.newest.publishedAt >= this.#waitMs() && now >= this.#heldUntil)
  }

  /** The first edition waits for the first reading, and until everything that was read is consolidated. */
  async #isCaughtUp(): Promise<boolean> {
    const { context, live, roles } = this.#options
    if (live?.firstReading()) return false
    return roles.has('consolidate') || (await countNoticesToConsolidate(context.store.db)) === 0
  }

  #reportPublication(event: CommandEvent, isFirst: boolean): void {
    const { context, state, emit } = this.#options
    if (event.event === 'clockDiffers') {
      state.report('publishing', event.message)
      if (context.clock() < this.#clockReportedUntil) return
      this.#clockReportedUntil = context.clock() + heldPauseMs
    }
    if (isFirst || (event.event !== 'nothingNew' && event.event !== 'tooEarly')) emit(event)
  }
}
