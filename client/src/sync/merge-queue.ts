// Merges wait here until the record that remains is in the target (C158).
import { ProblemError } from '../problem-error.ts'
import type { TenderRecord } from '../types.ts'
import { instantMs } from './instants.ts'
import type { Merge, Sink } from './sink.ts'

export type MergeQueueOptions = {
  readonly sink: Sink
  readonly keepArchived: boolean
  /** Fetches one record by its id; rejects with a ProblemError of status 404 if the API does not know it. */
  readonly fetchRecord: (id: string) => Promise<TenderRecord>
  /** Hands a fetched survivor to the sink. */
  readonly write: (record: TenderRecord) => Promise<void>
  readonly onSurvivor: (id: string, isFound: boolean) => void
}

/**
 * Maximum length of a chain of merges that is followed; the API points at the final survivor, so one step is the rule.
 */
const maxHops = 8

/** One run's merges. */
export class MergeQueue {
  readonly #options: MergeQueueOptions
  readonly #waiting = new Map<string, Merge>()
  /** Survivors that were fetched: where each led, or undefined for an unknown one. */
  readonly #fetched = new Map<string, string | undefined>()

  constructor(options: MergeQueueOptions) {
    this.#options = options
  }

  /** Ids of the merges that still wait: part of the state, so that a resumed run does not forget them. */
  get waitingIds(): readonly string[] {
    return [...this.#waiting.keys()]
  }

  /** Restores the merges that an interrupted run left waiting. */
  async restore(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const record = await this.#find(id)
      if (record?.mergedInto !== undefined) this.#waiting.set(id, { record, into: record.mergedInto })
      else if (record) await this.#options.write(record)
    }
  }

  /**
   * Returns the merges that can be applied now that the records `deliveredIds` of a page were written; the others wait.
   */
  async due(merged: readonly TenderRecord[], deliveredIds: ReadonlySet<string>): Promise<Merge[]> {
    const fresh = merged.map((record): Merge => ({ record, into: record.mergedInto! }))
    const freshIds = new Set(fresh.map(({ record }) => record.id))
    const woken = [...this.#waiting.values()].filter(
      ({ record, into }) => deliveredIds.has(into) && !freshIds.has(record.id),
    )
    if (fresh.length + woken.length === 0) return []
    const { sink, keepArchived } = this.#options
    const held = await sink.held([
      ...new Set([...freshIds, ...fresh.map(({ into }) => into), ...woken.map(({ into }) => into)]),
    ])
    const due: Merge[] = []
    for (const merge of [...fresh, ...woken]) {
      const { id } = merge.record
      this.#waiting.delete(id)
      if (freshIds.has(id) && !keepArchived && !held.has(id)) continue
      if (held.has(merge.into)) due.push(merge)
      else this.#waiting.set(id, merge)
    }
    return due
  }

  /**
   * Resolves to all merges that still wait: their survivors are fetched. `orphans` have a survivor that the API does
   * not know.
   */
  async settle(): Promise<{ readonly merges: readonly Merge[]; readonly orphans: readonly TenderRecord[] }> {
    const merges: Merge[] = []
    const orphans: TenderRecord[] = []
    for (const waiting of this.#waiting.values()) {
      const settled = await this.#settled(waiting)
      if (settled === 'orphan') orphans.push(waiting.record)
      else if (settled !== 'written') merges.push(settled)
    }
    this.#waiting.clear()
    return { merges, orphans }
  }

  /** `written`: the record is merged no more, and its present version is in the target. */
  async #settled({ record, into }: Merge, hops = 0): Promise<Merge | 'orphan' | 'written'> {
    const survivor = await this.#present(into)
    if (survivor === undefined) return 'orphan'
    // Reopened meanwhile, while the record into which it was merged was merged into it: it was just written in its
    // present version.
    if (survivor === record.id) return 'written'
    if (survivor === into || hops === maxHops) return { record, into: survivor }
    // `into` was merged meanwhile. The record's present version names its survivor, and may never be delivered: the
    // record may fit the filters no more. A node that lags may not have it; the next attempt may reach another.
    const present = await this.#find(record.id)
    if (!present || instantMs(present.lastModified) <= instantMs(record.lastModified))
      return this.#settled({ record, into }, hops + 1)
    if (present.mergedInto !== undefined) return this.#settled({ record: present, into: present.mergedInto }, hops + 1)
    await this.#options.write(present)
    return 'written'
  }

  /** Makes sure that the record that remains is in the target; resolves to its id. */
  async #present(id: string, hops = 0): Promise<string | undefined> {
    if (this.#fetched.has(id)) return this.#fetched.get(id)
    const { sink, write, onSurvivor } = this.#options
    if (hops === 0 && (await sink.held([id])).has(id)) return id
    const record = await this.#find(id)
    onSurvivor(id, record !== undefined)
    let survivor = record?.id
    if (record?.mergedInto !== undefined)
      survivor = hops < maxHops ? await this.#present(record.mergedInto, hops + 1) : undefined
    else if (record) await write(record)
    this.#fetched.set(id, survivor)
    return survivor
  }

  async #find(id: string): Promise<TenderRecord | undefined> {
    try {
      return await this.#options.fetchRecord(id)
    } catch (error) {
      if (error instanceof ProblemError && error.problem.status === 404) return undefined
      throw error
    }
  }
}
