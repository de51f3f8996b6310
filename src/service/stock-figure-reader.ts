// Keeps the figures of the stock for a monitoring system: read when it asks, at most every few seconds, and never
// waited for long.
import type { Clock } from '../platform/clock.ts'
import { within } from '../platform/within.ts'
import { loadSources, type Sources } from '../sources/registry.ts'
import type { Store } from '../store/database.ts'
import { readStockFigures, type StockFigures } from '../store/stock-figures.ts'

/** How often they are read at most. */
const leastAgeMs = 5_000
/** How long a scrape waits for the database: on the embedded engine it may be busy with a publication. */
const longestWaitMs = 2_000
/** Beyond this age they are stale. */
const staleMs = 60_000

export class StockFigureReader {
  readonly #store: Pick<Store, 'looks'>
  readonly #clock: Clock
  #reading: Promise<void> | undefined
  /** By the steady clock of this thread. */
  #readAtMs = Number.NEGATIVE_INFINITY
  /** Those read last; undefined before. */
  figures: StockFigures | undefined
  /** Epoch milliseconds. */
  readAt: number | undefined
  /** All sources that exist. */
  known: Sources | undefined

  constructor(store: Pick<Store, 'looks'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Reads them again where they are old, but does not wait long for it. Never rejects. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#readAtMs < leastAgeMs) return
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
    this.figures = figures
    this.readAt = this.#clock()
    this.#readAtMs = performance.now()
  }
}
