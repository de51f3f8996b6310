import { expect, test } from 'vitest'
import { restsOfRun } from './hit-rounds.ts'

test('matching rests four times its work, one minute in all, and ends a rest when the service stops', async () => {
  const slept: number[] = []
  const stop = new AbortController()
  const rest = restsOfRun(stop.signal, async (ms) => {
    slept.push(ms)
  })
  for (const workedMs of [1000, 10_000, 3000, 500]) await rest(workedMs)
  expect(slept).toEqual([4000, 40_000, 12_000, 2000])
  await rest(1000)
  expect(slept.slice(4)).toEqual([2000])
  await rest(1000)
  expect(slept).toHaveLength(5)

  const endless = restsOfRun(stop.signal)(1e6)
  stop.abort()
  await endless
})
