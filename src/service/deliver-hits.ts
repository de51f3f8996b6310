// Delivers hits while the service runs: looks every second for what is due, and never ends the service.
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { hourMs } from '../domain/time.ts'
import type { Log } from '../platform/log.ts'
import { nextDueAt, pruneDeliveries } from '../store/deliveries.ts'
import { type DelivererOptions, deliverDue } from '../webhooks/deliver.ts'
import { openSender } from '../webhooks/send-attempt.ts'
import { openSealer, type SealerPlace } from './webhook-sealer.ts'

const lookMs = 1000
/** How long the pauses between failed rounds grow to. */
const longestPauseMs = 60_000
/** Rows of each kind that are forgotten in one statement. */
const pruneRows = 500

export function startDeliveries(
  options: Omit<DelivererOptions, 'send' | 'sealer' | 'worker' | 'random'> &
    SealerPlace & {
      readonly version: string
      readonly log: Log
      /** Called with what is wrong; undefined when it is well again. */
      readonly report: (concern: string | undefined) => void
    },
): { readonly close: () => Promise<void> } {
  const { store, clock, wallClock, log, report } = options
  const sender = openSender({ version: options.version, now: wallClock })
  const stopping = new AbortController()
  let [failures, prunedAt, told] = [0, Number.NEGATIVE_INFINITY, '']

  const once = async () => {
    const dueAt = await nextDueAt(store.db)
    if (dueAt !== undefined && dueAt <= clock())
      await deliverDue(
        {
          ...options,
          send: sender.send,
          // opened each time: a key that was put in its place is found, and it costs one small file
          sealer: await openSealer(options),
          random: () => options.random.bytes(4).readUInt32BE() / 2 ** 32,
          worker: `${hostname()} ${process.pid}`,
        },
        stopping.signal,
      )
    if (clock() - prunedAt < hourMs) return
    while (!stopping.signal.aborted && (await pruneDeliveries(store.db, clock(), pruneRows)));
    prunedAt = clock()
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        await once()
        if (failures > 0) report(undefined)
        ;[failures, told] = [0, '']
      } catch (error) {
        if (stopping.signal.aborted) return
        failures++
        const why = error instanceof Error ? error.message : String(error)
        report(`Hits are not delivered: ${why}`)
        if (told !== why) log.error({ error: why }, 'hits are not delivered; retrying')
        told = why
      }
      const pauseMs = failures === 0 ? lookMs : Math.min(longestPauseMs, lookMs * 2 ** Math.min(failures, 10))
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    close: async () => {
      stopping.abort(new Error('the service is closing'))
      await running
      await sender.close()
    },
  }
}
