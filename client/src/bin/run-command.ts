// `tender-sync run`: one run of the sync, reported to a person or a program.
import { join } from 'node:path'
import { type BulkPages, bulkPages } from '../bulk/bulk-pages.ts'
import { ProblemError } from '../problem-error.ts'
import { SinkBusyError, SinkError } from '../sinks/faults/sink-error.ts'
import { makeFolder } from '../sinks/files/durable-files.ts'
import { timerSleep } from '../sleep.ts'
import { type SyncOutcome, sync } from '../sync/sync.ts'
import type { TenderClient } from '../tender-client.ts'
import type { Options } from './command-line.ts'
import { type Environment, exitCodes } from './environment.ts'
import { errorCodeOf } from './error-code.ts'
import { count, counted, duration, moment, rate, wrapped } from './format.ts'
import { type Job, openClient, openJob } from './job.ts'
import { writeMetrics } from './metrics.ts'
import { Progress } from './progress.ts'
import { type RunReport, readReport, reportAfter, writeReport } from './run-report.ts'
import { sinkTitle } from './sink-choice.ts'
import { UsageError } from './usage-error.ts'
import { boundYoungSpace } from './young-space.ts'

export type RunResult = { readonly code: number; readonly outcome: SyncOutcome }

/**
 * Runs once; resolves to the exit code and outcome. Throws errors of the command line. An interrupted run ends at the
 * edition with which it began, which may be a day old: the changes since then follow immediately. `isRepeated`: another
 * run follows automatically, so the command waits even for an API that was never reached.
 */
export async function runCommand(
  options: Options,
  environment: Environment,
  { isRepeated = false }: { readonly isRepeated?: boolean } = {},
): Promise<RunResult> {
  const job = await openJob(options, environment)
  try {
    const known = await readReport(job.folder)
    const progress = new Progress(
      {
        title: 'run',
        isJson: options.isJson,
        isQuiet: options.isQuiet,
        expectedRecords: known?.firstRunRecords,
      },
      environment,
    )
    // On the first run the address is more likely wrong than the API down: that is reported immediately, not after half
    // an hour.
    const isFirst = !isRepeated && known?.lastCompleted === undefined && (await job.state.load()) === undefined
    const client = await openClient(options, environment, progress.onClient, isFirst ? 0 : undefined)
    const report = await begunReport(job, known, options)
    const bulk = options.isBulk ? openBulk(job, client, progress, options, environment) : undefined
    let outcome = await runOnce({ job, report, client, progress, options, environment, bulk })
    if (outcome.result !== 'completed') return { code: codeOf(outcome), outcome }
    await bulk?.end()
    if (outcome.isResumed || bulk?.isUsed() === true)
      outcome = await runOnce({ job, report, client, progress, options, environment, bulk: undefined })
    return { code: codeOf(outcome), outcome }
  } finally {
    await job.close()
  }
}

/** Files of a whole edition, in the folder beside the copy. */
const openBulk = (
  { folder }: Job,
  client: TenderClient,
  progress: Progress,
  { url }: Options,
  { sleep, fetch }: Environment,
): BulkPages =>
  bulkPages({
    client,
    baseUrl: url!,
    folder: join(folder, 'bulk'),
    sleep: sleep ?? timerSleep,
    ...(fetch && { fetch }),
    onLoad: progress.onLoad,
    on: progress.onClient,
  })

async function runOnce({
  job: { sink, state, lock, folder },
  report: before,
  client,
  progress,
  options,
  environment,
  bulk,
}: {
  readonly job: Job
  readonly report: RunReport
  readonly client: TenderClient
  readonly progress: Progress
  readonly options: Options
  readonly environment: Environment
  readonly bulk: BulkPages | undefined
}): Promise<SyncOutcome> {
  const ended = await sync({
    client,
    sink,
    state,
    lock,
    filters: options.filters,
    initial: options.initial,
    ...(bulk && { bulk }),
    onFilterChange: options.startsAnewOnNewFilters ? 'restart' : 'refuse',
    signal: environment.signal,
    clock: environment.clock,
    on: (event) => {
      boundYoungSpace()
      progress.onSync(event)
    },
  })
  progress.clear()
  const busy = ended.result === 'aborted' && ended.error instanceof SinkBusyError ? ended.error : undefined
  const outcome: SyncOutcome = busy ? { result: 'skipped', counts: ended.counts, elapsedMs: ended.elapsedMs } : ended
  if (outcome.result === 'skipped') {
    const holder = await lock.holder().catch(() => undefined)
    const known = holder && `It is process ${holder.pid} on ${holder.host}, since ${moment(holder.since)}.`
    const who = busy ? busy.message : known
    printOutcome(options, environment, outcome, who)
    return outcome
  }
  const after = reportAfter((await readReport(folder)) ?? before, outcome, environment.now())
  // The run counts even when the report about it cannot be written.
  await writeReport(folder, after).catch(() => {})
  if (options.metrics !== undefined) await writeMetrics(options.metrics, after, sinkTitle(options.sink))
  const refusal = bulk?.refusal()
  const refused = refusal === undefined ? [] : [`The list was loaded in place of files: ${refusal}`]
  const warnings = [
    ...refused,
    ...((outcome.result === 'completed' && outcome.warnings) || []),
    ...(sink.warnings ?? []),
  ]
  printOutcome(options, environment, outcome, undefined, warnings)
  return outcome
}

/**
 * Returns the report, or begins it if there is none: it states with which settings this copy is made. A copy that
 * continued with other settings would be wrong without any sign of it, so that is refused.
 */
async function begunReport(
  { state, folder }: Job,
  found: RunReport | undefined,
  { url, initial }: Options,
): Promise<RunReport> {
  if (found && found.url === url && found.initial === initial) return found
  if (!found || !(await state.load())) {
    const begun: RunReport = { ...found, schema: 1, url: url!, initial }
    await makeFolder(folder, 'owner')
    await writeReport(folder, begun)
    return begun
  }
  if (found.url !== url)
    throw new UsageError(
      `This copy comes from ${found.url}, and its state means nothing to ${url}: pass the former address, or rebuild the copy with tender-sync reset.`,
    )
  throw new UsageError(
    `This copy was started with --initial ${found.initial}: pass that again, or rebuild the copy with tender-sync reset.`,
  )
}

function codeOf(outcome: SyncOutcome): number {
  if (outcome.result === 'completed') return exitCodes.ok
  return outcome.result === 'skipped' ? exitCodes.skipped : exitCodes.aborted
}

/** Reports how the run ended. */
function printOutcome(
  { isJson, isQuiet, sink }: Options,
  { stdout, stderr }: Environment,
  outcome: SyncOutcome,
  holder?: string,
  warnings: readonly string[] = [],
): void {
  if (isJson) {
    const { error, ...rest } = { error: undefined, ...outcome }
    const event = {
      event: 'end',
      sink: sinkTitle(sink),
      ...rest,
      elapsedMs: Math.round(outcome.elapsedMs),
      ...(warnings.length > 0 && { warnings }),
      ...(outcome.result === 'aborted' && {
        code: outcome.reason === 'signal' ? undefined : errorCodeOf(outcome.error),
        message: messageOf(outcome.error),
        problem: error instanceof ProblemError ? error.problem : undefined,
      }),
    }
    stdout.write(`${JSON.stringify(event)}\n`)
    return
  }
  // Reported even when quiet: the copy lacks something although the run is complete.
  for (const warning of warnings) stderr.write(`${wrapped(`Warning: ${warning}`, stderr.columns)}\n`)
  if (outcome.result === 'completed') {
    if (!isQuiet) stdout.write(`${completedText(outcome, sinkTitle(sink))}\n`)
    return
  }
  const after = duration(outcome.elapsedMs)
  const title =
    outcome.result === 'skipped'
      ? 'Skipped: another run is in progress.'
      : outcome.reason === 'signal'
        ? `Stopped after ${after}.`
        : `Given up after ${after}: ${outcome.error instanceof UsageError ? 'there is no token' : titles[outcome.reason]}.`
  const lines =
    outcome.result === 'skipped'
      ? [holder ?? '', 'Nothing was changed; the next run delivers what this one would have delivered.']
      : [
          outcome.reason === 'signal' ? '' : `${messageOf(outcome.error)} [${errorCodeOf(outcome.error)}]`,
          rest(outcome),
        ]
  stderr.write(
    `${[
      title,
      ...lines
        .filter((line) => line !== '')
        .flatMap((line) => line.split('\n'))
        .map((line) => wrapped(line, stderr.columns)),
    ].join('\n')}\n`,
  )
}

const titles = {
  problem: 'the API refused',
  unreachable: 'the API cannot be reached',
  feed: "the API's answers cannot be right",
  'filters-changed': 'the filters differ from those of the copy',
  state: 'the stored state cannot be used',
  'lock-lost': 'the lock was lost',
  differs: 'the copy differs from the published edition',
  behind: 'the API is behind the copy',
  sink: 'the target failed',
} as const

/** Errors that can be fixed are one sentence; for any other error its name is useful too. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ProblemError) return `${error.problem.title} (${error.problem.status}): ${error.problem.detail}`
  if (errorCodeOf(error) === 'filters-changed')
    return (
      'The copy was made with different filters, so its state says nothing about records that only the new ' +
      'ones match. Pass the former filters, or rebuild the copy: --new-filters, or tender-sync reset.'
    )
  return error instanceof SinkError || error.name.endsWith('Error') ? error.message : `${error.name}: ${error.message}`
}

/** Faults that end without help; the others need what the message says. */
function isPassing({ reason, error }: Extract<SyncOutcome, { result: 'aborted' }>): boolean {
  if (error instanceof UsageError) return false
  if (error instanceof ProblemError) return error.problem.status >= 500 || error.problem.status === 429
  return reason === 'signal' || reason === 'unreachable' || reason === 'lock-lost'
}

function rest(outcome: Extract<SyncOutcome, { result: 'aborted' }>): string {
  const { counts, isResumable, reason } = outcome
  // Such a run reached its end, and everything is committed.
  if (reason === 'differs' || reason === 'behind')
    return 'Everything that was delivered is in the copy, and the next run goes on from there.'
  if (isResumable && counts.pages > 0)
    return `${counted(counts.records, 'record')} of ${counted(counts.pages, 'page')} are kept; the next run continues from there (within 24 hours).`
  return `The copy and its state are as they were${isPassing(outcome) ? '; the next run retries' : ''}.`
}

function completedText(
  { kind, isResumed, counts, elapsedMs, updatedSince }: Extract<SyncOutcome, { result: 'completed' }>,
  title: string,
): string {
  const { records, pages, upserted, closed, merged, fetched, restarts } = counts
  const kinds = [
    `${count(upserted)} open`,
    ...(closed > 0 ? [`${count(closed)} archived`] : []),
    ...(merged > 0 ? [`${count(merged)} merged`] : []),
    ...(fetched > 0 ? [`${count(fetched)} looked up`] : []),
  ]
  const run = `${kind} run${isResumed ? ', resumed' : ''}${restarts > 0 ? `, ${counted(restarts, 'restart')}` : ''}`
  const rows: readonly (readonly [string, string])[] = [
    ['run', `${run}, ${duration(elapsedMs)}`],
    [
      'records',
      `${counted(records, 'record')} in ${counted(pages, 'page')}${records > 0 ? ` (${rate(records, elapsedMs)})` : ''}`,
    ],
    ...(records > 0 ? [['of these', kinds.join(', ')] as const] : []),
    ['state', updatedSince ?? 'none yet: no record was delivered'],
  ]
  const head = isResumed
    ? `The interrupted run into ${title} is complete; the changes since then follow.`
    : `The copy in ${title} is up to date.`
  return [head, ...rows.map(([name, value]) => `  ${name.padEnd(9)} ${value}`)].join('\n')
}
