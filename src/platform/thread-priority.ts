// How urgent the work of a thread is to the system's scheduler.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'

/** As `nice` counts: the more, the less urgent. */
const lessUrgent = 10
const leastUrgent = 19

/** As Node and V8 name their threads: those that collect garbage and compile, those of the pool for files and the like. */
const helperNames: ReadonlySet<string> = new Set(['V8Worker', 'libuv-worker'])

/** The calling thread gives way to the others, for good. Elsewhere than on Linux, where a thread has no number, it goes on as before. */
export function lowerThreadPriority(): void {
  try {
    lower(Number(basename(readlinkSync('/proc/thread-self'))))
  } catch {
    // it works, only not behind others
  }
}

/**
 * The threads that help all others of this process give way, for good. Returns how many do: none elsewhere than on Linux. Those
 * of the pool are there from the first file that was read or written in the background.
 */
export function lowerHelperPriority(): number {
  let lowered = 0
  try {
    for (const thread of readdirSync('/proc/self/task')) {
      if (!helperNames.has(readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim())) continue
      lower(Number(thread))
      lowered++
    }
  } catch {
    // they work, only not behind others
  }
  return lowered
}

function lower(thread: number): void {
  setPriority(thread, Math.min(leastUrgent, getPriority(thread) + lessUrgent))
}
