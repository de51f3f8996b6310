// The maker of bulk files as the main thread sees it: a thread that follows the log and is not waited for.
import { Worker } from 'node:worker_threads'
import { runnable } from '../../platform/runnable.ts'
import type { LogFollower, LogMessage } from '../read/log-feed.ts'
import type { FromBulkMaker, ToBulkMaker } from './bulk-maker.ts'
import type { BulkState } from './bulk-state.ts'

export type BulkMakingOptions = {
  readonly folder: string
  /** Called with what is named now; undefined: nothing. */
  readonly onState: (state: BulkState | undefined) => void
  readonly onWarning: (warning: string) => void
  readonly onDamage: () => void
  /** The thread ended. */
  readonly onEnd: () => void
}

export class BulkMaking implements LogFollower {
  readonly #worker: Worker

  constructor({ folder, onState, onWarning, onDamage, onEnd }: BulkMakingOptions) {
    this.#worker = new Worker(runnable(new URL('./bulk-maker.ts', import.meta.url)), {
      workerData: { folder },
      execArgv: [],
      env: {},
    })
    const warn = (reason: string) =>
      onWarning(`The files of whole editions are not up to date (${reason}); the last ones are served.`)
    this.#worker.on('message', (message: FromBulkMaker) => {
      if (message.type === 'state') onState(message.state)
      else if (message.type === 'damaged') onDamage()
      else warn(message.message)
    })
    this.#worker.on('error', (error: unknown) => warn(String(error)))
    this.#worker.on('exit', onEnd)
    // it must not keep a process alive
    this.#worker.unref()
  }

  #post(message: ToBulkMaker): void {
    this.#worker.postMessage(message)
  }

  send(message: LogMessage): void {
    this.#post({ type: 'log', message })
  }

  settled(): Promise<void> {
    return Promise.resolve()
  }

  /** Files of editions before this time are withdrawn. */
  noteRedaction(at: number): void {
    this.#post({ type: 'redacted', at })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}
