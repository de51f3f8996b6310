// How long the consolidation takes for each notice, matching included, and how much memory, as the stock grows.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consolidate } from '../src/consolidate/consolidate.ts'
import { openStore, type Store } from '../src/store/database.ts'
import { generateNotice } from '../test/generate/similar-notices.ts'
import { receiveNotices } from '../test/receive-notices.ts'

export type ConsolidateReport = {
  readonly records: number
  readonly notices: number
  readonly tenders: number
  readonly edges: number
  /** CPU milliseconds of the stage for each notice, over all, the embedded engine included. */
  readonly msPerNotice: number
  /** The same over the last tenth: what a day's notices cost when the stock is there. */
  readonly msPerNoticeAtTheEnd: number
  /** Largest resident memory of the process, MB, the embedded engine included. */
  readonly peakMb: number
}

const seed = 20_261_121
const portion = 1000

/** Takes over made-up notices on the embedded engine in portions; only the stage is timed, not receiving. */
export async function benchConsolidate(options: {
  readonly records: number
  readonly onProgress: (text: string) => void
}): Promise<ConsolidateReport> {
  const { records, onProgress } = options
  const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-bench-'))
  const store = await openStore({ dataFolder })
  try {
    let elapsedMs = 0
    let lastMs = 0
    let notices = 0
    let lastNotices = 0
    let peakMb = 0
    for (let from = 0; from < records; from += portion) {
      const made = Array.from({ length: Math.min(portion, records - from) }, (_, index) =>
        generateNotice({ seed, count: records }, from + index),
      )
      await receiveNotices(store, made)
      const before = process.cpuUsage()
      await consolidate(store, { now: Date.UTC(2026, 1, 20) })
      const { user, system } = process.cpuUsage(before)
      const ms = (user + system) / 1000
      elapsedMs += ms
      notices += made.length
      if (from >= records * 0.9) {
        lastMs += ms
        lastNotices += made.length
      }
      peakMb = Math.max(peakMb, process.memoryUsage.rss() / 1e6)
      if ((from / portion) % Math.max(1, Math.floor(records / portion / 10)) === 0)
        onProgress(
          `${notices} of ${records} notices, ${(ms / made.length).toFixed(2)} ms each, ${Math.round(peakMb)} MB`,
        )
    }
    const [tenders, edges] = [await countRows(store, 'tender'), await countRows(store, 'tender_match')]
    return {
      records,
      notices,
      tenders,
      edges,
      msPerNotice: elapsedMs / notices,
      msPerNoticeAtTheEnd: lastNotices > 0 ? lastMs / lastNotices : elapsedMs / notices,
      peakMb: Math.round(peakMb),
    }
  } finally {
    await store.close()
    await rm(dataFolder, { recursive: true, force: true })
  }
}

async function countRows(store: Store, table: 'tender' | 'tender_match'): Promise<number> {
  const { count } = await store.db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export function consolidateText(reports: readonly ConsolidateReport[]): string {
  const rows = reports.map(
    ({ records, tenders, edges, msPerNotice, msPerNoticeAtTheEnd, peakMb }) =>
      `| ${records} | ${tenders} | ${edges} | ${msPerNotice.toFixed(2)} | ${msPerNoticeAtTheEnd.toFixed(2)} | ${peakMb} |`,
  )
  return [
    'Consolidation, matching on, embedded engine',
    '| notices | tenders | edges | CPU ms a notice | CPU ms a notice, last tenth | MB at most |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

/** `npm run bench -- consolidate [--records 10000,100000] [--json]`. */
export async function runConsolidate(options: {
  readonly records: string | undefined
  readonly json: boolean
  readonly onProgress: (text: string) => void
}): Promise<void> {
  const reports: ConsolidateReport[] = []
  for (const records of (options.records ?? '10000').split(',').map(Number))
    reports.push(await benchConsolidate({ records, onProgress: options.onProgress }))
  console.log(options.json ? JSON.stringify({ consolidate: reports }) : consolidateText(reports))
}
