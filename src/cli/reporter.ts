// What a command prints: JSON lines for programs, or plain text for people, with a bar during long work.
import { toInstant } from '../domain/time.ts'
import type { Clock } from '../platform/clock.ts'
import { type ErrorCode, exitCodeOf } from '../platform/error-codes.ts'
import { type Emit, isTimeName } from '../service/events/command-event.ts'
import { painter } from './paint.ts'
import { progressBar, progressLines, stageNames, throttle } from './progress.ts'
import { eventText } from './texts/event-text.ts'
import { fact } from './texts/text-lines.ts'

type Failure = {
  readonly code: ErrorCode
  readonly message: string
  /** Stack trace, for a bug. */
  readonly trace?: string
}

export type Reporter = {
  readonly emit: Emit
  readonly close: () => void
  /** Shows for how many seconds nothing was reported, and what is done meanwhile. Absent for programs. */
  readonly showSilence?: (doing: string, seconds: number) => void
  /**
   * Says why the command failed: an `error` event for programs, else a sentence with its code where errors go. Returns
   * the exit code.
   */
  readonly fail: (failure: Failure) => number
  /**
   * Shows a token that was just created, once. Absent if the output may be kept: only a person at a terminal sees it.
   */
  readonly showToken?: (plaintext: string) => void
  /** Shows the first person's link, only to a person at a terminal. */
  readonly showConsoleLink?: (link: string) => void
}

/** A stream for text; `isTerminal` if a person watches. */
export type Screen = {
  readonly write: (text: string) => void
  readonly isTerminal: boolean
  readonly hasColors: boolean
}

/** How often programs read about progress. */
const programProgressMs = 1000

/** `out` receives results, `err` progress. */
export function openReporter(options: {
  readonly json: boolean
  readonly out: Screen
  readonly err: Screen
  readonly clock: Clock
}): Reporter {
  return options.json ? jsonReporter(options.out, options.clock) : textReporter(options)
}

function jsonReporter(out: Screen, clock: Clock): Reporter {
  const isDue = throttle(clock, programProgressMs)
  const emit: Emit = ({ event, ...facts }) => {
    if (event !== 'progress' || isDue())
      out.write(`${JSON.stringify({ event, time: toInstant(clock()), ...facts }, timesAsInstants)}\n`)
  }
  return {
    emit,
    close: () => {},
    fail: (failure) => {
      const exitCode = exitCodeOf(failure.code)
      emit({ event: 'error', ...failure, exitCode })
      return exitCode
    },
  }
}

const timesAsInstants = (name: string, value: unknown): unknown =>
  typeof value === 'number' && isTimeName(name) ? toInstant(value) : value

function textReporter({
  out,
  err,
  clock,
}: {
  readonly out: Screen
  readonly err: Screen
  readonly clock: Clock
}): Reporter {
  const paint = painter(out.hasColors)
  const bar = err.isTerminal ? progressBar(err.write) : progressLines(err.write, clock)
  return {
    emit: (event) => {
      if (event.event === 'progress') return bar.show({ ...event, name: stageNames[event.stage] })
      bar.hide()
      const text = eventText(event, paint, clock)
      if (text !== undefined) out.write(`${text}\n`)
    },
    close: () => bar.hide(),
    showSilence: (name, seconds) => bar.show({ name, done: seconds, detail: 's' }),
    fail: ({ code, message, trace }) => {
      err.write(`${message} [${code}]\n${trace === undefined ? '' : `${trace}\n`}`)
      return exitCodeOf(code)
    },
    ...(out.isTerminal && {
      showToken: (plaintext: string) => {
        bar.hide()
        out.write(`${fact(paint, 'Trial token', paint.bold(plaintext))}\n`)
        out.write(`${' '.repeat(25)}${paint.dim('Shown only this once; the file that holds it is named below.')}\n`)
      },
      showConsoleLink: (link: string) => {
        bar.hide()
        out.write(`${fact(paint, 'Open the console', paint.bold(link))}\n`)
        out.write(
          `${' '.repeat(25)}${paint.dim('Works once, within ten minutes; another one: tenderstock console link')}\n\n`,
        )
      },
    }),
  }
}
