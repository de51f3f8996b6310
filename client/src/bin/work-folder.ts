// Where the lock, the report and, if the sink stores none itself, the state of a copy are.
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { behindLink } from '../sinks/files/durable-files.ts'
import type { Environment } from './environment.ts'
import type { SinkChoice } from './sink-choice.ts'
import { sinkKinds } from './sink-kinds.ts'
import { UsageError } from './usage-error.ts'

/**
 * Returns the folder of the lock and the report. For a copy that is a file it is beside the file, wherever the command
 * is run from, so that two commands for one file always meet; otherwise it is below --state, systemd's STATE_DIRECTORY
 * or the user's folder for such data, under a name that belongs to the target.
 */
export function workFolder(choice: SinkChoice, stateFolder: string | undefined, { variables }: Environment): string {
  if (sinkKinds[choice.kind].isFile) {
    if (stateFolder !== undefined)
      throw new UsageError(
        `--state does not apply to ${choice.kind}: the state is in ${choice.target}.sync or in the file itself.`,
      )
    return `${resolve(behindLink(choice.target))}.sync`
  }
  const target = choice.kind === 'exec' || choice.kind === 'http' ? resolve(choice.target) : choice.target
  const hash = createHash('sha256')
    .update(JSON.stringify([choice.kind, target, choice.args, choice.options.schema ?? '']))
    .digest('hex')
  return join(stateRoot(stateFolder, variables), `${choice.kind}-${hash.slice(0, 8)}`)
}

function stateRoot(given: string | undefined, variables: Environment['variables']): string {
  if (given !== undefined) return resolve(given)
  // systemd may name several folders; the first is the unit's own.
  const ofUnit = variables.STATE_DIRECTORY?.split(':')[0]
  if (ofUnit) return ofUnit
  if (variables.XDG_STATE_HOME) return join(variables.XDG_STATE_HOME, 'tender-sync')
  const home = variables.HOME ?? variables.USERPROFILE
  if (home) return join(home, '.local', 'state', 'tender-sync')
  throw new UsageError('There is no home folder: use --state to say where to keep the lock and the state.')
}
