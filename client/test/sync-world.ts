// A client, a made-up API and a sink in one line, with simulated time.
import { expect } from 'vitest'
import type { ClientEvent } from '../src/client-event.ts'
import { type MemorySink, memorySink } from '../src/sinks/memory-sink.ts'
import { memoryState } from '../src/state/memory-state.ts'
import type { Sink, StateStore, SyncState } from '../src/sync/sink.ts'
import { type SyncEvent, type SyncOptions, type SyncOutcome, sync } from '../src/sync/sync.ts'
import { parseState } from '../src/sync/sync-state.ts'
import { TenderClient } from '../src/tender-client.ts'
import { createFakeApi } from './fake-api.ts'
import { VirtualTime } from './virtual-time.ts'

/** The kinds of sinks; the guarantees apply to all of them. */
export const sinkKinds = {
  staged: () => memorySink(),
  direct: () => memorySink({ isStaged: false }),
  'staged, with the state in its own transaction': () => memorySink({ keepsState: true }),
  'staged in one transaction': () => memorySink({ commitsPages: false }),
} as const satisfies { readonly [kind: string]: () => MemorySink }
export type SinkKind = keyof typeof sinkKinds
export const sinkKindNames = Object.keys(sinkKinds) as SinkKind[]

export const archived = (reason: 'expired' | 'cancelled' | 'awarded') => ({
  archiveReason: reason,
  status: reason === 'expired' ? 'closed' : reason,
})
export const mergedInto = (id: string) => ({ archiveReason: 'merged', status: 'merged', mergedInto: id }) as const

/** A state in memory; what is saved must be what a later process reads from a file. */
function readableState(): ReturnType<typeof memoryState> {
  const store = memoryState()
  const save = async (state: SyncState) => store.save(parseState(JSON.parse(JSON.stringify(state))))
  return Object.create(store, { save: { value: save } }) as typeof store
}

export function syncWorld(kind: SinkKind = 'staged', fixed: Partial<SyncOptions> = {}) {
  const api = createFakeApi()
  const time = new VirtualTime()
  const sink = sinkKinds[kind]()
  const separate = readableState()
  const states: StateStore = sink.state ?? separate
  const clientEvents: ClientEvent[] = []
  const events: SyncEvent[] = []
  const client = new TenderClient({
    baseUrl: 'https://api.test.example',
    token: 'made-up',
    fetch: api.fetch,
    clock: time.clock,
    sleep: time.sleep,
    random: () => 0.5,
    on: (event) => void clientEvents.push(event),
  })
  const world = {
    api,
    time,
    sink,
    states,
    client,
    events,
    clientEvents,
    run: (options: Partial<SyncOptions> = {}): Promise<SyncOutcome> =>
      time.run(
        sync({
          client,
          sink,
          ...(sink.state ? {} : { state: separate }),
          limit: 2,
          on: (event) => void events.push(event),
          ...fixed,
          ...options,
        }),
      ),
    /** Runs, and fails the test unless the run completed. */
    complete: async (options: Partial<SyncOptions> = {}) => {
      const outcome = await world.run(options)
      if (outcome.result !== 'completed')
        throw new Error(`not completed: ${JSON.stringify(outcome)} ${'error' in outcome ? outcome.error : ''}`)
      return outcome
    },
    /**
     * The copy equals the stock: every open record is there, and every record in it is in its last published version.
     */
    expectEqual: (): void => {
      const stock = api.stock()
      const wanted = [...stock.values()].filter(
        ({ id, archiveReason }) => archiveReason === undefined || sink.records.has(id),
      )
      expect(summary(sink.records.values())).toEqual(summary(wanted))
    },
    /** Archived records included. */
    expectEqualHistory: (): void => {
      expect(summary(sink.records.values())).toEqual(summary(api.stock().values()))
    },
    ids: () => [...sink.records.keys()].sort(),
  }
  return world
}

/** Equality ignores checkedAt (C26). */
const summary = (records: Iterable<{ id: string; lastModified: string; status: string }>): string[] =>
  [...records].map(({ id, lastModified, status }) => `${id} ${lastModified} ${status}`).sort()

/**
 * Wraps the sink so that it throws at its n-th writing call from 0 on, before or after that call took effect; calls are
 * counted.
 */
export function crashingSink<S extends Sink>(sink: S, at: number, when: 'before' | 'after') {
  let calls = 0
  const names = new Set<PropertyKey>(['begin', 'upsert', 'close', 'merge', 'commit', 'discard', 'held'])
  const proxy = new Proxy(sink, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      if (!names.has(name) || typeof value !== 'function') return value
      return async (...parameters: unknown[]) => {
        const isNow = calls++ === at
        if (isNow && when === 'before') throw new Error('crash')
        const result = await (value as (...all: unknown[]) => Promise<unknown>).apply(target, parameters)
        if (isNow) throw new Error('crash')
        return result
      }
    },
  })
  return { sink: proxy, calls: () => calls }
}
