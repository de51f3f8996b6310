// Rounds with stages made for the test: which failure holds what back, what is stored, and how the pauses grow.
import { expect, test, vi } from 'vitest'
import type { RoundState } from '../../store/nodes/rounds.ts'
import { failureLine, whyFailing } from '../../store/nodes/rounds.ts'
import { workQueue } from '../control/work-queue.ts'
import { type RoundsOptions, startRounds } from './rounds.ts'

function openRounds(round: RoundsOptions['round'], more: Partial<RoundsOptions> = {}) {
  vi.useFakeTimers({ now: 1_000_000 })
  const stop = new AbortController()
  const sentences: string[] = []
  const kept: RoundState[] = []
  const rounds = startRounds({
    queue: workQueue(),
    clock: () => Date.now(),
    stop: stop.signal,
    everyMs: 30_000,
    round,
    before: undefined,
    keep: async (state) => void kept.push(state),
    dataFolder: '/data',
    onFailure: (sentence) => sentences.push(sentence),
    onRecovery: (failed) => sentences.push(`recovered after ${failed}`),
    ...more,
  })
  const end = async () => {
    stop.abort()
    await rounds.close()
    vi.useRealTimers()
  }
  return { rounds, sentences, kept, end }
}

test('a stage that fails is retried after pauses that double up to a minute, and reported once until it succeeds', async () => {
  const tries: number[] = []
  let isBroken = true
  const { rounds, sentences, kept, end } = openRounds(async (_, stage) => {
    await stage('publish', async () => {
      tries.push(Date.now())
      if (isBroken) throw new Error('planted\nwith more lines')
    })
  })
  await vi.advanceTimersByTimeAsync(300_000)
  const pauses = tries.slice(1).map((at, index) => (at - tries[index]!) / 1000)
  expect(pauses.slice(0, 6)).toEqual([1, 2, 4, 8, 16, 32])
  expect(new Set(pauses.slice(6))).toEqual(new Set([60]))
  expect(sentences).toEqual(['Publishing failed; retrying: planted'])
  expect(rounds.state()).toMatchObject({
    failedRounds: tries.length,
    lastFailure: { code: 'stage-failed', stage: 'publish', detail: 'planted' },
  })
  expect(rounds.state().lastRoundAt).toBeUndefined()
  expect(kept.at(-1)).toEqual(rounds.state())
  expect(failureLine(whyFailing(kept.at(-1), Date.now())!)).toBe(sentences[0])
  const failed = tries.length
  isBroken = false
  await vi.advanceTimersByTimeAsync(60_000)
  await rounds.first
  expect(sentences.at(-1)).toBe(`recovered after ${failed}`)
  expect(kept.at(-1)).toMatchObject({ failedRounds: 0, lastRoundAt: tries[failed], lastFailure: { detail: 'planted' } })
  expect(whyFailing(kept.at(-1), Date.now())).toBeUndefined()
  // the same failure after a success is news
  isBroken = true
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sentences.slice(1)).toEqual([`recovered after ${failed}`, sentences[0]])
  await end()
  expect(kept.at(-1)).toMatchObject({ isStopped: true })
})

test('a failure outside the main stages stops no other stage, and still counts as a failure of the round', async () => {
  let published = 0
  const { sentences, end, rounds } = openRounds(async (_, stage) => {
    await stage('estimate', () => Promise.reject(new Error('planted')), { isAside: true })
    await stage('publish', async () => void published++)
  })
  await vi.advanceTimersByTimeAsync(10)
  expect(published).toBe(1)
  expect(sentences).toEqual(['Estimating values failed; retrying: planted'])
  expect(rounds.state().failedRounds).toBe(1)
  await end()
})

test('a stage that fails stops those after it, and a database that stores nothing changes nothing', async () => {
  let published = 0
  const full = Object.assign(new Error('could not extend file "base/5/16384": No space left on device'), {
    code: '53100',
  })
  const { sentences, end, rounds } = openRounds(
    async (_, stage) => {
      await stage('consolidate', () => Promise.reject(full))
      await stage('publish', async () => void published++)
    },
    { keep: () => Promise.reject(full), before: { failedRounds: 2, lastRoundAt: 5, isStopped: false } },
  )
  await vi.advanceTimersByTimeAsync(10)
  expect(published).toBe(0)
  expect(sentences).toEqual([
    'Consolidating failed; retrying: The disk that holds /data is full; delete files there or enlarge it.',
  ])
  expect(rounds.state()).toMatchObject({
    failedRounds: 3,
    lastRoundAt: 5,
    lastFailure: { code: 'disk-full', stage: 'consolidate' },
  })
  await end()
})

test('rounds that stopped without a command are overdue; those of a stopped service are not', () => {
  const hour = 3_600_000
  const state = { failedRounds: 0, lastRoundAt: 0, isStopped: false }
  expect(whyFailing(state, 2 * hour)).toBeUndefined()
  expect(whyFailing(state, 4 * hour)).toEqual({ code: 'rounds-overdue', stage: null, detail: '' })
  expect(whyFailing({ ...state, isStopped: true }, 4 * hour)).toBeUndefined()
  expect(whyFailing(undefined, 4 * hour)).toBeUndefined()
})
