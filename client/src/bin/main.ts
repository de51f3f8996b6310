// From arguments to an exit code.
import { SinkError } from '../sinks/faults/sink-error.ts'
import { StateError } from '../sync/sync-state.ts'
import { readCommandLine } from './command-line.ts'
import { type Environment, exitCodes } from './environment.ts'
import { errorCodeOf } from './error-code.ts'
import { wrapped } from './format.ts'
import { helpText } from './help-text.ts'
import { mcpCommand, ownVersion } from './mcp-command.ts'
import { resetCommand } from './reset-command.ts'
import { runCommand } from './run-command.ts'
import { statusCommand } from './status-command.ts'
import { UsageError } from './usage-error.ts'
import { verifyCommand } from './verify-command.ts'
import { watchCommand } from './watch-command.ts'
import { webhooksCommand } from './webhooks-command.ts'

/** Executes the arguments; resolves to the exit code and never rejects. */
export async function main(args: readonly string[], environment: Environment): Promise<number> {
  try {
    return await act(args, environment)
  } catch (error) {
    if (environment.signal.aborted) return exitCodes.aborted
    const isUsage = error instanceof UsageError
    const isMendable = isUsage || error instanceof SinkError || error instanceof StateError || isSystemError(error)
    const text = error instanceof Error ? (isMendable ? error.message : (error.stack ?? error.message)) : String(error)
    const coded = isMendable ? `tender-sync: ${text} [${errorCodeOf(error)}]` : `${text}\n[${errorCodeOf(error)}]`
    environment.stderr.write(`${isMendable ? wrapped(coded, environment.stderr.columns, '') : coded}\n`)
    if (isUsage) return exitCodes.usage
    return isMendable ? exitCodes.aborted : exitCodes.fault
  }
}

/** A full disk, a missing right, a refused connection: the system reports it with a code. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error

async function act(args: readonly string[], environment: Environment): Promise<number> {
  const command = readCommandLine(args)
  if (command.kind === 'help') {
    environment.stdout.write(helpText(command.topic))
    return exitCodes.ok
  }
  if (command.kind === 'version') {
    environment.stdout.write(`${await ownVersion()}\n`)
    return exitCodes.ok
  }
  if (command.name === 'mcp') return mcpCommand(command.options, environment)
  if (command.name === 'webhooks') return webhooksCommand(command.options, environment)
  const { options } = command
  switch (command.name) {
    case 'run':
      return (await runCommand(options, environment)).code
    case 'watch':
      return watchCommand(options, environment)
    case 'status':
      return statusCommand(options, environment)
    case 'verify':
      return verifyCommand(options, environment)
    case 'reset':
      return resetCommand(options, environment)
  }
}
