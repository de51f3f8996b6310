// What the consolidation, including matching, costs for each notice, and how much memory it takes, as the stock grows:
// on both engines.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { consolidate } from '../src/consolidate/consolidate.ts'
import type { Notice } from '../src/domain/notice.ts'
import { openStore, type Store } from '../src/store/database/database.ts'
import { insertDocuments, insertNotices } from '../src/store/received/documents.ts'
import { generateNotice } from '../test/testing/generate/similar-notices.ts'
import { fillStock } from './filled-stock.ts'
import { startCluster } from './postgres-cluster.ts'
import { cpuSecondsOf } from './processes.ts'

const consolidateEngines = ['embedded', 'postgres'] as const
type ConsolidateEngine = (typeof consolidateEngines)[number]

/** The state after a tenth of the notices, and what that tenth took. */
type ConsolidateTenth = {
  readonly notices: number
  readonly tenders: number
  /** CPU milliseconds of the stage for each notice: this process, and all processes of the server. */
  readonly msPerNotice: number
  /**
   * Resident memory at the end, MB: of this process with the embedded engine, or with the server (shared pages once).
   */
  readonly memoryMb: number
  readonly databaseMb: number
}

type ConsolidateReport = {
  readonly engine: ConsolidateEngine
  /** Number of notices that were to be consolidated; there are fewer in `notices` if it was stopped. */
  readonly wanted: number
  /** Number of tenders that existed before. */
  readonly filled: number
  readonly notices: number
  readonly tenders: number
  readonly edges: number
  readonly msPerNotice: number
  /** Averages over the last tenth: what a day's notices cost when the stock exists. */
  readonly msPerNoticeAtTheEnd: number
  readonly peakMb: number
  readonly tenths: readonly ConsolidateTenth[]
}

const seed = 20_261_121
const portion = 2000
const now = Date.UTC(2026, 1, 20)
/** How long an index over twenty million rows may take on a machine that does other work too. */
const statementTimeoutMs = 3 * 3_600_000

type TestStock = { readonly store: Store; readonly serverPid: number | undefined; readonly stop: () => Promise<void> }

async function openTestStock(engine: ConsolidateEngine): Promise<TestStock | undefined> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-bench-'))
  const removeFolder = () => rm(dataFolder, { recursive: true, force: true })
  if (engine === 'embedded') {
    const store = await openStore({ dataFolder, statementTimeoutMs })
    return { store, serverPid: undefined, stop: () => store.close().then(removeFolder) }
  }
  const cluster = await startCluster()
  if (!cluster) {
    await removeFolder()
    return undefined
  }
  const store = await openStore({ dataFolder, databaseUrl: cluster.url('postgres'), statementTimeoutMs })
  const stop = () => store.close().then(cluster.stop).then(removeFolder)
  return { store, serverPid: cluster.pid, stop }
}

/**
 * Consolidates made-up notices in portions, ten for seven tenders, in the order of their numbers, with dates at random
 * within a year; only the stage is timed, not receiving. Undefined if no PostgreSQL is installed.
 */
async function benchConsolidate(options: {
  readonly engine: ConsolidateEngine
  readonly notices: number
  /** Number of tenders that exist before, written straight into the tables. */
  readonly filled: number
  readonly onProgress: (text: string) => void
  /** Ends it after the portion that is being written; what was measured so far is reported. */
  readonly signal?: AbortSignal
}): Promise<ConsolidateReport | undefined> {
  const { engine, notices: wanted, filled, onProgress, signal } = options
  const stock = await openTestStock(engine)
  if (!stock) return undefined
  const { store, serverPid } = stock
  const cpuMs = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000 + (serverPid === undefined ? 0 : cpuSecondsOf(serverPid) * 1000)
  }
  try {
    if (filled > 0) await fillStock(store, filled, (text) => onProgress(`${engine}: ${text}`))
    const tenths: ConsolidateTenth[] = []
    const all = { ms: 0, notices: 0 }
    let tenth = { ms: 0, notices: 0 }
    let peakMb = 0
    while (all.notices < wanted && !signal?.aborted) {
      const made = Array.from({ length: Math.min(portion, wanted - all.notices) }, (_, index) =>
        generateNotice({ seed, count: Math.max(wanted, Math.ceil(filled / 0.7)) }, all.notices + index),
      )
      await receive(store, made)
      const before = cpuMs()
      await consolidate(store, { now })
      const ms = cpuMs() - before
      for (const sum of [all, tenth]) {
        sum.ms += ms
        sum.notices += made.length
      }
      const memoryMb = Math.round(
        (process.memoryUsage.rss() + (serverPid === undefined ? 0 : memoryOf(serverPid))) / 1e6,
      )
      peakMb = Math.max(peakMb, memoryMb)
      const isTenth = tenth.notices >= wanted / 10 || all.notices === wanted
      if (isTenth) {
        const tenders = await countRows(store, 'tender')
        const msPerNotice = tenth.ms / tenth.notices
        tenths.push({ notices: all.notices, tenders, msPerNotice, memoryMb, databaseMb: await databaseMb(store) })
        tenth = { ms: 0, notices: 0 }
      }
      if (isTenth || all.notices % 10_000 === 0)
        onProgress(
          `${engine}: ${all.notices} of ${wanted} notices, ${(ms / made.length).toFixed(2)} ms each, ${memoryMb} MB`,
        )
    }
    const left = tenth.notices > 0 && tenths.length === 0 ? tenth.ms / tenth.notices : undefined
    return {
      engine,
      wanted,
      filled,
      notices: all.notices,
      tenders: await countRows(store, 'tender'),
      edges: await countRows(store, 'tender_match'),
      msPerNotice: all.ms / all.notices,
      msPerNoticeAtTheEnd: left ?? tenths.at(-1)!.msPerNotice,
      peakMb,
      tenths,
    }
  } finally {
    await stock.stop()
  }
}

/** As cheaply as possible: the documents are said to be stored elsewhere. */
export async function receive(store: Store, notices: readonly Notice[]): Promise<void> {
  const sourceId = 'made-up'
  const received = notices.map((notice, index) => ({
    notice,
    sourceId,
    pointer: '',
    documentId: createHash('sha256').update(`${index} ${notice.noticeKey}`).digest('hex'),
  }))
  await insertDocuments(
    store.db,
    received.map(({ documentId }) => ({
      documentId,
      sourceId,
      address: documentId,
      receivedAt: now,
      byteSize: 0,
      packed: null,
      parserVersion: 1,
    })),
  )
  await insertNotices(store.db, received)
}

async function countRows(store: Store, table: 'tender' | 'tender_match'): Promise<number> {
  const { count } = await store.db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function databaseMb(store: Store): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(store.db)
  return Math.round(rows[0]!.bytes / 1e6)
}

/**
 * Returns the bytes of a process and its children, each shared page divided among those that use it (PSS); 0 if it has
 * ended.
 */
function memoryOf(pid: number): number {
  try {
    const own = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
    return Number(own?.[1] ?? 0) * 1024 + children.reduce((sum, child) => sum + memoryOf(child), 0)
  } catch {
    return 0
  }
}

function consolidateText(reports: readonly ConsolidateReport[]): string {
  return reports
    .flatMap(({ engine, wanted, filled, notices, tenders, edges, msPerNotice, peakMb, tenths }) => [
      `Consolidation, matching on, ${engine}: ${notices} of ${wanted} notices, ${tenders} ` +
        `tenders${filled > 0 ? ` (${filled} were there before)` : ''}, ${edges} edges; ` +
        `${msPerNotice.toFixed(2)} CPU ms a notice over all, ${peakMb} MB at most`,
      '| notices | tenders | CPU ms a notice | a tender | MB | database MB |',
      '|--:|--:|--:|--:|--:|--:|',
      ...tenths.map(
        (each) =>
          `| ${each.notices} | ${each.tenders} | ${each.msPerNotice.toFixed(2)} | ` +
          `${((each.msPerNotice * each.notices) / (each.tenders - filled)).toFixed(2)} | ${each.memoryMb} | ` +
          `${each.databaseMb} |`,
      ),
      '',
    ])
    .join('\n')
}

/**
 * `npm run bench -- consolidate [--records 10000,100000] [--filled N] [--engine embedded|postgres|both] [--json]`:
 * records are tenders; with `--filled` they are added to a stock that already has N.
 */
export async function runConsolidate(options: {
  readonly records: string | undefined
  readonly filled: number
  readonly engine: string
  readonly json: boolean
  readonly onProgress: (text: string) => void
}): Promise<void> {
  const engines = consolidateEngines.filter((engine) => options.engine === engine || options.engine === 'both')
  if (engines.length === 0) throw new Error(`There is no engine "${options.engine}"; write embedded, postgres or both.`)
  const stopped = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort())
  const reports: ConsolidateReport[] = []
  for (const records of (options.records ?? '10000').split(',').map(Number))
    for (const engine of engines) {
      if (stopped.signal.aborted) break
      const { onProgress } = options
      const notices = Math.ceil(records / 0.7)
      const report = await benchConsolidate({
        engine,
        notices,
        filled: options.filled,
        onProgress,
        signal: stopped.signal,
      })
      if (report) reports.push(report)
      else onProgress(`${engine}: not installed here`)
    }
  console.log(options.json ? JSON.stringify({ consolidate: reports }) : consolidateText(reports))
}
