// The shipped sinks in the simulation: NDJSON (the working copy of all file sinks) on a disk that forgets unsynced
// data, SQLite, a program of the customer that may be killed, and a CRM behind its API. A sink's effects on the world
// outside go through the gate of its process.
import childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { threadId } from 'node:worker_threads'
import { parseMapping } from '../../client/src/sinks/crm/http-mapping.ts'
import { type ExecEvent, execSink } from '../../client/src/sinks/exec-sink.ts'
import { openHttpUpsertSink } from '../../client/src/sinks/http-upsert-sink.ts'
import { ndjsonSink } from '../../client/src/sinks/ndjson-sink.ts'
import { sqliteSink } from '../../client/src/sinks/sqlite-sink.ts'
import { fileState } from '../../client/src/state/file-state.ts'
import type { Sink, StateStore, SyncState } from '../../client/src/sync/sink.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import type { Random } from '../testing/generate/random.ts'
import type { Copy, Durable, Gate, Held, SinkWatch } from './memory-sink.ts'
import { mountDisk, SimulatedDisk } from './simulated-disk.ts'

export const shippedKinds = ['ndjson', 'sqlite', 'exec', 'crm'] as const
export type ShippedKind = (typeof shippedKinds)[number]
export const isShipped = (kind: string): kind is ShippedKind => (shippedKinds as readonly string[]).includes(kind)

/** What a process passes to the sink that it opens. */
type Lent = {
  readonly folder: string
  readonly gate: Gate
  readonly sleep: (ms: number) => Promise<void>
  readonly clock: () => number
}

type Opened = { readonly sink: Sink; readonly state: StateStore }

/** A target and what its sink stores beside it; both survive the processes. */
type Target = {
  readonly canStage: boolean
  readonly open: (lent: Lent) => Opened | Promise<Opened>
  /** What people find in the target. */
  readonly read: () => Copy
  readonly close?: () => void
}

const howOf = ({ archiveReason }: TenderRecord): Held['how'] =>
  archiveReason === undefined ? 'upsert' : archiveReason === 'merged' ? 'merge' : 'close'

function copyOf(records: Iterable<TenderRecord>): Copy {
  const copy: Copy = new Map()
  for (const record of records)
    copy.set(record.id, {
      record,
      how: howOf(record),
      ...(record.mergedInto !== undefined && { into: record.mergedInto }),
    })
  return copy
}

const ownState = (sink: Sink): Opened => ({ sink, state: sink.state! })

function ndjsonTarget(disk: SimulatedDisk): Target {
  return {
    canStage: true,
    open: ({ folder }) => ownState(ndjsonSink({ file: `${folder}/copy.ndjson` })),
    read: () => {
      const lines = (disk.read('/copy.ndjson')?.toString() ?? '').split('\n').slice(0, -1)
      return copyOf(lines.map((line) => JSON.parse(line) as TenderRecord))
    },
  }
}

let databases = 0

/**
 * A database in the memory of this process, which exists as long as it is open. All threads of a process share these
 * names, so the thread is part of the name.
 */
function sqliteTarget(): Target {
  const file = `file:/simulated-${threadId}-${++databases}?vfs=memdb`
  const db = new DatabaseSync(file)
  return {
    canStage: true,
    open: async ({ gate }) => {
      const sink = await sqliteSink({ file })
      const gated = <Values extends readonly unknown[], Result>(
        name: string,
        act: (...values: Values) => Promise<Result>,
      ) => {
        return (...values: Values): Promise<Result> =>
          gate(`sqlite: ${name}`, () => {
            const done = act(...values)
            done.catch(() => {})
            return done
          }) as Promise<Result>
      }
      return {
        sink: {
          ...sink,
          begin: gated('begin', sink.begin),
          upsert: gated('upsert', sink.upsert),
          close: gated('close', sink.close),
          merge: gated('merge', sink.merge),
          commit: gated('commit', sink.commit),
        },
        state: sink.state!,
      }
    },
    read: () => {
      const found = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tender'").get()
      const rows = found ? db.prepare('SELECT record FROM tender').all() : []
      return copyOf(rows.map(({ record }) => JSON.parse(String(record)) as TenderRecord))
    },
    close: () => db.close(),
  }
}

type Program = (input: string) => Promise<number | null>
const programs = new Map<string, Program>()
let programCount = 0
let isSpawnReplaced = false

/** Replaces `spawn` for programs of the simulation; calling it again changes nothing. */
function replaceSpawn(): void {
  if (isSpawnReplaced) return
  isSpawnReplaced = true
  const real = childProcess.spawn
  const spawn = (command: string, ...rest: unknown[]): unknown => {
    const program = programs.get(command)
    if (!program) return (real as (...values: unknown[]) => unknown)(command, ...rest)
    const child = new EventEmitter()
    let input = ''
    const stdin = Object.assign(new EventEmitter(), {
      write: (text: string) => {
        input += text
        return true
      },
      end: () =>
        void program(input).then(
          (code) => child.emit('close', code, null),
          () => child.emit('close', null, 'SIGKILL'),
        ),
    })
    return Object.assign(child, { stdin })
  }
  Object.assign(childProcess, { spawn })
  syncBuiltinESMExports()
}

/** The program keeps its version if that is newer, as docs/sync/sinks/exec.md asks. */
function execTarget(): Target {
  const copy: Copy = new Map()
  const commands: string[] = []
  const take = ({ op, record, ...rest }: ExecEvent): void => {
    const held = copy.get(record.id)
    if (!held || record.lastModified >= held.record.lastModified) copy.set(record.id, { record, how: op, ...rest })
  }
  return {
    canStage: false,
    open: ({ folder, gate }) => {
      replaceSpawn()
      const command = `simulated-program-${++programCount}`
      commands.push(command)
      programs.set(command, async (input) => {
        const events = input
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as ExecEvent)
        let isDone = false
        try {
          await gate(`exec: ${events.length} events`, () => {
            events.forEach(take)
            isDone = true
          })
        } catch (error) {
          // It is killed half-way, unless only the report of its end was lost.
          if (!isDone) events.slice(0, events.length >> 1).forEach(take)
          throw error
        }
        return 0
      })
      return ownState(execSink({ command: [command], folder: `${folder}/exec` }))
    },
    read: () => new Map(copy),
    close: () => {
      for (const command of commands) programs.delete(command)
    },
  }
}

/** A CRM of few properties; a deal that is closed keeps its stage until the mapping opens it again. */
const mapping = parseMapping(
  {
    version: 1,
    name: 'crm',
    baseUrl: 'https://crm.example',
    headers: {},
    upsert: {
      method: 'POST',
      path: '/upsert',
      body: { inputs: '{items}' },
      item: { id: '{externalId}', properties: '{properties}' },
      batchSize: 3,
      answer: {
        kind: 'keyed',
        results: 'results',
        resultKeys: ['id'],
        crmId: 'crmId',
        errors: 'errors',
        errorKeys: ['id'],
      },
    },
    lookup: {
      method: 'POST',
      path: '/lookup',
      body: { ids: '{items}' },
      item: '{externalId}',
      batchSize: 100,
      results: 'results',
      externalId: 'id',
      crmId: 'crmId',
      lastModified: 'modified',
    },
    fields: [
      { to: 'modified', from: 'lastModified' },
      { to: 'title', from: 'title' },
      { to: 'stage', value: 'open', when: 'create' },
    ],
    close: { fields: [{ to: 'stage', value: 'closed' }] },
    reopen: { fields: [{ to: 'stage', value: 'open' }] },
    merge: {
      fields: [
        { to: 'stage', value: 'merged' },
        { to: 'into', from: 'mergedInto' },
      ],
    },
  },
  {},
)

type Deal = { modified: string; title: string; stage: 'open' | 'closed' | 'merged'; into?: string | null }
const howOfStage = { open: 'upsert', closed: 'close', merged: 'merge' } as const

function crmTarget(versions: ReadonlyMap<string, TenderRecord>): Target {
  const deals = new Map<string, Deal>()
  const answer = (path: string, body: unknown): unknown => {
    if (path === '/lookup')
      return {
        results: (body as { ids: string[] }).ids.flatMap((id) => {
          const deal = deals.get(id)
          return deal ? [{ id, crmId: `deal-${id}`, modified: deal.modified }] : []
        }),
      }
    const { inputs } = body as { inputs: { id: string; properties: Deal }[] }
    for (const { id, properties } of inputs) deals.set(id, { ...deals.get(id), ...properties })
    return { results: inputs.map(({ id }) => ({ id, crmId: `deal-${id}` })) }
  }
  return {
    canStage: false,
    open: ({ folder, gate, sleep, clock }) => {
      const fetch = async (url: URL, init: RequestInit): Promise<Response> =>
        Response.json(await gate(`crm: ${url.pathname}`, () => answer(url.pathname, JSON.parse(String(init.body)))))
      const sink = openHttpUpsertSink({
        mapping,
        ledger: `${folder}/crm/ledger`,
        fetch: fetch as typeof globalThis.fetch,
        sleep,
        clock,
      })
      return { sink, state: fileState(`${folder}/crm/state.json`) }
    },
    read: () => {
      const copy: Copy = new Map()
      for (const [id, { modified, title, stage, into }] of deals) {
        const record = versions.get(`${id}@${modified}`)!
        copy.set(id, {
          record: record.title === title ? record : { ...record, title },
          how: howOfStage[stage],
          ...(stage === 'merged' && { into: into ?? 'nothing' }),
        })
      }
      return copy
    },
  }
}

/** A customer's target, and the disk of the machine that writes to it. */
export class ShippedTarget {
  readonly kind: ShippedKind
  readonly #disk = new SimulatedDisk()
  readonly #target: Target
  readonly #durable: Durable
  /** All versions that the sink received. */
  readonly #given = new Map<string, TenderRecord>()
  /** The state whose commit the client saw; what a killed process left may still be lost. */
  #acknowledged: SyncState | undefined

  constructor(kind: ShippedKind, durable: Durable) {
    this.kind = kind
    this.#durable = durable
    this.#target = {
      ndjson: () => ndjsonTarget(this.#disk),
      sqlite: sqliteTarget,
      exec: execTarget,
      crm: () => crmTarget(this.#given),
    }[kind]()
  }

  cutPower(random: Random): void {
    this.#disk.cutPower(random)
  }

  close(): void {
    this.#target.close?.()
  }

  /** The sink for one process; `end` if the process ends normally, `kill` if it does not. */
  open(options: { readonly gate: Gate; readonly watch: SinkWatch } & Pick<Lent, 'sleep' | 'clock'>): {
    readonly sink: Sink
    readonly state: StateStore
    readonly end: () => Promise<void>
    readonly kill: () => void
  } {
    const { gate, watch, sleep, clock } = options
    const durable = this.#durable
    const { canStage, read, open } = this.#target
    const { folder, unmount } = mountDisk(this.#disk, gate)
    let opened: Opened | undefined
    const inner = async (): Promise<Opened> => {
      opened ??= await open({ folder, gate, sleep, clock })
      return opened
    }
    const see = (isFirst: boolean): void => {
      const before = durable.copy
      durable.copy = read()
      // A first run replaces a staged copy as a whole. A CRM has no guard of its own: a crash before the ledger is
      // saved may reset a deal for one run.
      if ((isFirst && canStage) || this.kind === 'crm') return
      for (const [id, held] of durable.copy)
        if (before.get(id)?.record.lastModified !== held.record.lastModified) watch.onWrite(before.get(id), held)
    }
    const acknowledge = (state: SyncState | undefined): void => {
      watch.onState(this.#acknowledged, state)
      this.#acknowledged = state
      durable.state = state
    }
    let isFirst = false
    const given = (records: readonly TenderRecord[]): void => {
      for (const record of records) this.#given.set(`${record.id}@${record.lastModified}`, record)
    }
    const state: StateStore = {
      load: async () => {
        const loaded = await (await inner()).state.load()
        watch.onFound(this.#acknowledged, loaded)
        durable.state = loaded
        return loaded
      },
      save: async (saved) => {
        await (await inner()).state.save(saved)
        acknowledge(saved)
      },
      clear: async () => {
        // If it is killed from here on, the next process may find either.
        this.#acknowledged = undefined
        await (await inner()).state.clear()
        acknowledge(undefined)
      },
    }
    const sink: Sink = {
      name: this.kind,
      canStage,
      begin: async (run) => {
        durable.copy = read()
        watch.onBegin(run)
        isFirst = run.kind === 'first'
        await (await inner()).sink.begin(run)
      },
      upsert: async (records) => {
        given(records)
        await (await inner()).sink.upsert(records)
      },
      close: async (records) => {
        given(records)
        await (await inner()).sink.close(records)
      },
      merge: async (merges) => {
        given(merges.map(({ record }) => record))
        const { sink: own } = await inner()
        // In a CRM, the check would write.
        if (this.kind !== 'crm') {
          const held = await own.held(merges.flatMap(({ record, into }) => [record.id, into]))
          for (const merge of merges) if (held.has(merge.record.id)) watch.onMerge(merge, held.has(merge.into))
        }
        await own.merge(merges)
      },
      commit: async (toSave, end) => {
        await (await inner()).sink.commit(toSave, end)
        if (opened!.sink.state) acknowledge(toSave)
        see(isFirst)
      },
      discard: async () => (await inner()).sink.discard(),
      held: async (ids) => (await inner()).sink.held(ids),
      digest: async () => (await inner()).sink.digest?.(),
      all: async function* () {
        yield* (await inner()).sink.all()
      },
      ...(this.kind !== 'crm' && { state }),
      end: async () => {},
    }
    return {
      sink,
      state,
      end: async () => {
        await opened?.sink.end()
        unmount()
      },
      kill: () => {
        // Data that a process had not committed to SQLite is lost with it; everything else waits at the gate.
        if (this.kind === 'sqlite') void opened?.sink.end()
        unmount()
      },
    }
  }
}
