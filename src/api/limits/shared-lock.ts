// Locks in memory that several threads share: a word holds the holder's thread number + 1, or 0. A lock that a thread
// held when it died is freed by another thread (`freeLock`).

/** Bit of a lock on whose release a thread waits. The bits below hold the holder's thread number + 1, or 0. */
const isAwaited = 1 << 30
const spins = 100
/** How long sleepers wait before they check again, in case the thread that was woken has died. */
const longestSleepMs = 10

/** Numbers of threads are below it. */
export const maxThreads = isAwaited - 1

/** A thread may lose its core while it holds a lock: the others spin only for a moment, then sleep. */
export function acquire(words: Int32Array, lock: number, mine: number): void {
  let sign = mine
  while (true) {
    for (let spin = 0; spin < spins; spin++)
      if (Atomics.load(words, lock) === 0 && Atomics.compareExchange(words, lock, 0, sign) === 0) return
    const holder = Atomics.load(words, lock)
    if (holder === 0) continue
    const awaited = holder | isAwaited
    if (holder !== awaited && Atomics.compareExchange(words, lock, holder, awaited) !== holder) continue
    Atomics.wait(words, lock, awaited, longestSleepMs)
    // Others may sleep, too: every thread that slept wakes the next.
    sign = mine | isAwaited
  }
}

export function release(words: Int32Array, lock: number): void {
  if ((Atomics.exchange(words, lock, 0) & isAwaited) !== 0) Atomics.notify(words, lock, 1)
}

/** Frees a lock if the thread holds it. Returns whether it did. */
export function freeLock(words: Int32Array, lock: number, thread: number): boolean {
  if ((Atomics.load(words, lock) & ~isAwaited) !== thread + 1) return false
  release(words, lock)
  return true
}
