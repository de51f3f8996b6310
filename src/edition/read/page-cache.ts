// Pages that are requested repeatedly: the list and its bytes, for as long as they fit. A thousand clients that fetch
// the same delta share each page of it.

import type { PageBody } from '../format/pieces.ts'
import type { Encoding, ListResult } from './edition-view.ts'

/** Estimated bytes of a list without its body and key: positions, and the objects around them. */
const listBytes = 2048
/** Maximum number of queries to count although their pages are not kept. */
const countedMax = 4096
/** Maximum number of kept pages to compare one new page with. */
const weighedMax = 8
/** Number of new pages after which all counts are halved, so that old queries weigh little. */
const halvedEvery = 16_384

type Entry = {
  readonly key: string
  readonly list: ListResult
  readonly bodies: { [encoding in Encoding]: PageBody | undefined }
  /** The edition whose times are in the bodies. */
  readonly edition: number
  bytes: number
  /** How often it was requested. */
  count: number
}

/**
 * Bounded in bytes. Once it is full, a page is kept only in place of others that were requested less often: a client
 * that walks through the whole stock evicts nothing, and takes no memory for pages that are never requested again.
 */
export class PageCache {
  readonly #maxBytes: number
  readonly #byKey = new Map<string, Entry>()
  readonly #byPositions = new Map<readonly number[], Entry>()
  /** The same entries as a ring. */
  readonly #ring: Entry[] = []
  #hand = 0
  readonly #counts = new Map<string, number>()
  #bytes = 0
  #offered = 0
  #newest = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  list(key: string): ListResult | undefined {
    const entry = this.#byKey.get(key)
    if (entry === undefined) return undefined
    entry.count++
    return entry.list
  }

  /** Keeps a list if it is worth it. `edition`: the one whose times are in its bodies. */
  offer(key: string, list: ListResult, edition: number): void {
    if (edition > this.#newest) this.#age(edition)
    if (++this.#offered % halvedEvery === 0) this.#halve()
    const count = (this.#counts.get(key) ?? 0) + 1
    // filters may be long: the key counts too
    const bytes = listBytes + key.length
    if (!this.#makeRoom(bytes, count, undefined)) {
      if (this.#counts.size >= countedMax && count === 1) this.#counts.clear()
      this.#counts.set(key, count)
      return
    }
    this.#counts.delete(key)
    const bodies = { identity: undefined, gzip: undefined }
    const entry: Entry = { key, list, bodies, edition, bytes, count }
    this.#byKey.set(key, entry)
    this.#byPositions.set(list.positions, entry)
    this.#ring.push(entry)
    this.#bytes += bytes
  }

  /** For a list from this cache, with exactly its positions. */
  body(positions: readonly number[], edition: number, encoding: Encoding): PageBody | undefined {
    const entry = this.#byPositions.get(positions)
    return entry?.edition === edition ? entry.bodies[encoding] : undefined
  }

  /** Whether a body of `bytes` of this list would be kept. Makes room for it if so. */
  hasRoom(positions: readonly number[], edition: number, bytes: number): boolean {
    const entry = this.#byPositions.get(positions)
    return entry?.edition === edition && this.#makeRoom(bytes, entry.count, entry)
  }

  /** Call it only after `hasRoom`. */
  addBody(positions: readonly number[], encoding: Encoding, body: PageBody): void {
    const entry = this.#byPositions.get(positions)
    if (entry === undefined || entry.bodies[encoding] !== undefined) return
    entry.bodies[encoding] = body
    entry.bytes += body.bytes.length
    this.#bytes += body.bytes.length
  }

  clear(): void {
    this.#byKey.clear()
    this.#byPositions.clear()
    this.#ring.length = 0
    this.#counts.clear()
    this.#bytes = 0
  }

  /** After the next edition, hardly any client requests pages of the previous one. */
  #age(newest: number): void {
    this.#newest = newest
    this.#counts.clear()
    for (const entry of this.#ring) entry.count = 0
  }

  #halve(): void {
    for (const entry of this.#ring) entry.count >>>= 1
    for (const [key, count] of this.#counts) this.#counts.set(key, count >>> 1)
  }

  /**
   * Drops pages that were requested less often than `count`, by more than one: pages that are requested in a cycle
   * stay.
   */
  #makeRoom(bytes: number, count: number, spared: Entry | undefined): boolean {
    if (bytes > this.#maxBytes) return false
    for (let weighed = 0; weighed < weighedMax && this.#ring.length > 0; weighed++) {
      if (this.#bytes + bytes <= this.#maxBytes) break
      if (this.#hand >= this.#ring.length) this.#hand = 0
      const entry = this.#ring[this.#hand]!
      if (entry === spared || entry.count + 1 >= count) this.#hand++
      else this.#drop(entry)
    }
    return this.#bytes + bytes <= this.#maxBytes
  }

  /** Drops the entry at the hand. */
  #drop(entry: Entry): void {
    const last = this.#ring.pop()!
    if (last !== entry) this.#ring[this.#hand] = last
    this.#byKey.delete(entry.key)
    this.#byPositions.delete(entry.list.positions)
    this.#bytes -= entry.bytes
  }
}
