// `tender-sync verify`: reads the copy, and compares its digest with the edition's, for which one request is
// enough. If they differ, or cannot be compared, the whole list is crawled, archived records included, and the records
// that differ are named.

import { ProblemError } from '../problem-error.ts'
import { CopyDamagedError } from '../sinks/faults/sink-error.ts'
import { recordHash } from '../sinks/record/record-hash.ts'
import { type CopyDigest, DigestSum, isOpenRecord, type KnownCopy } from '../sync/copy-digest.ts'
import { lostMark } from '../sync/lost-record.ts'
import type { ReadBack, Sink, SyncState } from '../sync/sink.ts'
import type { TenderRecord, TendersQuery } from '../types.ts'
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
  let found: FoundCopy
  try {
    found = await readCopy(job.sink)
  } catch (error) {
    if (!(error instanceof CopyDamagedError)) throw error
    return printDamage(error, options, environment)
  }
  const progress = new Progress(
    {
      title: 'verify',
      isJson: options.isJson,
      isQuiet: options.isQuiet,
      // The copy is the only indication of the size of the stock.
      expectedRecords: found.held.size,
    },
    environment,
  )
  const client = await openClient(options, environment, progress.onClient)
  try {
    const keepsArchived = ((await readReport(job.folder))?.initial ?? options.initial) === 'history'
    const newest = await editionOf(client, found, state, { ...options, keepsArchived, signal: environment.signal })
    if (newest !== undefined) {
      progress.clear()
      printEqual(state!.copy!, newest, options, environment, environment.clock() - startedAt)
      return exitCodes.ok
    }
    const comparison = new CopyComparison(found.held, {
      updatedSince: state?.updatedSince,
      keepsArchived,
      hasFilters: Object.keys(options.filters).length > 0,
      comparesStatus: !['hubspot', 'salesforce', 'http'].includes(options.sink.kind),
    })
    await crawl(client, options, environment.signal, comparison, job.sink.readBack?.contentOf, progress)
    progress.clear()
    return printComparison(comparison.end(), options, environment, environment.clock() - startedAt)
  } catch (error) {
    progress.clear()
    if (!environment.signal.aborted && !(error instanceof ProblemError) && !(error instanceof UnreachableError))
      throw error
    const message = environment.signal.aborted ? 'stopped on request' : (error as Error).message
    if (options.isJson) environment.stdout.write(`${JSON.stringify({ event: 'end', result: 'aborted', message })}\n`)
    else environment.stderr.write(`Given up: ${message}\nNothing was changed.\n`)
    return exitCodes.aborted
  }
}

function printComparison(
  result: CopyDifferences,
  { isJson, sink }: Options,
  { stdout }: Environment,
  elapsedMs: number,
): number {
  const isSame = result.missing.length + result.surplus.length + result.differing.length === 0
  const end = { event: 'end', result: isSame ? 'equal' : 'different', sink: sinkTitle(sink), by: 'list' }
  if (isJson) stdout.write(`${JSON.stringify({ ...end, ...result })}\n`)
  else stdout.write(`${resultText(result, isSame, sink, elapsedMs)}\n`)
  return isSame ? exitCodes.ok : exitCodes.different
}

type FoundCopy = {
  /** The copy as the people who load it see it: of a file, its content. */
  readonly held: Map<string, HeldRecord>
  /** Computed from what was read; undefined if the sink cannot provide it. */
  readonly digest: CopyDigest | undefined
  /** Whether everything that the target says about each record follows from the record that it keeps. */
  readonly isConsistent: boolean
}

async function readCopy(sink: Sink): Promise<FoundCopy> {
  const held = new Map<string, HeldRecord>()
  const add = (id: string, record: HeldRecord): void => {
    if (held.has(id)) throw new CopyDamagedError(`It holds the record ${id} twice.`)
    held.set(id, record)
  }
  const { readBack } = sink
  if (!readBack) {
    for await (const { id, ...rest } of sink.all()) add(id, { ...rest, isLost: rest.status === lostMark })
    return { held, digest: await sink.digest?.(), isConsistent: true }
  }
  const sum = new DigestSum()
  let isConsistent = true
  for await (const { id, lastModified, status, content, record } of readBack.rows()) {
    add(id, { lastModified, status, content, isLost: status === lostMark })
    if (record && contentOrNothing(readBack, record) === content)
      sum.add(recordHash(record), isOpenRecord(record), record.lastModified)
    else isConsistent = false
  }
  return { held, digest: sum.digest, isConsistent }
}

/** Undefined for a damaged record, which may lack any member. */
function contentOrNothing({ contentOf }: ReadBack, record: TenderRecord): string | undefined {
  try {
    return contentOf(record)
  } catch {
    return undefined
  }
}

/**
 * Returns the newest edition of the API, if one request and what was read show that the copy is the edition of its last
 * run. Undefined: the list has to be compared record by record, if only to name those that differ.
 */
async function editionOf(
  client: Awaited<ReturnType<typeof openClient>>,
  { digest, isConsistent }: FoundCopy,
  state: SyncState | undefined,
  { filters, keepsArchived, signal }: Pick<Options, 'filters'> & { keepsArchived: boolean; signal: AbortSignal },
): Promise<number | undefined> {
  const known = state?.copy
  if (Object.keys(filters).length > 0 || !known || state.run !== undefined || !digest || !isConsistent) return undefined
  const { records, open, all } = digest
  if (records !== known.records || open !== known.open || all !== known.all) return undefined
  const { edition, digest: stock } = await client.page({ limit: 1 }, signal)
  if (edition === undefined || !stock) return undefined
  const isSame =
    edition === known.edition ? (keepsArchived ? stock.all === all : stock.open === open) : known.isDifferent === false
  return isSame ? edition : undefined
}

function printEqual(
  { records, edition }: KnownCopy,
  newest: number,
  { isJson, sink }: Options,
  { stdout }: Environment,
  elapsedMs: number,
): void {
  const title = sinkTitle(sink)
  if (isJson) {
    const end = { event: 'end', result: 'equal', sink: title, by: 'digest', edition, newest, held: records }
    stdout.write(`${JSON.stringify(end)}\n`)
    return
  }
  const about = `by its digest, with one request in ${duration(elapsedMs)}`
  const isBehind = edition !== undefined && newest > edition
  stdout.write(
    [
      isBehind
        ? `The copy in ${title} equals edition ${edition} of the stock; the API has edition ${newest}, which the next run brings.`
        : `The copy in ${title} equals the stock.`,
      `  held       ${count(records)}  ${about}`,
      '',
    ].join('\n'),
  )
}

function printDamage(
  { message }: CopyDamagedError,
  { isJson, sink }: Options,
  { stdout, stderr }: Environment,
): number {
  const title = sinkTitle(sink)
  if (isJson) stdout.write(`${JSON.stringify({ event: 'end', result: 'different', sink: title, damage: message })}\n`)
  else
    stdout.write(
      `${[`The copy in ${title} is damaged.`, wrapped(message, stderr.columns), wrapped(repair(sink), stderr.columns, '')].join('\n')}\n`,
    )
  return exitCodes.different
}

/** What to do about a damaged copy. */
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
