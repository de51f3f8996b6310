// Collects documents into steps of a size that suits one transaction, with how far the slot was read.
import type { Json, Step } from '../fetch.ts'
import type { ReceivedDocument } from '../files.ts'
import type { DayLedger } from './day-ledger.ts'
import { readNumbers, writeNumbers } from './publication-numbers.ts'

const maxDocuments = 100
const maxBytes = 4 * 1024 * 1024

/**
 * How far a slot was read: archives inside its package that are done, numbers read of the one that comes after them,
 * and the entries that all steps so far delivered.
 */
export class SlotProgress {
  readonly archives: Set<string>
  numbers: Set<string>
  entries: number

  constructor(checkpoint: Json | undefined) {
    const { archives, numbers, entries } = (checkpoint ?? {}) as { readonly [name: string]: Json | undefined }
    this.archives = new Set(Array.isArray(archives) ? archives.filter((name) => typeof name === 'string') : [])
    this.numbers = readNumbers(typeof numbers === 'string' ? numbers : '')
    this.entries = typeof entries === 'number' ? entries : 0
  }

  toJson(): Json {
    return { archives: [...this.archives], numbers: writeNumbers(this.numbers), entries: this.entries }
  }
}

/** Documents not yet handed over, and how many entries they are. */
export class StepBatch {
  readonly #ledger: DayLedger
  readonly #progress: SlotProgress
  #documents: ReceivedDocument[] = []
  #bytes = 0
  #entries = 0

  constructor(ledger: DayLedger, progress: SlotProgress) {
    this.#ledger = ledger
    this.#progress = progress
  }

  add(document: ReceivedDocument, entries: 0 | 1): void {
    this.#documents.push(document)
    this.#bytes += document.bytes.length
    this.#entries += entries
  }

  /**
   * Raises the entries to the number stored: notices that were received another way count as delivered too. Never
   * lowers them.
   */
  countUpTo(held: number): void {
    this.#entries += Math.max(0, held - this.#progress.entries - this.#entries)
  }

  addEntries(entries: number): void {
    this.#entries += entries
  }

  get isFull(): boolean {
    return this.#documents.length >= maxDocuments || this.#bytes >= maxBytes
  }

  /** Everything collected, the ledger's changes and the checkpoint after it as one step. */
  take(announced?: number): Step {
    this.#progress.entries += this.#entries
    const step: Step = {
      documents: this.#documents,
      entries: this.#entries,
      items: this.#ledger.takeItems(),
      checkpoint: this.#progress.toJson(),
      ...(announced !== undefined && { announced }),
    }
    this.#documents = []
    this.#bytes = 0
    this.#entries = 0
    return step
  }
}
