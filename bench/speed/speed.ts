// All rows of the comparison on one generated stock.
import { cpus, loadavg } from 'node:os'
import { loadGenerator } from '../load.ts'
import { networkNote } from '../own-network.ts'
import {
  filterRows,
  noMatchRows,
  organizationRows,
  pageRows,
  peerRows,
  recordRows,
  type SpeedContext,
  sixFilterRows,
} from './answering.ts'
import { coreRows } from './cores.ts'
import { deltaRows } from './delta.ts'
import { metricsRows } from './metrics.ts'
import type { SpeedOptions } from './options.ts'
import { publishRows } from './publish.ts'
import { type RowName, rowNames, type SpeedRow } from './row.ts'
import { type Ours, startOurs } from './servers.ts'
import { startRows } from './start.ts'
import { openStock, type Stock, smallStock } from './stock.ts'
import { storedRows } from './stored.ts'
import { takeoverRows } from './takeover.ts'
import { xmlRows } from './xml.ts'

export type SpeedReport = {
  readonly records: number
  readonly rows: readonly SpeedRow[]
  readonly notes: readonly string[]
  /** Load of the machine (average over one minute), before and after. */
  readonly load: readonly [number, number]
  readonly seconds: number
}

const smallRecords = 10_000
/** Rows that start separate services. */
const ownRows: readonly RowName[] = ['peers', 'cores', 'metrics', 'start', 'publish', 'xml']
const answeringRows = rowNames.filter((name) => !ownRows.includes(name))

export async function benchSpeed(options: SpeedOptions): Promise<SpeedReport> {
  const startedMs = performance.now()
  const load = loadavg()[0]!
  await using stock = await openStock(options)
  if (!stock)
    return {
      records: options.records,
      rows: [],
      notes: ['skipped: speed (no PostgreSQL installed, which holds the generated stocks)'],
      load: [load, load],
      seconds: 0,
    }
  const notes = [`${stock.cluster.version}; load by ${loadGenerator}; ${networkNote()}`]
  const rows: SpeedRow[] = []
  const wants = (...names: RowName[]): boolean => names.some((name) => options.rows.has(name))
  const take = async (names: RowName[], measure: () => Promise<SpeedRow[]>): Promise<void> => {
    if (wants(...names)) rows.push(...(await measure()))
  }
  await take(['peers'], async () => {
    // PostgreSQL answers a peer on every core, so our service may do so too
    const ours = await startOurs(stock, options.service, { readers: cpus().length })
    try {
      return await peerRows({ options, stock, ours, notes })
    } finally {
      await ours.stop()
    }
  })
  if (wants(...answeringRows)) {
    const ours = await startOurs(stock, options.service)
    options.onProgress(
      `our service is ready after ${(ours.startMs / 1000).toFixed(1)} s, ${ours.startCpuSeconds.toFixed(1)} s of CPU, its edition log built or caught up`,
    )
    const context: SpeedContext = { options, stock, ours, notes }
    await take(['page-gzip', 'page-identity'], () => pageRows(context))
    await take(['record'], () => recordRows(context))
    await take(['stored'], () => storedRows(context))
    await take(['six-filters'], () => withSmall(context, (small) => sixFilterRows(context, small)))
    await take(['no-match'], () => noMatchRows(context))
    await take(['delta'], () => deltaRows(context))
    await take(['organizations'], () => organizationRows(context))
    await take(['filters'], () => filterRows(context))
    // from here on, everything changes the stock
    await take(['takeover'], () => takeoverRows(context))
    await ours.stop()
  }
  await take(['cores'], () => coreRows(stock, options, notes))
  await take(['metrics'], () => metricsRows(stock, options))
  await take(['start'], () => startRows(stock, options))
  await take(['publish'], () => publishRows(stock, options))
  return {
    records: options.records,
    rows,
    notes,
    load: [load, loadavg()[0]!],
    seconds: (performance.now() - startedMs) / 1000,
  }
}

/** Rows that do not depend on a stock. */
export async function benchReading(options: SpeedOptions): Promise<SpeedReport> {
  const startedMs = performance.now()
  const load = loadavg()[0]!
  const notes: string[] = []
  const rows = await xmlRows(options, notes)
  return { records: 0, rows, notes, load: [load, loadavg()[0]!], seconds: (performance.now() - startedMs) / 1000 }
}

async function withSmall(
  { options, stock }: SpeedContext,
  measure: (small: { readonly stock: Stock; readonly ours: Ours }) => Promise<SpeedRow[]>,
): Promise<SpeedRow[]> {
  const small = await smallStock(stock, smallRecords, options)
  const ours = await startOurs(small, options.service)
  try {
    return await measure({ stock: small, ours })
  } finally {
    await ours.stop()
  }
}
