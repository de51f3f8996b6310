// Which records a copy holds, and where: about 180 bytes for each, so that a million fit into the memory of a small
// machine.
import type { FileRange } from './line-file.ts'

/** `base`: the file of the last compaction. `log`: the changes since. */
export type IndexedFile = 'base' | 'log'

/**
 * The facts of a record that the digest of the copy needs: its hash, 64 hexadecimal digits, and whether it is not
 * archived.
 */
export type RecordPrint = { readonly hash: string; readonly isOpen: boolean }

export type IndexEntry = FileRange & {
  readonly lastModifiedMs: number
  readonly status: string
  readonly file: IndexedFile
  readonly print: RecordPrint
}

const firstCapacity = 1024

/** Records by id, the newest version of each. */
export class RecordIndex {
  readonly #slots = new Map<string, number>()
  readonly #statuses: string[] = []
  #used = 0
  #times = new Float64Array(firstCapacity)
  /** Offsets in the base; those in the log are stored as -1 - offset. */
  #offsets = new Float64Array(firstCapacity)
  #lengths = new Uint32Array(firstCapacity)
  #statusNumbers = new Uint8Array(firstCapacity)
  /** Hashes of 32 bytes each. */
  #hashes = new Uint8Array(firstCapacity * 32)
  #isOpen = new Uint8Array(firstCapacity)

  get size(): number {
    return this.#slots.size
  }

  get(id: string): IndexEntry | undefined {
    const slot = this.#slots.get(id)
    return slot === undefined ? undefined : this.#entry(slot)
  }

  set(id: string, { lastModifiedMs, status, file, offset, length, print }: IndexEntry): void {
    let slot = this.#slots.get(id)
    if (slot === undefined) {
      slot = this.#used++
      if (slot === this.#times.length) this.#grow()
      this.#slots.set(id, slot)
    }
    this.#times[slot] = lastModifiedMs
    this.#offsets[slot] = file === 'base' ? offset : -1 - offset
    this.#lengths[slot] = length
    this.#statusNumbers[slot] = this.#numberOf(status)
    this.#hashes.set(Buffer.from(print.hash, 'hex'), slot * 32)
    this.#isOpen[slot] = print.isOpen ? 1 : 0
  }

  delete(id: string): void {
    this.#slots.delete(id)
  }

  *entries(): Generator<readonly [id: string, entry: IndexEntry]> {
    for (const [id, slot] of this.#slots) yield [id, this.#entry(slot)]
  }

  /** Ids and positions of the records whose newest version is in this file, by offset. */
  rangesIn(file: IndexedFile): { readonly ids: readonly string[]; readonly ranges: readonly FileRange[] } {
    const found = [...this.#slots].filter(([, slot]) => this.#offsets[slot]! < 0 === (file === 'log'))
    const offsetOf = (slot: number): number => (file === 'log' ? -1 - this.#offsets[slot]! : this.#offsets[slot]!)
    found.sort(([, a], [, b]) => offsetOf(a) - offsetOf(b))
    return {
      ids: found.map(([id]) => id),
      ranges: found.map(([, slot]) => ({ offset: offsetOf(slot), length: this.#lengths[slot]! })),
    }
  }

  /** The record lies in the base now, at this offset. */
  moveToBase(id: string, offset: number): void {
    this.#offsets[this.#slots.get(id)!] = offset
  }

  #entry(slot: number): IndexEntry {
    const offset = this.#offsets[slot]!
    return {
      lastModifiedMs: this.#times[slot]!,
      status: this.#statuses[this.#statusNumbers[slot]!]!,
      file: offset < 0 ? 'log' : 'base',
      offset: offset < 0 ? -1 - offset : offset,
      length: this.#lengths[slot]!,
      print: {
        hash: Buffer.from(this.#hashes.buffer, slot * 32, 32).toString('hex'),
        isOpen: this.#isOpen[slot] === 1,
      },
    }
  }

  /** The API may add statuses, but not hundreds; the last number represents all beyond. */
  #numberOf(status: string): number {
    const known = this.#statuses.indexOf(status)
    if (known >= 0) return known
    if (this.#statuses.length === 255) return 254
    return this.#statuses.push(status) - 1
  }

  #grow(): void {
    const capacity = this.#times.length * 2
    const grown = <T extends { set(from: T): void }>(to: T, from: T): T => {
      to.set(from)
      return to
    }
    this.#times = grown(new Float64Array(capacity), this.#times)
    this.#offsets = grown(new Float64Array(capacity), this.#offsets)
    this.#lengths = grown(new Uint32Array(capacity), this.#lengths)
    this.#statusNumbers = grown(new Uint8Array(capacity), this.#statusNumbers)
    this.#hashes = grown(new Uint8Array(capacity * 32), this.#hashes)
    this.#isOpen = grown(new Uint8Array(capacity), this.#isOpen)
  }
}
