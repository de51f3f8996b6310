// What a process of the service did since its start, counted where it happens: rounds, stages, readings, hits,
// deliveries, mails.
import type { SlotResult } from '../../ingest/run-slot.ts'

type Outcome = 'succeeded' | 'failed'

/** Names come from code and from the registry of sources only, so there are few. */
export class WorkCounts {
  readonly rounds = { succeeded: 0, failed: 0 }
  readonly #stages = new Map<string, { succeeded: number; failed: number; seconds: number }>()
  readonly #sources = new Map<string, { readings: Map<string, number>; documents: number; rejections: number }>()
  hits = 0
  readonly deliveries = { succeeded: 0, failed: 0 }
  mailsGivenUp = 0

  noteRound(outcome: Outcome): void {
    this.rounds[outcome]++
  }

  noteStage(stage: string, outcome: Outcome, milliseconds: number): void {
    const counts = this.#stages.get(stage) ?? { succeeded: 0, failed: 0, seconds: 0 }
    counts[outcome]++
    counts.seconds += milliseconds / 1000
    this.#stages.set(stage, counts)
  }

  noteReading({ sourceId, outcome, documents, rejections }: ReadingFacts): void {
    const counts = this.#sources.get(sourceId) ?? { readings: new Map(), documents: 0, rejections: 0 }
    counts.readings.set(outcome, (counts.readings.get(outcome) ?? 0) + 1)
    counts.documents += documents
    counts.rejections += rejections
    this.#sources.set(sourceId, counts)
  }

  /** Counts an attempt to deliver a webhook. */
  noteAttempt(isSuccess: boolean): void {
    this.deliveries[isSuccess ? 'succeeded' : 'failed']++
  }

  /** Includes the time that a stage took, in seconds. */
  get stages(): ReadonlyMap<string, { readonly succeeded: number; readonly failed: number; readonly seconds: number }> {
    return this.#stages
  }

  get sources(): ReadonlyMap<
    string,
    { readonly readings: ReadonlyMap<string, number>; readonly documents: number; readonly rejections: number }
  > {
    return this.#sources
  }
}

type ReadingFacts = Pick<SlotResult, 'sourceId' | 'outcome' | 'documents' | 'rejections'>
