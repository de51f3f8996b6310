import { afterEach, describe, expect, it, vi } from 'vitest'
import { problemAnswer } from '../../test/fake-api.ts'
import { archived, crashingSink, mergedInto, sinkKindNames, syncWorld } from '../../test/sync-world.ts'
import { memoryState } from '../state/memory-state.ts'
import type { Merge } from './sink.ts'
import { filterHash } from './sync-filters.ts'
import { parseState } from './sync-state.ts'

const open = (...ids: string[]) => ids.map((id) => ({ id }))
const minuteMs = 60_000
const dayMs = 86_400_000

afterEach(() => void vi.useRealTimers())

describe.each(sinkKindNames)('%s', (kind) => {
  it('C144, C145, C146, C147: the first run sends no updated_since, follows nextCursor to null, creates by id, keeps the largest lastModified', async () => {
    const world = syncWorld(kind)
    world.api.publish([...open('a', 'b', 'c', 'd', 'e'), { id: 'x', ...archived('expired') }])
    const outcome = await world.complete({ filters: { cpv: [] } })
    expect(outcome).toMatchObject({ kind: 'first', isResumed: false, counts: { pages: 3, records: 5, upserted: 5 } })
    expect(world.api.asked[0]).toBe('/v1/tenders?limit=2')
    expect(world.api.asked.slice(1).every((path) => path.startsWith('/v1/tenders?limit=2&cursor='))).toBe(true)
    expect(world.ids()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(outcome.updatedSince).toBe(world.api.stock().get('e')?.lastModified)
    expect(await world.states.load()).toMatchObject({ updatedSince: outcome.updatedSince })
    expect((await world.states.load())?.run).toBeUndefined()
  })

  it('C144: the limit is 100 by default', async () => {
    const world = syncWorld(kind)
    await world.complete({ limit: undefined as never })
    expect(world.api.asked).toEqual(['/v1/tenders?limit=100'])
  })

  it('C148: a run without records leaves the state unchanged, even if there was none', async () => {
    const world = syncWorld(kind)
    expect((await world.complete()).updatedSince).toBeUndefined()
    world.api.publish(open('a'))
    const { updatedSince } = await world.complete()
    world.api.faults.push(() => new Response('{"data":[],"nextCursor":null}'))
    expect((await world.complete()).updatedSince).toBe(updatedSince)
  })

  it('C150, C151: the next run is the same request with updated_since; known ids are updated, new ones created', async () => {
    const world = syncWorld(kind)
    world.api.publish(open('a', 'b', 'c'))
    const { updatedSince } = await world.complete()
    world.api.asked.length = 0
    world.api.publish([{ id: 'b', title: 'Changed' }, { id: 'd' }])
    expect(await world.complete()).toMatchObject({ kind: 'delta' })
    expect(world.api.asked[0]).toBe(`/v1/tenders?limit=2&updated_since=${updatedSince}`)
    expect(world.sink.records.get('b')?.title).toBe('Changed')
    world.expectEqual()
  })

  it('C157: expired, cancelled and awarded records are closed; those never held are skipped', async () => {
    const world = syncWorld(kind)
    world.api.publish(open('a', 'b', 'c', 'd'))
    await world.complete()
    world.api.publish([
      { id: 'a', ...archived('expired') },
      { id: 'b', ...archived('cancelled') },
      { id: 'c', ...archived('awarded') },
      { id: 'unknown', ...archived('awarded') },
    ])
    await world.complete()
    expect(world.ids()).toEqual(['a', 'b', 'c', 'd'])
    expect([...world.sink.records.values()].map(({ status }) => status).sort()).toEqual([
      'awarded',
      'cancelled',
      'closed',
      'open',
    ])
    world.expectEqual()
  })

  it("initial 'history' keeps archived and merged records: the first run is a delta from 2022-01-01", async () => {
    const world = syncWorld(kind, { initial: 'history' })
    world.api.publish([...open('a', 'b'), { id: 'x', ...archived('expired') }, { id: 'm', ...mergedInto('a') }])
    await world.complete()
    expect(world.api.asked[0]).toBe('/v1/tenders?limit=2&updated_since=2022-01-01T00:00:00.000Z')
    world.expectEqualHistory()
    world.api.publish([{ id: 'y', ...archived('awarded') }])
    await world.complete()
    world.expectEqualHistory()
  })

  it('C159: redelivered records change nothing, and the newest record is delivered again each time (>=)', async () => {
    const world = syncWorld(kind)
    world.api.publish(open('a', 'b'), 0)
    await world.complete()
    const before = new Map(world.sink.records)
    expect((await world.complete()).counts.records).toBe(2)
    expect(new Map(world.sink.records)).toEqual(before)
    expect(world.sink.records.get('a')).toBe(before.get('a'))
  })

  it('C153, C160: after six failures the run is aborted with the state of the run before', async () => {
    const world = syncWorld(kind)
    world.api.publish(open('a', 'b', 'c'))
    const { updatedSince } = await world.complete()
    world.api.publish(open('d', 'e', 'f'))
    world.api.faults.push(undefined, ...Array(6).fill(() => problemAnswer(502, 'bad-gateway')))
    const outcome = await world.run()
    expect(outcome).toMatchObject({ result: 'aborted', reason: 'problem' })
    expect(world.time.slept).toEqual([1, 2, 4, 8, 16].map((minutes) => minutes * minuteMs))
    expect((await world.states.load())?.updatedSince).toBe(updatedSince)
    await world.complete()
    world.expectEqual()
  })

  it('C152: a run survives waits on every one of its requests', async () => {
    const world = syncWorld(kind)
    world.api.publish(open('a', 'b', 'c', 'd', 'e'))
    const busy = () => problemAnswer(429, 'rate-limited', { 'retry-after': '9' })
    world.api.faults.push(busy, undefined, busy, undefined, busy)
    expect((await world.complete()).counts.pages).toBe(3)
    expect(world.time.slept).toEqual([9000, 9000, 9000])
    world.expectEqual()
  })

  it('C155: a cursor that expires within a delta restarts it with updated_since = stored state', async () => {
    const world = syncWorld(kind)
    world.api.publish(open('a', 'b'))
    const { updatedSince } = await world.complete()
    world.api.publish(open('c', 'd', 'e'))
    world.api.asked.length = 0
    world.api.onRequest = (count) => {
      if (count === 2) world.api.now += dayMs + 1
    }
    const outcome = await world.complete()
    expect(outcome.counts.restarts).toBe(1)
    expect(world.api.asked[2]).toBe(`/v1/tenders?limit=2&updated_since=${updatedSince}`)
    expect(world.events).toContainEqual({ type: 'restart', reason: 'cursor-expired', updatedSince })
    world.expectEqual()
  })

  it('C160: if any call of the sink fails, before or after it took effect, the next run makes the copy equal', async () => {
    for (const when of ['before', 'after'] as const)
      for (let at = 0, isOver = false; !isOver; at++) {
        const world = syncWorld(kind)
        world.api.publish(open('a', 'b', 'c', 'd', 'e'))
        const first = crashingSink(world.sink, at, when)
        await world.run({ sink: first.sink })
        world.api.publish([
          { id: 'b', ...archived('expired') },
          { id: 'a', ...mergedInto('c') },
          { id: 'c', title: 'Survivor' },
        ])
        const second = crashingSink(world.sink, at, when)
        await world.run({ sink: second.sink })
        isOver = first.calls() <= at && second.calls() <= at
        // A resumed run ends with the edition that it was pinned to; the one after it with the newest.
        await world.complete()
        await world.complete()
        world.expectEqual()
        if (at > 100) throw new Error('the run never ends')
      }
  })

  it('G5: a run that restarts at a node that lags, and is interrupted there, does not go on behind what it wrote', async () => {
    for (const isFirst of [true, false])
      for (let at = 0; at < 12; at++)
        for (const when of ['before', 'after'] as const) {
          const world = syncWorld(kind)
          world.api.publish(open('a', 'b'))
          if (!isFirst) await world.complete()
          const before = world.api.publish(open('x'))
          // The target never held x: what ends it is passed by.
          const now = world.api.publish([{ id: 'x', ...archived('expired') }, ...open('c', 'd', 'e')])
          world.api.faults.push(undefined, () => problemAnswer(400, 'cursor-invalid'))
          const asked = world.api.asked.length
          world.api.onRequest = (count) => {
            world.api.newest = count === asked + 3 ? before : now
          }
          await world.run({ sink: crashingSink(world.sink, at, when).sink })
          world.api.onRequest = () => {}
          world.api.newest = now
          world.api.faults.length = 0
          await world.complete()
          world.expectEqual()
        }
  })

  it('G1: a first run that is interrupted, and whose cursor expires, leaves no record open that was archived in between', async () => {
    const world = syncWorld(kind)
    world.api.publish(open('a', 'b', 'c', 'd', 'e'))
    world.api.faults.push(undefined, undefined, () => problemAnswer(401, 'unauthorized'))
    expect(await world.run()).toMatchObject({ result: 'aborted', reason: 'problem' })
    world.api.publish([{ id: 'a', ...archived('awarded') }, { id: 'z' }])
    world.api.now += dayMs + 1
    await world.complete()
    expect(world.sink.records.get('a')?.status).not.toBe('open')
    world.expectEqual()
  })

  it('G1: … and when its cursor still lives, it is resumed at the page where it stopped', async () => {
    const world = syncWorld(kind)
    world.api.publish(open('a', 'b', 'c', 'd', 'e'))
    world.api.faults.push(undefined, undefined, () => problemAnswer(403, 'no-api-access'))
    const outcome = await world.run()
    const isKept = world.sink.commitsPages !== false
    expect(outcome).toMatchObject({ result: 'aborted', isResumable: isKept })
    world.api.publish([{ id: 'a', ...archived('awarded') }])
    world.api.asked.length = 0
    expect(await world.complete()).toMatchObject({ isResumed: isKept })
    expect(world.api.asked[0]!.includes('cursor=')).toBe(isKept)
    await world.complete()
    world.expectEqual()
  })

  it('G1: a first run shows nothing of itself before its end when the sink can stage', async () => {
    const world = syncWorld(kind)
    world.api.publish(open('a', 'b', 'c'))
    world.api.faults.push(undefined, () => problemAnswer(401, 'unauthorized'))
    await world.run()
    expect(world.ids()).toEqual(world.sink.canStage ? [] : ['a', 'b'])
  })

  it('G1: a first run into a target that is not empty, its state lost: the old records are closed, merged or gone with the staging', async () => {
    const world = syncWorld(kind)
    world.api.publish(open('a', 'b', 'c', 'd', 'e'))
    await world.complete()
    await world.states.clear()
    world.api.publish([
      { id: 'a', ...archived('awarded') },
      { id: 'b', ...mergedInto('c') },
      { id: 'c', title: 'Survivor' },
    ])
    await world.complete()
    expect([...world.sink.records.values()].filter(({ status }) => status === 'open').map(({ id }) => id)).toEqual(
      expect.arrayContaining(['c', 'd', 'e']),
    )
    expect(world.sink.records.get('a')?.status ?? 'gone').not.toBe('open')
    expect(world.sink.records.get('b')?.status ?? 'gone').not.toBe('open')
    world.expectEqual()
  })

  it('G4: other filters are refused, or rebuild the copy on request', async () => {
    const world = syncWorld(kind)
    world.api.publish([
      { id: 'a', cpvCodes: ['45000000'] },
      { id: 'b', cpvCodes: ['71000000'] },
    ])
    await world.complete({ filters: { cpv: ['45000000'] } })
    const stored = await world.states.load()
    world.api.asked.length = 0
    const refused = await world.run({ filters: { cpv: ['71000000'] } })
    expect(refused).toMatchObject({ result: 'aborted', reason: 'filters-changed' })
    expect(world.api.asked).toEqual([])
    expect(await world.states.load()).toEqual(stored)
    const outcome = await world.complete({ filters: { cpv: ['71000000'] }, onFilterChange: 'restart' })
    expect(outcome).toMatchObject({ kind: 'first' })
    expect(world.sink.records.has('b')).toBe(true)
    expect(world.sink.records.has('a')).toBe(!world.sink.canStage)
  })

  it('G5: a node that lags behind never moves the copy or the state back', async () => {
    const world = syncWorld(kind)
    world.api.publish(open('a', 'b'))
    world.api.publish([{ id: 'a', title: 'Second' }])
    const { updatedSince } = await world.complete()
    world.api.newest = 1
    expect((await world.complete()).updatedSince).toBe(updatedSince)
    // The node lags and delivers what the copy has in a newer form.
    world.api.newest = 1
    await world.states.save({ ...(await world.states.load())!, updatedSince: '2026-11-02T08:00:00.000Z' })
    await world.complete()
    expect(world.sink.records.get('a')?.title).toBe('Second')
  })

  it('C158: a merge reaches the sink after its survivor, wherever the list has it', async () => {
    for (const order of [
      ['loser', 'survivor'],
      ['survivor', 'loser'],
    ]) {
      const world = syncWorld(kind)
      world.api.publish(open('loser', 'p', 'q'))
      await world.complete()
      const merges: Merge[] = []
      const merge = world.sink.merge.bind(world.sink)
      world.sink.merge = async (all) => {
        for (const { into } of all) expect((await world.sink.held([into])).has(into)).toBe(true)
        merges.push(...all)
        await merge(all)
      }
      // So many others are published in between that the two are on different pages.
      const between = open('r', 's', 't', 'u', 'v')
      world.api.publish(
        order.flatMap((id, index) => [
          ...(index === 1 ? between : []),
          id === 'loser' ? { id, ...mergedInto('survivor') } : { id },
        ]),
      )
      await world.complete()
      expect(merges.map(({ record, into }) => [record.id, into])).toEqual([['loser', 'survivor']])
      world.expectEqual()
    }
  })

  it('C158: a merge survives an interruption before its survivor is delivered', async () => {
    const world = syncWorld(kind)
    world.api.publish(open('loser', 'p'))
    await world.complete()
    world.api.publish([{ id: 'loser', ...mergedInto('survivor') }, ...open('r', 's', 't'), { id: 'survivor' }])
    world.api.faults.push(undefined, () => problemAnswer(401, 'unauthorized'))
    expect(await world.run()).toMatchObject({ result: 'aborted' })
    if (world.sink.commitsPages !== false) expect((await world.states.load())?.run?.merges).toEqual(['loser'])
    await world.complete()
    expect(world.sink.records.get('loser')?.status).toBe('merged')
    world.expectEqual()
  })
})

describe('first runs into a copy that is not empty (G1)', () => {
  const many = Array.from({ length: 700 }, (_, number) => ({ id: `r${number}` }))

  it('more leftover records than can be requested one by one: a delta from the oldest follows at once', async () => {
    const world = syncWorld('direct', { limit: 100 })
    world.api.publish(many)
    await world.complete()
    await world.states.clear()
    world.api.publish([...many.map((record) => ({ ...record, ...archived('expired') })), { id: 'new' }])
    world.api.asked.length = 0
    expect((await world.complete()).counts.fetched).toBe(0)
    expect(world.events).toContainEqual({ type: 'left-over', records: 700 })
    expect(world.api.asked.length).toBeLessThan(20)
    world.expectEqual()
  })

  it('a resumed one does not know what it delivered, and reads all changes since', async () => {
    const world = syncWorld('direct')
    world.api.publish(open('a', 'b', 'c', 'd', 'e'))
    await world.complete()
    await world.states.clear()
    world.api.publish([{ id: 'a', ...archived('expired') }])
    world.api.faults.push(undefined, () => problemAnswer(401, 'unauthorized'))
    await world.run()
    await world.complete()
    world.expectEqual()
  })

  it('an answer by id from a node that lags does not count', async () => {
    const world = syncWorld('direct')
    world.api.publish(open('a', 'b', 'c'))
    await world.complete()
    await world.states.clear()
    const newest = world.api.publish([{ id: 'a', ...archived('expired') }])
    // The list comes from the newest edition, the record from an older one.
    world.api.faults.push(undefined, (url) => {
      world.api.newest = url.pathname.endsWith('/a') ? 1 : newest
      return undefined
    })
    world.api.onRequest = (count) => {
      if (count > 4) world.api.newest = newest
    }
    await world.complete()
    expect(world.api.asked.filter((path) => path.endsWith('/a'))).toHaveLength(1)
    world.expectEqual()
  })

  it('a staging that is gone while the state still names its cursor: the run restarts', async () => {
    const world = syncWorld('staged')
    world.api.publish(open('a', 'b', 'c', 'd', 'e'))
    world.api.faults.push(undefined, () => problemAnswer(401, 'unauthorized'))
    await world.run()
    await world.sink.discard()
    expect(await world.complete()).toMatchObject({ isResumed: false, counts: { records: 5 } })
    expect(world.events).toContainEqual({ type: 'restart', reason: 'staging-lost' })
    world.expectEqual()
  })
})

describe('merges (C158)', () => {
  it('a survivor that the filters leave out is fetched; chains are followed to their end', async () => {
    const world = syncWorld('direct')
    const cpvCodes = ['45000000']
    world.api.publish([{ id: 'loser', cpvCodes }, { id: 'middle' }, { id: 'last' }])
    await world.complete({ filters: { cpv: cpvCodes } })
    world.api.publish([
      { id: 'loser', cpvCodes, ...mergedInto('middle') },
      { id: 'middle', ...mergedInto('last') },
    ])
    await world.complete({ filters: { cpv: cpvCodes } })
    expect(world.ids()).toEqual(['last', 'loser'])
    expect(world.sink.records.get('loser')?.status).toBe('merged')
    expect(world.events.filter(({ type }) => type === 'survivor')).toEqual([
      { type: 'survivor', id: 'middle', isFound: true },
      { type: 'survivor', id: 'last', isFound: true },
    ])
  })

  it('a survivor that is archived and was never held is written as well', async () => {
    const world = syncWorld('staged')
    world.api.publish([{ id: 'loser' }, { id: 'done', ...archived('awarded') }])
    await world.complete()
    expect(world.ids()).toEqual(['loser'])
    world.api.publish([{ id: 'loser', ...mergedInto('done') }])
    await world.complete()
    expect(world.sink.records.get('done')?.status).toBe('awarded')
    expect(world.sink.records.get('loser')?.status).toBe('merged')
  })

  it('a survivor unknown to the API closes the record; nothing is fetched for records never held', async () => {
    const world = syncWorld('staged')
    world.api.publish(open('a'))
    await world.complete()
    world.api.publish([
      { id: 'a', ...mergedInto('nowhere') },
      { id: 'never-held', ...mergedInto('nowhere-else') },
    ])
    const outcome = await world.complete()
    expect(outcome.counts).toMatchObject({ fetched: 1, merged: 0 })
    expect(world.sink.records.get('a')?.status).toBe('merged')
    expect(world.ids()).toEqual(['a'])
  })
})

describe('the client’s clock (C149)', () => {
  it.each([-10, 0, 10])('shifted by %i years changes no request', async (years) => {
    const world = syncWorld()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026 + years, 0, 1) })
    world.api.publish(open('a', 'b', 'c'))
    await world.complete({ clock: () => years * 365 * dayMs })
    world.api.faults.push(() =>
      problemAnswer(429, 'x', {
        'retry-after': 'Mon, 02 Nov 2026 08:00:09 GMT',
        date: 'Mon, 02 Nov 2026 08:00:00 GMT',
      }),
    )
    await world.complete()
    world.api.publish(open('d'))
    await world.complete()
    expect(world.time.slept).toEqual([9000])
    expect(world.api.asked.map((path) => path.replace(/cursor=.*/, 'cursor'))).toEqual([
      '/v1/tenders?limit=2',
      '/v1/tenders?limit=2&cursor',
      '/v1/tenders?limit=2&updated_since=2026-11-02T08:00:00.003Z',
      '/v1/tenders?limit=2&updated_since=2026-11-02T08:00:00.003Z',
      '/v1/tenders?limit=2&updated_since=2026-11-02T08:00:00.003Z',
    ])
  })
})

describe('overlapping runs (C154)', () => {
  it('a second run into the same sink is skipped while the first is in progress', async () => {
    const world = syncWorld()
    world.api.publish(open('a', 'b', 'c'))
    let second: Promise<unknown> | undefined
    const first = await world.run({
      on: (event) => {
        if (event.type === 'page') second ??= world.run()
      },
    })
    expect(first.result).toBe('completed')
    expect(await second).toMatchObject({ result: 'skipped', counts: { pages: 0 } })
    expect(world.api.asked).toHaveLength(2)
    expect((await world.run()).result).toBe('completed')
  })

  it('a lock held by another process skips the run; every end releases it', async () => {
    const world = syncWorld()
    let isFree = false
    let released = 0
    const lock = {
      acquire: async () =>
        isFree
          ? {
              isHeld: async () => true,
              release: async () => {
                released++
              },
            }
          : undefined,
    }
    expect(await world.run({ lock })).toMatchObject({ result: 'skipped' })
    expect(world.api.asked).toEqual([])
    isFree = true
    await world.complete({ lock })
    world.api.faults.push(() => problemAnswer(401, 'unauthorized'))
    expect((await world.run({ lock })).result).toBe('aborted')
    expect(released).toBe(2)
  })

  it('a run whose lock was lost writes no more', async () => {
    const world = syncWorld('direct')
    world.api.publish(open('a', 'b', 'c'))
    let asked = 0
    const lock = { acquire: async () => ({ isHeld: async () => ++asked < 2, release: async () => {} }) }
    expect(await world.run({ lock })).toMatchObject({ result: 'aborted', reason: 'lock-lost' })
    expect(world.ids()).toEqual(['a', 'b'])
  })
})

describe('cursors', () => {
  it('a stored cursor refused for another reason than its age does not block later runs', async () => {
    for (const slug of ['cursor-invalid', 'cursor-filter-mismatch', 'malformed-request']) {
      const world = syncWorld()
      world.api.publish(open('a', 'b', 'c', 'd', 'e'))
      world.api.faults.push(undefined, () => problemAnswer(401, 'unauthorized'))
      await world.run()
      world.api.faults.push(() => problemAnswer(400, slug))
      await world.complete()
      expect(world.events).toContainEqual(expect.objectContaining({ type: 'restart', reason: 'cursor-refused' }))
      world.expectEqual()
    }
  })

  it('a server that refuses every cursor ends the run', async () => {
    const world = syncWorld()
    world.api.publish(open('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'))
    for (let index = 0; index < 20; index++)
      world.api.faults.push((url) =>
        url.searchParams.has('cursor') ? problemAnswer(400, 'cursor-expired') : undefined,
      )
    expect(await world.run()).toMatchObject({ result: 'aborted', reason: 'problem', counts: { restarts: 3 } })
  })

  it('a 400 that is not about the cursor stops the run at once with its text', async () => {
    const world = syncWorld()
    world.api.faults.push(() => problemAnswer(400, 'invalid-parameter'))
    const outcome = await world.run()
    expect(outcome).toMatchObject({ result: 'aborted', reason: 'problem', error: { slug: 'invalid-parameter' } })
    expect(world.api.asked).toHaveLength(1)
  })
})

describe('a feed that breaks its rules is not trusted', () => {
  const page =
    (times: readonly string[], nextCursor: string | null = null) =>
    () =>
      Response.json({
        data: times.map((time, index) => ({ id: `r${index}`, lastModified: time, status: 'open' })),
        nextCursor,
      })
  it.each<[string, (() => Response)[]]>([
    ['records out of order', [page(['2026-11-02T08:00:01.000Z', '2026-11-02T08:00:00.000Z'])]],
    ['a page before the one before it', [page(['2026-11-02T08:00:01.000Z'], 'x'), page(['2026-11-02T08:00:00.000Z'])]],
    ['the cursor of the same page', [page(['2026-11-02T08:00:01.000Z'], 'x'), page([], 'x')]],
    ['a time that is none', [page(['yesterday'])]],
    ['a record without a time', [() => Response.json({ data: [{ id: 'a' }], nextCursor: null })]],
    [
      'a record without an id',
      [() => Response.json({ data: [{ lastModified: '2026-11-02T08:00:01.000Z' }], nextCursor: null })],
    ],
  ])('%s', async (_, faults) => {
    const world = syncWorld()
    world.api.faults.push(...faults)
    expect(await world.run()).toMatchObject({ result: 'aborted', reason: 'feed' })
    expect((await world.states.load())?.updatedSince).toBeUndefined()
  })

  it('records from before updated_since: a proxy that drops the query would hide archived ones', async () => {
    const world = syncWorld()
    world.api.publish(open('a', 'b'))
    await world.complete()
    world.api.faults.push(page(['2020-01-01T00:00:00.000Z']))
    expect(await world.run()).toMatchObject({ result: 'aborted', reason: 'feed' })
  })
})

describe('an abort signal', () => {
  it('stops the run after the page in progress; the next one continues there', async () => {
    const world = syncWorld()
    world.api.publish(open('a', 'b', 'c', 'd', 'e'))
    const controller = new AbortController()
    const outcome = await world.run({
      signal: controller.signal,
      on: (event) => {
        if (event.type === 'page') controller.abort()
      },
    })
    expect(outcome).toMatchObject({ result: 'aborted', reason: 'signal', isResumable: true, counts: { pages: 1 } })
    expect(await world.complete()).toMatchObject({ isResumed: true, counts: { pages: 2 } })
    world.expectEqual()
  })
})

describe('filters and state', () => {
  it('C156: without content filters the requests carry none, whatever is filtered afterwards', async () => {
    const world = syncWorld()
    world.api.publish([{ id: 'a', cpvCodes: ['45000000'] }])
    await world.complete()
    world.api.publish([{ id: 'a', cpvCodes: ['71000000'] }])
    await world.complete()
    expect(world.api.asked.every((path) => /^\/v1\/tenders\?limit=2(&updated_since=[^&]+)?$/.test(path))).toBe(true)
    expect(world.sink.records.get('a')?.cpvCodes).toEqual(['71000000'])
  })

  it('the hash of filters ignores order, repetition and absent ones, and nothing else', async () => {
    const hash = await filterHash({ cpv: ['45000000', '71000000'], nuts: ['AT'] })
    expect(hash).toMatch(/^[0-9a-f]{32}$/)
    expect(
      await filterHash({
        nuts: ['AT', 'AT'],
        cpv: ['71000000', '45000000'],
        procedure: undefined,
        published_since: undefined,
      }),
    ).toBe(hash)
    expect(await filterHash({ cpv: ['45000000'], nuts: ['AT'] })).not.toBe(hash)
    expect(await filterHash({})).not.toBe(hash)
    expect(await filterHash({ cpv: [] })).toBe(await filterHash({}))
  })

  it('a stored state comes back unchanged; a damaged or newer one is refused', async () => {
    const state = {
      schema: 1,
      filterHash: 'x',
      updatedSince: '2026-11-02T08:00:00.000Z',
      run: { kind: 'delta', cursor: 'c', merges: ['m'] },
    }
    expect(parseState(JSON.parse(JSON.stringify(state)))).toEqual(state)
    for (const broken of [
      null,
      'x',
      [],
      {},
      { schema: 1 },
      { ...state, updatedSince: 5 },
      { ...state, run: { kind: 'x', cursor: 'c' } },
      { ...state, run: { kind: 'first', cursor: '' } },
      { ...state, run: { kind: 'delta', cursor: 'c', merges: [1] } },
    ])
      expect(() => parseState(broken)).toThrow('damaged')
    expect(() => parseState({ ...state, schema: 2 })).toThrow('newer version')
  })

  it('a state store that fails aborts the run; a missing one is a mistake of the program', async () => {
    const world = syncWorld()
    const state = { ...memoryState(), load: () => Promise.reject(new Error('disk')) }
    expect(await world.run({ state })).toMatchObject({ result: 'aborted', reason: 'sink', error: { message: 'disk' } })
    await expect(world.run({ state: undefined as never })).rejects.toThrow('keeps no state')
  })
})
