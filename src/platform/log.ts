// Structured log lines on standard error, so that standard output stays free for what a command prints.
import { type DestinationStream, destination, type Logger, pino } from 'pino'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Who writes often asks first whether a level is wanted at all. */
export type Log = Pick<Logger, LogLevel> & Partial<Pick<Logger, 'isLevelEnabled'>>

/** Bytes of lines that wait at most, and for how long. */
const waitingBytes = 8192
const flushEveryMs = 1000
const warning = 40

/**
 * Writes lines together, once a second: a write for each request's line would cost as much as a good part of its answer. A
 * warning or an error is written at once, with all before it; so is what waits when the process or thread ends.
 */
export function bufferedStream(fd: number): DestinationStream {
  const target = destination({ fd, sync: true, minLength: waitingBytes })
  const stream = {
    // Asks pino to tell the level of each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write: (line: string): void => {
      target.write(line)
      if (stream.lastLevel >= warning) target.flushSync()
    },
  }
  setInterval(() => target.flushSync(), flushEveryMs).unref()
  process.on('exit', () => target.flushSync())
  return stream
}

/**
 * Lines are JSON with the time in ISO 8601. Authorization headers are cut out wherever they turn up: a token is never
 * logged (operations.md 4).
 */
export function openLog(level: LogLevel, stream: DestinationStream = bufferedStream(2)): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          'authorization',
          '*.authorization',
          'headers.authorization',
          'req.headers.authorization',
          'token',
          '*.token',
        ],
        censor: '[hidden]',
      },
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  )
}
