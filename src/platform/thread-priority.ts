// How urgent the work of a thread is to the system's scheduler.
import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'

/** As `nice` counts: the more, the less urgent. */
const lessUrgent = 10
const leastUrgent = 19

/** The calling thread gives way to the others, for good. Elsewhere than on Linux, where a thread has no number, it goes on as before. */
export function lowerThreadPriority(): void {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(thread, Math.min(leastUrgent, getPriority(thread) + lessUrgent))
  } catch {
    // it works, only not behind others
  }
}
