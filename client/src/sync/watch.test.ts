import { describe, expect, it } from 'vitest'
import { problemAnswer } from '../../test/fake-api.ts'
import { syncWorld } from '../../test/sync-world.ts'
import { watch } from './watch.ts'

const hourMs = 3_600_000
const open = (...ids: string[]) => ids.map((id) => ({ id }))

describe('watch', () => {
  it('follows an interrupted run that was resumed with another one at once: it ended at the edition with which it began', async () => {
    const world = syncWorld('staged', { limit: 2 })
    world.api.publish(open('a', 'b', 'c', 'd'))
    // The first run breaks off after its first page; what is published before it goes on is not part of it.
    world.api.faults.push(undefined, () => {
      world.api.publish(open('e'))
      return problemAnswer(401, 'unauthorized')
    })
    let now = 10 * hourMs + 1
    const stop = new AbortController()
    const seen: unknown[] = []
    const { client, sink, states } = world
    const runs = watch({
      client,
      sink,
      state: states,
      limit: 2,
      signal: stop.signal,
      now: () => now,
      random: () => 0,
      sleep: async (ms) => {
        now += ms
      },
    })
    for await (const outcome of runs) {
      const isResumed = outcome.result === 'completed' && outcome.isResumed
      seen.push([Math.floor(now / hourMs), outcome.result, isResumed, world.ids().length])
      if (seen.length === 4) stop.abort()
    }
    expect(seen).toEqual([
      [10, 'aborted', false, 0],
      [11, 'completed', true, 4],
      [11, 'completed', false, 5],
      [12, 'completed', false, 5],
    ])
  })

  it.each([
    { end: 'other filters', change: { filters: { cpv: ['45000000'] } } },
    {
      end: 'a damaged state',
      change: {
        state: { load: async () => Promise.reject(new Error('broken')), save: async () => {}, clear: async () => {} },
      },
    },
  ])('$end: goes on only where another run can help', async ({ end, change }) => {
    const world = syncWorld('staged')
    world.api.publish(open('a'))
    await world.complete()
    let now = 0
    const stop = new AbortController()
    const results: string[] = []
    const { client, sink, states } = world
    const runs = watch({
      client,
      sink,
      state: states,
      signal: stop.signal,
      now: () => now,
      random: () => 0,
      ...change,
      sleep: async (ms) => {
        now += ms
      },
    })
    for await (const outcome of runs) {
      results.push(outcome.result === 'aborted' ? outcome.reason : outcome.result)
      if (results.length === 3) stop.abort()
    }
    expect(results).toEqual(end === 'other filters' ? ['filters-changed'] : ['sink', 'sink', 'sink'])
  })
})
