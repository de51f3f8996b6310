// The generated stock of a run: a PostgreSQL cluster, our data folder with the edition log, and tokens. It is created,
// or reused if it was kept.
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashToken, makeToken, tokenPrefix } from '../../src/domain/token.ts'
import { type Cluster, startCluster } from '../postgres-cluster.ts'
import { runCommand, runToEnd, temporaryFolder } from '../processes.ts'
import { addChecksum } from './checksums.ts'
import type { FillTask } from './fill-part.ts'
import type { SpeedOptions } from './options.ts'

/** A client of the API. */
type Client = { readonly organizationId: string; readonly token: string }

export type Stock = {
  readonly records: number
  readonly cluster: Cluster
  /** Our database in the cluster. */
  readonly database: string
  /** Our data folder; the edition log is below it. */
  readonly data: string
  /** Scratch folder of the run, deleted at the end. */
  readonly scratch: string
  /** Database that holds the peers' table; absent: it was not filled. */
  readonly peerDatabase?: string
  readonly clients: readonly Client[]
  readonly seed: number
  readonly now: number
  readonly environment: NodeJS.ProcessEnv
}

const stockSeed = 20261101
/** The present moment of generated stocks. */
const stockNow = Date.UTC(2026, 10, 1)
const clientCount = 10_000

/**
 * Bytes of disk for each record, measured at 1 million: 2.2 KB in the database, 5.0 in the edition log; then the
 * peers' table.
 */
const bytesOfOurs = 7400
const bytesOfPeers = 4500
/** Bytes of disk for everything else: write-ahead log, static files of nginx, new editions, the second stock. */
const otherBytes = 6e9

const peerTable = `create table tender (id uuid not null, last_modified bigint not null, published bigint, deadline bigint,
  value_eur double precision, procedure text, archived boolean not null, cpv_stems text[] not null, nuts_stems text[] not null, body text not null)`
const peerIndexes = [
  'alter table tender add primary key (id)',
  'create unique index tender_order on tender (last_modified, id)',
  'create index tender_order_live on tender (last_modified, id) where not archived',
  'create index tender_cpv on tender using gin (cpv_stems)',
  'create index tender_nuts on tender using gin (nuts_stems)',
  'create index tender_deadline on tender (deadline)',
  'create index tender_published on tender (published)',
  'create index tender_value on tender (value_eur)',
  'alter table tender alter cpv_stems set statistics 1000',
  'alter table tender alter nuts_stems set statistics 1000',
  'vacuum analyze tender',
]

function diskNeeded(records: number, hasPeers: boolean): number {
  return otherBytes + records * (bytesOfOurs + (hasPeers ? bytesOfPeers : 0))
}

/** Creates the stock, or opens a kept one. Undefined without PostgreSQL. Throws if the disk is too small. */
export async function openStock(options: SpeedOptions): Promise<(Stock & AsyncDisposable) | undefined> {
  const { records, keep, onProgress } = options
  const base = keep === undefined ? temporaryFolder('stock') : join(keep, String(records))
  mkdirSync(base, { recursive: true })
  const doneFile = join(base, 'stock.json')
  const kept = existsSync(doneFile)
    ? (JSON.parse(readFileSync(doneFile, 'utf8')) as { clients: Client[]; hasPeers: boolean })
    : undefined
  if (!kept && keep !== undefined) rmSync(base, { recursive: true, force: true })
  mkdirSync(base, { recursive: true })
  // the database may run as another user
  chmodSync(base, 0o755)
  if (!kept) {
    const needed = diskNeeded(records, options.hasPeers)
    const { bavail, bsize } = statfsSync(base)
    const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(0)
    onProgress(`${records} records need ${gigabytes(needed)} GB in ${base}; ${gigabytes(bavail * bsize)} GB are free`)
    if (bavail * bsize < needed)
      throw new Error(
        `${records} records need ${gigabytes(needed)} GB of disk, ${gigabytes(bavail * bsize)} GB are free ` +
          `in ${base}; free some, name another folder with --keep, or ask for fewer --records`,
      )
  }
  const scratch = temporaryFolder('scratch')
  const cluster = await startCluster(join(base, 'pg'))
  if (!cluster) {
    rmSync(scratch, { recursive: true, force: true })
    if (keep === undefined) rmSync(base, { recursive: true, force: true })
    return undefined
  }
  const close = async (): Promise<void> => {
    await cluster.stop()
    rmSync(scratch, { recursive: true, force: true })
    if (keep === undefined) rmSync(base, { recursive: true, force: true })
  }
  try {
    const stock = stockOf({ records, cluster, database: 'ours', data: join(base, 'data'), scratch })
    if (kept) {
      onProgress(`found ${records} records in ${base}`)
      migrate(stock, options.service)
      await addChecksum(stock, onProgress)
      return withClose({ ...stock, clients: kept.clients, ...(kept.hasPeers && { peerDatabase: 'peer' }) }, close)
    }
    if (options.hasPeers) {
      cluster.psql('postgres', 'create database peer')
      cluster.psql('peer', peerTable)
    }
    const filled = {
      ...stock,
      clients: await fill(stock, options.service, options.hasPeers ? 'peer' : undefined, onProgress),
      ...(options.hasPeers && { peerDatabase: 'peer' }),
    }
    if (keep !== undefined)
      writeFileSync(doneFile, JSON.stringify({ clients: filled.clients, hasPeers: options.hasPeers }))
    return withClose(filled, close)
  } catch (error) {
    await close()
    throw error
  }
}

/** A second, small stock in the same cluster, rebuilt each time. */
export async function smallStock(
  { cluster, scratch }: Stock,
  records: number,
  { service, onProgress }: SpeedOptions,
): Promise<Stock> {
  const stock = stockOf({
    records,
    cluster,
    database: `ours_${records}`,
    data: join(scratch, `data-${records}`),
    scratch,
  })
  cluster.psql('postgres', `drop database if exists ${stock.database}`)
  return { ...stock, clients: await fill(stock, service, undefined, onProgress) }
}

function stockOf(stock: Pick<Stock, 'records' | 'cluster' | 'database' | 'data' | 'scratch'>): Stock {
  return {
    ...stock,
    clients: [],
    seed: stockSeed,
    now: stockNow,
    environment: { ...process.env, DATABASE_URL: stock.cluster.url(stock.database) },
  }
}

const withClose = (stock: Stock, close: () => Promise<void>): Stock & AsyncDisposable => ({
  ...stock,
  [Symbol.asyncDispose]: close,
})

/** Creates the tables of the service, or migrates the tables of a kept stock. */
function migrate({ data, environment }: Stock, service: string): void {
  runCommand(process.execPath, ['src/bin/tenderstock.ts', 'review', 'list', '--data', data, '--json'], {
    cwd: service,
    env: environment,
  })
}

/** Fills our database as one published edition, and the peers' table. Two processes generate. */
async function fill(
  stock: Stock,
  service: string,
  peerDatabase: string | undefined,
  onProgress: (text: string) => void,
): Promise<Client[]> {
  const { cluster, database, records, seed, now } = stock
  cluster.psql('postgres', `create database ${database}`)
  migrate(stock, service)
  const indexes = cluster
    .psql(
      database,
      `select indexdef from pg_indexes where tablename in ('edition_entry', 'tender') and indexname not like '%_pkey' and indexname not like '%_key'`,
    )
    .trim()
    .split('\n')
  cluster.psql(
    database,
    `do $$ declare name text; begin
      for name in select indexname from pg_indexes where tablename in ('edition_entry', 'tender') and indexname not like '%_pkey' and indexname not like '%_key'
      loop execute 'drop index ' || name; end loop; end $$;
     alter table edition_entry disable trigger all;
     insert into edition (edition, last_modified, published_at, records, changes, checks)
     values (1, ${now - 1}, ${now}, ${records}, ${records}, '{"generated":${now}}')`,
  )
  const startedMs = performance.now()
  const workers = records >= 100_000 ? 2 : 1
  const done = Array.from({ length: workers }, () => 0)
  let said = 0
  await Promise.all(
    done.map((_, worker) => {
      const task: FillTask = {
        seed,
        now,
        count: records,
        from: Math.floor((worker * records) / workers),
        to: Math.floor(((worker + 1) * records) / workers),
        version: 0,
        firstStamp: now - records,
        edition: 1,
        entry: cluster.psqlArguments(
          database,
          'copy edition_entry (last_modified, edition, tender_id, body, sources) from stdin',
        ),
        tender: cluster.psqlArguments(
          database,
          'copy tender (tender_id, founding_key, content, content_hash, sources) from stdin',
        ),
        ...(peerDatabase !== undefined && { peer: cluster.psqlArguments(peerDatabase, 'copy tender from stdin') }),
      }
      return runToEnd(process.execPath, [join(import.meta.dirname, 'fill-part.ts'), JSON.stringify(task)], (line) => {
        done[worker] = Number(line)
        const sum = done.reduce((total, each) => total + each, 0)
        if (sum < records && sum - said < records / 10) return
        said = sum
        const seconds = (performance.now() - startedMs) / 1000
        onProgress(
          `${sum} of ${records} records generated, about ${Math.ceil((seconds / sum) * (records - sum))} s to go`,
        )
      })
    }),
  )
  cluster.psql(
    database,
    `alter table published_tender disable trigger all;
     insert into published_tender
       select tender_id, edition, 'v0', last_modified, sources, substring(body from '"archiveReason":"([a-z]+)"') from edition_entry;
     alter table published_tender enable trigger all`,
  )
  onProgress('indexing')
  for (const statement of [...indexes, 'alter table edition_entry enable trigger all'])
    cluster.psql(database, `set maintenance_work_mem = '1GB'; ${statement}`)
  for (const table of ['edition_entry', 'tender', 'published_tender']) cluster.psql(database, `vacuum analyze ${table}`)
  await addChecksum(stock, onProgress)
  if (peerDatabase !== undefined) for (const statement of peerIndexes) cluster.psql(peerDatabase, statement)
  const clients = await makeClients(stock)
  cluster.psql(database, 'checkpoint')
  return clients
}

/** Creates organizations with a token each; their limit is above the rate of any benchmark. */
async function makeClients({ cluster, database, now, scratch }: Stock): Promise<Client[]> {
  const clients = Array.from({ length: clientCount }, () => ({
    organizationId: randomUUID(),
    token: makeToken((count) => randomBytes(count)),
  }))
  const path = join(scratch, 'clients.sql')
  const organizations = clients.map(
    ({ organizationId }, index) => `('${organizationId}','client ${index}',true,100000000,${now})`,
  )
  const tokens = clients.map(
    ({ organizationId, token }) =>
      `('${randomUUID()}','${organizationId}',1,'${hashToken(token)}','${tokenPrefix}','${token.slice(-4)}','bench',${now})`,
  )
  writeFileSync(
    path,
    `insert into organization (organization_id, name, has_api_access, requests_per_minute, created_at) values ${organizations.join(',')};
insert into api_token (token_id, organization_id, slot, token_hash, prefix, last_four, name, created_at) values ${tokens.join(',')};
update change_signal set serial = serial + 1 where topic = 'tokens';`,
    { mode: 0o644 },
  )
  const [program, args] = cluster.psqlArguments(database, '')
  runCommand(program, [...args.slice(0, -2), '-f', path])
  rmSync(path)
  return clients
}
