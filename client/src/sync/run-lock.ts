// Keeps two runs into one target from overlapping (C154): the interface; lease locks are beside their sinks.

/** A lock that this process holds. */
export type HeldLock = {
  /**
   * False once another process may hold it: a lease expired while the machine slept. Called before every commit; it may
   * renew the lease.
   */
  isHeld(): Promise<boolean>
  /** Releases it. Must not throw if it is already lost. */
  release(): Promise<void>
}

/** Resolves to undefined, without waiting, if another run holds the lock: the new run is then skipped. */
export type RunLock = { acquire(): Promise<HeldLock | undefined> }
