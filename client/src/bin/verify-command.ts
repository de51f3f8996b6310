// `tender-sync verify`: crawls the whole list, archived records included, and compares it with what the target holds.
import { ProblemError } from '../problem-error.ts'
import { CopyDamagedError } from '../sinks/sink-error.ts'
import type { ReadBack, Sink } from '../sync/sink.ts'
import type { TendersQuery } from '../types.ts'
import { UnreachableError } from '../unreachable-error.ts'
import type { Options } from './command-line.ts'
import { CopyComparison, type CopyDifferences, type Difference, type HeldRecord } from './compare-copy.ts'
import { type Environment, exitCodes } from './environment.ts'
import { count, counted, duration, wrapped } from './format.ts'
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
      environment.stderr.write('Skipped: a run is in progress, so the copy cannot be compared now.\n')
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
  const { readBack } = job.sink
  let held: Map<string, HeldRecord>
  try {
    held = await heldIn(job.sink)
  } catch (error) {
    if (!(error instanceof CopyDamagedError)) throw error
    return tellDamage(error, options, environment)
  }
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
    await crawl(client, options, environment.signal, comparison, readBack?.contentOf, progress)
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
  else environment.stdout.write(`${resultText(result, isSame, options.sink, environment.clock() - startedAt)}\n`)
  return isSame ? exitCodes.ok : exitCodes.different
}

/** What the people who load the copy find in it: of a file, what the file says. */
async function heldIn(sink: Sink): Promise<Map<string, HeldRecord>> {
  const held = new Map<string, HeldRecord>()
  for await (const { id, ...rest } of sink.readBack?.rows() ?? sink.all()) {
    if (held.has(id)) throw new CopyDamagedError(`It holds the record ${id} twice.`)
    held.set(id, rest)
  }
  return held
}

function tellDamage({ message }: CopyDamagedError, { isJson, sink }: Options, { stdout, stderr }: Environment): number {
  const title = sinkTitle(sink)
  if (isJson) stdout.write(`${JSON.stringify({ event: 'end', result: 'different', sink: title, damage: message })}\n`)
  else
    stdout.write(
      `${[`The copy in ${title} is damaged.`, wrapped(message, stderr.columns), wrapped(repair(sink), stderr.columns, '')].join('\n')}\n`,
    )
  return exitCodes.different
}

/** What to do about a copy that is not as it should be. */
const repair = ({ kind, target }: Options['sink']): string =>
  kind === 'csv' || kind === 'parquet'
    ? `Delete ${target} and call tender-sync run: it rewrites the file. If it still differs then, rebuild the copy with tender-sync reset.`
    : 'Rebuild the copy with tender-sync reset and tender-sync run.'

async function crawl(
  client: Awaited<ReturnType<typeof openClient>>,
  { filters }: Options,
  signal: AbortSignal,
  comparison: CopyComparison,
  contentOf: ReadBack['contentOf'] | undefined,
  progress: Progress,
): Promise<void> {
  const query: TendersQuery = { ...filters, archived: true, limit: 100 }
  let records = 0
  let pages = 0
  for await (const { data } of client.pages(query, signal)) {
    for (const record of data) {
      const { id, lastModified, status } = record
      const isArchived = record.archiveReason !== undefined
      comparison.deliver({ id, lastModified, status, isArchived, ...(contentOf && { content: contentOf(record) }) })
    }
    records += data.length
    progress.page(records, ++pages)
  }
}

function resultText(result: CopyDifferences, isSame: boolean, sink: Options['sink'], elapsedMs: number): string {
  const { missing, surplus, differing } = result
  const title = sinkTitle(sink)
  const wrong = missing.length + surplus.length + differing.length
  const head = isSame
    ? `The copy in ${title} equals the stock.`
    : `The copy in ${title} differs from the stock in ${counted(wrong, 'record')}.`
  const rows: readonly (readonly [string, number, string])[] = [
    ['delivered', result.delivered, `by the API, in ${duration(elapsedMs)}`],
    ['held', result.held, 'in the copy'],
    ['equal', result.equal, ''],
    ['missing', missing.length, 'delivered but not held'],
    ['surplus', surplus.length, 'held but not delivered'],
    ['differing', differing.length, 'held with other values'],
    ...(result.pending > 0
      ? [['pending', result.pending, 'changed since the last run, which is not an error'] as const]
      : []),
    ...(result.notKept > 0 ? [['not kept', result.notKept, 'archived before the copy knew them'] as const] : []),
    ...(result.outsideFilters > 0
      ? [['outside', result.outsideFilters, 'held but no longer within the filters'] as const]
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
    ...(isSame ? [] : [`${repair(sink)} --json lists all ids.`]),
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
