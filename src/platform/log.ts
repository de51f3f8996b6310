// Structured log lines on standard error, so that standard output stays free for what a command prints.
import { writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from './log-levels.ts'

/** Callers often check first whether a level is enabled at all. */
export type Log = Pick<Logger, LogLevel> & Partial<Pick<Logger, 'isLevelEnabled'>>

/** Maximum characters to buffer before a write. */
const waitingMax = 8192
const flushEveryMs = 1000
/** Maximum bytes to keep while they cannot be written. */
const unwrittenMax = 1024 * 1024
const warning = 40

/**
 * Writes lines together, once a second: a write for each request's line would be a considerable part of the cost of its
 * answer. A warning or an error is written immediately, with everything before it; so are waiting lines when the
 * process or thread ends.
 *
 * A log that cannot be written – a full pipe, a full disk, a program at the other end that is gone – never stops the
 * service: lines wait, and are lost if there are too many. (The destination of pino itself would retry forever, in the
 * middle of an answer.)
 */
export function bufferedStream(
  fd: number,
  write: (fd: number, bytes: Uint8Array) => number = writeSync,
): DestinationStream {
  let waiting = ''
  let unwritten: Buffer = Buffer.alloc(0)
  let isDue = false
  const flushLater = (): void => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      flush()
    }, flushEveryMs).unref()
  }
  const flush = (): void => {
    if (waiting === '' && unwritten.length === 0) return
    unwritten = Buffer.concat([unwritten, Buffer.from(waiting)])
    waiting = ''
    try {
      while (unwritten.length > 0) unwritten = unwritten.subarray(write(fd, unwritten))
    } catch {
      if (unwritten.length > unwrittenMax) unwritten = Buffer.alloc(0)
      flushLater()
    }
  }
  const stream = {
    // Makes pino report the level of each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write: (line: string): void => {
      waiting += line
      if (stream.lastLevel >= warning || waiting.length >= waitingMax) flush()
      else flushLater()
    },
  }
  process.on('exit', flush)
  return stream
}

/**
 * Lines are JSON with the time in ISO 8601. Authorization headers are removed wherever they occur: a token is never
 * logged (C120).
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
