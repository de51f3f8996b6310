// What the check every second reports to the state of a node.
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { openNodeState } from './node-state.ts'
import { watchReadiness } from './watch-readiness.ts'

afterEach(() => void vi.useRealTimers())

/** `sentences`: what was reported about the disk at each check. */
function watch({ dataFolder = '/nowhere', isLost = false, held = 3 } = {}) {
  const state = openNodeState()
  const sentences: (string | undefined)[] = []
  const { promise: isReported, resolve } = Promise.withResolvers<void>()
  const editions = { newest: { edition: held } as never, isLost, isReplaced: false }
  const now = 1_000_000
  const { look, close } = watchReadiness({
    editions,
    database: { newestKnown: () => 3, answeredAt: () => now },
    state: {
      ...state,
      report: (_topic, sentence) => {
        sentences.push(sentence)
        resolve()
      },
    },
    dataFolder,
    steadyClock: () => now,
    maxStalenessMs: 60_000,
  })
  onTestFinished(close)
  return { state, sentences, isReported, look, editions }
}

test('a node that lost records, or has none yet, is not ready before it is complete', () => {
  const lost = watch({ isLost: true })
  expect(lost.state.snapshot().unready).toBe('damaged')
  lost.editions.isLost = false
  lost.look()
  expect(lost.state.snapshot().unready).toBeUndefined()
  expect(watch({ held: 2 }).state.snapshot().unready).toBe('loading')
})

test('a full disk is named; one that cannot be checked is not', async () => {
  // has no size at all
  const full = watch({ dataFolder: '/proc' })
  await full.isReported
  expect(full.sentences).toEqual([
    expect.stringMatching(/has only 0 GB left \(low is below 1 GB\)\. Make room there\.$/),
  ])
  const unseen = watch()
  await unseen.isReported
  expect(unseen.sentences).toEqual([undefined])
})

test('the disk is checked again every ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { sentences } = watch()
  vi.advanceTimersByTime(20_000)
  vi.useRealTimers()
  await expect.poll(() => sentences).toEqual([undefined, undefined, undefined])
})
