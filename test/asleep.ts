// Stops processes (SIGSTOP), so that they hang like a node that hangs.
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** Resolves to true when the process is stopped, to false if it has ended. */
export async function asleep(pid: number): Promise<boolean> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
    if (stat === undefined) return false
    if (/\) T /.test(stat)) return true
    await delay(10)
  }
}
