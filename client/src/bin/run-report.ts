// What the last runs did, in a file beside the lock: for `status`, for the estimate of the remaining time, and to
// detect a copy that is continued with settings other than those it was started with. The sync itself never reads it.
import { join } from 'node:path'
import { readIfThere, writeWhole } from '../sinks/files/durable-files.ts'
import type { RunKind } from '../sync/sink.ts'
import type { SyncCounts, SyncOutcome } from '../sync/sync.ts'

export type ReportedRun = {
  /** By this machine's clock. */
  readonly endedAt: string
  readonly elapsedMs: number
  readonly result: 'completed' | 'aborted'
  readonly kind?: RunKind
  readonly reason?: string
  readonly message?: string
  readonly counts: SyncCounts
}

export type RunReport = {
  readonly schema: 1
  readonly url: string
  readonly initial: 'open' | 'history'
  readonly last?: ReportedRun
  readonly lastCompleted?: ReportedRun
  /** Number of records of the last first run: the only indication of how many the next one will bring. */
  readonly firstRunRecords?: number
}

const pathIn = (folder: string): string => join(folder, 'report.json')

/** Returns the report; undefined if there is none, or if it cannot be read: it is only a convenience. */
export async function readReport(folder: string): Promise<RunReport | undefined> {
  try {
    const report = JSON.parse((await readIfThere(pathIn(folder))) ?? 'null') as RunReport | null
    return report?.schema === 1 ? report : undefined
  } catch {
    return undefined
  }
}

export async function writeReport(folder: string, report: RunReport): Promise<void> {
  await writeWhole(pathIn(folder), `${JSON.stringify(report, undefined, 2)}\n`)
}

/** Returns the report after one more run. */
export function reportAfter(
  before: RunReport,
  outcome: Exclude<SyncOutcome, { result: 'skipped' }>,
  endedAtMs: number,
): RunReport {
  const { counts, elapsedMs, result } = outcome
  const last: ReportedRun = {
    endedAt: new Date(endedAtMs).toISOString(),
    elapsedMs: Math.round(elapsedMs),
    result,
    ...(outcome.result === 'completed'
      ? { kind: outcome.kind }
      : {
          reason: outcome.reason,
          ...(outcome.reason !== 'signal' && {
            message: outcome.error instanceof Error ? outcome.error.message : String(outcome.error),
          }),
        }),
    counts: { ...counts },
  }
  const isWholeFirstRun = outcome.result === 'completed' && outcome.kind === 'first' && !outcome.isResumed
  const firstRunRecords = isWholeFirstRun ? counts.records : before.firstRunRecords
  const lastCompleted = result === 'completed' ? last : before.lastCompleted
  return {
    schema: 1,
    url: before.url,
    initial: before.initial,
    last,
    ...(lastCompleted && { lastCompleted }),
    ...(firstRunRecords !== undefined && { firstRunRecords }),
  }
}
