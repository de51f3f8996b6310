// What a process of the service reports to a monitoring system: collected on each scrape only.
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { countStates } from '../../domain/source-state.ts'
import type { EditionLog } from '../../edition/write/edition-log.ts'
import type { Clock } from '../../platform/clock.ts'
import { type LoopDelay, recentMaximum, watchEventLoop } from '../../platform/event-loop-delay.ts'
import { maxOpenFiles } from '../../platform/open-files.ts'
import type { Store } from '../../store/database/database.ts'
import type { RoundState } from '../../store/nodes/rounds.ts'
import type { ReaderMeters } from '../readers/reader-meters.ts'
import type { DatabaseWatch } from '../watch/database-watch.ts'
import type { NodeState } from '../watch/node-state.ts'
import { MetricSamples, metricContentType } from './metric-samples.ts'
import { StockFigureCache } from './stock-figure-cache.ts'
import type { WorkCounts } from './work-counts.ts'

/** What every node knows about itself. */
export type MetricContext = {
  /** Absent in a node that reads a bucket. */
  readonly store?: Store
  readonly dataFolder: string
  readonly version: string
  readonly clock: Clock
  readonly editions: EditionLog
  readonly state: NodeState
  readonly database: Pick<DatabaseWatch, 'isAnswering'>
  readonly meters: ReaderMeters
  readonly readers: number
  readonly hasSharedLimits: boolean
  /** When editions were last looked for and loaded, epoch milliseconds. */
  readonly lookedAt: () => number | undefined
}

/** Present only in `tenderstock start`. */
export type StockContext = {
  readonly counters: WorkCounts
  readonly rounds: () => RoundState | undefined
  /** The newest edition that this process wrote into the bucket. */
  readonly exported?: () => number | undefined
  /** Whether this process has the role `publish`. */
  readonly publishes: boolean
  /** Ids of the sources that this process reads. */
  readonly sources: () => readonly string[]
}

/** Shown from the first scrape on, so that an increase from zero is visible as one. */
const shownRequests = (['/v1/tenders', '/v1/tenders/:id'] as const).flatMap((route) =>
  [200, 500, 503].map((status) => ({ route, status })),
)

export class Metrics {
  readonly #context: MetricContext
  readonly #stock: StockContext | undefined
  readonly #figures: StockFigureCache | undefined
  #loopDelaySeconds = 0
  readonly #stopWatching: () => void
  #scraping: Promise<string> | undefined

  constructor(context: MetricContext, stock: StockContext | undefined) {
    this.#context = context
    this.#stock = stock
    this.#figures = stock && context.store && new StockFigureCache(context.store, context.clock)
    const largest = recentMaximum()
    this.#stopWatching = watchEventLoop(({ maxMs }: LoopDelay) => {
      this.#loopDelaySeconds = largest(maxMs / 1000)
    })
  }

  readonly contentType = metricContentType

  /** The text of all metrics. Simultaneous requests share it. */
  scrape(): Promise<string> {
    this.#scraping ??= this.#collect().finally(() => {
      this.#scraping = undefined
    })
    return this.#scraping
  }

  close(): void {
    this.#stopWatching()
  }

  async #collect(): Promise<string> {
    const samples = new MetricSamples()
    this.#addProcess(samples)
    this.#addNode(samples)
    this.#addReaders(samples)
    this.#addDatabase(samples)
    if (this.#stock) this.#addWork(samples, this.#stock)
    await Promise.all([this.#addDisk(samples), this.#addFigures(samples)])
    return samples.text()
  }

  #addProcess(samples: MetricSamples): void {
    const { version, store } = this.#context
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    samples.set('build_info', 1, { version, engine: store?.engine ?? 'bucket' })
    samples.set('process_start_time_seconds', performance.timeOrigin / 1000)
    samples.set('process_cpu_seconds_total', (user + system) / 1e6)
    samples.set('process_resident_memory_bytes', rss)
    samples.set('process_heap_bytes', heapUsed)
    samples.set('process_max_fds', maxOpenFiles())
    samples.set('event_loop_delay_seconds', this.#loopDelaySeconds, { thread: 'main' })
  }

  #addNode(samples: MetricSamples): void {
    const { editions, clock, state, lookedAt } = this.#context
    const { newest } = editions
    const { degraded, clockDifferenceMs } = state.snapshot()
    const looked = lookedAt()
    samples.set('edition_number', newest?.edition ?? 0)
    samples.set('edition_records', newest?.records ?? 0)
    samples.set('edition_published_timestamp_seconds', newest && newest.publishedAt / 1000)
    samples.set('edition_age_seconds', newest && Math.max(0, clock() - newest.publishedAt) / 1000)
    samples.set('edition_look_timestamp_seconds', looked === undefined ? undefined : looked / 1000)
    samples.set('degraded', degraded.length)
    samples.set('clock_difference_seconds', clockDifferenceMs / 1000)
  }

  #addReaders(samples: MetricSamples): void {
    const { meters, readers, hasSharedLimits } = this.#context
    const alive = meters.alive()
    const requests = meters.requests()
    const unseen = shownRequests
      .filter(({ route, status }) => !requests.some((each) => each.route === route && each.status === status))
      .map((each) => ({ ...each, buckets: meters.noRequests, seconds: 0 }))
    samples.setRequests([...requests, ...unseen])
    samples.set('readers', alive.length)
    samples.set('readers_configured', readers)
    samples.set('reader_deaths_total', meters.deaths)
    samples.set('limiter_shared_configured', hasSharedLimits ? 1 : 0)
    samples.set('limiter_shared', alive.length > 0 && alive.every(({ counts }) => counts.isSharingLimits) ? 1 : 0)
    for (const { thread, counts } of alive)
      samples.set('event_loop_delay_seconds', counts.loopDelaySeconds, { thread: `reader-${thread}` })
  }

  #addDatabase(samples: MetricSamples): void {
    const { store, database } = this.#context
    samples.set('database_up', database.isAnswering() ? 1 : 0)
    if (!store) return
    const { used, idle, limit, waiting } = store.connections()
    samples.set('database_connections', used, { state: 'used' })
    samples.set('database_connections', idle, { state: 'idle' })
    samples.set('database_connections_limit', limit)
    samples.set('database_waiting', waiting)
  }

  #addWork(samples: MetricSamples, { counters, rounds, exported, publishes }: StockContext): void {
    const state = rounds()
    samples.set('rounds_total', counters.rounds.succeeded, { outcome: 'succeeded' })
    samples.set('rounds_total', counters.rounds.failed, { outcome: 'failed' })
    samples.set('failed_rounds', state?.failedRounds ?? 0)
    samples.set('last_round_timestamp_seconds', state?.lastRoundAt === undefined ? undefined : state.lastRoundAt / 1000)
    // before the first publication, too: this series says that somebody publishes
    if (publishes && !counters.stages.has('Publishing'))
      for (const outcome of ['succeeded', 'failed'])
        samples.set('stage_runs_total', 0, { stage: 'Publishing', outcome })
    for (const [stage, { succeeded, failed, seconds }] of counters.stages) {
      samples.set('stage_runs_total', succeeded, { stage, outcome: 'succeeded' })
      samples.set('stage_runs_total', failed, { stage, outcome: 'failed' })
      samples.set('stage_seconds_total', seconds, { stage })
    }
    for (const [source, { readings, documents, rejections }] of counters.sources) {
      for (const [outcome, count] of readings) samples.set('source_readings_total', count, { source, outcome })
      samples.set('source_documents_total', documents, { source })
      samples.set('source_rejections_total', rejections, { source })
    }
    samples.set('export_edition_number', exported?.())
    samples.set('hits_total', counters.hits)
    samples.set('webhook_attempts_total', counters.deliveries.succeeded, { outcome: 'succeeded' })
    samples.set('webhook_attempts_total', counters.deliveries.failed, { outcome: 'failed' })
    samples.set('mails_given_up_total', counters.mailsGivenUp)
  }

  async #addDisk(samples: MetricSamples): Promise<void> {
    const { dataFolder } = this.#context
    const [disk, logBytes, files] = await Promise.all([
      statfs(dataFolder).catch(() => undefined),
      sizeOf(join(dataFolder, 'editions')),
      // Linux tells
      readdir('/proc/self/fd').catch(() => undefined),
    ])
    samples.set('process_open_fds', files?.length)
    samples.set('disk_free_bytes', disk && disk.bavail * disk.bsize)
    samples.set('disk_size_bytes', disk && disk.blocks * disk.bsize)
    samples.set('edition_log_bytes', logBytes)
  }

  async #addFigures(samples: MetricSamples): Promise<void> {
    const reader = this.#figures
    if (!reader || !this.#stock) return
    await reader.refresh()
    samples.set('stock_figures_stale', reader.isStale() ? 1 : 0)
    const { figures, readAt, known } = reader
    samples.set('stock_figures_timestamp_seconds', readAt === undefined ? undefined : readAt / 1000)
    if (!figures || !known) return
    const now = this.#context.clock()
    samples.set('stock_edition_number', figures.edition)
    samples.set('editions_held', figures.holds)
    samples.set('editions_unmatched', figures.editionsUnmatched)
    samples.set('notices_waiting', figures.waitingNotices)
    samples.set('notices_quarantined', figures.quarantinedNotices)
    // only IDs of known sources
    const checks = figures.checks.filter(({ sourceId }) => known.has(sourceId))
    const alarms = figures.alarms.filter(({ sourceId }) => known.has(sourceId))
    const states = this.#stock.sources().flatMap((id) => reader.states.get(id) ?? [])
    for (const [state, count] of Object.entries(countStates(states))) samples.set('sources', count, { state })
    for (const { sourceId, checkedAt } of checks)
      samples.set('source_lag_seconds', Math.max(0, now - checkedAt) / 1000, { source: sourceId })
    for (const { sourceId, kind } of alarms) samples.set('source_alarm', 1, { source: sourceId, kind })
    samples.set('source_slots_due', figures.slotsDue)
    samples.set('backup_timestamp_seconds', figures.lastBackup === null ? undefined : figures.lastBackup / 1000)
    samples.set('backup_restored_timestamp_seconds', figures.lastDrill === null ? undefined : figures.lastDrill / 1000)
    samples.set('database_size_bytes', figures.databaseBytes)
    samples.set('mails', figures.mailsQueued, { state: 'queued' })
    samples.set('mails', figures.mailsDue, { state: 'due' })
    samples.set('mails', figures.mailsLate, { state: 'late' })
    samples.set('mails', figures.mailsGivenUp, { state: 'given-up' })
    samples.set('webhook_deliveries', figures.deliveriesDue, { state: 'due' })
    samples.set('webhook_deliveries', figures.deliveriesLate, { state: 'late' })
    samples.set('webhook_deliveries', figures.deliveriesHeld, { state: 'held' })
    for (const [state, count] of Object.entries(figures.endpoints)) samples.set('webhook_endpoints', count, { state })
  }
}

/** Total size of the files in a folder; undefined when it cannot be read. Files removed meanwhile do not count. */
async function sizeOf(folder: string): Promise<number | undefined> {
  const names = await readdir(folder, { recursive: true }).catch(() => undefined)
  if (!names) return undefined
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        (file) => (file.isFile() ? file.size : 0),
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
