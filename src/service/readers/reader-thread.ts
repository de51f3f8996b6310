// One reader as the main thread sees it: what it is told and asked, and whether it still answers.
import { Worker } from 'node:worker_threads'
import type { TokenUse } from '../../api/tokens/use-counter.ts'
import { OperatorError } from '../../platform/errors.ts'
import { runnable } from '../../platform/runnable.ts'
import { preloadOptions } from '../../platform/tracing.ts'
import type { NodeSnapshot } from '../watch/node-state.ts'
import type { FromReader, ReaderQuestion, ReaderSettings, ToReader } from './reader-messages.ts'

/**
 * Maximum checks in a row that a reader may leave unanswered before it is replaced. They are counted, not timed: while
 * the whole process is frozen, or the main thread busy, nobody checks. Each counts as much as the share of a core that
 * threads of this process get: one that gets none cannot answer.
 */
const maxUnanswered = 10
/** The same of a reader that has never answered: it has to load its modules first. */
const maxUnansweredWhileLoading = 60
/** How long requests may continue after the end was requested. */
const longestStopMs = 6_000

export class ReaderThread {
  readonly #listening: Promise<void>
  /** Resolves with the reason when the thread has ended. */
  readonly ended: Promise<string>
  hasListened = false
  readonly #worker: Worker
  readonly #waiting = new Map<number, () => void>()
  #turn = 0
  #hasEnded = false
  #isHeard = false
  #isAsked = false
  /** Whether it said anything since the last question about life. */
  #isActive = false
  #unanswered = 0
  #isSilent = false
  #reason = ''

  constructor(
    settings: ReaderSettings,
    answer: (question: ReaderQuestion, parameters: readonly unknown[]) => Promise<unknown>,
    { onDamage, onUse }: { readonly onDamage: () => void; readonly onUse: (use: readonly TokenUse[]) => void },
  ) {
    const worker = new Worker(runnable(new URL('./reader.ts', import.meta.url)), {
      workerData: settings,
      execArgv: preloadOptions(process.execArgv),
    })
    this.#worker = worker
    worker.on('error', (error: unknown) => {
      this.#reason = error instanceof Error ? error.message : String(error)
    })
    this.ended = new Promise((resolve) => {
      worker.once('exit', (code) => {
        this.#hasEnded = true
        for (const release of this.#waiting.values()) release()
        resolve(this.#reason || `exit code ${code}`)
      })
    })
    this.#listening = new Promise((resolve, reject) => {
      worker.on('message', (message: FromReader) => {
        this.#isHeard = true
        this.#isAsked = false
        this.#isActive = true
        this.#unanswered = 0
        switch (message.type) {
          case 'listening':
            this.hasListened = true
            resolve()
            break
          case 'refused':
            reject(Object.assign(new Error(message.message), { code: message.code }))
            break
          case 'settled':
            this.#waiting.get(message.turn)?.()
            break
          case 'ask':
            answer(message.question, message.parameters).then(
              (value) => this.#send({ type: 'answer', ask: message.ask, value }),
              (error: unknown) =>
                this.#send({
                  type: 'failure',
                  ask: message.ask,
                  message: error instanceof Error ? error.message : String(error),
                }),
            )
            break
          case 'damaged':
            onDamage()
            break
          case 'use':
            onUse(message.use)
            break
        }
      })
      void this.ended.then((why) =>
        reject(
          this.#isSilent
            ? new OperatorError(
                'reader-silent',
                'A thread that answers requests gave no sign of life while it was loading, and was ended. ' +
                  'Look at the load and the memory of this machine, then start again.',
              )
            : new Error(`a reader ended before it could answer: ${why}`),
        ),
      )
    })
    // the listening of a standby is not awaited
    this.#listening.catch(() => {})
  }

  /** Rejects when it cannot listen. */
  listen(): Promise<void> {
    this.#send({ type: 'listen' })
    return this.#listening
  }

  send(message: Extract<ToReader, { type: 'log' }>['message']): void {
    this.#send({ type: 'log', message })
  }

  sendState(state: NodeSnapshot): void {
    this.#send({ type: 'state', state })
  }

  async settled(): Promise<void> {
    if (this.#hasEnded) return
    const turn = ++this.#turn
    const reached = new Promise<void>((resolve) => this.#waiting.set(turn, resolve))
    this.#send({ type: 'settle', turn })
    await reached
    this.#waiting.delete(turn)
  }

  /**
   * Asks for a sign of life, unless there was one since the last call. Ends a thread that gave none to the last
   * questions. `share`: see cpuShare.
   */
  look(share: () => number): void {
    if (this.#hasEnded) return
    if (!this.#isAsked) {
      const isActive = this.#isActive
      this.#isActive = false
      if (isActive) return
      this.#isAsked = true
      this.#send({ type: 'settle', turn: ++this.#turn })
      return
    }
    this.#unanswered += share()
    if (this.#unanswered < (this.#isHeard ? maxUnanswered : maxUnansweredWhileLoading)) return
    this.#isSilent = true
    this.#reason ||= 'it stopped answering'
    void this.#worker.terminate()
  }

  async stop(): Promise<void> {
    if (this.#hasEnded) return
    this.#send({ type: 'stop' })
    const timer = setTimeout(() => void this.#worker.terminate(), longestStopMs)
    await this.ended
    clearTimeout(timer)
  }

  #send(message: ToReader): void {
    if (!this.#hasEnded) this.#worker.postMessage(message)
  }
}
