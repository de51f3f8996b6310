// Programs that read the files of sinks, none of them ours: what a person would use to load such a file.
import { spawnSync } from 'node:child_process'
import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'

export type Row = { readonly [column: string]: unknown }

/** Runs a program over an input; resolves to its standard output. */
function outputOf(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 30 })
  if (error || status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`)
  return stdout
}

export const hasProgram = (name: string): boolean =>
  !spawnSync(name, [name === 'python3' ? '-V' : '--version'], { encoding: 'utf8' }).error

const python = (program: string, ...args: string[]): Row[] =>
  JSON.parse(outputOf('python3', ['-c', program, ...args])) as Row[]

/** Python's `csv` as its documentation recommends, in its strict mode. */
export const pythonCsv = (file: string, delimiter = ','): Row[] =>
  python(
    `import csv, json, sys
csv.field_size_limit(sys.maxsize)
with open(sys.argv[1], newline='', encoding='utf-8-sig') as file:
    rows = list(csv.reader(file, delimiter=sys.argv[2], strict=True))
for row in rows:
    if len(row) != len(rows[0]): raise SystemExit(f'a row of {len(row)} values, not {len(rows[0])}: {row[:3]}')
json.dump([dict(zip(rows[0], row)) for row in rows[1:]], sys.stdout)`,
    file,
    delimiter,
  )

/** Python's `sqlite3`; a text with a byte that is not UTF-8 would be an error. */
export const pythonSqlite = (file: string, query: string): Row[] =>
  python(
    `import json, sqlite3, sys
db = sqlite3.connect(f'file:{sys.argv[1]}?mode=ro', uri=True)
db.row_factory = sqlite3.Row
json.dump([dict(row) for row in db.execute(sys.argv[2])], sys.stdout)`,
    file,
    query,
  )

/** Python's `json`, line by line; it splits at line feeds alone, as NDJSON says. */
export const pythonNdjson = (file: string): Row[] =>
  python(
    `import json, sys
with open(sys.argv[1], encoding='utf-8', newline='\\n') as file: json.dump([json.loads(line) for line in file], sys.stdout)`,
    file,
  )

/** jq, over the whole file. */
export const jqRecords = (file: string): Row[] => JSON.parse(outputOf('jq', ['--slurp', '.', file])) as Row[]

/** Rows of a query in DuckDB; big integers as numbers. */
export async function duckRows(query: string): Promise<Row[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const rows = (await connection.runAndReadAll(query)).getRowObjectsJson() as Row[]
    return rows
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** hyparquet. */
export const parquetRows = async (file: string): Promise<Row[]> =>
  (await parquetReadObjects({ file: await asyncBufferFromFile(file) })) as Row[]
