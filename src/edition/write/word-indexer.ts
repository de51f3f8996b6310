// A thread that follows the edition log and keeps its word index, with lower priority than those that answer.
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../platform/clock.ts'
import { lowerThreadPriority } from '../../platform/thread-priority.ts'
import type { LogMessage } from '../read/log-feed.ts'
import type { SegmentsMessage } from './word-index.ts'

/** Pause after a failure: the disk is full, or a damaged body waits for its repair. */
const retryMs = 60_000

const port = parentPort
if (!port) throw new Error('the word indexer is a thread of the service, not a program')
lowerThreadPriority()
const { IndexedLog, WordIndex } = await import('./word-index.ts')
const send = (message: IndexerMessage) => port.postMessage(message)
const log = new IndexedLog({ clock: systemClock, onDamage: () => send({ type: 'damaged' }) })
const opening = WordIndex.open((workerData as { readonly folder: string }).folder, log, (segments) =>
  send({ type: 'segments', ...segments }),
)

export type IndexerMessage =
  | ({ readonly type: 'segments' } & SegmentsMessage)
  | { readonly type: 'failed'; readonly message: string }
  /** Bytes of the log are not what was written. */
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

port.on('message', (message: LogMessage) => {
  try {
    log.apply(message)
  } catch {
    // its folder was replaced meanwhile: the whole log follows
  }
  if (message.type === 'log' || message.type === 'edition') void update()
})
