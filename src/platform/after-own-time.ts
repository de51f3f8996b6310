// A limit for work of another thread or process, by time in which threads of this process get a core.
import { cpuShare } from './cpu-share.ts'

/** A limit is checked so often before it ends. */
const checks = 10

/**
 * Calls `end` after `limitMs`, unless the returned function is called before. Time counts as far as this process could
 * compute: on an overloaded machine, under a quota, and after a stop, the other side had no time to answer either. The
 * limit alone keeps no process alive.
 */
export function afterOwnTime(limitMs: number, end: () => void, share: () => number = cpuShare): () => void {
  let passed = 0
  const timer = setInterval(() => {
    passed += share()
    // a tenth is lost to the measurement itself
    if (passed < checks - 1) return
    clearInterval(timer)
    end()
  }, limitMs / checks).unref()
  return () => clearInterval(timer)
}
