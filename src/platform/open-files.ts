// How many files the process may open: the system's limit, as `ulimit -n` shows it.
import { readFileSync } from 'node:fs'
import { OperatorError } from './errors.ts'

/** Undefined where the system does not tell; Linux does. */
export function maxOpenFiles(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}

/** Throws OperatorError if the process may open fewer files than `who` needs. */
export function assertOpenFiles(who: string, needed: number, limit = maxOpenFiles()): void {
  if (limit === undefined || limit >= needed) return
  throw new OperatorError(
    'too-few-files',
    `This process may open ${limit} files, and ${who} needs ${needed}; raise the limit (\`ulimit -n 1024\`, or ` +
      'LimitNOFILE in its unit), and start again.',
  )
}
