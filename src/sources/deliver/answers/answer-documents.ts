// Input and output of reading an answer: documents in batches, other values, and documents that cannot be read.
import { Retryable } from '../../../platform/http.ts'
import type { Chunks } from '../../byte-chunks.ts'
import type { AnswerPointer, Entries } from '../../delivery.ts'
import type { Json } from '../../fetch.ts'
import type { ReceivedDocument } from '../../files.ts'

export type ReadOptions = {
  /** Where the answer came from, as it may be kept. */
  readonly address: string
  readonly entries: Entries
  /** Places in the answer of values that are wanted as well (no headers). */
  readonly pointers?: readonly AnswerPointer[]
  /**
   * A damaged or unexpected answer throws Retryable; `keep` makes an unreadable document of a damaged one, for notices
   * and files that stay as they are; `keep-any` of an unexpected one as well, for members of archives.
   */
  readonly damage: 'throw' | 'keep' | 'keep-any'
  /** For archives that must be read from their end. */
  readonly scratchFolder: string
}

/** What came besides documents. `damage` says what is missing because of damaged bytes. */
export type EntriesEnd = { readonly values: ReadonlyMap<AnswerPointer, Json>; readonly damage?: string }

/** Batches of documents, then the end. */
export type ReadEntries = (
  chunks: Chunks,
  options: ReadOptions,
) => AsyncGenerator<readonly ReceivedDocument[], EntriesEnd>

const batchDocuments = 500
const batchBytes = 4 * 1024 * 1024

/** The portal's answer was not as expected; a later request may succeed. */
export function unexpected(address: string, what: string): Retryable {
  return new Retryable(`unexpected answer of ${address}: ${what}`)
}

/** Gathers documents until there are enough for a step. */
export class Batch {
  #documents: ReceivedDocument[] = []
  #bytes = 0

  add(document: ReceivedDocument): void {
    this.#documents.push(document)
    this.#bytes += document.bytes.length
  }

  get isFull(): boolean {
    return this.#documents.length >= batchDocuments || this.#bytes >= batchBytes
  }

  /** What was gathered; nothing when there is none. */
  *take(): Generator<readonly ReceivedDocument[]> {
    const documents = this.#documents
    this.#documents = []
    this.#bytes = 0
    if (documents.length > 0) yield documents
  }
}
