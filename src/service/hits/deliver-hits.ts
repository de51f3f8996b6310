// Delivers hits while the service runs: checks every second for what is due, and never ends the service.
import { hostname } from 'node:os'
import { hourMs } from '../../domain/time.ts'
import type { Log } from '../../platform/log.ts'
import { untilWritten } from '../../store/database/until-written.ts'
import { nextDueAt, pruneDeliveries } from '../../store/hits/deliveries.ts'
import { type DelivererOptions, deliverDue } from '../../webhooks/deliver.ts'
import { openSender } from '../../webhooks/send-attempt.ts'
import { keepLooking } from '../watch/keep-looking.ts'
import { openSealer, type SealerContext } from './webhook-sealer.ts'

const lookMs = 1000
/** Maximum rows of each kind to delete in one statement. */
const pruneRows = 500

export function startDeliveries(
  options: Omit<DelivererOptions, 'send' | 'sealer' | 'worker' | 'random'> &
    SealerContext & {
      readonly version: string
      readonly log: Log
      /** Called with what is wrong; undefined when it works again. */
      readonly report: (concern: string | undefined) => void
    },
): { readonly close: () => Promise<void> } {
  const { store, clock, wallClock, log, report } = options
  const sender = openSender({ version: options.version, now: wallClock })
  let prunedAt = Number.NEGATIVE_INFINITY

  const nextDue = untilWritten(store, () => nextDueAt(store.db))
  const look = async (signal: AbortSignal) => {
    const dueAt = await nextDue()
    if (dueAt !== undefined && dueAt <= clock())
      await deliverDue(
        {
          ...options,
          send: sender.send,
          // opened each time: it costs one small file, and finds a key that was put in its place
          sealer: await openSealer(options),
          random: () => options.random.bytes(4).readUInt32BE() / 2 ** 32,
          worker: `${hostname()} ${process.pid}`,
        },
        signal,
      )
    if (clock() - prunedAt < hourMs) return
    while (!signal.aborted && (await pruneDeliveries(store.db, clock(), pruneRows)));
    prunedAt = clock()
  }
  const looking = keepLooking({ look, everyMs: lookMs, log, concern: 'Hits are not delivered', report })
  return {
    close: async () => {
      await looking.close()
      await sender.close()
    },
  }
}
