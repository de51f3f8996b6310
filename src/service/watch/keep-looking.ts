// Checks repeatedly for something that is due, beside the rounds of the service: a failure stops nothing else.

import { afterTicks } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { serverDiskSentence } from '../../store/connections/full-disk.ts'

/** Maximum pause between failed checks. */
const longestPauseMs = 60_000

export type LookingOptions = {
  /** Does what is due. When aborted, it ends soon. */
  readonly look: (signal: AbortSignal) => Promise<void>
  readonly everyMs: number
  readonly log: Log
  /** What is wrong while it fails, such as `Hits are not delivered`. */
  readonly concern: string
  /** Called with what is wrong and why; undefined when it works again. */
  readonly report: (concern: string | undefined) => void
}

/** Starts immediately. */
export function keepLooking({ look, everyMs, log, concern, report }: LookingOptions): {
  readonly close: () => Promise<void>
} {
  const stopping = new AbortController()
  let [failures, reported] = [0, '']
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        await look(stopping.signal)
        if (failures > 0) report(undefined)
        ;[failures, reported] = [0, '']
      } catch (error) {
        if (stopping.signal.aborted) return
        failures++
        const why = serverDiskSentence(error) ?? (error instanceof Error ? error.message : String(error))
        report(`${concern}: ${why}`)
        if (reported !== why) log.error({ error: why }, `${concern}; retrying`)
        reported = why
      }
      const pauseMs = failures === 0 ? everyMs : Math.min(longestPauseMs, everyMs * 2 ** Math.min(failures, 10))
      await afterTicks(pauseMs, stopping.signal)
    }
  }
  const running = run()
  return {
    close: async () => {
      stopping.abort(new Error('the service is closing'))
      await running
    },
  }
}
