// Finds tenders in a held log by the segments that a thread of its own makes (write/word-index.ts): they arrive later
// than the editions, and are answered as far as they reach. Equal questions are answered once for each edition.
import type { TenderRecord } from '../../domain/tender.ts'
import type { Segment } from '../format/word-segment.ts'
import { findTenders } from './find-tenders.ts'
import type { HeldEdition, HeldLog } from './held-log.ts'
import { TenderIndex } from './tender-index.ts'
import type { TenderQuestion, TendersFound } from './tender-question.ts'

/** Maximum answers to keep: some 10 KB each. */
const maxAnswers = 500

export class TenderFinding {
  #segments: readonly Segment[] = []
  #index: TenderIndex | undefined
  /** The oldest first. */
  readonly #answers = new Map<string, TendersFound>()

  /** The segments from number `from` on are these now. */
  take(from: number, segments: readonly Segment[]): void {
    this.#segments = [...this.#segments.slice(0, from), ...segments]
  }

  /** Whether all entries of the newest edition are indexed. */
  isCovered(held: HeldLog): boolean {
    return this.#placed(held).covered >= (held.shown?.end ?? 0)
  }

  #placed(held: HeldLog): TenderIndex {
    if (this.#index?.table !== held.table) this.#index = new TenderIndex(held.table)
    if (this.#index.take(this.#segments, held.shown?.end ?? 0)) this.#answers.clear()
    return this.#index
  }

  /** `isServed`: whether the edition may be requested. */
  find(
    held: HeldLog,
    question: TenderQuestion,
    isServed: (edition: HeldEdition) => boolean,
    recordAt: (position: number) => TenderRecord,
  ): TendersFound {
    const index = this.#placed(held)
    const edition = answeredEdition(held, index.covered, isServed)
    const key = `${edition.info.edition} ${JSON.stringify(Object.entries(question).sort())}`
    const known = this.#answers.get(key)
    if (known) return known
    const found = findTenders(index, edition, question, recordAt)
    if (found.indexed === 1) this.#keep(key, found)
    return found
  }

  #keep(key: string, found: TendersFound): void {
    this.#answers.set(key, found)
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= maxAnswers) return
      this.#answers.delete(oldest)
    }
  }
}

/** The newest edition whose entries are all indexed; the newest of all if there is none. */
function answeredEdition(
  { shown, editions }: HeldLog,
  covered: number,
  isServed: (edition: HeldEdition) => boolean,
): HeldEdition {
  if (covered >= shown!.end) return shown!
  return [...editions.values()].findLast((held) => held.end <= covered && isServed(held)) ?? shown!
}
