// Maps an ID to the position of its newest version: open addressing over positions, in shards that grow one by one.
import { sharedSlots } from './shared-arrays.ts'

const shardBits = 8
const initialSlots = 64

type Shard = { slots: Int32Array; used: number }

/** The hashed data is elsewhere: the index requests the words of the ID at a position. */
export type IdWords = { readonly words: Uint32Array; readonly offset: number }

/**
 * 256 shards, so that growing copies a 256th of the entries at a time (one millisecond at five million). A slot holds
 * position + 1; zero is free. Entries are replaced, never removed. The slots are in shared memory: one thread inserts,
 * others look up; a thread that holds the slots from before a shard grew finds what was inserted before that.
 */
export class IdIndex {
  readonly #shards: Shard[]
  readonly #idAt: (position: number) => IdWords
  /** Called when the slots of a shard were replaced. */
  onShard: ((index: number, slots: Int32Array) => void) | undefined

  /**
   * `slots`: those of another index. Without `used`, the number of used slots in each, the index can only be looked up
   * in.
   */
  constructor(idAt: (position: number) => IdWords, slots?: readonly Int32Array[], used?: readonly number[]) {
    this.#idAt = idAt
    this.#shards = Array.from({ length: 1 << shardBits }, (_, index) => ({
      slots: slots?.[index] ?? sharedSlots(initialSlots),
      used: used?.[index] ?? 0,
    }))
  }

  /** Number of IDs in each shard. */
  get used(): readonly number[] {
    return this.#shards.map((shard) => shard.used)
  }

  get slots(): readonly Int32Array[] {
    return this.#shards.map((shard) => shard.slots)
  }

  replaceSlots(index: number, slots: Int32Array): void {
    this.#shards[index]!.slots = slots
  }

  get(words: Uint32Array, offset: number): number | undefined {
    const hash = hashOf(words, offset)
    const { slots } = this.#shards[hash >>> (32 - shardBits)]!
    const slot = this.#slotOf(slots, hash, words, offset)
    const stored = Atomics.load(slots, slot)
    return stored === 0 ? undefined : stored - 1
  }

  /** Inserts or replaces; returns the previous position. */
  set(words: Uint32Array, offset: number, position: number): number | undefined {
    const hash = hashOf(words, offset)
    const index = hash >>> (32 - shardBits)
    const shard = this.#shards[index]!
    const slot = this.#slotOf(shard.slots, hash, words, offset)
    const stored = shard.slots[slot]!
    Atomics.store(shard.slots, slot, position + 1)
    if (stored !== 0) return stored - 1
    shard.used++
    if (shard.used * 4 > shard.slots.length * 3) {
      this.#grow(shard)
      this.onShard?.(index, shard.slots)
    }
    return undefined
  }

  #slotOf(slots: Int32Array, hash: number, words: Uint32Array, offset: number): number {
    const mask = slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const stored = Atomics.load(slots, slot)
      if (stored === 0) return slot
      const held = this.#idAt(stored - 1)
      if (
        held.words[held.offset] === words[offset] &&
        held.words[held.offset + 1] === words[offset + 1] &&
        held.words[held.offset + 2] === words[offset + 2] &&
        held.words[held.offset + 3] === words[offset + 3]
      )
        return slot
    }
  }

  #grow(shard: Shard): void {
    const slots = sharedSlots(shard.slots.length * 2)
    const mask = slots.length - 1
    for (const stored of shard.slots) {
      if (stored === 0) continue
      const held = this.#idAt(stored - 1)
      let slot = hashOf(held.words, held.offset) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = stored
    }
    shard.slots = slots
  }
}

/** All words count, so that ids that differ in few digits spread as well as random ones. */
function hashOf(words: Uint32Array, offset: number): number {
  let hash = words[offset]! | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) ^ words[offset + 1]!
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) ^ words[offset + 2]!
  hash = Math.imul(hash ^ (hash >>> 16), 0x27d4eb2f) ^ words[offset + 3]!
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  hash ^= hash >>> 13
  return Math.imul(hash, 0xc2b2ae35) >>> 0
}
