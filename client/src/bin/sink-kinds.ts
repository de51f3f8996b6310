// The kinds of sinks: what the command line, its help and its errors say of each, and how it is opened. Libraries of
// other sinks are not loaded.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SinkError } from '../sinks/faults/sink-error.ts'
import type { Sink } from '../sync/sink.ts'
import type { Environment } from './environment.ts'
import { UsageError } from './usage-error.ts'

/** What a command line says of the target of a sink. */
export type SinkTarget = {
  /** A path, the address of a database, or a program; empty if the kind needs none. */
  readonly target: string
  /** Only for `exec`: the arguments after `--`. */
  readonly args: readonly string[]
  readonly options: { readonly [name: string]: string }
}

type Opening = SinkTarget & {
  /** Of the lock, the report, and the state of sinks that store none in their target. */
  readonly folder: string
  readonly environment: Environment
  readonly use: 'read' | 'write'
}

export type KindSpec = {
  /** What `--sink` is given, and what the copy is then: for the help. */
  readonly example: string
  readonly about: string
  /** What has to follow the colon. */
  readonly needs?: string
  /** The copy is a file: lock, report and state are beside it. */
  readonly isFile?: true
  /** Names of its options, each with the values it allows, or a word for any. */
  readonly options: { readonly [name: string]: readonly string[] | string }
  readonly open: (opening: Opening) => Sink | Promise<Sink>
}

/** Folder of the mappings that come with the package. */
const mappings = fileURLToPath(new URL('../../mappings/', import.meta.url))

const kinds = {
  sqlite: {
    example: 'sqlite:tenders.db',
    about: 'tables, indexes and the state in one file',
    needs: 'a file',
    isFile: true,
    options: {},
    open: async ({ target, use }) =>
      (await import('../sinks/sqlite-sink.ts')).sqliteSink({ file: target, isReadOnly: use === 'read' }),
  },
  ndjson: {
    example: 'ndjson:tenders.ndjson',
    about: 'one JSON record per line, as delivered',
    needs: 'a file',
    isFile: true,
    options: {},
    open: async ({ target }) => (await import('../sinks/ndjson-sink.ts')).ndjsonSink({ file: target }),
  },
  csv: {
    example: 'csv:tenders.csv',
    about: 'one row per tender',
    needs: 'a file',
    isFile: true,
    options: { lots: '<file>', delimiter: [',', ';', 'tab', '|'], formulas: ['escape', 'keep'] },
    open: async ({ target, options }) =>
      (await import('../sinks/csv-sink.ts')).csvSink({
        file: target,
        ...(options.lots !== undefined && { lotsFile: options.lots }),
        delimiter: options.delimiter === 'tab' ? '\t' : ((options.delimiter ?? ',') as ',' | ';' | '|'),
        escapesFormulas: options.formulas !== 'keep',
      }),
  },
  parquet: {
    example: 'parquet:tenders.parquet',
    about: 'typed columns (npm install hyparquet-writer)',
    needs: 'a file',
    isFile: true,
    options: {},
    open: async ({ target }) => (await import('../sinks/parquet-sink.ts')).parquetSink({ file: target }),
  },
  postgres: {
    example: 'postgres:postgres://user@host/database',
    about: 'tables (npm install pg)',
    options: { schema: '<name>', repoint: '<schema.table.column>,…' },
    open: async ({ target, options, environment }) => {
      if (target !== '' && !/^(?:postgres(?:ql)?:\/\/|socket:|\/)/.test(target))
        throw new UsageError('The target of postgres is a URL: --sink postgres:postgres://user@host:5432/database')
      return (await import('../sinks/postgres-sink.ts')).openPostgresSink({
        connectionString: target || (environment.variables.DATABASE_URL ?? ''),
        ...(options.schema !== undefined && { schema: options.schema }),
        ...(options.repoint !== undefined && { repoint: options.repoint.split(',') }),
      })
    },
  },
  hubspot: {
    example: 'hubspot',
    about: 'deals, with the mapping of this package',
    options: { log: '<file>' },
    open: (opening) => openCrm(opening.target || join(mappings, 'hubspot-deals.json'), opening),
  },
  salesforce: {
    example: 'salesforce',
    about: 'records, with the mapping of this package',
    options: { log: '<file>' },
    open: (opening) => openCrm(opening.target || join(mappings, 'salesforce.json'), opening),
  },
  http: {
    example: 'http:mapping.json',
    about: 'any API that takes batches, with your mapping',
    needs: 'a mapping file',
    options: { log: '<file>' },
    open: (opening) => openCrm(opening.target, opening),
  },
  exec: {
    example: 'exec -- ./load.sh --fast',
    about: 'JSON lines to your own program',
    needs: 'a program',
    options: { output: ['show', 'drop'] },
    open: async ({ target, args, options, folder }) =>
      (await import('../sinks/exec-sink.ts')).execSink({
        command: [target, ...args],
        folder,
        output: options.output === 'show' ? 'inherit' : 'ignore',
      }),
  },
} satisfies { readonly [kind: string]: KindSpec }

export type SinkKind = keyof typeof kinds
export const sinkKinds: { readonly [kind in SinkKind]: KindSpec } = kinds
export const sinkNames = Object.keys(kinds) as readonly SinkKind[]

async function openCrm(file: string, { options, folder, environment }: Opening): Promise<Sink> {
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
