// `tender-sync reset`: forgets the state, so that the next run reloads the copy. The records stay until then.
import type { Options } from './command-line.ts'
import { type Environment, exitCodes } from './environment.ts'
import { openJob } from './job.ts'
import { sinkTitle } from './sink-choice.ts'
import { UsageError } from './usage-error.ts'

export async function resetCommand(options: Options, environment: Environment): Promise<number> {
  const title = sinkTitle(options.sink)
  const job = await openJob(options, environment)
  try {
    const say = (text: string): void => void (options.isJson || environment.stdout.write(`${text}\n`))
    if (!options.isYes) {
      const answer = await environment.ask(
        `Forget the state of ${title}? The next run reloads everything${job.sink.canStage ? ' and then replaces the copy' : ''}. [y/N] `,
      )
      if (answer === undefined)
        throw new UsageError('There is no terminal on which to ask: pass --yes to forget the state.')
      if (!/^y(?:es)?$/i.test(answer.trim())) {
        say('Nothing was changed.')
        return exitCodes.ok
      }
    }
    const held = await job.lock.acquire()
    if (!held) {
      environment.stderr.write('Skipped: a run is in progress; nothing was changed.\n')
      return exitCodes.skipped
    }
    try {
      await job.state.clear()
    } finally {
      await held.release()
    }
    if (options.isJson) environment.stdout.write(`${JSON.stringify({ event: 'reset', sink: title })}\n`)
    say(`The state of ${title} has been forgotten; the next run reloads everything.`)
    return exitCodes.ok
  } finally {
    await job.close()
  }
}
