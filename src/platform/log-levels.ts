// Levels of log lines. The help of commands needs their names, and must not wait for the logger to load.

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
