// A thread that follows the edition log and makes the files of whole editions, with lower priority than those that
// answer.
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../platform/clock.ts'
import { lowerThreadPriority } from '../../platform/thread-priority.ts'
import { keepUp } from '../read/keep-up.ts'
import type { LogMessage } from '../read/log-feed.ts'
import type { BulkState } from './bulk-state.ts'

/** How often to look for files whose last link has ended. */
const sweepEveryMs = 10 * 60_000

const port = parentPort
if (!port) throw new Error('the maker of bulk files is a thread of the service, not a program')
lowerThreadPriority()
const { BulkFiles } = await import('./bulk-files.ts')
const { FollowedLog } = await import('../read/log-feed.ts')
const send = (message: FromBulkMaker) => port.postMessage(message)
const fail = (message: string) => send({ type: 'failed', message })
const log = new FollowedLog({ clock: systemClock, onDamage: () => send({ type: 'damaged' }) })
const files = new BulkFiles({
  folder: (workerData as { readonly folder: string }).folder,
  log,
  clock: systemClock,
  show: (state) => send({ type: 'state', state }),
})

export type ToBulkMaker =
  | { readonly type: 'log'; readonly message: LogMessage }
  /** When the last redaction was applied. */
  | { readonly type: 'redacted'; readonly at: number }

export type FromBulkMaker =
  | { readonly type: 'state'; readonly state: BulkState | undefined }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'damaged' }

const { apply, update } = keepUp(log, { update: () => files.update(), onFailure: fail })
setInterval(update, sweepEveryMs).unref()

port.on('message', (message: ToBulkMaker) => {
  if (message.type === 'log') return apply(message.message)
  files
    .noteRedaction(message.at)
    .catch((error: Error) => fail(error.message))
    .finally(update)
})
