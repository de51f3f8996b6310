// The results of runs, stored in docs/performance.json: a later run replaces its own rows, so sizes and rows can be run
// separately.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KeptRow, rowNames } from './row.ts'
import type { SpeedReport } from './speed.ts'

export type SpeedResults = {
  /** By size, ascending; 0 is for rows that depend on no stock. */
  readonly reports: readonly (Omit<SpeedReport, 'rows'> & {
    readonly rows: readonly KeptRow[]
    /** Day of the newest row. */
    readonly measured: string
    readonly rounds: number
    readonly roundSeconds: number
  })[]
}

const resultsPath = join(import.meta.dirname, '../../docs/performance.json')

export function readResults(): SpeedResults | undefined {
  return existsSync(resultsPath) ? (JSON.parse(readFileSync(resultsPath, 'utf8')) as SpeedResults) : undefined
}

/** Adds the rows of a run to the stored ones, replacing rows of the same name and size. */
export function keepResults(run: SpeedResults): SpeedResults {
  const bySize = new Map((readResults()?.reports ?? []).map((report) => [report.records, report]))
  for (const report of run.reports) {
    const before = bySize.get(report.records)
    const names = new Set(report.rows.map(({ name }) => name))
    const rows: KeptRow[] = [...(before?.rows.filter(({ name }) => !names.has(name)) ?? []), ...report.rows]
    rows.sort((a, b) => rowNames.indexOf(a.name) - rowNames.indexOf(b.name))
    bySize.set(report.records, { ...report, rows })
  }
  const results = {
    reports: [...bySize.values()].filter(({ rows }) => rows.length > 0).sort((a, b) => a.records - b.records),
  }
  writeFileSync(resultsPath, `${JSON.stringify(results, null, 1)}\n`)
  return results
}
