// Random histories: publications, crashes of the sink and of the state store, faults, expired cursors, nodes that lag.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { type Change, problemAnswer } from '../../test/fake-api.ts'
import { archived, crashingSink, mergedInto, sinkKindNames, syncWorld } from '../../test/sync-world.ts'
import type { StateStore } from './sink.ts'

const seed = Number(process.env.SEED ?? 20_261_102)
const numRuns = proofCount({ share: 12, full: 2000 })
const dayMs = 86_400_000

const change = fc.record({
  number: fc.integer({ min: 0, max: 11 }),
  what: fc.constantFrom('open', 'open', 'open', 'expired', 'cancelled', 'awarded', 'merged'),
  into: fc.integer({ min: 0, max: 11 }),
})
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('publish' as const),
      changes: fc.array(change, { minLength: 1, maxLength: 8 }),
      step: fc.constantFrom(0, 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('run' as const),
      crashAt: fc.integer({ min: 0, max: 30 }),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('faulty-run' as const),
      after: fc.integer({ min: 0, max: 6 }),
      expires: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('state-crash' as const),
      at: fc.integer({ min: 0, max: 4 }),
      isSaved: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('publish-in-run' as const),
      at: fc.integer({ min: 1, max: 5 }),
      changes: fc.array(change, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('lag' as const), by: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('wait' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** One publication: a survivor is an open record, never one that is merged itself in this publication. */
function changesOf(changes: readonly { number: number; what: string; into: number }[]): Change[] {
  const byId = new Map<string, Change>()
  const merged = new Set(changes.filter(({ what }) => what === 'merged').map(({ number }) => number))
  for (const { number, what, into } of changes) {
    const id = `r${String(number).padStart(2, '0')}`
    if (what === 'merged' && number !== into && !merged.has(into))
      byId.set(id, { id, ...mergedInto(`r${String(into).padStart(2, '0')}`) })
    else if (what === 'expired' || what === 'cancelled' || what === 'awarded') byId.set(id, { id, ...archived(what) })
    else byId.set(id, { id })
  }
  return [...byId.values()]
}

function crashingState(states: StateStore, at: number, isSaved: boolean): StateStore {
  let saves = 0
  return {
    ...states,
    save: async (state) => {
      const isNow = saves++ === at
      if (!isNow || isSaved) await states.save(state)
      if (isNow) throw new Error('crash')
    },
  }
}

async function play(world: ReturnType<typeof syncWorld>, one: Step): Promise<void> {
  const { api } = world
  switch (one.type) {
    case 'publish':
      api.now += 3_600_000
      api.publish(changesOf(one.changes), one.step)
      break
    case 'run':
      await world.run({ sink: crashingSink(world.sink, one.crashAt, one.when).sink })
      break
    case 'faulty-run':
      api.faults.push(...Array(one.after).fill(undefined), (url: URL) => {
        if (!one.expires) return problemAnswer(401, 'unauthorized')
        api.now += url.searchParams.has('cursor') ? dayMs + 1 : 0
        return undefined
      })
      await world.run()
      api.faults.length = 0
      break
    case 'state-crash':
      if (!world.sink.state) await world.run({ state: crashingState(world.states, one.at, one.isSaved) })
      break
    case 'publish-in-run': {
      const asked = api.asked.length
      api.onRequest = (count) => {
        if (count === asked + one.at) api.publish(changesOf(one.changes))
      }
      await world.run()
      api.onRequest = () => {}
      break
    }
    case 'lag': {
      const newest = api.newest
      api.newest = Math.max(0, newest - one.by)
      await world.run()
      api.newest = newest
      break
    }
    case 'wait':
      api.now += dayMs + 1
      break
  }
}

describe.each(sinkKindNames)('%s', (kind) => {
  it.each(['open', 'history'] as const)(
    `C147, C148, C160, G1, G2, G5: after any history, first run '%s', a quiet run makes the copy equal (seed ${seed})`,
    async (initial) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), async (steps) => {
          const world = syncWorld(kind, { initial })
          let reached = ''
          const seen = new Map<string, string>()
          for (const one of steps) {
            world.events.length = 0
            await play(world, one)
            // A staged first run that had to restart replaces the copy by the edition that it was pinned to.
            if (world.sink.canStage && world.events.some((event) => event.type === 'run' && event.kind === 'first'))
              seen.clear()
            const updatedSince = (await world.states.load())?.updatedSince ?? ''
            expect(updatedSince >= reached).toBe(true)
            reached = updatedSince
            for (const { id, lastModified } of world.sink.records.values()) {
              expect(lastModified >= (seen.get(id) ?? '')).toBe(true)
              seen.set(id, lastModified)
            }
          }
          await world.complete()
          await world.complete()
          if (initial === 'history') world.expectEqualHistory()
          else world.expectEqual()
        }),
        { seed, numRuns },
      )
    },
  )
})
