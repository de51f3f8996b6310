// Figures about all records of the newest edition: counted record by record, once for each edition, in slices, between
// which other work can run.
import { setTimeout as pause } from 'node:timers/promises'
import type { TenderRecord } from '../../domain/tender.ts'
import type { EditionInfo, EditionView, RecordKey } from '../../edition/read/edition-view.ts'
import { FieldFill } from './field-fill.ts'
import { StockShape } from './stock-shape.ts'

/** Records between two pauses: one to three milliseconds of work. */
const sliceRecords = 25
/** Milliseconds of pause for each millisecond of work. */
const pauseShare = 2

export type StockCount = { readonly edition: EditionInfo; readonly fill: FieldFill; readonly shape: StockShape }

export class StockCounter {
  readonly #editions: EditionView
  #latest: StockCount | undefined
  #running: Promise<void> | undefined
  #done = 0

  constructor(editions: EditionView) {
    this.#editions = editions
  }

  /** The newest complete count; undefined before the first. */
  get latest(): StockCount | undefined {
    return this.#latest
  }

  /** Records counted so far by the count under way. */
  get done(): number {
    return this.#done
  }

  /** Counts the newest edition if that was not done yet, and waits at most this long. */
  async refresh(waitMs: number): Promise<void> {
    const { newest } = this.#editions
    if (!newest || this.#latest?.edition.edition === newest.edition) return
    this.#running ??= this.#count(newest).finally(() => {
      this.#running = undefined
    })
    await Promise.race([this.#running, pause(waitMs, undefined, { ref: false })])
  }

  async #count(edition: EditionInfo): Promise<void> {
    this.#done = 0
    const [fill, shape] = [new FieldFill(), new StockShape(edition.publishedAt)]
    let after: RecordKey | undefined
    try {
      for (;;) {
        const startedAt = performance.now()
        const page = this.#slice(edition.edition, after)
        for (const record of page.records) {
          fill.add(record)
          shape.add(record)
        }
        this.#done += page.records.length
        if (page.next === null) break
        after = page.next
        await pause((performance.now() - startedAt) * pauseShare, undefined, { ref: false })
      }
    } catch {
      // the log was closed or is being rebuilt: the next caller starts over
      return
    }
    this.#latest = { edition, fill, shape }
  }

  /** Nothing may come between the list and its bytes. */
  #slice(edition: number, after: RecordKey | undefined) {
    const filter = { archived: true }
    const query = { filter, edition, limit: sliceRecords, ...(after && { after }) }
    const { positions, next } = this.#editions.list(query)
    const records = positions.map((position) => {
      const { bytes, release } = this.#editions.record(position, 'identity')
      const record = JSON.parse(bytes.toString()) as TenderRecord
      release?.()
      return record
    })
    return { records, next }
  }
}
