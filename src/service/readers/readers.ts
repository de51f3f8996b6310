// The readers as the main thread sees them: started, informed of every edition, answered, and replaced when one dies.
import { once } from 'node:events'
import type { CodeQuestion } from '#mcp/tool-definitions'
import type { CursorKeySource } from '../../api/cursors/cursor-key-ring.ts'
import { createFloodMemory } from '../../api/limits/flood-guard.ts'
import { createLimiterMemory, releaseThread, roomForOrganizations } from '../../api/limits/limiter-memory.ts'
import type { PlacedQuestion, ToolAnswers } from '../../api/mcp/tool-answers.ts'
import type { TokenSource } from '../../api/tokens/token-table.ts'
import type { TokenUse } from '../../api/tokens/use-counter.ts'
import type { Unsubscribe } from '../../api/unsubscribe.ts'
import type { EditionLog } from '../../edition/write/edition-log.ts'
import { type Clock, every, shiftableClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import { connectionsPerAddress, createConnectionMemory, forgetConnections } from '../../platform/connection-limit.ts'
import { cpuShare } from '../../platform/cpu-share.ts'
import type { Log } from '../../platform/log.ts'
import type { LogLevel } from '../../platform/log-levels.ts'
import { type NodeState, openNodeState } from '../watch/node-state.ts'
import { answersForTools } from './answers-for-tools.ts'
import type { PublicAddresses } from './public-addresses.ts'
import type { ReaderQuestion, ReaderSettings } from './reader-messages.ts'
import type { ReaderMeters } from './reader-meters.ts'
import { ReaderThread } from './reader-thread.ts'

export type ReadersOptions = {
  readonly count: number
  /** Where the files of whole editions are; absent: none are handed out. */
  readonly bulkFolder?: string
  readonly host: string
  /** Must not be 0. */
  readonly port: number
  readonly addresses: PublicAddresses
  /** Of the program. */
  readonly version: string
  /** Readers start meanwhile, and listen when the log is open. */
  readonly editions: EditionLog | Promise<EditionLog>
  readonly tokens: TokenSource
  readonly cursorKeys: CursorKeySource
  /** Ends the digest of a token, and its mails; rejects where that is impossible. */
  readonly unsubscribe?: Unsubscribe
  /** What the node knows about itself; by default, that nothing is wrong. */
  readonly state?: NodeState
  readonly config: Pick<Config, 'redisUrl' | 'connectionsPerAddress' | 'bulkFiles'>
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
  /** The share of a core that threads of this process get. For tests. */
  readonly cpuShare?: () => number
}

export type Readers = {
  /** Finishes the requests in progress, and ends all threads. */
  readonly close: () => Promise<void>
}

const defaultLookPauseMs = 1000
/** A reader that lived shorter than this probably failed at its start: the next start is delayed. */
const shortLifeMs = 5000
const restartPauseMs = 1000
const firstSpareMs = 3000
/** The numbers of threads: 0, that of a standby, and those of some that have not ended yet. */
const spareThreads = 8

/** Starts readers on one port, and one standby. Rejects with Node's error if they cannot listen there. */
export async function startReaders(options: ReadersOptions): Promise<Readers> {
  const answers = new ReaderAnswers(options)
  const organizations = await answers.countOrganizations()
  const pool = new ReaderPool(
    options,
    answers,
    createLimiterMemory({ organizations: roomForOrganizations(organizations) }),
  )
  await pool.start()
  return { close: () => pool.close() }
}

/** What readers ask the main thread, remembered for a reader that starts while the database is down. */
class ReaderAnswers {
  readonly #options: ReadersOptions
  #knownTokens: Awaited<ReturnType<TokenSource['load']>> = []
  #knownKeys: Awaited<ReturnType<CursorKeySource>> | undefined
  readonly #tools: Promise<ToolAnswers>

  constructor(options: ReadersOptions) {
    this.#options = options
    const now = shiftableClock(options.clock, options.clockShift).now
    this.#tools = Promise.resolve(options.editions).then((editions) => answersForTools(editions, now))
    this.#tools.catch(() => {})
  }

  /** How many organizations have a token; those that were known if the database is away, or the start is given up. */
  async countOrganizations(): Promise<number> {
    const known = () => this.#knownTokens
    const stopped = once(this.#options.stop, 'abort').then(known)
    const grants = await Promise.race([this.#loadTokens().catch(known), stopped])
    return new Set(grants.map(({ organizationId }) => organizationId)).size
  }

  answer(question: ReaderQuestion, parameters: readonly unknown[]): Promise<unknown> {
    const { tokens, unsubscribe } = this.#options
    const answers: { readonly [question in ReaderQuestion]: (...parameters: never[]) => Promise<unknown> } = {
      tokenSerial: tokens.serial,
      tokens: () => this.#loadTokens(),
      knownTokens: async () => this.#knownTokens,
      touchTokens: tokens.touch,
      unsubscribe: async (token: string) => {
        if (!unsubscribe) throw new Error('this node has no mails')
        return unsubscribe(token)
      },
      cursorKeys: () => this.#loadKeys(),
      findTenders: async (asked: PlacedQuestion) => (await this.#tools).findTenders(asked),
      findCodes: async (asked: CodeQuestion) => (await this.#tools).findCodes(asked),
    }
    return answers[question](...(parameters as never[]))
  }

  async #loadTokens(): ReturnType<TokenSource['load']> {
    this.#knownTokens = await this.#options.tokens.load()
    return this.#knownTokens
  }

  async #loadKeys(): ReturnType<CursorKeySource> {
    try {
      this.#knownKeys = await this.#options.cursorKeys()
    } catch (error) {
      if (!this.#knownKeys) throw error
    }
    return this.#knownKeys
  }
}

class ReaderPool {
  readonly #options: ReadersOptions
  readonly #answers: ReaderAnswers
  readonly #limiterMemory: SharedArrayBuffer
  readonly #floodMemory = createFloodMemory()
  readonly #connections: ReaderSettings['connections']
  readonly #state: NodeState
  /** All living threads by number. */
  readonly #threads = new Map<number, ReaderThread>()
  readonly #unfollow = new Map<ReaderThread, () => void>()
  readonly #unfollowState: () => void
  readonly #endWatch: () => void
  #editions: EditionLog | undefined
  #spare: ReaderThread | undefined
  #isClosing = false
  #pause: NodeJS.Timeout | undefined

  constructor(options: ReadersOptions, answers: ReaderAnswers, limiterMemory: SharedArrayBuffer) {
    this.#options = options
    this.#answers = answers
    this.#limiterMemory = limiterMemory
    this.#connections =
      options.addresses.trustedHops > 0
        ? undefined
        : {
            memory: createConnectionMemory(options.count + spareThreads),
            limit: connectionsPerAddress(options.config.connectionsPerAddress),
          }
    this.#state = options.state ?? openNodeState()
    this.#unfollowState = this.#state.follow((snapshot) => {
      for (const reader of this.#threads.values()) reader.sendState(snapshot)
    })
    this.#endWatch = every(options.lookPauseMs ?? defaultLookPauseMs, () => {
      let share: number | undefined
      const shareOfRound = () => (share ??= (options.cpuShare ?? cpuShare)())
      for (const reader of this.#threads.values()) reader.look(shareOfRound)
    })
    options.meters?.showThreads(() =>
      [...this.#threads].flatMap(([thread, { hasListened }]) => (hasListened && !this.#isClosing ? [thread] : [])),
    )
  }

  /** Resolves when all listen, or the start was given up. */
  async start(): Promise<void> {
    const { count, editions, stop } = this.#options
    const cutOff = () => void this.close()
    stop.addEventListener('abort', cutOff, { once: true })
    try {
      const readers = Array.from({ length: count }, () => this.#open())
      this.#editions = await editions
      for (const reader of this.#threads.values()) this.#follow(reader)
      await Promise.all(readers.map((reader) => reader.listen()))
    } catch (error) {
      await this.close()
      if (!stop.aborted) throw error
    } finally {
      stop.removeEventListener('abort', cutOff)
    }
    // not during the rush of the start
    if (!this.#isClosing) this.#pause = setTimeout(() => this.#standBy(), firstSpareMs)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#unfollowState()
    clearTimeout(this.#pause)
    this.#endWatch()
    await Promise.all([...this.#threads.values()].map((reader) => reader.stop()))
  }

  #open(): ReaderThread {
    const startedAt = this.#options.clock()
    let thread = 1
    while (this.#threads.has(thread)) thread++
    const reader = new ReaderThread(
      this.#settingsOf(thread),
      (question, parameters) => this.#answers.answer(question, parameters),
      { onDamage: () => this.#editions?.reportDamage(), onUse: this.#options.onUse ?? (() => {}) },
    )
    this.#threads.set(thread, reader)
    this.#follow(reader)
    void reader.ended.then((reason) => this.#end(reader, thread, startedAt, reason))
    return reader
  }

  #settingsOf(thread: number): ReaderSettings {
    const { bulkFolder, count, host, port, addresses, version, config, meters } = this.#options
    const { hasRateLimitFields, logLevel, clockShift, processCount } = this.#options
    const { redisUrl } = config
    return {
      thread,
      bulkFolder,
      bulkBucket: config.bulkFiles,
      host,
      port,
      addresses,
      version,
      hasRateLimitFields,
      logLevel,
      clockShift,
      processCount,
      config: { ...(redisUrl !== undefined && { redisUrl }) },
      limiterMemory: this.#limiterMemory,
      floodMemory: this.#floodMemory,
      connections: this.#connections,
      countMemory: meters?.memoryOf(thread),
      isPortShared: count > 1,
      state: this.#state.snapshot(),
    }
  }

  #follow(reader: ReaderThread): void {
    if (this.#editions) this.#unfollow.set(reader, this.#editions.follow(reader))
  }

  /** A reader has ended: another one takes its place. */
  #end(reader: ReaderThread, thread: number, startedAt: number, reason: string): void {
    const { clock, log, meters, onLoss } = this.#options
    this.#unfollow.get(reader)?.()
    this.#unfollow.delete(reader)
    this.#threads.delete(thread)
    releaseThread(this.#limiterMemory, thread)
    releaseThread(this.#floodMemory, thread)
    if (this.#connections) forgetConnections(this.#connections.memory, thread)
    if (this.#isClosing) return
    if (reader.hasListened) meters?.noteDeath()
    log.error({ thread, reason }, 'a reader died')
    if (reader === this.#spare) this.#spare = undefined
    else if (reader.hasListened) {
      onLoss(`A reader thread died (${reason}) and is being replaced.`)
      this.#replace()
    }
    // a reader that fails at its start is not restarted immediately
    if (clock() - startedAt >= shortLifeMs) this.#standBy()
    else this.#pause = setTimeout(() => this.#standBy(), restartPauseMs)
  }

  #standBy(): void {
    if (!this.#isClosing) this.#spare ??= this.#open()
  }

  #replace(): void {
    if (this.#isClosing) return
    const next = this.#spare ?? this.#open()
    this.#spare = undefined
    next.listen().catch((error: unknown) => {
      if (this.#isClosing) return
      this.#options.log.error({ error: String(error) }, 'could not replace a reader; retrying')
      this.#pause = setTimeout(() => this.#replace(), restartPauseMs)
    })
  }
}
