// The readers as the main thread sees them: started, informed of every edition, answered, and replaced when one dies.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CursorKeySource } from '../api/cursors/cursor-key-ring.ts'
import { createFloodMemory } from '../api/limits/flood-guard.ts'
import { createLimiterMemory, releaseThread, roomForOrganizations } from '../api/limits/limiter-memory.ts'
import type { TokenSource } from '../api/token-table.ts'
import type { Unsubscribe } from '../api/unsubscribe.ts'
import type { TokenUse } from '../api/use-counter.ts'
import type { EditionLog } from '../edition/write/edition-log.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Log, LogLevel } from '../platform/log.ts'
import { runnable } from '../platform/runnable.ts'
import { preloadOptions } from '../platform/tracing.ts'
import { type NodeSnapshot, type NodeState, openNodeState } from './node-state.ts'
import type { PublicAddresses } from './public-addresses.ts'
import type { FromReader, ReaderQuestion, ReaderSettings, ToReader } from './reader-messages.ts'
import type { ReaderMeters } from './reader-meters.ts'

export type ReadersOptions = {
  readonly count: number
  readonly host: string
  /** Must not be 0. */
  readonly port: number
  readonly addresses: PublicAddresses
  /** Readers start meanwhile, and listen when the log is open. */
  readonly editions: EditionLog | Promise<EditionLog>
  readonly tokens: TokenSource
  readonly cursorKeys: CursorKeySource
  /** Ends the digest of a token, and its mails; rejects where that is impossible. */
  readonly unsubscribe?: Unsubscribe
  /** What the node knows about itself; by default, that nothing is wrong. */
  readonly state?: NodeState
  readonly config: Pick<Config, 'redisUrl'>
  readonly hasRateLimitFields: boolean
  readonly logLevel: LogLevel
  readonly clockShift: Float64Array
  /** How many processes the rate limits are shared with. */
  readonly processCount: Int32Array
  readonly clock: Clock
  readonly log: Log
  /** Aborted: the readers end, and a start that waits for the database stops. */
  readonly stop: AbortSignal
  /** Called with the use of tokens, about every second. */
  readonly onUse?: (use: readonly TokenUse[]) => void
  /** Called with a sentence about a reader that died. */
  readonly onLoss: (message: string) => void
  /** What the readers count, and how many there are; without it they do not count. */
  readonly meters?: ReaderMeters | undefined
  /** Pause between two checks that every reader still answers. */
  readonly lookPauseMs?: number
}

export type Readers = {
  /** Finishes the requests in progress, and ends all threads. */
  readonly close: () => Promise<void>
}

const defaultLookPauseMs = 1000
/**
 * Maximum checks in a row that a reader may leave unanswered before it is replaced. They are counted, not timed: while
 * the whole process is frozen, or the main thread busy, nobody checks.
 */
const maxUnanswered = 10
/** Maximum unanswered questions to a reader that has never answered: loading is slow on a busy machine. */
const maxUnansweredWhileLoading = 60
/** How long requests may continue after the end was requested. */
const longestStopMs = 6_000
/** A reader that lived shorter than this probably failed at its start: the next start is delayed. */
const shortLifeMs = 5000
const restartPauseMs = 1000
const firstSpareMs = 3000

/** Starts readers on one port, and one standby. Rejects with Node's error if they cannot listen there. */
export async function startReaders(options: ReadersOptions): Promise<Readers> {
  const { count, clock, log, onLoss, state = openNodeState() } = options
  let editions: EditionLog | undefined
  const floodMemory = createFloodMemory()
  /** All living threads by number. */
  const threads = new Map<number, Reader>()
  let spare: Reader | undefined
  let isClosing = false
  let pause: NodeJS.Timeout | undefined
  // for a reader that starts while the database is down
  let knownTokens: Awaited<ReturnType<TokenSource['load']>> = []
  let knownKeys: Awaited<ReturnType<CursorKeySource>> | undefined

  const loadTokens = async () => {
    knownTokens = await options.tokens.load()
    return knownTokens
  }
  const stopped = once(options.stop, 'abort').then(() => knownTokens)
  const grants = await Promise.race([loadTokens().catch(() => knownTokens), stopped])
  const organizations = new Set(grants.map(({ organizationId }) => organizationId)).size
  const limiterMemory = createLimiterMemory({ organizations: roomForOrganizations(organizations) })

  const questions: { readonly [question in ReaderQuestion]: (...parameters: never[]) => Promise<unknown> } = {
    tokenSerial: options.tokens.serial,
    tokens: loadTokens,
    knownTokens: async () => knownTokens,
    touchTokens: options.tokens.touch,
    unsubscribe: async (token: string) => {
      if (!options.unsubscribe) throw new Error('this node has no mails')
      return options.unsubscribe(token)
    },
    cursorKeys: async () => {
      try {
        knownKeys = await options.cursorKeys()
      } catch (error) {
        if (!knownKeys) throw error
      }
      return knownKeys
    },
  }

  const unfollow = new Map<Reader, () => void>()
  const follow = (reader: Reader) => {
    if (editions) unfollow.set(reader, editions.follow(reader))
  }
  const open = (): Reader => {
    const startedAt = clock()
    let thread = 1
    while (threads.has(thread)) thread++
    const { host, port, addresses, config, hasRateLimitFields, logLevel, clockShift, processCount } = options
    const { redisUrl } = config
    const reader = new Reader(
      {
        thread,
        host,
        port,
        addresses,
        config: { ...(redisUrl !== undefined && { redisUrl }) },
        hasRateLimitFields,
        logLevel,
        clockShift,
        limiterMemory,
        floodMemory,
        countMemory: options.meters?.memoryOf(thread),
        processCount,
        isPortShared: count > 1,
        state: state.snapshot(),
      },
      (question, parameters) => questions[question](...(parameters as never[])),
      { onDamage: () => editions?.reportDamage(), onUse: options.onUse ?? (() => {}) },
    )
    threads.set(thread, reader)
    follow(reader)
    void reader.ended.then((reason) => {
      unfollow.get(reader)?.()
      unfollow.delete(reader)
      threads.delete(thread)
      releaseThread(limiterMemory, thread)
      releaseThread(floodMemory, thread)
      if (isClosing) return
      if (reader.hasListened) options.meters?.noteDeath()
      log.error({ thread, reason }, 'a reader died')
      if (reader === spare) spare = undefined
      else if (reader.hasListened) {
        onLoss(`A reader thread died (${reason}) and is being replaced.`)
        replace()
      }
      // a reader that fails at its start is not restarted immediately
      if (clock() - startedAt >= shortLifeMs) standBy()
      else pause = setTimeout(standBy, restartPauseMs)
    })
    return reader
  }
  options.meters?.showThreads(() =>
    [...threads].flatMap(([thread, { hasListened }]) => (hasListened && !isClosing ? [thread] : [])),
  )
  const unfollowState = state.follow((snapshot) => {
    for (const reader of threads.values()) reader.sendState(snapshot)
  })
  const standBy = () => {
    if (!isClosing) spare ??= open()
  }
  const replace = () => {
    if (isClosing) return
    const next = spare ?? open()
    spare = undefined
    next.listen().catch((error: unknown) => {
      if (isClosing) return
      log.error({ error: String(error) }, 'could not replace a reader; retrying')
      pause = setTimeout(replace, restartPauseMs)
    })
  }
  const close = async () => {
    isClosing = true
    unfollowState()
    clearTimeout(pause)
    clearInterval(watch)
    await Promise.all([...threads.values()].map((reader) => reader.stop()))
  }
  const watch = setInterval(() => {
    for (const reader of threads.values()) reader.look()
  }, options.lookPauseMs ?? defaultLookPauseMs)
  const cutOff = () => void close()
  options.stop.addEventListener('abort', cutOff, { once: true })
  try {
    const readers = Array.from({ length: count }, open)
    const opened = await options.editions
    editions = opened
    for (const reader of threads.values()) follow(reader)
    await Promise.all(readers.map((reader) => reader.listen()))
  } catch (error) {
    await close()
    if (!options.stop.aborted) throw error
  } finally {
    options.stop.removeEventListener('abort', cutOff)
  }
  // not during the rush of the start
  if (!isClosing) pause = setTimeout(standBy, firstSpareMs)
  return { close }
}

class Reader {
  readonly #listening: Promise<void>
  /** Resolves with the reason when the thread has ended. */
  readonly ended: Promise<string>
  hasListened = false
  readonly #worker: Worker
  readonly #waiting = new Map<number, () => void>()
  #turn = 0
  #hasEnded = false
  #isHeard = false
  #unanswered = 0
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
      void this.ended.then((why) => reject(new Error(`a reader ended before it could answer: ${why}`)))
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

  /** Asks for a sign of life. Ends a thread that repeatedly gave none. */
  look(): void {
    if (this.#hasEnded) return
    if (this.#unanswered++ < (this.#isHeard ? maxUnanswered : maxUnansweredWhileLoading))
      this.#send({ type: 'settle', turn: ++this.#turn })
    else {
      this.#reason ||= 'it stopped answering'
      void this.#worker.terminate()
    }
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
