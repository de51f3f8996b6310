// A thread that follows the edition log and makes the files of whole editions, with lower priority than those that
// answer.
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../platform/clock.ts'
import { lowerThreadPriority } from '../../platform/thread-priority.ts'
import type { LogMessage } from '../read/log-feed.ts'
import type { BulkState } from './bulk-state.ts'

/** Pause after a failure: the disk is full, or a damaged body waits for its repair. */
const retryMs = 60_000
/** How often to look for files whose last link has ended. */
const sweepEveryMs = 10 * 60_000

const port = parentPort
if (!port) throw new Error('the maker of bulk files is a thread of the service, not a program')
lowerThreadPriority()
const { BulkFiles } = await import('./bulk-files.ts')
const { FollowedLog } = await import('../read/log-feed.ts')
const send = (message: FromBulkMaker) => port.postMessage(message)
const log = new FollowedLog({ clock: systemClock, onDamage: () => send({ type: 'damaged' }) })
const opening = BulkFiles.open({
  folder: (workerData as { readonly folder: string }).folder,
  log,
  clock: systemClock,
  show: (state) => send({ type: 'state', state }),
})

export type ToBulkMaker =
  | { readonly type: 'log'; readonly message: LogMessage }
  /** When the last redaction was applied. */
  | { readonly type: 'redacted'; readonly at: number }
  /** Nobody may load files any more: they are removed, and the thread ends. */
  | { readonly type: 'end' }

export type FromBulkMaker =
  | { readonly type: 'state'; readonly state: BulkState | undefined }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'damaged' }

let isDue = false
let isBusy = false
async function update(): Promise<void> {
  isDue = true
  if (isBusy) return
  isBusy = true
  while (isDue) {
    isDue = false
    try {
      await (await opening).update()
    } catch (error) {
      send({ type: 'failed', message: (error as Error).message })
      await delay(retryMs)
      isDue = true
    }
  }
  isBusy = false
}
setInterval(() => void update(), sweepEveryMs).unref()

port.on('message', async (message: ToBulkMaker) => {
  switch (message.type) {
    case 'log':
      try {
        log.apply(message.message)
      } catch {
        // its folder was replaced meanwhile: the whole log follows
      }
      if (message.message.type === 'log' || message.message.type === 'edition') void update()
      break
    case 'redacted':
      await (await opening).noteRedaction(message.at)
      void update()
      break
    case 'end':
      await (await opening).clear()
      process.exit()
  }
})
