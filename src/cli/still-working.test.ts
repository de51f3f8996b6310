import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CommandEvent } from '../service/events/command-event.ts'
import { openReporter } from './reporter.ts'
import { watchSilence } from './still-working.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

const note = (message: string): CommandEvent => ({ event: 'note', message })

/** A reporter, and what it wrote to both streams. */
function reporterFor({ json = false, isTerminal = false }) {
  const lines: string[] = []
  const screen = { write: (text: string) => void lines.push(text), isTerminal, hasColors: false }
  return { lines, reporter: openReporter({ json, out: screen, err: screen, clock: Date.now }) }
}

test('a person at a terminal sees the seconds, and the next line takes their place', () => {
  const { lines, reporter } = reporterFor({ isTerminal: true })
  const watched = watchSilence(reporter, 'Opening the stock')
  vi.advanceTimersByTime(2500)
  watched.emit(note('done'))
  expect(lines).toEqual([
    '\r\u001b[K  Opening the stock … 1 s',
    '\r\u001b[K  Opening the stock … 2 s',
    '\r\u001b[K',
    '  · done\n',
  ])
  vi.advanceTimersByTime(1000)
  expect(lines.at(-1)).toContain('… 1 s')
  watched.end()
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(5)
})

test('where lines are kept, there is one every ten seconds', () => {
  const { lines, reporter } = reporterFor({})
  const watched = watchSilence(reporter, 'Opening the stock', ({ event }) => event === 'note')
  vi.advanceTimersByTime(25_000)
  expect(lines).toEqual(['  Opening the stock: 10 s\n', '  Opening the stock: 20 s\n'])
  watched.emit(note('open'))
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(3)
})

test('programs see nothing of it', () => {
  const { lines, reporter } = reporterFor({ json: true })
  watchSilence(reporter, 'Opening the stock')
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([])
})
