// The last run as a Prometheus textfile, for the node exporter's textfile collector.
import { writeWhole } from '../sinks/files/durable-files.ts'
import type { RunReport } from './run-report.ts'

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/** The text of the metrics. Pure. */
function metricsText({ last, lastCompleted }: RunReport, sink: string): string {
  const label = `{sink="${escaped(sink)}"}`
  const seconds = (at: string): number => Date.parse(at) / 1000
  const metrics: readonly (readonly [name: string, help: string, value: number | undefined])[] = [
    ['last_run_timestamp_seconds', 'When the last run ended.', last && seconds(last.endedAt)],
    [
      'last_success_timestamp_seconds',
      'When the last completed run ended.',
      lastCompleted && seconds(lastCompleted.endedAt),
    ],
    [
      'last_run_success',
      '1: the last run completed, 0: it was abandoned.',
      last && Number(last.result === 'completed'),
    ],
    ['last_run_duration_seconds', 'How long the last run took.', last && last.elapsedMs / 1000],
    ['last_run_records', 'Records that the last run received.', last?.counts.records],
    ['last_run_pages', 'Pages that the last run fetched.', last?.counts.pages],
  ]
  return metrics
    .flatMap(([name, help, value]) =>
      value === undefined
        ? []
        : [
            `# HELP tender_sync_${name} ${help}`,
            `# TYPE tender_sync_${name} gauge`,
            `tender_sync_${name}${label} ${value}`,
          ],
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** Replaces the file in one step: the collector never reads half of it. */
export async function writeMetrics(path: string, report: RunReport, sink: string): Promise<void> {
  await writeWhole(path, metricsText(report, sink), 'user')
}
