import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { dayMs, hourMs, minuteMs } from '../domain/time.ts'
import { type DigestState, type DigestTerms, dayAt, digestDay, nextDigestAt, weekdays } from './digest-schedule.ts'

/** What the clocks of a zone show, according to Intl: `2026-03-29 03:00`. */
function wall(zone: string, at: number): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(at)
  const part = (type: string) => parts.find((each) => each.type === type)!.value
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`
}
const dateOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10)

/** Checks at intervals, and makes what is due. */
function simulate(terms: (at: number) => DigestTerms, from: number, to: number, lookMs = 5 * minuteMs) {
  let state: DigestState = { madeDay: dayAt(terms(from), from), madeAt: null }
  const made: { readonly at: number; readonly day: number }[] = []
  // asked again only for other terms or another state
  let asked: DigestTerms | undefined
  let due = 0
  for (let at = from; at < to; at += lookMs) {
    const now = terms(at)
    if (now !== asked) due = nextDigestAt(now, state)
    asked = now
    if (due > at) continue
    state = { madeDay: digestDay(now, state, at), madeAt: at }
    due = nextDigestAt(now, state)
    made.push({ at, day: state.madeDay })
  }
  return made
}

const zones = [
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/St_Johns',
  'America/Nuuk',
  'America/Havana',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Pacific/Chatham',
  'Pacific/Apia',
  'UTC',
] as const
const anyZone = fc.oneof(fc.constantFrom(...zones), fc.constantFrom(...Intl.supportedValuesOf('timeZone')))

describe('a daily digest', () => {
  const daily = (zone: string, hour: number) => {
    const terms: DigestTerms = { rhythm: 'daily', weekday: 'monday', zone, hour }
    return () => terms
  }

  test.each([
    // the clocks jump from 2 to 3
    ['Europe/Berlin', 2, '2026-03-29', '2026-03-29 03:00'],
    ['America/New_York', 2, '2026-03-08', '2026-03-08 03:00'],
    // and go through 2 twice
    ['Europe/Berlin', 2, '2026-10-25', '2026-10-25 02:00'],
    ['America/New_York', 1, '2026-11-01', '2026-11-01 01:00'],
    // half an hour, two hours, at midnight, and over the end of the day
    ['Australia/Lord_Howe', 2, '2026-10-04', '2026-10-04 02:30'],
    ['Antarctica/Troll', 2, '2026-03-29', '2026-03-29 03:00'],
    ['Africa/Cairo', 0, '2026-04-24', '2026-04-24 01:00'],
    ['America/Nuuk', 23, '2026-03-28', '2026-03-29 00:00'],
    // and at one minute past midnight
    ['America/St_Johns', 1, '2006-04-02', '2006-04-02 01:01'],
  ] as const)('in %s at %i on %s comes at %s', (zone, hour, date, expected) => {
    const noon = Date.parse(`${date}T12:00:00Z`)
    const made = simulate(daily(zone, hour), noon - 3 * dayMs, noon + 3 * dayMs, minuteMs)
    expect(made.filter(({ day }) => dateOf(day) === date).map(({ at }) => wall(zone, at))).toEqual([expected])
    expect(made.map(({ day }) => day)).toEqual(made.map((_, index) => made[0]!.day + index))
  })

  test('comes once for each day of any zone, at its hour or at the first moment after it', () => {
    fc.assert(
      fc.property(
        anyZone,
        fc.nat(23),
        fc.date({ min: new Date('2000-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
        (zone, hour, date) => {
          const from = Math.floor(date.getTime() / (15 * minuteMs)) * 15 * minuteMs
          const made = simulate(daily(zone, hour), from, from + 40 * dayMs)
          expect(made.map(({ day }) => day)).toEqual(made.map((_, index) => made[0]!.day + index))
          expect(made.length).toBeGreaterThanOrEqual(39)
          for (const { at, day } of made) {
            const due = `${dateOf(day)} ${String(hour).padStart(2, '0')}:00`
            expect(wall(zone, at) >= due).toBe(true)
            expect(wall(zone, at - 5 * minuteMs) < due).toBe(true)
          }
        },
      ),
      { numRuns: proofCount({ share: 15, full: 600 }) },
    )
  }, 300_000)

  test('after days without service comes once, and the next one at its hour again', () => {
    const berlin: DigestTerms = { rhythm: 'daily', weekday: 'monday', zone: 'Europe/Berlin', hour: 7 }
    const at = Date.parse('2026-11-20T09:30:00Z')
    const before: DigestState = { madeDay: dayAt(berlin, at) - 4, madeAt: null }
    expect(nextDigestAt(berlin, before)).toBeLessThan(at)
    const after = { madeDay: digestDay(berlin, before, at), madeAt: at }
    expect(dateOf(after.madeDay)).toBe('2026-11-20')
    expect(new Date(nextDigestAt(berlin, after)).toISOString()).toBe('2026-11-21T06:00:00.000Z')
  })

  test('counts for its own day, even if it is late in an hour that the clocks repeat', () => {
    // in St. John's the clocks went back at one minute past midnight
    const terms: DigestTerms = { rhythm: 'daily', weekday: 'monday', zone: 'America/St_Johns', hour: 0 }
    const at = Date.parse('2010-11-07T03:00:00Z')
    expect(wall(terms.zone, at)).toBe('2010-11-06 23:30')
    const state = { madeDay: dayAt(terms, at - hourMs), madeAt: null }
    expect(dateOf(state.madeDay)).toBe('2010-11-06')
    expect(nextDigestAt(terms, state)).toBe(Date.parse('2010-11-07T02:30:00Z'))
    expect(dateOf(digestDay(terms, state, at))).toBe('2010-11-07')
  })

  test('never comes twice for a day when its zone, hour or rhythm changes', () => {
    const terms = fc.record({
      rhythm: fc.constantFrom('daily' as const, 'weekly' as const),
      weekday: fc.constantFrom(...weekdays),
      zone: anyZone,
      hour: fc.nat(23),
    })
    fc.assert(
      fc.property(fc.array(terms, { minLength: 1, maxLength: 6 }), fc.nat(365), (list, start) => {
        const from = Date.parse('2026-01-01T00:00:00Z') + start * dayMs
        const spanMs = 31 * hourMs
        const made = simulate(
          (at) => list[Math.min(list.length - 1, Math.floor((at - from) / spanMs))]!,
          from,
          from + (list.length + 4) * spanMs,
          15 * minuteMs,
        )
        for (const [index, { day }] of made.entries()) if (index > 0) expect(day).toBeGreaterThan(made[index - 1]!.day)
      }),
      { numRuns: proofCount({ share: 50, full: 2000 }) },
    )
  }, 300_000)
})

test('a weekly digest comes on its weekday', () => {
  fc.assert(
    fc.property(anyZone, fc.nat(23), fc.nat(3000), fc.constantFrom(...weekdays), (zone, hour, start, weekday) => {
      const from = Date.parse('2020-01-01T00:00:00Z') + start * dayMs
      const terms: DigestTerms = { rhythm: 'weekly', weekday, zone, hour }
      const made = simulate(() => terms, from, from + 29 * dayMs, 15 * minuteMs)
      expect([4, 5]).toContain(made.length)
      for (const [index, { day }] of made.entries()) {
        expect(new Date(day * dayMs).getUTCDay()).toBe((weekdays.indexOf(weekday) + 1) % 7)
        expect(day).toBe(made[0]!.day + 7 * index)
      }
    }),
    { numRuns: proofCount({ share: 20, full: 1000 }) },
  )
}, 300_000)

test('immediate digests have an hour between them', () => {
  const terms: DigestTerms = { rhythm: 'atOnce', weekday: 'monday', zone: 'UTC', hour: 7 }
  const from = Date.parse('2026-11-22T00:10:00Z')
  const made = simulate(() => terms, from, from + dayMs, minuteMs)
  expect(made).toHaveLength(24)
  expect(made[0]!.at).toBe(from)
  for (const [index, { at }] of made.entries()) if (index > 0) expect(at - made[index - 1]!.at).toBe(hourMs)
})
