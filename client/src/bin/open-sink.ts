// Opens the chosen sink, and returns where its lock, its report and (if it stores no state itself) its state are.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SinkError } from '../sinks/faults/sink-error.ts'
import { behindLink } from '../sinks/files/durable-files.ts'
import type { Sink } from '../sync/sink.ts'
import type { Environment } from './environment.ts'
import { isFileKind, type SinkChoice } from './sink-choice.ts'
import { UsageError } from './usage-error.ts'

/** Folder of the mappings that come with the package. */
const mappings = fileURLToPath(new URL('../../mappings/', import.meta.url))

/** Opens the sink. Libraries of other sinks are not loaded. */
export async function openSink(
  choice: SinkChoice,
  folder: string,
  environment: Environment,
  use: 'read' | 'write',
): Promise<Sink> {
  const { kind, target, args, options } = choice
  switch (kind) {
    case 'sqlite':
      return (await import('../sinks/sqlite-sink.ts')).sqliteSink({ file: target, isReadOnly: use === 'read' })
    case 'ndjson':
      return (await import('../sinks/ndjson-sink.ts')).ndjsonSink({ file: target })
    case 'csv':
      return (await import('../sinks/csv-sink.ts')).csvSink({
        file: target,
        ...(options.lots !== undefined && { lotsFile: options.lots }),
        delimiter: options.delimiter === 'tab' ? '\t' : ((options.delimiter ?? ',') as ',' | ';' | '|'),
        escapesFormulas: options.formulas !== 'keep',
      })
    case 'parquet':
      return (await import('../sinks/parquet-sink.ts')).parquetSink({ file: target })
    case 'postgres':
      if (target !== '' && !/^(?:postgres(?:ql)?:\/\/|socket:|\/)/.test(target))
        throw new UsageError('The target of postgres is a URL: --sink postgres:postgres://user@host:5432/database')
      return (await import('../sinks/postgres-sink.ts')).openPostgresSink({
        connectionString: target || (environment.variables.DATABASE_URL ?? ''),
        ...(options.schema !== undefined && { schema: options.schema }),
        ...(options.repoint !== undefined && { repoint: options.repoint.split(',') }),
      })
    case 'hubspot':
      return openCrm(target || join(mappings, 'hubspot-deals.json'), choice, folder, environment)
    case 'salesforce':
      return openCrm(target || join(mappings, 'salesforce.json'), choice, folder, environment)
    case 'http':
      return openCrm(target, choice, folder, environment)
    case 'exec':
      return (await import('../sinks/exec-sink.ts')).execSink({
        command: [target, ...args],
        folder,
        output: options.output === 'show' ? 'inherit' : 'ignore',
      })
  }
}

async function openCrm(file: string, { options }: SinkChoice, folder: string, environment: Environment): Promise<Sink> {
  const { parseMapping } = await import('../sinks/crm/http-mapping.ts')
  const { openHttpUpsertSink } = await import('../sinks/http-upsert-sink.ts')
  let mapping: unknown
  try {
    mapping = JSON.parse(await readFile(file, 'utf8'))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SinkError(`The mapping ${file} cannot be read (${reason}).`, { cause })
  }
  return openHttpUpsertSink({
    mapping: parseMapping(mapping, environment.variables),
    ledger: join(folder, 'ledger'),
    ...(options.log !== undefined && { log: options.log }),
    ...(environment.fetch && { fetch: environment.fetch }),
  })
}

/**
 * Returns the folder of the lock and the report. For a copy that is a file it is beside the file, wherever the command
 * is run from, so that two commands for one file always meet; otherwise it is below --state, systemd's STATE_DIRECTORY
 * or the user's folder for such data, under a name that belongs to the target.
 */
export function workFolder(choice: SinkChoice, stateFolder: string | undefined, { variables }: Environment): string {
  if (isFileKind(choice.kind)) {
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
