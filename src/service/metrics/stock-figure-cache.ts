// Keeps the figures of the stock for a monitoring system: read on request, at most every few seconds, and never awaited
// for long.
import type { SourceState } from '../../domain/source-state.ts'
import { sourcesHealth } from '../../ingest/watch-sources.ts'
import type { Clock } from '../../platform/clock.ts'
import { within } from '../../platform/within.ts'
import { loadSources, type Sources } from '../../sources/registry.ts'
import type { Store } from '../../store/database/database.ts'
import { readStockFigures, type StockFigures } from '../../store/screens/stock-figures.ts'

/** Minimum age before they are read again. */
const minAgeMs = 5_000
/** Minimum age of the states of sources before they are judged again. */
const minStatesAgeMs = 60_000
/** How long a scrape waits for the database: on the embedded engine it may be busy with a publication. */
const longestWaitMs = 2_000
/** Age from which they are stale. */
const staleMs = 60_000

export class StockFigureCache {
  readonly #store: Pick<Store, 'looks'>
  readonly #clock: Clock
  #reading: Promise<void> | undefined
  /** By this thread's steady clock. */
  #readAtMs = Number.NEGATIVE_INFINITY
  #judgedAtMs = Number.NEGATIVE_INFINITY
  /** The last figures read; undefined before the first. */
  figures: StockFigures | undefined
  /** Epoch milliseconds. */
  readAt: number | undefined
  /** All sources that exist. */
  known: Sources | undefined
  /** The state of each of them. */
  states: ReadonlyMap<string, SourceState> = new Map()

  constructor(store: Pick<Store, 'looks'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Reads them again if they are old, but does not wait long. Never rejects. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#readAtMs < minAgeMs) return
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    await within(this.#reading, longestWaitMs).catch(() => {})
  }

  isStale(): boolean {
    return performance.now() - this.#readAtMs > staleMs
  }

  async #read(): Promise<void> {
    const figures = await readStockFigures(this.#store.looks, this.#clock())
    this.known ??= await loadSources()
    await this.#judgeSources(this.known)
    this.figures = figures
    this.readAt = this.#clock()
    this.#readAtMs = performance.now()
  }

  async #judgeSources(sources: Sources): Promise<void> {
    if (performance.now() - this.#judgedAtMs < minStatesAgeMs) return
    // the metrics count sources that are read: they have their keys
    const judged = await sourcesHealth({ db: this.#store.looks }, { sources, now: this.#clock(), hasKey: () => true })
    this.states = new Map(judged.map(({ health }) => [health.sourceId, health.state]))
    this.#judgedAtMs = performance.now()
  }
}
