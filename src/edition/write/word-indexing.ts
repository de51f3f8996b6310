// The word index as the writer of the edition log sees it: a thread keeps it, which follows the log and is not waited
// for.
import { Worker } from 'node:worker_threads'
import { runnable } from '../../platform/runnable.ts'
import type { LogFollower, LogMessage } from '../read/log-feed.ts'
import type { SegmentsMessage } from './word-index.ts'
import type { IndexerMessage } from './word-indexer.ts'

export type WordIndexingOptions = {
  readonly folder: string
  readonly onSegments: (message: SegmentsMessage) => void
  readonly onWarning: (warning: string) => void
  readonly onDamage: () => void
  /** The thread ended by itself. */
  readonly onEnd: () => void
}

export class WordIndexing implements LogFollower {
  readonly #worker: Worker

  constructor({ folder, onSegments, onWarning, onDamage, onEnd }: WordIndexingOptions) {
    this.#worker = new Worker(runnable(new URL('./word-indexer.ts', import.meta.url)), {
      workerData: { folder },
      execArgv: [],
      env: {},
    })
    const warn = (reason: string) =>
      onWarning(`The word index of the edition log is not up to date (${reason}); finding tenders waits for it.`)
    this.#worker.on('message', (message: IndexerMessage) => {
      if (message.type === 'segments') onSegments(message)
      else if (message.type === 'damaged') onDamage()
      else warn(message.message)
    })
    this.#worker.on('error', (error: unknown) => warn(String(error)))
    this.#worker.on('exit', onEnd)
    // it must not keep a process alive
    this.#worker.unref()
  }

  send(message: LogMessage): void {
    this.#worker.postMessage(message)
  }

  settled(): Promise<void> {
    return Promise.resolve()
  }

  async close(): Promise<void> {
    this.#worker.removeAllListeners('exit')
    await this.#worker.terminate()
  }
}
