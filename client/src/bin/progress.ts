// Progress of a run: one line that is redrawn at a terminal, occasional lines elsewhere, or JSON lines.
import type { ClientEvent } from '../client-event.ts'
import { faultText } from '../fault-text.ts'
import { ProblemError } from '../problem-error.ts'
import type { SyncEvent } from '../sync/sync.ts'
import type { Environment } from './environment.ts'
import { count, counted, duration, fitted, moment, rate } from './format.ts'

export type ProgressOptions = {
  readonly title: string
  readonly isJson: boolean
  readonly isQuiet: boolean
  /** How many records to expect, if known; the API itself gives no total. */
  readonly expectedRecords?: number | undefined
}

const redrawEveryMs = 100
const tickEveryMs = 1000
const lineEveryMs = 10_000
const waitsWorthSayingMs = 2000

const eraseLine = '\r\u001b[K'

const waitTexts = {
  pace: 'quota used up',
  'rate-limited': 'rate limit',
  unavailable: 'API unavailable',
  failure: 'API failed',
} as const

export class Progress {
  readonly #options: ProgressOptions
  readonly #environment: Environment
  readonly #startedAt: number
  #title: string
  #records = 0
  #pages = 0
  #upTo: string | undefined
  #wait: { readonly until: number; readonly text: string } | undefined
  #cause = ''
  #saidAt: number
  #loadedAt = Number.NEGATIVE_INFINITY
  #isDrawn = false
  #ticker: ReturnType<typeof setInterval> | undefined
  #isExpectationValid = false

  constructor(options: ProgressOptions, environment: Environment) {
    this.#options = options
    this.#environment = environment
    this.#title = options.title
    this.#startedAt = environment.clock()
    this.#saidAt = this.#startedAt
  }

  /** Events of the client: waits and their causes. */
  readonly onClient = (event: ClientEvent): void => {
    if (event.type === 'retry') this.#cause = causeText(event.cause)
    if (event.type === 'wait') {
      const text = event.reason === 'failure' && this.#cause !== '' ? this.#cause : waitTexts[event.reason]
      this.#wait = { until: this.#environment.clock() + event.ms, text }
      if (event.ms >= waitsWorthSayingMs)
        this.#report(`waiting ${duration(event.ms)}: ${text}`, {
          event: 'wait',
          ms: event.ms,
          reason: event.reason,
          text,
        })
      this.draw(true)
    }
    if (event.type === 'response') this.#wait = undefined
  }

  /** Files of a whole edition are being loaded. */
  readonly onLoad = (loaded: number, total: number): void => {
    if (loaded < total && this.#environment.clock() - this.#loadedAt < lineEveryMs) return
    this.#loadedAt = this.#environment.clock()
    const [done, all] = [loaded, total].map((bytes) => (bytes / 1e6).toFixed(1))
    this.#report(`loaded ${done} of ${all} MB of files`, { event: 'files', bytes: loaded, total })
  }

  /** Events of the engine. */
  readonly onSync = (event: SyncEvent): void => {
    if (event.type === 'run') this.#begin(event)
    else if (event.type === 'page') {
      this.#upTo = event.lastModified
      this.page(event.counts.records, event.counts.pages)
    } else if (event.type === 'restart') {
      const { reason, updatedSince } = event
      this.#report(`restarts (${reason})`, { event: 'restart', reason, updatedSince })
    } else if (event.type === 'differs') {
      const text = `The copy differs from edition ${event.edition}; everything is gone over once more.`
      this.#report(text, { event: 'differs', edition: event.edition })
    } else if (event.type === 'left-over') {
      const text = `checking ${counted(event.records, 'record')} that the run did not deliver`
      this.#report(text, { event: 'left-over', records: event.records })
    } else if (event.type === 'survivor') {
      const { id, isFound } = event
      const text = isFound ? undefined : `the survivor ${id} of a merge is unknown to the API`
      this.#report(text, { event: 'survivor', id, isFound })
    }
  }

  #begin({ kind, isResumed, updatedSince }: Extract<SyncEvent, { type: 'run' }>): void {
    this.#title = `${kind} run`
    this.#isExpectationValid = kind === 'first' && !isResumed
    const how = isResumed
      ? 'continues where the last one stopped'
      : updatedSince === undefined
        ? 'starts'
        : `starts at ${updatedSince}`
    this.#report(`${this.#title} ${how}`, { event: 'run', kind, isResumed, updatedSince })
  }

  /** Shows how many records and pages have arrived so far. */
  page(records: number, pages: number): void {
    this.#records = records
    this.#pages = pages
    this.draw()
  }

  draw(isUrgent = false): void {
    const { isQuiet, isJson } = this.#options
    const { stderr, stdout, clock } = this.#environment
    const now = clock()
    const isTerminal = stderr.columns !== undefined && !isJson
    if (now - this.#saidAt < (isTerminal ? (isUrgent ? 0 : redrawEveryMs) : lineEveryMs)) return
    if (isJson) {
      this.#saidAt = now
      const event = {
        event: 'progress',
        records: this.#records,
        pages: this.#pages,
        elapsedMs: Math.round(now - this.#startedAt),
        ...(this.#upTo !== undefined && { lastModified: this.#upTo }),
      }
      stdout.write(`${JSON.stringify(event)}\n`)
      return
    }
    if (isQuiet) return
    this.#saidAt = now
    if (!isTerminal) stderr.write(`${this.line(now)}\n`)
    else this.#redraw(fitted(this.line(now), stderr.columns! - 1))
  }

  /** Describes the current state in one line. */
  line(now: number): string {
    const elapsedMs = now - this.#startedAt
    const parts = [
      this.#title,
      `${count(this.#records)} records`,
      rate(this.#records, elapsedMs),
      `page ${count(this.#pages)}`,
      duration(elapsedMs),
    ]
    const left = this.#timeLeft(elapsedMs)
    if (left !== undefined) parts.push(left)
    else if (this.#title === 'delta run' && this.#upTo !== undefined)
      parts.push(`up to ${moment(this.#upTo).slice(5, 16)}`)
    if (this.#wait && this.#wait.until > now)
      parts.push(`waits ${duration(this.#wait.until - now)}: ${this.#wait.text}`)
    return parts.join('  ')
  }

  #timeLeft(elapsedMs: number): string | undefined {
    const { expectedRecords } = this.#options
    const isExpected = this.#title === this.#options.title || this.#isExpectationValid
    if (!isExpected || this.#records === 0 || !(expectedRecords !== undefined && expectedRecords > this.#records))
      return undefined
    return `~${duration(((expectedRecords - this.#records) * elapsedMs) / this.#records)} left`
  }

  /** Removes the line, with anything that the terminal echoed after it (^C). */
  clear(): void {
    clearInterval(this.#ticker)
    this.#ticker = undefined
    if (this.#isDrawn) this.#environment.stderr.write(eraseLine)
    this.#isDrawn = false
  }

  #redraw(line: string): void {
    this.#environment.stderr.write(`${eraseLine}${line}`)
    this.#isDrawn = true
    // Waits are counted down although nothing happens.
    this.#ticker ??= setInterval(() => this.draw(), tickEveryMs).unref()
  }

  #report(text: string | undefined, event: { readonly event: string; readonly [name: string]: unknown }): void {
    const { isJson, isQuiet } = this.#options
    if (isJson) this.#environment.stdout.write(`${JSON.stringify(event)}\n`)
    // At a terminal the redrawn line says it; a log keeps it.
    else if (!isQuiet && text !== undefined && this.#environment.stderr.columns === undefined)
      this.#environment.stderr.write(`${text}\n`)
  }
}

function causeText(cause: unknown): string {
  if (cause instanceof ProblemError) return `API answered ${cause.problem.status}`
  if (cause instanceof Error && cause.name === 'TimeoutError') return 'no answer in time'
  return faultText(cause)
}
