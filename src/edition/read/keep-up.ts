// What a thread does with the log that it follows: its work is done again after each edition.
import { setTimeout as delay } from 'node:timers/promises'
import type { FollowedLog, LogMessage } from './log-feed.ts'

/** Pause after a failure: the disk is full, or a damaged body waits for its repair. */
const retryMs = 60_000

/** `update`: brings the work up to the newest edition; never called twice at a time. */
export function keepUp(
  log: FollowedLog,
  { update, onFailure }: { readonly update: () => Promise<void>; readonly onFailure: (message: string) => void },
): { readonly apply: (message: LogMessage) => void; readonly update: () => void } {
  let [isDue, isBusy] = [false, false]
  async function run(): Promise<void> {
    isDue = true
    if (isBusy) return
    isBusy = true
    while (isDue) {
      isDue = false
      try {
        await update()
      } catch (error) {
        onFailure((error as Error).message)
        await delay(retryMs)
        isDue = true
      }
    }
    isBusy = false
  }
  return {
    update: () => void run(),
    apply: (message) => {
      try {
        log.apply(message)
      } catch {
        // its folder was replaced meanwhile: the whole log follows
      }
      if (message.type === 'log' || message.type === 'edition') void run()
    },
  }
}
