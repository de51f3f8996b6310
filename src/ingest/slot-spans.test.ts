import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { dayMs, hourMs, offsetMsAt, toInstant } from '../domain/time.ts'
import { dayStart, firstInstantOf, type SpanSlots, slotOf, spanAt, spanOfKey, spansBetween } from './slot-spans.ts'

const zones = [
  'Europe/Berlin',
  'Europe/London',
  'UTC',
  'America/Santiago', // skips midnight
  'America/Havana', // repeats midnight
  'Asia/Kathmandu',
  'Australia/Lord_Howe', // half an hour
  'Pacific/Apia', // skipped 2011-12-30
  'America/Sao_Paulo',
]
const anySlots = fc.oneof(
  fc.constantFrom<SpanSlots>(
    ...(['year', 'month', 'week', 'day'] as const).map((kind) => ({ kind, since: '2011-12-01' })),
  ),
  fc.constantFrom(1, 2, 3, 4, 6, 8, 12).map((hours): SpanSlots => ({ kind: 'hours', hours, since: '2011-12-01' })),
)
const anyInstant = fc.integer({ min: Date.UTC(2011, 11, 1), max: Date.UTC(2028, 0, 1) })

describe('spans of time', () => {
  test('every instant is in one span, whose key gives the same span back', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), anySlots, anyInstant, (zone, slots, ms) => {
        const span = spanAt(slots, zone, ms)
        expect(span.fromMs).toBeLessThan(span.toMs)
        // the clock may show the same hour twice: the instant is at most that much later than the span of its
        // wall-clock time
        if (slots.kind !== 'hours') {
          expect(span.fromMs).toBeLessThanOrEqual(ms)
          expect(ms).toBeLessThan(span.toMs)
        }
        expect(spanOfKey(slots, zone, span.key)).toEqual(span)
      }),
      { numRuns: proofCount({ share: 400, full: 10_000 }) },
    )
  })

  test('spans follow each other without gap and overlap, through every change of clocks', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), anySlots, anyInstant, (zone, slots, ms) => {
        const spans = [...spansBetween(slots, zone, ms, ms + (slots.kind === 'hours' ? 3 : 40) * dayMs)]
        expect(spans.length).toBeGreaterThan(0)
        for (const [index, span] of spans.entries()) {
          expect(span.toMs).toBeGreaterThan(span.fromMs)
          if (index > 0) expect(span.fromMs).toBe(spans[index - 1]!.toMs)
        }
        expect(new Set(spans.map(({ key }) => key)).size).toBe(spans.length)
      }),
      { numRuns: proofCount({ share: 200, full: 5000 }) },
    )
  })

  test('an instant that a wall-clock time gives shows that time, or the first one after a gap', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), anyInstant, (zone, wallMs) => {
        const ms = firstInstantOf(wallMs, zone)
        expect(ms + offsetMsAt(zone, ms)).toBeGreaterThanOrEqual(wallMs)
        const before = ms - 1
        expect(before + offsetMsAt(zone, before)).toBeLessThan(wallMs)
      }),
      { numRuns: proofCount({ share: 600, full: 20_000 }) },
    )
  })

  test("Berlin's days of the changes of clocks have 23 and 25 hours", () => {
    const day: SpanSlots = { kind: 'day', since: '2022-12-01' }
    const spring = spanOfKey(day, 'Europe/Berlin', '2026-03-29')!
    const autumn = spanOfKey(day, 'Europe/Berlin', '2026-10-25')!
    expect([spring.toMs - spring.fromMs, autumn.toMs - autumn.fromMs]).toEqual([23 * hourMs, 25 * hourMs])
    expect(slotOf(spring)).toEqual({
      key: '2026-03-29',
      from: '2026-03-28T23:00:00.000Z',
      to: '2026-03-29T22:00:00.000Z',
    })
    const hours: SpanSlots = { kind: 'hours', hours: 1, since: '2022-12-01' }
    const keys = (day: string) => {
      const from = dayStart(day, 'Europe/Berlin')
      return [...spansBetween(hours, 'Europe/Berlin', from, from + 20 * hourMs)]
        .slice(0, 4)
        .map(({ key }) => key.slice(-3))
    }
    expect(keys('2026-03-29')).toEqual(['T00', 'T01', 'T03', 'T04'])
    expect(keys('2026-10-25')).toEqual(['T00', 'T01', 'T02', 'T03'])
  })

  test('a day whose midnight is skipped begins when its clocks begin', () => {
    expect(toInstant(dayStart('2026-09-06', 'America/Santiago'))).toBe('2026-09-06T04:00:00.000Z')
    expect(toInstant(dayStart('2026-04-05', 'America/Santiago'))).toBe('2026-04-05T04:00:00.000Z')
  })

  test('keys are ISO 8601, and anything else has no span', () => {
    const key = (slots: SpanSlots, at: string) => spanAt(slots, 'UTC', Date.parse(at)).key
    const since = '2000-01-01'
    expect(key({ kind: 'week', since }, '2027-01-01T00:00:00Z')).toBe('2026-W53')
    expect(key({ kind: 'week', since }, '2025-12-29T00:00:00Z')).toBe('2026-W01')
    expect(key({ kind: 'month', since }, '2026-11-30T23:59:59Z')).toBe('2026-11')
    expect(key({ kind: 'hours', hours: 6, since }, '2026-11-30T23:59:59Z')).toBe('2026-11-30T18')
    for (const bad of ['', '2026-13', '2026-02-30', '2026-11-20T05', '2026-W54', '2026-11-20T06:00', 'feed', '2026'])
      expect(spanOfKey({ kind: 'hours', hours: 6, since }, 'UTC', bad), bad).toBeUndefined()
  })
})
