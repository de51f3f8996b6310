// What a thread does again and again, by one timer.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { afterTicks, every } from './clock.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('everything of whole seconds shares one timer, also what begins later', () => {
  const calls: string[] = []
  const ends = [every(1000, () => calls.push('one'))]
  vi.advanceTimersByTime(400)
  ends.push(every(2000, () => calls.push('two')))
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(600)
  expect(calls).toEqual(['one'])
  vi.advanceTimersByTime(1000)
  expect(calls).toEqual(['one', 'one', 'two'])
  ends[0]!()
  vi.advanceTimersByTime(2000)
  expect(calls).toEqual(['one', 'one', 'two', 'two'])
  ends[1]!()
  expect(vi.getTimerCount()).toBe(0)
})

test('parts of a second have a timer of their own', () => {
  let calls = 0
  const end = every(250, () => calls++)
  vi.advanceTimersByTime(1000)
  expect(calls).toBe(4)
  end()
  expect(vi.getTimerCount()).toBe(0)
})

test('work that begins other work, or ends itself, changes nothing for the rest of the second', () => {
  const calls: string[] = []
  const endFirst = every(1000, () => {
    calls.push('first')
    endFirst()
    endLater = every(1000, () => calls.push('later'))
  })
  let endLater = () => {}
  const endSecond = every(1000, () => calls.push('second'))
  vi.advanceTimersByTime(1000)
  expect(calls).toEqual(['first', 'second'])
  vi.advanceTimersByTime(1000)
  expect(calls.slice(2)).toEqual(['second', 'later'])
  endLater()
  endSecond()
})

test('a wait ends with its time or its signal, and leaves nothing behind', async () => {
  const stop = new AbortController()
  const waits = [afterTicks(1000, stop.signal), afterTicks(60_000, stop.signal)]
  vi.advanceTimersByTime(1000)
  await waits[0]
  expect(vi.getTimerCount()).toBeGreaterThan(0)
  stop.abort()
  await waits[1]
  await afterTicks(1000, stop.signal)
  expect(vi.getTimerCount()).toBe(0)
})
