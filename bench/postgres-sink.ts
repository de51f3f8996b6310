// The client's PostgreSQL sink beside COPY of the same rows into the same tables.
import { chmodSync } from 'node:fs'
import pg from 'pg'
import { openPostgresSink } from '../client/src/sinks/postgres-sink.ts'
import type { Run, SyncState } from '../client/src/sync/sink.ts'
import type { TenderRecord } from '../client/src/types.ts'
import { generateStock } from '../test/testing/generate/stock.ts'
import { type Cluster, startCluster } from './postgres-cluster.ts'
import { cpuSecondsOf, stopAll, temporaryFolder } from './processes.ts'
import { median } from './speed/row.ts'

/** As the API delivers them. */
const pageSize = 100
/** The tables of a copy, in the order in which their foreign keys allow rows. */
const tables = ['tender', 'tender_lot', 'tender_cpv', 'tender_nuts'] as const
const state: SyncState = { schema: 1, filterHash: 'bench', updatedSince: '2026-01-01T00:00:00.000Z' }
const now = Date.UTC(2026, 0, 1)

/** Wall seconds, and CPU seconds of this process and of the server. */
type Cost = { readonly wall: number; readonly cpu: number }

export type SinkReport = {
  readonly records: number
  readonly rounds: number
  /** A first run: rows are staged, then moved into the tables at once. */
  readonly first: Cost
  /** A delta that brings as many new records. */
  readonly delta: Cost
  readonly copy: Cost
}

function pagesOf(count: number): TenderRecord[][] {
  const stamp = (at: number) => new Date(at).toISOString()
  const records = [...generateStock({ seed: 1, count, now })].map(
    (tender, index) => ({ ...tender, lastModified: stamp(now + index), checkedAt: stamp(now) }) as TenderRecord,
  )
  return Array.from({ length: Math.ceil(count / pageSize) }, (_, page) =>
    records.slice(page * pageSize, (page + 1) * pageSize),
  )
}

/**
 * Writes the rows of a copy into files, and makes the empty tables of another one in the schema `copied`; resolves to
 * what copies them there. The server must be able to write into the folder.
 */
export async function prepareCopy({
  cluster,
  db,
  folder,
  from,
}: {
  readonly cluster: Cluster
  readonly db: pg.Client
  readonly folder: string
  readonly from: string
}): Promise<() => Promise<void>> {
  const connectionString = cluster.url('postgres')
  const empty = openPostgresSink({ connectionString, schema: 'copied' })
  await empty.begin({ kind: 'first', filterHash: 'bench', resumed: false, keepArchived: true })
  await empty.commit(state, 'run')
  await empty[Symbol.asyncDispose]()
  const copies: string[] = []
  for (const table of tables) {
    const { rows } = await db.query<{ names: string }>(
      `select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and attgenerated = '' and not attisdropped`,
      [`${from}.${table}`],
    )
    const columns = rows[0]!.names
    cluster.psql('postgres', `copy ${from}.${table} (${columns}) to '${folder}/${table}'`)
    copies.push(`copy copied.${table} (${columns}) from '${folder}/${table}'`)
  }
  return async () => {
    for (const copy of copies) await db.query(copy)
  }
}

/** Undefined if no PostgreSQL is installed. */
export async function benchPostgresSink({
  records,
  rounds,
  onProgress,
}: {
  readonly records: number
  readonly rounds: number
  readonly onProgress: (text: string) => void
}): Promise<SinkReport | undefined> {
  // with what a user's server has: JIT compilation is on
  const cluster = await startCluster(undefined, ['jit=on'])
  if (!cluster) return undefined
  const folder = temporaryFolder('sink')
  // the server writes and reads there, as another user
  chmodSync(folder, 0o777)
  const connectionString = cluster.url('postgres')
  const db = new pg.Client({ connectionString })
  await db.connect()
  const pages = pagesOf(records)

  async function cost(work: () => Promise<unknown>): Promise<Cost> {
    const [startedMs, before, own] = [performance.now(), cpuSecondsOf(cluster!.pid), process.cpuUsage()]
    await work()
    const { user, system } = process.cpuUsage(own)
    return {
      wall: (performance.now() - startedMs) / 1000,
      cpu: cpuSecondsOf(cluster!.pid) - before + (user + system) / 1e6,
    }
  }

  async function sync(schema: string, kind: Run['kind']): Promise<Cost> {
    const run: Run = { kind, filterHash: 'bench', resumed: false, keepArchived: true }
    const sink = openPostgresSink({ connectionString, schema })
    // a delta goes into a copy that exists
    await sink.begin({ ...run, kind: 'first' })
    await sink.commit(state, 'run')
    const spent = await cost(async () => {
      await sink.begin(run)
      for (const [index, page] of pages.entries()) {
        await sink.upsert(page)
        await sink.commit({ ...state, run: { kind, cursor: String(index) } }, 'page')
      }
      await sink.commit(state, 'run')
    })
    await sink[Symbol.asyncDispose]()
    return spent
  }

  const spent = { first: [] as Cost[], delta: [] as Cost[], copy: [] as Cost[] }
  for (let round = 0; round < rounds; round++) {
    onProgress(`sink: round ${round + 1} of ${rounds}`)
    spent.first.push(await sync('first', 'first'))
    spent.delta.push(await sync('delta', 'delta'))
    const copy = await prepareCopy({ cluster, db, folder, from: 'first' })
    spent.copy.push(await cost(copy))
    for (const schema of ['first', 'delta', 'copied']) await db.query(`drop schema ${schema} cascade`)
  }
  await db.end()
  await stopAll()
  const mediansOf = (costs: readonly Cost[]): Cost => ({
    wall: median(costs.map(({ wall }) => wall)),
    cpu: median(costs.map(({ cpu }) => cpu)),
  })
  return { records, rounds, copy: mediansOf(spent.copy), first: mediansOf(spent.first), delta: mediansOf(spent.delta) }
}

export function sinkAsMarkdown({ records, rounds, ...costs }: SinkReport): string {
  const row = (name: string, { wall, cpu }: Cost) =>
    `| ${name} | ${Math.round(records / wall).toLocaleString('en')} | ${(costs.copy.wall / wall).toFixed(2)} ` +
    `| ${cpu.toFixed(1)} | ${(costs.copy.cpu / cpu).toFixed(2)} |`
  return [
    `| ${records.toLocaleString('en')} records, medians of ${rounds} rounds | records/s | of COPY | CPU s | COPY’s CPU ÷ this |`,
    '|---|--:|--:|--:|--:|',
    row('`COPY` of the same rows into the same tables', costs.copy),
    row('first run of the PostgreSQL sink', costs.first),
    row('delta of new records', costs.delta),
  ].join('\n')
}
