// How much of a core a thread of this process gets: silence of another thread is a sign only as far as it could work.

/** CPU milliseconds of a measurement: several time slices, so that a thread that must wait for its turn does. */
const measuredMs = 10

/** Both in milliseconds: the time that passed, and the CPU time of this thread. */
export type ThreadTimes = { readonly passed: () => number; readonly computed: () => number }

const ownTimes: ThreadTimes = {
  passed: () => performance.now(),
  computed: () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  },
}

/**
 * From 0 to 1: the share of a core that this thread has just got while it computed, which blocks it for 10 ms of CPU.
 * It is small on an overloaded machine, under a quota, and in a process that is stopped again and again.
 */
export function cpuShare({ passed, computed }: ThreadTimes = ownTimes): number {
  const [before, startedAt] = [computed(), passed()]
  let ownMs = 0
  while (ownMs < measuredMs) ownMs = computed() - before
  return Math.min(1, ownMs / (passed() - startedAt))
}
