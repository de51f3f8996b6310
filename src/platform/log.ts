// Structured log lines on standard error, so that standard output stays free for what a command prints.
import { type DestinationStream, destination, type Logger, pino } from 'pino'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Who writes often asks first whether a level is wanted at all. */
export type Log = Pick<Logger, LogLevel> & Partial<Pick<Logger, 'isLevelEnabled'>>

/**
 * Lines are JSON with the time in ISO 8601. Authorization headers are cut out wherever they turn up: a token is never
 * logged (operations.md 4).
 */
export function openLog(level: LogLevel, stream: DestinationStream = destination({ fd: 2, sync: true })): Log {
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
