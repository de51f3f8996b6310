// `tender-sync status`: the state, the last run and what the copy holds. Only reads, sends no requests to the API, and
// takes no lock.
import type { SyncState } from '../sync/sink.ts'
import type { Options } from './command-line.ts'
import { type Environment, exitCodes } from './environment.ts'
import { count, counted, duration, moment, wrapped } from './format.ts'
import { type Job, openJob } from './job.ts'
import { type ReportedRun, readReport } from './run-report.ts'
import { sinkTitle } from './sink-choice.ts'

export async function statusCommand(options: Options, environment: Environment): Promise<number> {
  const job = await openJob(options, environment, 'read')
  try {
    const report = await readReport(job.folder)
    const state = await job.state.load()
    const statuses = await countStatuses(job)
    const holder = await job.lock.holder()
    const now = environment.now()
    const lagMs = report?.lastCompleted && now - Date.parse(report.lastCompleted.endedAt)
    const records = [...statuses.values()].reduce((sum, each) => sum + each, 0)
    if (options.isJson) {
      const event = {
        event: 'status',
        sink: sinkTitle(options.sink),
        url: report?.url,
        state: state ?? null,
        records,
        statuses: Object.fromEntries(statuses),
        lastRun: report?.last ?? null,
        lastCompleted: report?.lastCompleted ?? null,
        lagMs: lagMs ?? null,
        lock: holder ?? null,
      }
      environment.stdout.write(`${JSON.stringify(event)}\n`)
      return exitCodes.ok
    }
    const rows: readonly (readonly [string, string])[] = [
      ['state', stateText(state)],
      [
        'copy',
        records === 0
          ? 'empty'
          : `${counted(records, 'record')}: ${[...statuses].map(([status, number]) => `${count(number)} ${status}`).join(', ')}`,
      ],
      ...(report
        ? [
            [
              'source',
              `${report.url} (${report.initial === 'history' ? 'with archived records' : 'started with open records'})`,
            ] as const,
          ]
        : []),
      ['last run', report?.last ? runText(report.last, now) : 'none known on this machine'],
      ...(lagMs === undefined ? [] : [['lag', `${duration(lagMs)} since the last completed run`] as const]),
      ...(holder
        ? [['lock', `held by process ${holder.pid} on ${holder.host} since ${moment(holder.since)}`] as const]
        : []),
    ]
    const lines = rows.map(([name, value]) =>
      wrapped(value, environment.stderr.columns, ' '.repeat(12)).replace(/^ {12}/, `  ${name.padEnd(10)}`),
    )
    environment.stdout.write(`${[sinkTitle(options.sink), ...lines].join('\n')}\n`)
    return exitCodes.ok
  } finally {
    await job.close()
  }
}

/** Records by status, the most frequent first. */
async function countStatuses({ sink }: Job): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for await (const { status } of sink.all()) counts.set(status, (counts.get(status) ?? 0) + 1)
  return new Map([...counts].sort((a, b) => b[1] - a[1]))
}

function stateText(state: SyncState | undefined): string {
  if (!state) return 'none: the next run loads the whole copy'
  const done = state.updatedSince === undefined ? 'no completed run yet' : `complete up to ${state.updatedSince}`
  if (!state.run) return done
  return `${done}; a ${state.run.kind} run is unfinished${state.run.largest === undefined ? '' : ` at ${state.run.largest}`}; the next run continues it`
}

function runText({ result, kind, reason, message, counts, endedAt, elapsedMs }: ReportedRun, now: number): string {
  const what =
    result === 'completed' ? `${kind} run completed` : reason === 'signal' ? 'stopped' : `given up (${reason})`
  const text = `${what} ${duration(now - Date.parse(endedAt))} ago, ${counted(counts.records, 'record')} in ${duration(elapsedMs)}`
  return message ? `${text}: ${message}` : text
}
