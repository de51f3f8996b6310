// Which notices of a publication day are stored, kept as one item per day that all channels of TED share.
import type { FetchContext, Item } from '../fetch.ts'
import { readNumbers, writeNumbers } from './publication-numbers.ts'

/** The stored notices of one day. */
export type HeldDay = {
  readonly numbers: Set<string>
  /** Whether its package was read to its end. */
  isPackageRead: boolean
}

const keyOf = (day: string): string => `day:${day}`

/**
 * The stored days. An item changes in the transaction that stores its documents, so a number is listed only if its
 * document is stored.
 */
export class DayLedger {
  readonly #context: FetchContext
  readonly #days = new Map<string, HeldDay>()
  readonly #changed = new Set<string>()

  constructor(context: FetchContext) {
    this.#context = context
  }

  /** Loads days; days that are already loaded keep their state. */
  async open(days: readonly string[]): Promise<void> {
    const missing = days.filter((day) => !this.#days.has(day))
    if (missing.length === 0) return
    const known = await this.#context.knownVersions(missing.map(keyOf))
    for (const day of missing) {
      const [state, numbers] = known.get(keyOf(day))?.split('|') ?? []
      this.#days.set(day, { numbers: readNumbers(numbers ?? ''), isPackageRead: state === 'package' })
    }
  }

  /** The state of a day that was opened. */
  day(day: string): HeldDay {
    const held = this.#days.get(day)
    // a bug of the caller, which opens a day before it asks
    if (!held) throw new Error(`the day ${day} was not opened`)
    return held
  }

  async add(day: string, number: string): Promise<void> {
    await this.open([day])
    const { numbers } = this.day(day)
    if (numbers.has(number)) return
    numbers.add(number)
    this.#changed.add(day)
  }

  markPackageRead(day: string): void {
    const held = this.day(day)
    if (held.isPackageRead) return
    held.isPackageRead = true
    this.#changed.add(day)
  }

  /** The items of days that changed since the last call, to be stored with the step. */
  takeItems(): Item[] {
    const items = [...this.#changed].map((day): Item => {
      const { numbers, isPackageRead } = this.day(day)
      return { key: keyOf(day), version: `${isPackageRead ? 'package' : 'part'}|${writeNumbers(numbers)}` }
    })
    this.#changed.clear()
    return items
  }
}
