// What strangers explore if the stock is live: one edition of made-up notices in a separate edition log. It is made
// once, beside the service, and never changes; the API's own code answers from it.
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createCursorSealer } from '../../api/cursors/cursor.ts'
import { type CursorKeySource, openCursorKeyRing } from '../../api/cursors/cursor-key-ring.ts'
import { createFloodGuard } from '../../api/limits/flood-guard.ts'
import { createLocalLimiter } from '../../api/limits/limiter-memory.ts'
import { listPath } from '../../api/paths.ts'
import { headerPairs } from '../../api/problems/answers.ts'
import { createRequestIds } from '../../api/request-ids.ts'
import { TenderAnswers } from '../../api/tender-answers.ts'
import type { ExplorerAnswer, ExplorerStock } from '../../console/frame/console-context.ts'
import { hourMs, minuteMs } from '../../domain/time.ts'
import { type EditionLog, openEditionLog } from '../../edition/write/edition-log.ts'
import { afterOwnTime } from '../../platform/after-own-time.ts'
import { type Clock, systemSleep } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Random } from '../../platform/random.ts'
import { runnable } from '../../platform/runnable.ts'
import type { TokenGrant } from '../../store/people/organizations.ts'
import { strangersGrant } from '../nodes/explorer-access.ts'
import type { MadeSamples } from './make-frozen-samples.ts'

/** How long a start has the machine to itself before samples are made, unless they are requested. */
const defaultPauseMs = minuteMs
/** Maximum time for making them: on an idle machine it takes half a minute. */
const longestMakingMs = 30 * minuteMs
const retryMs = hourMs

export type FrozenSamplesOptions = {
  /** Samples are in `frozen-samples` below it. */
  readonly dataFolder: string
  /** When the made-up world begins, the same on all nodes; epoch milliseconds. Called only when samples are made. */
  readonly epoch: () => Promise<number>
  readonly cursorKeys: CursorKeySource
  readonly clock: Clock
  readonly random: Random
  readonly version: string
  readonly docsUrl: string
  readonly log: Log
  readonly pauseMs?: number
}

export class FrozenSamples {
  readonly #options: FrozenSamplesOptions
  readonly #folder: string
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>
  #editions: EditionLog | undefined
  #stock: ExplorerStock | 'making' | 'failed' = 'making'
  readonly #asked = Promise.withResolvers<void>()

  /** Uses samples that were made before, otherwise starts to make them soon. */
  constructor(options: FrozenSamplesOptions) {
    this.#options = options
    this.#folder = join(options.dataFolder, 'frozen-samples')
    this.#ended = this.#run()
  }

  /** What strangers explore now. Requesting samples that do not exist yet ends the pause before they are made. */
  get stock(): ExplorerStock | 'making' | 'failed' {
    this.#asked.resolve()
    return this.#stock
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#ended
    await this.#editions?.close()
  }

  async #run(): Promise<void> {
    const { log, pauseMs = defaultPauseMs } = this.#options
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        if (!(await this.#openMade())) {
          await Promise.race([systemSleep(pauseMs, signal), this.#asked.promise])
          await this.#make(signal)
          if (!(await this.#openMade())) throw new Error('the edition that was created is incomplete')
        }
        return
      } catch (error) {
        if (signal.aborted) return
        this.#stock = 'failed'
        log.error(
          { error: error instanceof Error ? error.stack : String(error) },
          'the sample data for the explorer could not be created; visitors cannot explore, and the service retries in an hour',
        )
        await systemSleep(retryMs, signal).catch(() => {})
      }
    }
  }

  /** False when there are no readable samples: they are made again. */
  async #openMade(): Promise<boolean> {
    if (!existsSync(this.#folder)) return false
    const { clock, log } = this.#options
    const onWarning = (warning: string) => log.warn(warning)
    const editions = await openEditionLog(this.#folder, { clock, onWarning }).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'the sample data for the explorer cannot be read, and is created again')
    })
    if (!editions?.newest) {
      await editions?.close()
      return false
    }
    this.#editions = editions
    const ask = await answersFrom(editions, this.#options)
    this.#stock = { editions, ask, isFrozen: true }
    return true
  }

  /** Makes them under another name, so that a kill leaves nothing incomplete under the final one. */
  async #make(signal: AbortSignal): Promise<void> {
    const { log, version, epoch } = this.#options
    const aside = `${this.#folder}.making`
    await rm(aside, { recursive: true, force: true })
    log.info({ folder: this.#folder }, 'creating the sample data for the explorer')
    try {
      const { records, warnings } = await runMaker([aside, String(await epoch()), version], signal)
      for (const warning of warnings) log.warn(warning)
      await rm(this.#folder, { recursive: true, force: true })
      await rename(join(aside, 'editions'), this.#folder)
      log.info({ records }, 'the sample data for the explorer is complete')
    } finally {
      await rm(aside, { recursive: true, force: true })
    }
  }
}

/** Rejects when the maker ends before it is done, takes too long, or `signal` is aborted. */
async function runMaker(args: readonly string[], signal: AbortSignal): Promise<MadeSamples> {
  const late = new AbortController()
  const endLimit = afterOwnTime(longestMakingMs, () => late.abort())
  const maker = fork(runnable(new URL('./make-frozen-samples.ts', import.meta.url)), args, {
    // none of the service's settings and secrets; two arenas of memory, as set for npm start
    env: { MALLOC_ARENA_MAX: '2' },
    // V8 does not optimize the database: that would take 0.5 GB more, and this process ends before it pays off
    execArgv: ['--liftoff-only'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Ctrl+C reaches every process of the terminal's group: this one is ended by the service
    detached: true,
    signal: AbortSignal.any([signal, late.signal]),
    killSignal: 'SIGKILL',
  })
  let complaint = ''
  maker.stderr!.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2000)
  })
  let made: MadeSamples | undefined
  maker.once('message', (message: MadeSamples) => {
    made = message
  })
  maker.once('error', (error) => {
    complaint += error.message
  })
  const code = await new Promise<number | null>((closed) => maker.once('close', closed))
  endLimit()
  if (!made) throw new Error(`the sample process ended with ${code}: ${complaint}`)
  return made
}

/** The API over one log, for strangers: it has no listener, and its token gives access to nothing else. */
async function answersFrom(
  editions: EditionLog,
  { clock, random, cursorKeys, docsUrl, log }: FrozenSamplesOptions,
): Promise<(path: string) => Promise<ExplorerAnswer>> {
  const grant: TokenGrant = { ...strangersGrant, tokenId: 'explorer', tokenHash: '', expiresAt: undefined }
  const ring = await openCursorKeyRing({ load: cursorKeys, clock })
  const answers = new TenderAnswers({
    reader: editions,
    tokens: { find: () => ({ state: 'known', grant }), close: async () => {} },
    limiter: createLocalLimiter(clock),
    cursors: createCursorSealer({ ring, clock, randomBytes: random.bytes }),
    clock,
    random,
    docsUrl,
    log,
    isOverloaded: () => false,
    hasDraftRateLimitHeaders: false,
    // an edition that does not exist will not appear
    editionWaitMs: 0,
    floodGuard: createFloodGuard(clock),
  })
  const newRequestId = createRequestIds(clock, random.bytes)
  return async (path) => {
    const target = `/v1${path}`
    const { status, headers, body, tail, release } = await answers.answer({
      target,
      id: target.startsWith(`${listPath}/`) ? decodeURIComponent(target.slice(listPath.length + 1)) : undefined,
      requestId: newRequestId(),
      authorization: 'Bearer explorer',
      ifNoneMatch: undefined,
      acceptEncoding: undefined,
      agent: undefined,
      hasBody: false,
      address: () => '',
    })
    const bytes = Buffer.concat([body, tail].filter((part) => part !== undefined))
    release?.()
    return {
      status,
      headers: { ...Object.fromEntries(headerPairs(headers)), 'content-length': String(bytes.length) },
      body: bytes.toString(),
    }
  }
}
