// A thread that follows the edition log and keeps its word index, with lower priority than those that answer.
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../platform/clock.ts'
import { lowerThreadPriority } from '../../platform/thread-priority.ts'
import { keepUp } from '../read/keep-up.ts'
import type { SegmentsMessage } from './word-index.ts'

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

const { apply } = keepUp(log, {
  update: async () => (await opening).update(),
  onFailure: (message) => send({ type: 'failed', message }),
})
port.on('message', apply)
