// Pages that were asked before: the list and its bytes, for as long as they fit. A thousand clients that fetch the same delta share
// each page of it.
import type { Encoding, ListResult } from './edition-reader.ts'
import type { PageBody } from './pieces.ts'

/** Of a list without its bytes: key, positions, the objects around them. */
const listBytes = 2048

type Entry = {
  readonly key: string
  readonly list: ListResult
  readonly bodies: { [encoding in Encoding]: PageBody | undefined }
  /** The edition whose times the bodies carry. */
  readonly edition: number
  bytes: number
  /** Asked for again since it was last looked at for leaving. */
  isUsed: boolean
}

/**
 * Bounded in bytes. What leaves is what was not asked for twice (second chance): somebody who walks through the whole stock
 * once does not drive out what many share.
 */
export class PageCache {
  readonly #maxBytes: number
  readonly #byKey = new Map<string, Entry>()
  readonly #byPositions = new Map<readonly number[], Entry>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  list(key: string): ListResult | undefined {
    const entry = this.#byKey.get(key)
    if (entry === undefined) return undefined
    entry.isUsed = true
    return entry.list
  }

  /** `edition`: that of the times in its bodies. */
  addList(key: string, list: ListResult, edition: number): void {
    const bodies = { identity: undefined, gzip: undefined }
    const entry: Entry = { key, list, bodies, edition, bytes: listBytes, isUsed: false }
    this.#byKey.set(key, entry)
    this.#byPositions.set(list.positions, entry)
    this.#grow(entry, listBytes)
  }

  /** Of a list that came from here, by its very positions. */
  body(positions: readonly number[], edition: number, encoding: Encoding): PageBody | undefined {
    const entry = this.#byPositions.get(positions)
    return entry?.edition === edition ? entry.bodies[encoding] : undefined
  }

  addBody(positions: readonly number[], edition: number, encoding: Encoding, body: PageBody): void {
    const entry = this.#byPositions.get(positions)
    if (entry === undefined || entry.edition !== edition || entry.bodies[encoding] !== undefined) return
    entry.bodies[encoding] = body
    entry.bytes += body.bytes.length
    this.#grow(entry, body.bytes.length)
  }

  clear(): void {
    this.#byKey.clear()
    this.#byPositions.clear()
    this.#bytes = 0
  }

  /** The newest entry stays, whatever its size: somebody is about to ask for its bytes. */
  #grow(grown: Entry, bytes: number): void {
    this.#bytes += bytes
    for (const entry of this.#byKey.values()) {
      if (this.#bytes <= this.#maxBytes || entry === grown) return
      this.#byKey.delete(entry.key)
      if (entry.isUsed) {
        entry.isUsed = false
        this.#byKey.set(entry.key, entry)
        continue
      }
      this.#byPositions.delete(entry.list.positions)
      this.#bytes -= entry.bytes
    }
  }
}
