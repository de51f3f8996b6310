// A first load from files of a whole edition beside gunzip, the same sink without files, and COPY of the same rows.
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { bulkName } from '../src/edition/bulk/bulk-state.ts'
import { openBulkWorld } from '../test/testing/bulk-world.ts'
import type { PartCost, PartJob } from './first-load-part.ts'
import { startCluster } from './postgres-cluster.ts'
import { prepareCopy } from './postgres-sink.ts'
import { cpuSecondsOf, startProcess, stopAll, temporaryFolder } from './processes.ts'
import { median } from './speed/row.ts'

/** Rows of the table, and the row that each is divided by. */
const rows = {
  gunzip: ['`gunzip` of the files into one', 'gunzip'],
  hash: ['the same, each line parsed and hashed', 'gunzip'],
  ndjson: ['into NDJSON', 'gunzip'],
  sqliteSink: ['the SQLite sink, records in memory', 'sqliteSink'],
  sqlite: ['into SQLite', 'sqliteSink'],
  copy: ['`COPY` of the same rows into the same tables', 'copy'],
  postgres: ['into PostgreSQL', 'copy'],
} as const
type Row = keyof typeof rows

export type FirstLoadReport = {
  readonly records: number
  readonly rounds: number
  /** Medians; PostgreSQL is missing where none is installed. */
  readonly costs: { readonly [row in Row]?: PartCost }
}

export async function benchFirstLoad({
  records,
  rounds,
  onProgress,
}: {
  readonly records: number
  readonly rounds: number
  readonly onProgress: (text: string) => void
}): Promise<FirstLoadReport> {
  onProgress(`load: a stock of ${records} records, and its files`)
  await using service = await openBulkWorld({ size: 'real', requestsPerMinute: 1_000_000 })
  await service.publish(Array.from({ length: records }, (_, number) => number))
  await service.files.update()
  const cluster = await startCluster(undefined, ['jit=on'])
  const folder = temporaryFolder('load')
  // the server writes and reads there, as another user
  chmodSync(folder, 0o777)
  const { origin, token, bulk, shown } = service
  const files = shown.state!.files.filter(({ format }) => format === 'ndjson').map((file) => join(bulk, bulkName(file)))

  async function part(side: PartJob['side'], sink: PartJob['sink']): Promise<PartCost> {
    const work = join(folder, 'work')
    rmSync(work, { recursive: true, force: true })
    mkdirSync(work)
    const target = sink === 'postgres' ? cluster!.url('postgres') : join(work, 'copy')
    const job: PartJob = { side, sink, target, folder: join(work, 'files'), origin, token, files }
    const before = cluster ? cpuSecondsOf(cluster.pid) : 0
    const lines: string[] = []
    const child = startProcess(
      process.execPath,
      [join(import.meta.dirname, 'first-load-part.ts'), JSON.stringify(job)],
      { onLine: (line) => lines.push(line) },
    )
    await new Promise((done) => child.once('close', done))
    const last = lines.findLast((line) => line.startsWith('{"wall"'))
    if (last === undefined) throw new Error(`${side} ${sink}: ${lines.join('\n')}`)
    const cost = JSON.parse(last) as PartCost
    return { ...cost, cpu: cost.cpu + (cluster ? cpuSecondsOf(cluster.pid) - before : 0) }
  }

  const spent = new Map<Row, PartCost[]>()
  const add = (row: Row, cost: PartCost) => spent.set(row, [...(spent.get(row) ?? []), cost])
  for (let round = 0; round < rounds; round++) {
    onProgress(`load: round ${round + 1} of ${rounds}`)
    add('gunzip', await part('gunzip', 'ndjson'))
    add('hash', await part('hash', 'ndjson'))
    add('ndjson', await part('files', 'ndjson'))
    add('sqliteSink', await part('sink', 'sqlite'))
    add('sqlite', await part('files', 'sqlite'))
    if (!cluster) continue
    add('postgres', await part('files', 'postgres'))
    const db = new pg.Client({ connectionString: cluster.url('postgres') })
    await db.connect()
    const copy = await prepareCopy({ cluster, db, folder, from: 'tenderstock' })
    const [startedMs, before] = [performance.now(), cpuSecondsOf(cluster.pid)]
    await copy()
    const wall = (performance.now() - startedMs) / 1000
    add('copy', { wall, cpu: cpuSecondsOf(cluster.pid) - before, megabytes: 0 })
    for (const schema of ['tenderstock', 'copied']) await db.query(`drop schema ${schema} cascade`)
    await db.end()
  }
  await stopAll()
  const medianOf = (costs: readonly PartCost[]): PartCost => {
    const of = (name: keyof PartCost) => median(costs.map((cost) => cost[name]))
    return { wall: of('wall'), cpu: of('cpu'), megabytes: of('megabytes') }
  }
  const costs = Object.fromEntries([...spent].map(([row, each]) => [row, medianOf(each)]))
  return { records, rounds, costs }
}

export function firstLoadAsMarkdown({ records, rounds, costs }: FirstLoadReport): string {
  const lines = Object.entries(rows).flatMap(([row, [name, peer]]) => {
    const [cost, beside] = [costs[row as Row], costs[peer]]
    if (!cost || !beside) return []
    const memory = cost.megabytes === 0 ? '' : Math.round(cost.megabytes)
    return [
      `| ${name} | ${cost.wall.toFixed(1)} | ${(cost.wall / beside.wall).toFixed(2)} ` +
        `| ${cost.cpu.toFixed(1)} | ${(cost.cpu / beside.cpu).toFixed(2)} | ${memory} |`,
    ]
  })
  return [
    `| ${records.toLocaleString('en')} records, medians of ${rounds} rounds | s | ÷ peer | CPU s | ÷ peer | MB |`,
    '|---|--:|--:|--:|--:|--:|',
    ...lines,
  ].join('\n')
}
