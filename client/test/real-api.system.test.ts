// The client against the API itself, over HTTP on loopback; only the time is simulated.
import { afterEach, describe, expect, it } from 'vitest'
import { type ApiWorld, startApi } from '../../test/api-world.ts'
import { type PlainRecord, plainId } from '../../test/memory-editions.ts'
import type { ClientEvent } from '../src/client-event.ts'
import { memorySink } from '../src/sinks/memory-sink.ts'
import { memoryState } from '../src/state/memory-state.ts'
import { type SyncOptions, sync } from '../src/sync/sync.ts'
import { TenderClient } from '../src/tender-client.ts'

const hourMs = 3_600_000
let world: ApiWorld | undefined
afterEach(async () => {
  await world?.[Symbol.asyncDispose]()
  world = undefined
})

async function realWorld(requestsPerMinute: number) {
  const api = await startApi()
  world = api
  const token = api.tokens.add('two', { requestsPerMinute })
  // The table of tokens polls by its own timer; a first request with an unknown token makes it query.
  await (
    await fetch(`${api.origin}/v1/tenders?limit=1`, { headers: { authorization: `Bearer ${token}` } })
  ).body?.cancel()
  api.now += 120_000
  const events: ClientEvent[] = []
  const client = new TenderClient({
    baseUrl: api.origin,
    token,
    clock: () => api.now,
    sleep: async (ms) => {
      api.now += ms
    },
    on: (event) => void events.push(event),
  })
  const stock = new Map<string, PlainRecord>()
  const sink = memorySink()
  const state = memoryState()
  return {
    api,
    client,
    events,
    sink,
    state,
    statuses: () => events.flatMap((event) => (event.type === 'response' ? [event.status] : [])),
    publish: (records: readonly PlainRecord[]): void => {
      api.now += hourMs
      api.editions.publish(api.now, records)
      for (const record of records) stock.set(record.id, record)
    },
    run: (options: Partial<SyncOptions> = {}) => sync({ client, sink, state, limit: 10, ...options }),
    expectEqual: (): void => {
      const wanted = [...stock.values()].filter(({ id, archiveReason }) => !archiveReason || sink.records.has(id))
      const summary = (records: Iterable<PlainRecord>) =>
        [...records]
          .map(({ id, title, status, mergedInto }) => `${id} ${title} ${status ?? 'open'} ${mergedInto}`)
          .sort()
      expect(summary(sink.records.values() as Iterable<PlainRecord>)).toEqual(summary(wanted))
    },
  }
}

const records = (from: number, to: number, change: Partial<PlainRecord> = {}): PlainRecord[] =>
  Array.from({ length: to - from }, (_, index) => ({
    id: plainId(from + index),
    title: `Made up ${from + index}`,
    ...change,
  }))

describe('the client against the API', () => {
  it('C144 to C159: first run, changes, archives, merges, and nothing new', async () => {
    const { publish, run, expectEqual, sink } = await realWorld(100_000)
    publish(records(0, 95))
    expect(await run()).toMatchObject({ result: 'completed', kind: 'first', counts: { pages: 10, records: 95 } })
    expectEqual()
    publish([
      ...records(3, 6, { title: 'Changed' }),
      ...records(10, 12, { status: 'awarded', archiveReason: 'awarded' }),
      ...records(12, 13, { status: 'merged', archiveReason: 'merged', mergedInto: plainId(3) }),
      ...records(200, 230),
    ])
    expect(await run()).toMatchObject({ result: 'completed', kind: 'delta', counts: { merged: 1, closed: 2 } })
    expectEqual()
    const before = new Map(sink.records)
    expect(await run()).toMatchObject({ result: 'completed', counts: { records: 1 } })
    expect(new Map(sink.records)).toEqual(before)
  })

  it('C122: a full load at the limit of the API never meets a 429', async () => {
    const { api, publish, run, expectEqual, statuses } = await realWorld(20)
    publish(records(0, 650))
    const from = api.now
    expect(await run()).toMatchObject({ result: 'completed', counts: { pages: 65 } })
    expect(new Set(statuses())).toEqual(new Set([200]))
    expect(api.now - from).toBeLessThan(5 * 60_000)
    expectEqual()
  })

  it('C152: if others use up the quota, a run waits for Retry-After and completes', async () => {
    const { api, client, publish, run, expectEqual, statuses } = await realWorld(3)
    publish(records(0, 40))
    for (let request = 0; request < 3; request++) await client.page({ limit: 1 })
    const other = new TenderClient({
      baseUrl: api.origin,
      token: api.tokens.add('two', { requestsPerMinute: 3 }),
      maxWaitMs: 0,
    })
    api.now += 60_000
    for (let request = 0; request < 3; request++) await other.page({ limit: 1 })
    expect(await run()).toMatchObject({ result: 'completed' })
    expect(statuses()).toContain(429)
    expectEqual()
  })

  it('C155, G1: a cursor that is 24 h and 1 ms old restarts the run, and the copy is right', async () => {
    const { api, publish, run, expectEqual, sink } = await realWorld(100_000)
    publish(records(0, 45))
    let pages = 0
    const outcome = await run({
      on: (event) => {
        if (event.type !== 'page' || ++pages !== 2) return
        publish(records(0, 1, { status: 'cancelled', archiveReason: 'cancelled' }))
        api.now += 24 * hourMs + 1
      },
    })
    expect(outcome).toMatchObject({ result: 'completed', counts: { restarts: 1 } })
    expect(sink.records.get(plainId(0))?.status).toBe('cancelled')
    expectEqual()
  })

  it('C150: a run is pinned to its edition; the next one delivers what is published meanwhile', async () => {
    const { publish, run, expectEqual, sink } = await realWorld(100_000)
    publish(records(0, 30))
    let isPublished = false
    await run({
      on: (event) => {
        if (event.type !== 'page' || isPublished) return
        isPublished = true
        publish(records(25, 35, { title: 'Later' }))
      },
    })
    expect(sink.records.size).toBe(30)
    expect([...sink.records.values()].some(({ title }) => title === 'Later')).toBe(false)
    await run()
    expectEqual()
  })

  it('a wrong token ends the run immediately with the text of the problem', async () => {
    const { api } = await realWorld(100)
    const client = new TenderClient({ baseUrl: api.origin, token: 'made-up' })
    expect(await sync({ client, sink: memorySink(), state: memoryState() })).toMatchObject({
      result: 'aborted',
      reason: 'problem',
      error: { slug: 'unauthorized' },
    })
  })
})
