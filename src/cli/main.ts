// Parses the arguments, runs the command and turns the outcome into text and an exit code. Modules are loaded when a
// command runs, so that the first line of output, and a command that a running service executes, wait for nothing else.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../platform/clock.ts'
import { type ErrorCode, exitCodeOf } from '../platform/error-codes.ts'
import { OperatorError } from '../platform/errors.ts'
import { asOperatorError } from '../store/connections/connection-loss.ts'
import { askFirst } from './ask.ts'
import { completionScript, type Shell } from './completion.ts'
import { colorStyle, helpText, plainStyle } from './help-text.ts'
import { parseCommand } from './parse-command.ts'
import type { Reporter, Screen } from './reporter.ts'

/** Runs the program with the arguments after its name. Returns the exit code; never throws. */
export async function main(args: readonly string[]): Promise<number> {
  const lost: NodeJS.ErrnoException[] = []
  // the program that reads the output may end (`| head`): a service continues without it
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lost.push(error)
  })
  process.stderr.on('error', () => {})
  const exitCode = await runProgram(args)
  // an error of writing is known only after the write
  await new Promise((done) => setImmediate(done))
  const [first] = lost
  // what a service prints is news and no result
  if (!first || exitCode !== 0 || args[0] === 'start' || args[0] === 'serve') return exitCode
  const code: ErrorCode = 'output-lost'
  process.stderr.write(
    `The command was carried out, but its output is not complete (${first.code ?? first.message}); ` +
      `check the disk of the file that receives it. [${code}]\n`,
  )
  return exitCodeOf(code)
}

/** Runs the program. Returns the exit code, as if all output arrived; never throws. */
async function runProgram(args: readonly string[]): Promise<number> {
  const [out, err] = [screenOf(process.stdout), screenOf(process.stderr)]
  // read before the options are: a wrong option is reported in the same form
  const isJson = args.includes('--json')
  let dataFolder = resolve('data')
  let reporter: Reporter | undefined
  const open = async (): Promise<Reporter> =>
    (await import('./reporter.ts')).openReporter({ json: isJson, out, err, clock: systemClock })
  try {
    const parsed = parseCommand(args)
    if (parsed.kind === 'version') {
      out.write(`tenderstock ${version()}\n`)
      return 0
    }
    if (parsed.kind === 'help') {
      const text = helpText(parsed.topic, out.hasColors ? colorStyle : plainStyle)
      if (text === undefined)
        throw new OperatorError(
          'unknown-command',
          `There is no command "${parsed.topic.join(' ')}"; \`tenderstock --help\` lists the commands.`,
        )
      out.write(text)
      return 0
    }
    reporter = await open()
    if (parsed.command === 'completion') {
      const shell = parsed.operands[0] as Shell
      reporter.emit({ event: 'completion', shell, script: completionScript(shell) })
      return 0
    }
    dataFolder = resolve(String(parsed.options.data))
    await askFirst(parsed)
    const { runCommand } = await import('./run-command.ts')
    const exitCode = await runCommand({ ...parsed, dataFolder, version: version() }, reporter)
    reporter.close()
    return exitCode
  } catch (thrown) {
    reporter ??= await open()
    reporter.close()
    const error = asOperatorError(thrown, dataFolder)
    if (error instanceof OperatorError) return reporter.fail({ code: error.code, message: error.message })
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return reporter.fail({ code: 'bug', message: 'Tenderstock stopped because of a bug. Please report this:', trace })
  }
}

function screenOf(stream: NodeJS.WriteStream): Screen {
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    // getColorDepth reads NO_COLOR, FORCE_COLOR and TERM as Node does everywhere
    hasColors: stream.isTTY === true && stream.hasColors(),
  }
}

function version(): string {
  return (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version
}
