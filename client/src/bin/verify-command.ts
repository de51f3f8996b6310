// `tender-sync verify`: crawls the whole list, archived records included, and compares it with what the target holds.
import { ProblemError } from '../problem-error.ts'
import type { TendersQuery } from '../types.ts'
import { UnreachableError } from '../unreachable-error.ts'
import type { Options } from './command-line.ts'
import { CopyComparison, type CopyDifferences, type Difference, type HeldRecord } from './compare-copy.ts'
import { type Environment, exitCodes } from './environment.ts'
import { count, counted, duration } from './format.ts'
import { type Job, openClient, openJob } from './job.ts'
import { Progress } from './progress.ts'
import { readReport } from './run-report.ts'
import { sinkTitle } from './sink-choice.ts'

const shown = 20

export async function verifyCommand(options: Options, environment: Environment): Promise<number> {
  const job = await openJob(options, environment, 'read')
  try {
    const lock = await job.lock.acquire()
    if (!lock) {
      environment.stderr.write('Skipped: a run is at work, so the copy cannot be compared now.\n')
      return exitCodes.skipped
    }
    try {
      return await verify(job, options, environment)
    } finally {
      await lock.release()
    }
  } finally {
    await job.close()
  }
}

async function verify(job: Job, options: Options, environment: Environment): Promise<number> {
  const startedAt = environment.clock()
  const state = await job.state.load()
  const report = await readReport(job.folder)
  const held = new Map<string, HeldRecord>()
  for await (const { id, ...rest } of job.sink.all()) held.set(id, rest)
  const progress = new Progress(
    {
      title: 'verify',
      isJson: options.isJson,
      isQuiet: options.isQuiet,
      // The copy is the only hint at the size of the stock.
      expectedRecords: held.size,
    },
    environment,
  )
  const client = await openClient(options, environment, progress.onClient)
  const comparison = new CopyComparison(held, {
    updatedSince: state?.updatedSince,
    keepsArchived: (report?.initial ?? options.initial) === 'history',
    hasFilters: Object.keys(options.filters).length > 0,
    comparesStatus: !['hubspot', 'salesforce', 'http'].includes(options.sink.kind),
  })
  try {
    await crawl(client, options, environment.signal, comparison, progress)
  } catch (error) {
    progress.clear()
    if (!environment.signal.aborted && !(error instanceof ProblemError) && !(error instanceof UnreachableError))
      throw error
    const message = environment.signal.aborted ? 'asked to stop' : (error as Error).message
    if (options.isJson) environment.stdout.write(`${JSON.stringify({ event: 'end', result: 'aborted', message })}\n`)
    else environment.stderr.write(`Given up: ${message}\nNothing was changed.\n`)
    return exitCodes.aborted
  }
  progress.clear()
  const result = comparison.end()
  const isSame = result.missing.length + result.surplus.length + result.differing.length === 0
  if (options.isJson)
    environment.stdout.write(
      `${JSON.stringify({ event: 'end', result: isSame ? 'equal' : 'different', sink: sinkTitle(options.sink), ...result })}\n`,
    )
  else
    environment.stdout.write(
      `${resultText(result, isSame, sinkTitle(options.sink), environment.clock() - startedAt)}\n`,
    )
  return isSame ? exitCodes.ok : exitCodes.different
}

async function crawl(
  client: Awaited<ReturnType<typeof openClient>>,
  { filters }: Options,
  signal: AbortSignal,
  comparison: CopyComparison,
  progress: Progress,
): Promise<void> {
  const query: TendersQuery = { ...filters, archived: true, limit: 100 }
  let records = 0
  let pages = 0
  for await (const { data } of client.pages(query, signal)) {
    for (const { id, lastModified, status, archiveReason } of data)
      comparison.deliver({ id, lastModified, status, isArchived: archiveReason !== undefined })
    records += data.length
    progress.page(records, ++pages)
  }
}

function resultText(result: CopyDifferences, isSame: boolean, title: string, elapsedMs: number): string {
  const { missing, surplus, differing } = result
  const wrong = missing.length + surplus.length + differing.length
  const head = isSame
    ? `The copy in ${title} equals the stock.`
    : `The copy in ${title} differs from the stock in ${counted(wrong, 'record')}.`
  const rows: readonly (readonly [string, number, string])[] = [
    ['delivered', result.delivered, `by the API, in ${duration(elapsedMs)}`],
    ['held', result.held, 'in the copy'],
    ['equal', result.equal, ''],
    ['missing', missing.length, 'delivered and not held'],
    ['surplus', surplus.length, 'held and not delivered'],
    ['differing', differing.length, 'held with another time or status'],
    ...(result.pending > 0
      ? [['pending', result.pending, 'changed since the last run, which is no fault'] as const]
      : []),
    ...(result.notKept > 0 ? [['not kept', result.notKept, 'archived before the copy knew them'] as const] : []),
    ...(result.outsideFilters > 0
      ? [['outside', result.outsideFilters, 'held and no longer within the filters'] as const]
      : []),
  ]
  const width = Math.max(...rows.map(([, value]) => count(value).length))
  const lines = rows.map(([name, value, about]) =>
    `  ${name.padEnd(10)} ${count(value).padStart(width)}  ${about}`.trimEnd(),
  )
  return [
    head,
    ...lines,
    ...listed('missing', missing),
    ...listed('surplus', surplus),
    ...listed('differing', differing),
    ...(isSame ? [] : ['Start the copy anew with tender-sync reset and tender-sync run; --json lists all ids.']),
  ].join('\n')
}

function listed(name: string, differences: readonly Difference[]): string[] {
  if (differences.length === 0) return []
  return [
    `${name}:`,
    ...differences
      .slice(0, shown)
      .flatMap(({ id, held, delivered }) => [
        `  ${id}`,
        ...(held === undefined ? [] : [`    held      ${held}`]),
        ...(delivered === undefined ? [] : [`    delivered ${delivered}`]),
      ]),
    ...(differences.length > shown ? [`  … and ${count(differences.length - shown)} more`] : []),
  ]
}
