// How much faster several consolidators are than one, on a PostgreSQL of their own: the same notices into a new
// database each time, the numbers of consolidators in turns.
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import type { Notice } from '../src/domain/notice.ts'
import { openStore, type Store } from '../src/store/database/database.ts'
import { randomOf } from '../test/testing/generate/random.ts'
import { generateNotice } from '../test/testing/generate/similar-notices.ts'
import { receive } from './consolidate.ts'
import { type Cluster, startCluster } from './postgres-cluster.ts'
import { cpuSecondsOf } from './processes.ts'
import { median } from './speed/row.ts'

type Run = {
  readonly seconds: number
  /** CPU milliseconds for each notice: the consolidators, and all processes of the server. */
  readonly ownMs: number
  readonly serverMs: number
  /** Share of the notices that are in a tender with a notice of a batch that ran beside theirs. */
  readonly besideShare: number
  readonly digest: string
}

type ConsolidatorsReport = {
  readonly notices: number
  readonly isReal: boolean
  readonly rows: readonly {
    readonly consolidators: number
    readonly runs: number
    /** Medians. */
    readonly noticesPerSecond: number
    readonly ownMs: number
    readonly serverMs: number
    readonly besideShare: number
    /** How many times the throughput of one. */
    readonly ratio: number
  }[]
}

const seed = 20_261_121
const now = Date.UTC(2026, 1, 20)

/** Undefined if no PostgreSQL is installed. Throws if the stocks differ. */
async function benchConsolidators(options: {
  readonly corpus: string
  readonly notices: number
  readonly counts: readonly number[]
  readonly rounds: number
  readonly onProgress: (text: string) => void
}): Promise<ConsolidatorsReport | undefined> {
  const { corpus, rounds, onProgress } = options
  const counts = [...new Set([1, ...options.counts])]
  const cluster = await startCluster()
  if (!cluster) return undefined
  const isReal = existsSync(corpus)
  const notices = isReal ? await corpusNotices(corpus, options.notices) : madeUpNotices(options.notices)
  const workers = Array.from({ length: Math.max(...counts) }, () =>
    fork(new URL('consolidator.ts', import.meta.url).pathname),
  )
  try {
    const runs = new Map<number, Run[]>(counts.map((count) => [count, []]))
    let digest: string | undefined
    // the first round warms the processes up
    for (let round = 0; round <= rounds; round++) {
      for (const count of round === 0 ? [workers.length] : counts) {
        const run = await consolidateBy(cluster, `run_${round}_${count}`, workers.slice(0, count), notices)
        digest ??= run.digest
        if (run.digest !== digest) throw new Error(`${count} consolidators left another stock than others before`)
        if (round > 0) runs.get(count)!.push(run)
        onProgress(`round ${round}, ${count} consolidators: ${run.seconds.toFixed(2)} s`)
      }
    }
    const secondsOfOne = median(runs.get(1)!.map(({ seconds }) => seconds))
    const rows = [...runs].map(([consolidators, each]) => {
      const seconds = median(each.map((run) => run.seconds))
      return {
        consolidators,
        runs: each.length,
        noticesPerSecond: Math.round(notices.length / seconds),
        ownMs: median(each.map((run) => run.ownMs)),
        serverMs: median(each.map((run) => run.serverMs)),
        besideShare: median(each.map((run) => run.besideShare)),
        ratio: secondsOfOne / seconds,
      }
    })
    return { notices: notices.length, isReal, rows }
  } finally {
    for (const worker of workers) worker.kill()
    await cluster.stop()
  }
}

async function tell(worker: ChildProcess, message: object): Promise<void> {
  const done = once(worker, 'message')
  worker.send(message)
  await done
}

async function consolidateBy(
  cluster: Cluster,
  database: string,
  workers: readonly ChildProcess[],
  notices: readonly Notice[],
): Promise<Run> {
  cluster.psql('postgres', `create database ${database}`)
  const databaseUrl = cluster.url(database)
  const store = await openStore({ databaseUrl, dataFolder: '' })
  try {
    await receive(store, notices)
    await sql`analyze`.execute(store.db)
    for (const worker of workers) await tell(worker, { databaseUrl })
    const own = () => workers.reduce((sum, { pid }) => sum + cpuSecondsOf(pid!), 0)
    const [ownBefore, serverBefore, begun] = [own(), cpuSecondsOf(cluster.pid), performance.now()]
    await Promise.all(workers.map((worker) => tell(worker, { now })))
    const seconds = (performance.now() - begun) / 1000
    const each = (cpuSeconds: number) => (cpuSeconds * 1000) / notices.length
    return {
      seconds,
      ownMs: each(own() - ownBefore),
      serverMs: each(cpuSecondsOf(cluster.pid) - serverBefore),
      besideShare: await besideShareOf(store, workers.length),
      digest: await digestOf(store),
    }
  } finally {
    await store.close()
  }
}

/** A batch is a transaction, whose number follows the order in which batches begin. */
async function besideShareOf(store: Store, consolidators: number): Promise<number> {
  const { rows } = await sql<{ share: number }>`
    with batched as (
      select t.tender_id, dense_rank() over (order by n.xmin::text::bigint) as batch
      from tender_notice t join notice n using (notice_id))
    select avg((exists (
      select from batched b where b.tender_id = a.tender_id and b.batch <> a.batch
      and abs(b.batch - a.batch) < ${consolidators}))::integer)::double precision as share
    from batched a`.execute(store.db)
  return rows[0]!.share
}

async function digestOf(store: Store): Promise<string> {
  const { rows } = await sql<{ row: string }>`
    select concat_ws(' ', tender_id, t.content_hash, n.notices) as row from tender t
    left join (select tender_id, string_agg(notice_id, ' ' order by notice_id) as notices from tender_notice group by 1) n
    using (tender_id) order by tender_id`.execute(store.db)
  return createHash('sha256')
    .update(rows.map(({ row }) => row).join('\n'))
    .digest('hex')
}

/** Some of them in random order, every fourth also as a second document. */
async function corpusNotices(corpus: string, count: number): Promise<Notice[]> {
  const { readNotices } = await import('../quality/corpus-notices.ts')
  const found: Notice[] = []
  for await (const { notices } of readNotices(corpus)) found.push(...notices)
  const random = randomOf(seed)
  const chosen = found
    .map((notice) => ({ notice, rank: random.next() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, Math.ceil(count * 0.8))
    .map(({ notice }) => notice)
  return [...chosen, ...chosen.filter((_, index) => index % 4 === 0)]
}

const madeUpNotices = (count: number): Notice[] =>
  Array.from({ length: count }, (_, index) => generateNotice({ seed, count }, index))

function consolidatorsText({ notices, isReal, rows }: ConsolidatorsReport): string {
  return [
    `${notices} ${isReal ? 'notices of the corpus' : 'made-up notices'}, PostgreSQL, medians of ${rows[0]!.runs} rounds`,
    '| Consolidators | notices a second | ÷ one | CPU ms a notice | of PostgreSQL | beside another batch |',
    '|--:|--:|--:|--:|--:|--:|',
    ...rows.map(
      (row) =>
        `| ${row.consolidators} | ${row.noticesPerSecond} | ${row.ratio.toFixed(2)} | ` +
        `${row.ownMs.toFixed(2)} | ${row.serverMs.toFixed(2)} | ${Math.round(row.besideShare * 100)} % |`,
    ),
  ].join('\n')
}

/** `npm run bench -- consolidators [--rounds N] [--records N] [--corpus DIR] [--json]` */
export async function runConsolidators(options: {
  readonly corpus: string
  readonly records: number
  readonly rounds: number
  readonly json: boolean
  readonly onProgress: (text: string) => void
}): Promise<void> {
  const { records: notices, json, ...rest } = options
  const report = await benchConsolidators({ ...rest, notices, counts: [2, 3, 4] })
  if (!report) console.log('Skipped: no PostgreSQL is installed.')
  else console.log(json ? JSON.stringify({ consolidators: report }, null, 2) : consolidatorsText(report))
}
