// Syncs into a program of yours: one JSON line per event to its standard input; the events count as delivered when it
// ends with exit code 0.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { isOpenRecord } from '../sync/copy-digest.ts'
import type { TenderRecord } from '../types.ts'
import { disposable, type OpenSink } from './disposable.ts'
import { SinkError } from './faults/sink-error.ts'
import { readIfThere, writeWhole } from './files/durable-files.ts'
import { withMaskOfUser } from './files/own-files.ts'
import type { RecordPrint } from './files/record-index.ts'
import type { StoredRecord } from './files/record-log.ts'
import { WorkingCopy } from './files/working-copy.ts'
import { recordHash } from './record/record-hash.ts'

export type ExecSinkOptions = {
  /** Program and arguments; run without a shell, so nothing is expanded. */
  readonly command: readonly [program: string, ...args: string[]]
  /** Folder for the ids and times of what the program has accepted, and for the state. */
  readonly folder: string
  /** Where the program's standard output goes; its standard error goes to ours. Default: nowhere. */
  readonly output?: 'inherit' | 'ignore'
}

/**
 * What is stored about a record that the program accepted: the program keeps the record, or whatever it makes of it.
 */
type TakenRecord = StoredRecord & { readonly print?: RecordPrint }

/** For a record that an older version stored. */
const noPrint: RecordPrint = { hash: '0'.repeat(64), isOpen: true }

/** A line of the program's input. */
export type ExecEvent =
  | { readonly op: 'upsert' | 'close'; readonly record: TenderRecord }
  | { readonly op: 'merge'; readonly record: TenderRecord; readonly into: string }

/**
 * Starts the program for each page with something new, and once more at the end of a run if merges wait. Events that it
 * received before it failed, or before this process was killed, are delivered again: it must tolerate repetition.
 */
export function execSink({ command, folder, output = 'ignore' }: ExecSinkOptions): OpenSink {
  const copy = new WorkingCopy({
    base: join(folder, 'taken.ndjson'),
    folder,
    printOf: (stored) => (stored as TakenRecord).print ?? noPrint,
  })
  const given = join(folder, 'given.json')
  let keepsArchived = false
  let events: ExecEvent[] = []

  /** Stores id, time and status of those that are newer than the known ones; resolves to them. */
  async function note(records: readonly TenderRecord[], isKnownOnly: boolean): Promise<ReadonlySet<TenderRecord>> {
    const recordOf = new Map(
      records.map((record) => {
        const { id, lastModified, status } = record
        return [{ id, lastModified, status, print: { hash: recordHash(record), isOpen: isOpenRecord(record) } }, record]
      }),
    )
    return new Set((await copy.put([...recordOf.keys()], isKnownOnly)).map((entry) => recordOf.get(entry)!))
  }
  const add = async (op: 'upsert' | 'close', records: readonly TenderRecord[], isKnownOnly: boolean): Promise<void> => {
    for (const record of await note(records, isKnownOnly)) {
      events.push({ op, record })
      // The archived survivor of a merge: the close() that follows brings nothing newer, and must not be lost.
      if (op === 'upsert' && record.archiveReason !== undefined) events.push({ op: 'close', record })
    }
  }
  /** The events of a process that ended before it recorded whether the program accepted them. */
  async function unsureEvents(): Promise<ExecEvent[]> {
    const text = await readIfThere(given)
    const left = text === undefined ? [] : (JSON.parse(text) as ExecEvent[])
    const recordOf = new Map(left.map(({ record }) => [record.id, record]))
    const unsure = new Set([...(await note([...recordOf.values()], false))].map(({ id }) => id))
    return left.filter(({ record }) => unsure.has(record.id))
  }
  return disposable({
    name: 'exec',
    canStage: false,
    state: {
      load: () => copy.loadState(),
      save: (state) => copy.saveState(state),
      clear: () => copy.saveState(null),
    },
    begin: async ({ keepArchived }) => {
      keepsArchived = keepArchived
      await copy.begin({ isStaged: false, isResumed: false })
      events = await unsureEvents()
    },
    upsert: (records) => add('upsert', records, false),
    close: (records) => add('close', records, !keepsArchived),
    merge: async (merges) => {
      const taken = await note(
        merges.map(({ record }) => record),
        !keepsArchived,
      )
      for (const { record, into } of merges) if (taken.has(record)) events.push({ op: 'merge', record, into })
    },
    commit: async (state, end) => {
      if (events.length > 0) {
        // If it is killed before it is recorded that the program accepted them, the next process delivers them again
        // before everything else.
        await writeWhole(given, `${JSON.stringify(events)}\n`)
        await give(command, events, output)
      }
      events = []
      await copy.commit(state, end)
    },
    discard: async () => {
      events = []
      await copy.discard()
    },
    held: (ids) => copy.held(ids),
    digest: () => copy.digest(),
    all: () => copy.all(),
    end: () => copy.end(),
  })
}

/** Runs the program over these events. Rejects unless it ends with exit code 0. */
async function give(
  [program, ...args]: ExecSinkOptions['command'],
  events: readonly ExecEvent[],
  output: 'inherit' | 'ignore',
): Promise<void> {
  // The program needs no token of the API, and its own children and core dumps even less.
  const { TENDER_TOKEN: _, ...env } = process.env
  const child = withMaskOfUser(() => spawn(program, args, { stdio: ['pipe', output, 'inherit'], env }))
  // A program that ends without reading everything breaks the pipe; its exit code says what that means.
  child.stdin.on('error', () => {})
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('error', (cause) =>
      reject(
        new SinkError(`The program ${program} cannot be run (${cause.message}): check its path and permissions.`, {
          cause,
        }),
      ),
    )
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
  const fed = (async () => {
    for (const event of events)
      if (!child.stdin.write(`${JSON.stringify(event)}\n`)) await Promise.race([once(child.stdin, 'drain'), ended])
    child.stdin.end()
  })()
  const [how] = await Promise.all([ended, fed.catch(() => {})])
  if (how !== 0)
    throw new SinkError(
      `The program ${program} ended with ${typeof how === 'number' ? `exit code ${how}` : how}: the next run passes it the same records again.`,
    )
}
