// `tender-sync watch`: one run immediately and then one every hour, at a random minute, so that clients do not all send
// requests on the hour.
import { longestSleepMs, nextRunAt } from '../sync/watch.ts'
import type { Options } from './command-line.ts'
import { type Environment, exitCodes } from './environment.ts'
import { moment } from './format.ts'
import { runCommand } from './run-command.ts'

/**
 * Runs until it is asked to stop; then it ends with 0 and everything is stored. Faults are reported, but do not end it.
 */
export async function watchCommand(options: Options, environment: Environment): Promise<number> {
  const { now, signal, sleep, stdout, stderr } = environment
  const offsetMs = Math.floor(environment.random() * 3600) * 1000
  while (!signal.aborted) {
    const { outcome } = await runCommand(options, environment, { isRepeated: true })
    if (signal.aborted) break
    // These faults need a person to repair them.
    if (outcome.result === 'aborted' && (outcome.reason === 'filters-changed' || outcome.reason === 'state'))
      return exitCodes.aborted
    const next = nextRunAt(now(), offsetMs)
    if (options.isJson) stdout.write(`${JSON.stringify({ event: 'next', at: new Date(next).toISOString() })}\n`)
    else if (!options.isQuiet) stderr.write(`next run ${moment(next)}\n`)
    try {
      while (now() < next) await sleep(Math.min(next - now(), longestSleepMs), signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
  return exitCodes.ok
}
