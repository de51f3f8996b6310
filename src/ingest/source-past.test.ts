// How long the rest of the past takes, by readings and by the card.
import { expect, test } from 'vitest'
import type { SourcePast } from '../domain/source-state.ts'
import { dayMs, minuteMs } from '../domain/time.ts'
import { loadSources } from '../sources/registry.ts'
import type { PastFacts } from '../store/sources/source-past.ts'
import { pastOf, wholePast } from './source-past.ts'

const sources = await loadSources()
const findATender = sources.get('gb-find-a-tender')!
/** Without the channel that reads the past in months. */
const uk = { ...findATender, channels: [findATender.channels[0]] as const }
const startedAt = Date.UTC(2026, 10, 30)
/** Windows of six hours from 2022 to three days before the first run. */
const windows = ((startedAt - 3 * dayMs - Date.UTC(2022, 0, 1)) / dayMs) * 4
const facts: PastFacts = {
  sourceId: uk.id,
  channel: 'windows',
  read: 0,
  oldest: null,
  waiting: null,
  recent: 0,
  busyMs: 0,
}

test('before the first reading of the past, the card says how long it takes at least', () => {
  // a request every 10 s, of which the past gets a quarter
  expect(pastOf(uk, startedAt, [])).toMatchObject({ readBackTo: null, spansLeft: windows, isMeasured: false })
  expect(pastOf(uk, startedAt, [])!.daysLeft).toBeCloseTo((windows * 40_000) / dayMs, 6)
  // fewer than five readings are too few to go by
  for (const [recent, isMeasured] of [
    [4, false],
    [5, true],
  ] as const)
    expect(pastOf(uk, startedAt, [{ ...facts, read: 3, recent, busyMs: 1 }])).toMatchObject({ isMeasured })
})

test('a month of a portal that gives a hundred entries at a time takes as many requests as it has hundreds', () => {
  const past = pastOf(findATender, startedAt, [])!
  expect(past).toMatchObject({ spansLeft: 58 + 26 * 4, isMeasured: false })
  // 173 a day by its card, so 53 requests a month; then 26 days of this one in windows
  expect(past.daysLeft).toBeGreaterThan((58 * 50 * 40_000) / dayMs)
  expect(past.daysLeft).toBeLessThan(((58 * 56 + 26 * 4) * 40_000) / dayMs)
})

test('then what the readings took, down to none, and everything is there from the oldest without a gap', () => {
  const half = pastOf(uk, startedAt, [
    { ...facts, read: 1000, oldest: '2025-01-01T00', waiting: '2026-03-19T18', recent: 100, busyMs: 100 * minuteMs },
  ])!
  expect(half).toMatchObject({ spansLeft: windows - 1000, isMeasured: true, readBackTo: Date.UTC(2026, 2, 20) })
  expect(half.daysLeft).toBeCloseTo(((windows - 1000) * minuteMs) / dayMs, 6)
  const done = pastOf(uk, startedAt, [{ ...facts, read: windows, oldest: '2022-01-01T00' }])
  expect(done).toEqual({
    sourceId: uk.id,
    readBackTo: Date.UTC(2022, 0, 1),
    spansLeft: 0,
    daysLeft: 0,
    isMeasured: true,
  })
})

test('a year of months is twelve spans, although months differ in length', () => {
  const ted = sources.get('ted')!
  const months = ted.channels.find(({ slots }) => slots.kind === 'month')!
  const left = (at: number): number => pastOf({ ...ted, channels: [months] }, at, [])!.spansLeft
  expect(left(Date.UTC(2027, 10, 30)) - left(Date.UTC(2026, 10, 30))).toBe(12)
  for (let month = 0; month < 12; month++)
    expect(left(Date.UTC(2026, month + 1, 28)) - left(Date.UTC(2026, month, 28)), `${month}`).toBe(1)
})

test('a source that is read whole has no spans; the package of a portal that ended is no past of another', () => {
  const whole = [...sources.values()].find(({ channels }) => channels.every(({ slots }) => slots.kind === 'whole'))!
  expect(pastOf(whole, startedAt, [])).toBeUndefined()
  for (const source of sources.values()) {
    const past = pastOf(source, startedAt, [])
    if (past) expect(past.spansLeft, source.id).toBeGreaterThan(0)
  }
})

test('hosts are read at the same time, and sources of one host take turns', () => {
  const past = (sourceId: string, daysLeft: number): SourcePast => ({
    sourceId,
    readBackTo: null,
    spansLeft: daysLeft,
    daysLeft,
    isMeasured: true,
  })
  expect(wholePast([past('ted', 3), past('doe', 2), past('gb-find-a-tender', 0)], sources)).toEqual({
    daysLeft: 3,
    done: 1,
    sources: 3,
    last: 'ted',
  })
  expect(wholePast([past('ted', 0)], sources)).toEqual({ daysLeft: 0, done: 1, sources: 1, last: null })
})
