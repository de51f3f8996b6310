// Proves that several readers on one machine share the limit exactly, and that one that dies takes no requests with it.
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Admission, windowMs } from '../../src/api/limits/limiter.ts'
import { createLimiterMemory, MemoryLimiter, releaseThread } from '../../src/api/limits/limiter-memory.ts'
import { seed } from '../testing/seed.ts'
import type { LimiterThreadTask } from './limiter-thread.ts'

// Words of `control`, as limiter-thread.ts reads them.
const timeWord = 0
const stopWord = 1
const goWord = 2

const threads = [0, 1, 2, 3]
const organizations = [
  { key: 'six hundred', limit: 600 },
  { key: 'hundred', limit: 100 },
]

/** Whole numbers below `bound`. */
const drawer = (seed: number) => {
  let state = seed | 1
  return (bound: number): number => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x3c6ef372
    return ((state ^ (state >>> 13)) >>> 0) % bound
  }
}

function startThread(workerData: LimiterThreadTask): Worker {
  return new Worker(new URL('./limiter-thread.ts', import.meta.url), { workerData, execArgv: [] })
}

/** Resolves with the message that matches. */
const said = (worker: Worker, wanted: (message: unknown) => boolean): Promise<unknown> =>
  new Promise((resolve, reject) => {
    worker.on('message', (message) => wanted(message) && resolve(message))
    worker.once('error', reject)
  })

type Take = { readonly at: number; readonly isAllowed: boolean }

function takesOf(notes: Int32Array, organization: number): Take[] {
  return [...notes.subarray(1, 1 + notes[0]!)]
    .filter((note) => ((note >> 1) & 1) === organization)
    .map((note) => ({ at: note >> 2, isAllowed: (note & 1) === 1 }))
}

/** How many of these moments, in order, lie in the 60 s that end with `at`. */
function countAt(moments: readonly number[], at: number): number {
  const upTo = (limit: number): number => {
    let low = 0
    let high = moments.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (moments[middle]! <= limit) low = middle + 1
      else high = middle
    }
    return low
  }
  return upTo(at) - upTo(at - windowMs)
}

/** All differences, limited to a few. */
const countsAt = (moments: readonly number[], times: readonly number[]): Set<number> =>
  new Set(times.map((at) => countAt(moments, at)))

/**
 * Never more than the limit in any 60 s; never a denial while fewer counted, except for `unknown` that were not
 * recorded.
 */
function judge(notes: readonly Int32Array[], index: number, unknown: number): { allowed: number[]; denied: number } {
  const { limit } = organizations[index]!
  const takes = notes.flatMap((each) => takesOf(each, index))
  const allowed = takes
    .filter(({ isAllowed }) => isAllowed)
    .map(({ at }) => at)
    .sort((a, b) => a - b)
  const denied = takes.filter(({ isAllowed }) => !isAllowed)
  const peak = Math.max(...countsAt(allowed, allowed))
  expect(peak).toBeLessThanOrEqual(limit)
  expect(peak).toBeGreaterThanOrEqual(limit - unknown)
  const least = Math.min(
    ...countsAt(
      allowed,
      denied.map(({ at }) => at),
    ),
  )
  expect(least).toBeGreaterThanOrEqual(limit - unknown)
  return { allowed, denied: denied.length }
}

describe('four threads that share a limit', () => {
  test('C121, C131: admit exactly the limit in any 60 s, and lose nothing', async () => {
    console.log(`seed ${seed}`)
    const draw = drawer(seed)
    const memory = createLimiterMemory()
    const control = new SharedArrayBuffer(16)
    const words = new Int32Array(control)
    const notes = threads.map(() => new SharedArrayBuffer(4 * 50_001))
    const workers = threads.map((thread) =>
      startThread({
        job: 'hammer',
        memory,
        thread,
        control,
        organizations,
        notes: notes[thread]!,
        dwell: 0,
        seed: draw(2 ** 31),
      }),
    )
    await Promise.all(workers.map((worker) => said(worker, (message) => message === 'done')))
    const counts = notes.map((each) => new Int32Array(each))
    for (const index of organizations.keys()) {
      const { allowed, denied } = judge(counts, index, 0)
      expect(allowed.length).toBeGreaterThan(5 * organizations[index]!.limit)
      expect(denied).toBeGreaterThan(1000)
      const { key, limit } = organizations[index]!
      const late = new MemoryLimiter({ memory, clock: () => words[timeWord]!, thread: 9 })
      const { remaining, isAllowed } = late.take(key, limit)
      expect(remaining).toBe(Math.max(0, limit - countAt(allowed, words[timeWord]!) - (isAllowed ? 1 : 0)))
    }
    expect(threads.reduce((sum, thread) => sum + releaseThread(memory, thread), 0)).toBe(0)
  })

  test('never give one organization two entries, even if all reach it at once', async () => {
    const control = new SharedArrayBuffer(16)
    const words = new Int32Array(control)
    const memory = createLimiterMemory({ organizations: 4000 })
    const many = Array.from({ length: 4000 }, (_, index) => ({ key: `organisation ${index}`, limit: 60 }))
    const workers = threads.map((thread) =>
      startThread({ job: 'once each', memory, thread, control, organizations: many }),
    )
    const done = workers.map((worker) => said(worker, (message) => message === 'done'))
    await Promise.all(workers.map((worker) => said(worker, (message) => message === 'ready')))
    Atomics.store(words, goWord, 1)
    Atomics.notify(words, goWord)
    await Promise.all(done)
    const late = new MemoryLimiter({ memory, clock: () => 0, thread: 9 })
    for (const { key, limit } of many) expect(late.take(key, limit).remaining).toBe(55)
  })

  test('continue if one of them is killed at any moment, and count every admitted request', async () => {
    const draw = drawer(seed)
    const memory = createLimiterMemory({ organizations: 2 })
    const control = new SharedArrayBuffer(16)
    const words = new Int32Array(control)
    const allNotes: Int32Array[] = []
    const present: { worker: Worker; notes: Int32Array }[] = []
    const start = (thread: number): void => {
      const notes = new SharedArrayBuffer(4 * 500_000)
      const worker = startThread({
        job: 'hammer',
        memory,
        thread,
        control,
        organizations,
        notes,
        dwell: 300,
        seed: draw(2 ** 31),
      })
      present[thread] = { worker, notes: new Int32Array(notes) }
      allNotes.push(present[thread].notes)
    }
    /** Lets every thread take this many more. */
    const progress = async (takes: number): Promise<void> => {
      const goals = present.map(({ notes }) => Atomics.load(notes, 0) + takes)
      while (present.some(({ notes }, thread) => Atomics.load(notes, 0) < goals[thread]!)) await nextTurn()
    }
    for (const thread of threads) start(thread)
    const kills = 10
    let freed = 0
    for (let kill = 0; kill < kills; kill++) {
      await progress(1 + draw(200))
      const thread = draw(threads.length)
      const { worker } = present[thread]!
      await worker.terminate()
      freed += releaseThread(memory, thread)
      start(thread)
    }
    await progress(200)
    Atomics.store(words, stopWord, 1)
    await Promise.all(present.map(({ worker }) => once(worker, 'exit')))
    console.log(`seed ${seed}: ${kills} killed, ${freed} of them held a lock`)
    for (const index of organizations.keys()) judge(allNotes, index, kills)
    expect(threads.reduce((sum, thread) => sum + releaseThread(memory, thread), 0)).toBe(0)
  })

  test.each([
    ['of an organisation', 'waits to be ended', 5, ['one', 'two', 'one'], 'one', { isAllowed: true, remaining: 58 }],
    ['of an organisation', 'exits', 5, ['one', 'two', 'one'], 'one', { isAllowed: true, remaining: 58 }],
    ['of the directory', 'waits to be ended', 1, ['one', 'two'], 'two', { isAllowed: true, remaining: 59 }],
  ] as const)(
    'wait for the lock %s that a dead thread held (%s), and no longer',
    async (_lock, how, room, keys, key, answer) => {
      const memory = createLimiterMemory({ organizations: room })
      const control = new SharedArrayBuffer(16)
      const common = { memory, control }
      const dying = startThread({
        ...common,
        job: 'die',
        how,
        thread: 0,
        organizations: keys.map((each) => ({ key: each, limit: 60 })),
      })
      const ended = once(dying, 'exit')
      await said(dying, (message) => message === 'holds')
      // With one slot, 'two' receives that of 'one' now, once the directory is free.
      if (room === 1) new Int32Array(control)[timeWord] = windowMs + 1000
      const asking = startThread({ ...common, job: 'ask', thread: 1, organizations: [{ key, limit: 60 }] })
      let admission: unknown
      const reply = said(asking, (message) => typeof message === 'object').then((message) => {
        admission = message
      })
      await said(asking, (message) => message === 'asks')
      if (how !== 'exits') await dying.terminate()
      await ended
      expect(admission).toBeUndefined()
      expect(releaseThread(memory, 0)).toBe(1)
      await reply
      expect(admission).toMatchObject(answer satisfies Partial<Admission>)
      expect(releaseThread(memory, 0)).toBe(0)
    },
  )
})

test('an entry whose owner died while it was being reassigned is used again', () => {
  fc.assert(
    fc.property(fc.nat(2), (entry) => {
      const memory = createLimiterMemory({ organizations: 3 })
      let now = 1000
      const limiter = new MemoryLimiter({ memory, clock: () => now, thread: 0 })
      for (const key of ['a', 'b', 'c']) limiter.take(key, 9)
      now += windowMs + 1000
      // the state "changing" of limiter-memory.ts
      new Int32Array(memory)[(128 + entry * 64) / 4 + 1] = 2
      const fresh = new MemoryLimiter({ memory, clock: () => now, thread: 1 })
      for (const key of ['a', 'b', 'c']) expect(fresh.take(key, 9).remaining).toBe(8)
      for (const key of ['a', 'b', 'c']) expect(fresh.take(key, 9).remaining).toBe(7)
    }),
  )
})
