// One count of requests for all threads of a process: exact sliding logs in shared memory, one per organization.
import { hash } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { type Admission, type LocalLimiter, maxExactLimit, secondsUntil } from './limiter.ts'
import { ringBytes, SlidingLogs } from './limiter-log.ts'
import { acquire, freeLock, maxThreads, release } from './shared-lock.ts'

// The memory holds constants, the lock of the directory, one entry of 64 bytes (a cache line) per organization, and
// one ring per organization. Entries form an open-addressed table by a hash of the key; an entry never moves, and its
// slot is never empty again, so a search may end at the first empty one.
//
// A request takes the lock of its entry, checks that the entry is still its own, and only then reads the clock and
// counts: so times in a log are in order. Only the holder of the directory's lock gives entries to keys, so no key has
// two; it never waits for the lock of an entry while it has that of the directory, but passes on to the next entry.
const formWord = 0
const organizationsWord = 1
const exactStampsWord = 2
const reachWord = 3
const directoryLock = 16
const entriesByte = 128

const entryBytes = 64
const lockWord = 0
const stateWord = 1
const keyWord = 2
const logWord = 8

/** States of an entry. `changing`: its owner is being replaced, so it matches nothing and does not end a search. */
const neverUsed = 0
const used = 1
const changing = 2

const form = 0x544c_0001
const minOrganizations = 16_384

export type LimiterMemoryOptions = {
  /** Maximum number of organizations with requests in the last minute. */
  readonly organizations?: number
  /** Number of requests of the last minute that are stamped to the millisecond; more are stamped to the second. */
  readonly exactStamps?: number
  /**
   * Number of slots searched for one key; default: all. Fewer slots bound the cost of keys that anybody can invent, but
   * then a free slot may be missed.
   */
  readonly reach?: number
}

/** Requests for records, for manifests, for files and messages of assistants are counted apart. */
const keysEach = 4

/** Returns room for twice the known organizations, so that more can be added before the next start. */
export const roomForOrganizations = (known: number): number => Math.max(minOrganizations, known * 2 * keysEach)

/**
 * Memory for `MemoryLimiter`, passed to all threads. It reserves about 8 KB for each organization, of which the
 * operating system provides only the pages that are used.
 */
export function createLimiterMemory(options: LimiterMemoryOptions = {}): SharedArrayBuffer {
  const { organizations = minOrganizations, exactStamps = maxExactLimit } = options
  const { reach = organizations } = options
  for (const [name, value] of Object.entries({ organizations, exactStamps, reach }))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`${name} is not a whole number above 0: ${value}`)
  const memory = new SharedArrayBuffer(entriesByte + organizations * (entryBytes + ringBytes(exactStamps)))
  const words = new Int32Array(memory)
  words[organizationsWord] = organizations
  words[exactStampsWord] = exactStamps
  words[reachWord] = Math.min(reach, organizations)
  words[formWord] = form
  return memory
}

/** What a thread remembers of a key: half of its SHA-256, and where its entry was. */
type RememberedKey = { readonly key: readonly [number, number, number, number]; entry: number }

/** Options of a limiter over shared memory. */
type MemoryLimiterOptions = {
  readonly memory: SharedArrayBuffer
  readonly clock: Clock
  /** Identifies the holder of a lock: a small number that no other living thread has. */
  readonly thread: number
}

/**
 * A limiter over `memory`, exact for all threads that share it; one call takes a fraction of a microsecond. The clock
 * of an organization never runs backwards. The thread that calls `releaseThread` must not wait for others itself: it
 * holds no limiter of a memory that it passed to threads, or only while none of them lives.
 */
export class MemoryLimiter implements LocalLimiter {
  readonly #words: Int32Array
  readonly #clock: Clock
  readonly #organizations: number
  readonly #reach: number
  readonly #logs: SlidingLogs
  readonly #firstRingByte: number
  readonly #bytesOfRing: number
  /** What a lock holds while this thread owns it. */
  readonly #mine: number
  readonly #remembered = new Map<string, RememberedKey>()

  constructor({ memory, clock, thread }: MemoryLimiterOptions) {
    if (!Number.isSafeInteger(thread) || thread < 0 || thread >= maxThreads)
      throw new RangeError(`not a thread number: ${thread}`)
    const words = wordsOf(memory)
    const exactStamps = words[exactStampsWord]!
    this.#words = words
    this.#clock = clock
    this.#organizations = words[organizationsWord]!
    this.#reach = words[reachWord]!
    this.#logs = new SlidingLogs(
      { words, counts: new Uint32Array(memory), times: new Float64Array(memory) },
      exactStamps,
    )
    this.#firstRingByte = entriesByte + this.#organizations * entryBytes
    this.#bytesOfRing = ringBytes(exactStamps)
    this.#mine = thread + 1
  }

  take(key: string, limit: number): Admission {
    return this.#judge(key, limit, true)
  }

  look(key: string, limit: number): Admission {
    return this.#judge(key, limit, false)
  }

  record(key: string, limit: number): void {
    let lock: number
    try {
      lock = this.#enter(key)
    } catch (error) {
      // No room: the request was admitted elsewhere and must not fail here.
      if (error instanceof OperatorError) return
      throw error
    }
    try {
      // also beyond the limit: what this node admitted while the store was down must not hide what was admitted since
      this.#logs.push(this.#logs.advance(this.#clock()), limit)
    } finally {
      release(this.#words, lock)
    }
  }

  async close(): Promise<void> {
    this.#remembered.clear()
  }

  #openLog(entry: number): void {
    this.#logs.open(entriesByte + entry * entryBytes + logWord * 4, this.#firstRingByte + entry * this.#bytesOfRing)
  }

  #rememberedOf(key: string): RememberedKey {
    let remembered = this.#remembered.get(key)
    if (!remembered) {
      // Old keys would pile up otherwise.
      if (this.#remembered.size >= this.#organizations) this.#remembered.clear()
      const digest = hash('sha256', key, 'buffer')
      remembered = {
        key: [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), digest.readInt32LE(12)],
        entry: -1,
      }
      this.#remembered.set(key, remembered)
    }
    return remembered
  }

  /** Whether the entry belongs to the key; certain only under the lock of the entry or of the directory. */
  #isOf(entry: number, { key }: RememberedKey): boolean {
    const word = wordOf(entry)
    return (
      Atomics.load(this.#words, word + stateWord) === used &&
      this.#words[word + keyWord] === key[0] &&
      this.#words[word + keyWord + 1] === key[1] &&
      this.#words[word + keyWord + 2] === key[2] &&
      this.#words[word + keyWord + 3] === key[3]
    )
  }

  /**
   * Finds the entry of the key, or the first unused one where it would be (`~entry`); undefined if there is neither.
   */
  #search(remembered: RememberedKey): number | undefined {
    let entry = (remembered.key[0] >>> 0) % this.#organizations
    for (let looks = 0; looks < this.#reach; looks++) {
      if (this.#isOf(entry, remembered)) return entry
      if (Atomics.load(this.#words, wordOf(entry) + stateWord) === neverUsed) return ~entry
      entry = entry + 1 === this.#organizations ? 0 : entry + 1
    }
    return undefined
  }

  /** Finds or creates the entry. Only one thread at a time creates one, so no key ever has two. */
  #findOrAdd(remembered: RememberedKey): number {
    const known = this.#search(remembered)
    if (known !== undefined && known >= 0) return known
    acquire(this.#words, directoryLock, this.#mine)
    try {
      const found = this.#search(remembered)
      if (found !== undefined && found >= 0) return found
      if (found !== undefined) {
        this.#own(~found, remembered)
        return ~found
      }
      return this.#reuse(remembered)
    } finally {
      release(this.#words, directoryLock)
    }
  }

  #own(entry: number, { key }: RememberedKey): void {
    const word = wordOf(entry)
    for (const [index, part] of key.entries()) this.#words[word + keyWord + index] = part
    Atomics.store(this.#words, word + stateWord, used)
  }

  /** Gives the key an entry whose owner has no request in the last minute. The caller holds the directory's lock. */
  #reuse(remembered: RememberedKey): number {
    const now = this.#clock()
    let entry = (remembered.key[0] >>> 0) % this.#organizations
    for (let looks = 0; looks < this.#reach; looks++) {
      const word = wordOf(entry)
      this.#openLog(entry)
      if (this.#logs.isIdle(now) && Atomics.compareExchange(this.#words, word + lockWord, 0, this.#mine) === 0) {
        try {
          // again, now that no thread can count there
          if (this.#logs.isIdle(now)) {
            Atomics.store(this.#words, word + stateWord, changing)
            this.#logs.clear()
            this.#own(entry, remembered)
            return entry
          }
        } finally {
          release(this.#words, word + lockWord)
        }
      }
      entry = entry + 1 === this.#organizations ? 0 : entry + 1
    }
    throw new OperatorError(
      'limiter-full',
      `All ${this.#organizations} counters for rate limits are in use by organizations with requests in the ` +
        'last minute; restart the service: it then makes room for twice as many organizations as have tokens.',
    )
  }

  /** Opens the log of the key and returns its lock, which is held. */
  #enter(key: string): number {
    const remembered = this.#rememberedOf(key)
    while (true) {
      if (remembered.entry < 0) remembered.entry = this.#findOrAdd(remembered)
      const lock = wordOf(remembered.entry) + lockWord
      acquire(this.#words, lock, this.#mine)
      if (this.#isOf(remembered.entry, remembered)) {
        this.#openLog(remembered.entry)
        return lock
      }
      release(this.#words, lock)
      remembered.entry = -1
    }
  }

  #judge(key: string, limit: number, isCounted: boolean): Admission {
    const lock = this.#enter(key)
    try {
      // The clock is read under the lock, so the order of the times is that of the requests.
      const now = this.#logs.advance(this.#clock())
      const before = this.#logs.count
      const isAllowed = before < limit
      if (isAllowed && isCounted) this.#logs.push(now, limit)
      const remaining = Math.max(0, limit - before - (isAllowed ? 1 : 0))
      const count = isAllowed && isCounted ? before + 1 : before
      // After a limit was lowered, more may be counted than allowed: then several must leave before one can be
      // admitted.
      const leavesAt = count === 0 ? now : this.#logs.leavesAt(Math.max(0, count - limit))
      return { isAllowed, limit, remaining, resetSeconds: secondsUntil(leavesAt, now) }
    } finally {
      release(this.#words, lock)
    }
  }
}

/** Returns the first word of an entry. */
const wordOf = (entry: number): number => (entriesByte + entry * entryBytes) / 4

/** Creates a limiter that is exact for one thread that counts alone. */
export function createLocalLimiter(clock: Clock, options: LimiterMemoryOptions = {}): LocalLimiter {
  return new MemoryLimiter({ memory: createLimiterMemory(options), clock, thread: 0 })
}

/**
 * Frees everything that an ended thread held, so others can continue; the counts are correct whenever it died. Call it
 * after the thread's `exit`, before another thread receives its number. Returns how many locks it held.
 */
export function releaseThread(memory: SharedArrayBuffer, thread: number): number {
  const words = wordsOf(memory)
  let freed = freeLock(words, directoryLock, thread) ? 1 : 0
  for (let entry = 0; entry < words[organizationsWord]!; entry++)
    if (freeLock(words, wordOf(entry) + lockWord, thread)) freed++
  return freed
}

function wordsOf(memory: SharedArrayBuffer): Int32Array {
  const words = new Int32Array(memory)
  if (words[formWord] !== form) throw new RangeError("this is not a limiter's memory")
  return words
}
