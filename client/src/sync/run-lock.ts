// Keeps two runs into one target from overlapping (C154): the interface; lease locks live beside their sinks.

/** A lock that this process holds. */
export type HeldLock = {
  /** False once somebody else may hold it: a lease ran out while the machine slept. Asked before every commit; may renew. */
  isHeld(): Promise<boolean>
  /** Gives it back. Must not throw when it is already lost. */
  release(): Promise<void>
}

/** Resolves to undefined, without waiting, when another run holds the lock: the new run is then skipped. */
export type RunLock = { acquire(): Promise<HeldLock | undefined> }
