// Compares what a copy holds with what the API delivers. Pure.

/** `content` covers everything that the target says about a record, if the target shows it. */
export type HeldRecord = {
  readonly lastModified: string
  readonly status: string
  readonly content?: string
  /** Whether the copy says that the stock no longer has it. */
  readonly isLost?: boolean
}
export type DeliveredRecord = HeldRecord & { readonly id: string; readonly isArchived: boolean }

export type Difference = { readonly id: string; readonly held?: string; readonly delivered?: string }

export type CopyDifferences = {
  readonly delivered: number
  readonly held: number
  readonly equal: number
  /** Delivered, and the copy should hold it. */
  readonly missing: readonly Difference[]
  /** Held, and the API does not deliver it. */
  readonly surplus: readonly Difference[]
  /** Held with another time, status or content than delivered. */
  readonly differing: readonly Difference[]
  /**
   * Records that are held although the filters no longer match: they are not delivered again (C105), so this is not an
   * error.
   */
  readonly outsideFilters: number
  /** Changed after the last run: the next run brings them. */
  readonly pending: number
  /** Archived ones that the copy never held and does not keep. */
  readonly notKept: number
}

export type CompareOptions = {
  /** The state of the copy: changes after it are not differences. Missing: nothing is pending. */
  readonly updatedSince: string | undefined
  readonly keepsArchived: boolean
  readonly hasFilters: boolean
  /** Whether the target keeps the status as delivered; otherwise only times are compared. */
  readonly comparesStatus: boolean
}

const textOf = ({ lastModified, status }: HeldRecord): string => `${lastModified} ${status}`

/** Receives delivered records one by one; `end` returns the result. `checkedAt` is ignored (C26). */
export class CopyComparison {
  readonly #held: Map<string, HeldRecord>
  readonly #heldCount: number
  readonly #options: CompareOptions
  readonly #untilMs: number
  readonly #missing: Difference[] = []
  readonly #differing: Difference[] = []
  #delivered = 0
  #equal = 0
  #pending = 0
  #notKept = 0

  /** Takes over the map: what was delivered is removed from it. */
  constructor(held: Map<string, HeldRecord>, options: CompareOptions) {
    this.#held = held
    this.#heldCount = held.size
    this.#options = options
    this.#untilMs = options.updatedSince === undefined ? Number.POSITIVE_INFINITY : Date.parse(options.updatedSince)
  }

  deliver(record: DeliveredRecord): void {
    const { id, lastModified, status, isArchived } = record
    const held = this.#held.get(id)
    this.#held.delete(id)
    this.#delivered++
    const isSameTime = held !== undefined && Date.parse(held.lastModified) === Date.parse(lastModified)
    const isSameStatus = !this.#options.comparesStatus || held?.status === status
    if (isSameTime && isSameStatus && held.content === record.content) this.#equal++
    else if (Date.parse(lastModified) > this.#untilMs) this.#pending++
    else if (held)
      this.#differing.push({
        id,
        held: `${textOf(held)}${isSameTime && isSameStatus ? ', with other values' : ''}`,
        delivered: textOf(record),
      })
    else if (isArchived && !this.#options.keepsArchived) this.#notKept++
    else this.#missing.push({ id, delivered: textOf({ lastModified, status }) })
  }

  end(): CopyDifferences {
    const left = [...this.#held]
      .filter(([, { isLost }]) => !isLost)
      .map(([id, held]): Difference => ({ id, held: textOf(held) }))
    return {
      delivered: this.#delivered,
      held: this.#heldCount,
      equal: this.#equal,
      missing: this.#missing,
      surplus: this.#options.hasFilters ? [] : left,
      differing: this.#differing,
      outsideFilters: this.#options.hasFilters ? left.length : 0,
      pending: this.#pending,
      notKept: this.#notKept,
    }
  }
}
