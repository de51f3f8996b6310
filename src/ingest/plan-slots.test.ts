import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { dayMs, hourMs, minuteMs, toInstant } from '../domain/time.ts'
import type { Fetch } from '../sources/fetch.ts'
import type { Channel, Slots, Source } from '../sources/source.ts'
import {
  defaultPastDays,
  horizonOf,
  isSpan,
  minuteOf,
  missingSlots,
  nextDueAt,
  nextTime,
  type SourceStart,
  settledAtOf,
  slotOfKey,
  urgencyOf,
} from './plan-slots.ts'
import { dayStart, type SpanSlots, spansBetween } from './slot-spans.ts'

// biome-ignore lint/correctness/useYield: never run here
const fetch: Fetch = async function* () {
  return { kind: 'complete' }
}

function sourceWith(channels: readonly Partial<Channel>[], zone = 'Europe/Berlin'): Source {
  const all = channels.map(
    (channel, index): Channel => ({
      name: `channel-${index}`,
      slots: { kind: 'feed' },
      delivery: { kind: 'own', fetch },
      ...channel,
    }),
  )
  return {
    id: 'de-made-up',
    title: 'Made up',
    publisher: 'Nobody',
    country: 'DE',
    homepage: 'https://made-up.example',
    license: { name: 'not stated' },
    zone,
    channels: all as [Channel, ...Channel[]],
    access: { kind: 'open' },
    politeness: {},
    expects: { silentAfterDays: 7, shape: [] },
    caveats: [],
  }
}

type Row = { dueAt: number | null; completedAt: number | null; failures: number }
type Reading = { readonly slot: string; readonly at: number }

/**
 * A service that runs only at the given times, each time until nothing is due; `read` returns how each reading ends.
 */
function runAt(
  source: Source,
  channel: Channel,
  start: SourceStart,
  times: readonly number[],
  endOf: (
    reading: Reading,
    count: number,
  ) => 'complete' | 'failed' | 'notYet' | 'short' | 'refused' | 'unchanged' = () => 'complete',
): { ledger: Map<string, Row>; readings: Reading[] } {
  const ledger = new Map<string, Row>()
  const readings: Reading[] = []
  const counts = new Map<string, number>()
  for (const now of times) {
    for (let round = 0; ; round += 1) {
      // plain comparisons: these run a million times
      if (round === 10_000) throw new Error('planning does not end')
      const waiting = [...ledger].filter(([key, row]) => {
        if (row.dueAt === null || row.completedAt !== null) return false
        return urgencyOf(channel, slotOfKey(source, channel, key)!, start) === 'backfill'
      })
      const known = { known: new Set(ledger.keys()), pastWaiting: waiting.length }
      for (const { slot, dueAt } of missingSlots(source, channel, start, known, now)) {
        if (ledger.has(slot)) throw new Error(`${slot} is planned twice`)
        ledger.set(slot, { dueAt, completedAt: null, failures: 0 })
      }
      const due = [...ledger].filter(([, row]) => row.dueAt !== null && row.dueAt <= now)
      if (due.length === 0) break
      for (const [key, row] of due) {
        const slot = slotOfKey(source, channel, key)!
        readings.push({ slot: key, at: now })
        const count = (counts.get(key) ?? 0) + 1
        counts.set(key, count)
        const end = endOf({ slot: key, at: now }, count)
        row.failures = end === 'failed' || end === 'short' || end === 'refused' ? row.failures + 1 : 0
        const next = nextDueAt(source, channel, slot, end, {
          startedAt: now,
          now,
          failures: row.failures,
          completedAt: row.completedAt,
          isPast: urgencyOf(channel, slot, start) === 'backfill',
        })
        if (next !== undefined && next <= now) throw new Error(`${key} after ${end} is due at once`)
        row.dueAt = next ?? null
        if (end === 'complete' || end === 'unchanged') row.completedAt = now
      }
    }
  }
  return { ledger, readings }
}

const zones = ['Europe/Berlin', 'America/Santiago', 'Asia/Tokyo', 'UTC']
const firstDay = Date.UTC(2026, 1, 1)
const spanSlots = fc.record({
  kind: fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'hours' as const),
  hours: fc.constantFrom(6, 12),
  since: fc.constantFrom('2025-12-10', '2026-01-20', '2026-03-20'),
  delayMs: fc.constantFrom(0, 9 * hourMs, 3 * dayMs),
  rereadDays: fc.constantFrom<number[]>([], [1, 7], [3]),
  isOpenRead: fc.boolean(),
})
/** Two hundred days with long and short pauses, across both clock changes. */
const someTimes = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 3 * dayMs }), fc.integer({ min: 1, max: 40 * dayMs })), {
    minLength: 1,
    maxLength: 40,
  })
  .map((pauses) => {
    const times: number[] = [firstDay]
    for (const pause of pauses) {
      const next = times.at(-1)! + pause
      if (next > firstDay + 300 * dayMs) break
      times.push(next)
    }
    return times
  })

describe('planning', () => {
  test('every span since the horizon is read when it is settled and at each reread, after any pauses; none before, none twice', () => {
    fc.assert(
      fc.property(spanSlots, fc.constantFrom(...zones), someTimes, (slots, zone, times) => {
        const source = sourceWith([{ slots }], zone)
        const [channel] = source.channels
        const start = { startedAt: firstDay, horizonMs: horizonOf(source, firstDay, undefined) }
        const { readings } = runAt(source, channel, start, times)
        const from = Math.max(start.horizonMs, dayStart(slots.since, zone))
        const end = times.at(-1)!
        const spans = [...spansBetween(slots as SpanSlots, zone, from, end)].filter((span) => span.toMs > from)
        const timesOf = Map.groupBy(readings, ({ slot }) => slot)
        for (const span of spans) {
          const settled = span.toMs + slots.delayMs
          const milestones = [settled, ...slots.rereadDays.map((days) => span.toMs + days * dayMs)].sort(
            (a, b) => a - b,
          )
          const read = (timesOf.get(span.key) ?? []).map(({ at }) => at)
          if (!slots.isOpenRead) {
            // the required readings: at the first run at or after each milestone, one for all that passed by then
            const expected = new Set<number>()
            let done = Number.NEGATIVE_INFINITY
            for (const milestone of milestones.filter((each) => each >= settled)) {
              const waking = times.find((time) => time >= milestone && time >= done)
              if (waking === undefined || done >= milestone) continue
              expected.add(waking)
              done = waking
            }
            // all milestones had passed by the only reading: one more look, unless the span was past at the start
            const isLate = expected.size === 1 && done >= milestones.at(-1)! && done < span.toMs + 45 * dayMs
            if (isLate && slots.rereadDays.length > 0 && span.toMs > firstDay - 3 * dayMs) {
              const waking = times.find((time) => time >= done + Math.min(...slots.rereadDays) * dayMs)
              if (waking !== undefined) expected.add(waking)
            }
            if (read.join() !== [...expected].join())
              expect(read, `${span.key} of ${JSON.stringify(slots)}`).toEqual([...expected])
          } else {
            if (read.some((at) => at < span.fromMs)) throw new Error(`${span.key} is read before it begins`)
            if (times.some((time) => time >= settled) && !read.some((at) => at >= settled))
              throw new Error(`${span.key} is never read after it is settled`)
          }
        }
        const keys = new Set(spans.map(({ key }) => key))
        expect(readings.filter(({ slot }) => !keys.has(slot))).toEqual([])
      }),
      { numRuns: proofCount({ share: 10, full: 600 }) },
    )
  })

  test('a span that fails, is short, refused or not published yet is retried, less and less often, and never forgotten', () => {
    for (const bad of ['failed', 'short', 'refused', 'notYet'] as const) {
      const isMissing = bad === 'short' || bad === 'notYet'
      // what is only missing becomes rare within months; failures follow the timetable within days
      const [badDays, pauseMs] = isMissing ? [100, 6 * hourMs] : [15, hourMs]
      const times = Array.from({ length: ((badDays + 20) * dayMs) / pauseMs }, (_, look) => firstDay + look * pauseMs)
      const source = sourceWith([{ slots: { kind: 'day', since: '2026-01-31' } }])
      const [channel] = source.channels
      const start = { startedAt: firstDay, horizonMs: dayStart('2026-01-31', source.zone) }
      const { readings, ledger } = runAt(source, channel, start, times, ({ slot, at }) =>
        slot === '2026-02-03' && at < firstDay + badDays * dayMs ? bad : 'complete',
      )
      const asked = readings.filter(({ slot }) => slot === '2026-02-03').map(({ at }) => at)
      expect(ledger.get('2026-02-03'), bad).toMatchObject({ dueAt: null })
      expect(asked.at(-1)!, bad).toBeGreaterThanOrEqual(firstDay + badDays * dayMs)
      const gaps = asked.slice(1).map((at, index) => at - asked[index]!)
      if (isMissing) {
        expect(Math.max(...gaps), bad).toBeGreaterThan(5 * dayMs)
        expect(asked.length, bad).toBeLessThan(250)
      } else expect(Math.max(...gaps), bad).toBeLessThanOrEqual(7 * hourMs)
    }
  })

  test('feeds and wholes are read immediately and then by their timetable, in the zone of the source', () => {
    const source = sourceWith([{ slots: { kind: 'whole' }, timetable: '30 9 * * 1-5' }])
    const [channel] = source.channels
    const friday = Date.parse('2026-03-27T10:00:00Z')
    // Monday after the change of clocks: 9:30 in Berlin is 7:30 UTC
    expect(toInstant(nextTime(source, channel, friday))).toBe('2026-03-30T07:30:00.000Z')
    const start = { startedAt: friday, horizonMs: friday }
    const quarterly = Array.from({ length: 4 * 24 * 7 }, (_, quarter) => friday + quarter * 15 * minuteMs)
    const { readings } = runAt(source, channel, start, quarterly)
    expect(readings.map(({ at }) => toInstant(at).slice(0, 16))).toEqual([
      '2026-03-27T10:00',
      '2026-03-30T07:30',
      '2026-03-31T07:30',
      '2026-04-01T07:30',
      '2026-04-02T07:30',
      '2026-04-03T07:30',
    ])
  })

  test('without a timetable a source is read once an hour, at a fixed minute', () => {
    const source = sourceWith([{}])
    const now = Date.parse('2026-11-21T08:00:00Z')
    const next = nextTime(source, source.channels[0], now)
    expect(new Date(next).getUTCMinutes()).toBe(minuteOf(source.id))
    expect(next - now).toBeLessThanOrEqual(hourMs)
    const minutes = Array.from({ length: 160 }, (_, index) => minuteOf(`source-${index}`))
    expect(new Set(minutes).size).toBeGreaterThan(40)
  })

  test('the past before the first run is filled newest first and a few spans at a time, as backfill', () => {
    const source = sourceWith([{ slots: { kind: 'day', since: '2022-12-01' } }])
    const [channel] = source.channels
    const start = { startedAt: firstDay, horizonMs: horizonOf(source, firstDay, '2022-01-01') }
    const planned = missingSlots(source, channel, start, { known: new Set(), pastWaiting: 0 }, firstDay)
    expect(planned.length).toBeLessThan(50)
    expect(planned.at(-1)!.slot).toBe('2026-02-01')
    expect(planned.every(({ slot }) => slot > '2025-12-01')).toBe(true)
    const urgencies = new Map(
      planned.map(({ slot }) => [slot, urgencyOf(channel, slotOfKey(source, channel, slot)!, start)]),
    )
    expect(urgencies.get('2026-01-31')).toBe('current')
    expect(urgencies.get('2026-01-20')).toBe('backfill')
    const { readings } = runAt(source, channel, start, [firstDay])
    expect(readings.map(({ slot }) => slot).sort()[0]).toBe('2022-12-01')
    expect(readings.findIndex(({ slot }) => slot < '2023-01-15')).toBeGreaterThan(readings.length - 100)
    expect(new Set(readings.map(({ slot }) => slot)).size).toBe(readings.length)
  })

  test('a backfill channel that ends leaves what came after it to the current one', () => {
    const source = sourceWith([
      { slots: { kind: 'month', since: '2022-01-01' } },
      { slots: { kind: 'year', since: '2012-01-01', until: '2022-01-01' }, role: 'backfill' },
    ])
    const slotsSince = (day: string) => {
      const start = { startedAt: firstDay, horizonMs: horizonOf(source, firstDay, day) }
      return source.channels.map((channel) =>
        runAt(source, channel, start, [firstDay, firstDay + 400 * dayMs])
          .readings.map(({ slot }) => slot)
          .sort(),
      )
    }
    const [months, years] = slotsSince('2019-05-01')
    expect(years).toEqual(['2019', '2020', '2021'])
    expect([months![0], months!.at(-1)]).toEqual(['2022-01', '2027-02'])
    const [later, none] = slotsSince('2023-05-01')
    expect(none).toEqual([])
    expect(later![0]).toBe('2023-05')
  })

  test('without a setting of the operator the past is 30 days', () => {
    const source = sourceWith([{ slots: { kind: 'day', since: '2022-12-01' } }])
    const start = { startedAt: firstDay, horizonMs: horizonOf(source, firstDay, undefined) }
    const { readings } = runAt(source, source.channels[0], start, [firstDay])
    expect(readings.map(({ slot }) => slot).sort()[0]).toBe('2026-01-02')
    expect(defaultPastDays).toBe(30)
  })

  test('a backfill channel reads up to the first run, the current one from there on; together they skip no day', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2026, 1, 1), max: Date.UTC(2026, 11, 31) }),
        fc.constantFrom(0, 6 * dayMs, 40 * dayMs),
        (startedAt, delayMs) => {
          const source = sourceWith([
            { slots: { kind: 'day', since: '2022-01-01', delayMs: 9 * hourMs } },
            { slots: { kind: 'month', since: '2022-01-01', delayMs }, role: 'backfill' },
          ])
          const start = { startedAt, horizonMs: horizonOf(source, startedAt, '2025-06-01') }
          const read = source.channels.map((channel) =>
            runAt(source, channel, start, [startedAt, startedAt + 45 * dayMs]).readings.map(({ slot }) => slot),
          ) as [string[], string[]]
          const months = new Set(read[1])
          const days = new Set(read[0])
          for (let day = Date.UTC(2025, 5, 1); day < startedAt + 43 * dayMs; day += dayMs) {
            const key = toInstant(day).slice(0, 10)
            const count = Number(days.has(key)) + Number(months.has(key.slice(0, 7)))
            if (count !== 1) throw new Error(`${key} from ${toInstant(startedAt)} is read ${count} times`)
          }
        },
      ),
      { numRuns: proofCount({ share: 8, full: 600 }) },
    )
  })

  test('a reading that began before a span was settled does not count as its last', () => {
    const slots: Slots = { kind: 'day', since: '2026-01-01', delayMs: hourMs, isOpenRead: true }
    const source = sourceWith([{ slots }])
    const [channel] = source.channels
    const slot = slotOfKey(source, channel, '2026-02-03')!
    const settled = settledAtOf(source, channel, slot)
    const times = { startedAt: settled - 1, now: settled + hourMs, failures: 0, completedAt: null, isPast: false }
    expect(nextDueAt(source, channel, slot, 'complete', times)).toBeLessThanOrEqual(times.now + hourMs)
    expect(nextDueAt(source, channel, slot, 'complete', { ...times, startedAt: settled })).toBeUndefined()
    expect(isSpan(slots)).toBe(true)
  })

  test('a short slot is reread soon four times, then the more rarely the older it is', () => {
    const slots: Slots = { kind: 'day', since: '2025-01-01' }
    const source = sourceWith([{ slots }])
    const [channel] = source.channels
    const slot = slotOfKey(source, channel, '2025-02-03')!
    const now = settledAtOf(source, channel, slot) + 80 * dayMs
    const waitAfter = (failures: number) =>
      nextDueAt(source, channel, slot, 'short', { startedAt: now, now, failures, completedAt: null, isPast: false })! -
      now
    expect(waitAfter(4)).toBe(2 * hourMs)
    expect(waitAfter(5)).toBe(10 * dayMs)
  })

  test('a span that was first read after all its rereads is read once more, unless it is long past', () => {
    const slots: Slots = { kind: 'day', since: '2026-01-01', rereadDays: [1, 7] }
    const source = sourceWith([{ slots }])
    const [channel] = source.channels
    const slot = slotOfKey(source, channel, '2026-02-03')!
    const late = settledAtOf(source, channel, slot) + 10 * dayMs
    const times = { startedAt: late, now: late, failures: 0, completedAt: null, isPast: false }
    const again = nextDueAt(source, channel, slot, 'complete', times)
    expect(again).toBe(late + dayMs)
    const second = { startedAt: again!, now: again!, failures: 0, completedAt: late, isPast: false }
    expect(nextDueAt(source, channel, slot, 'complete', second)).toBeUndefined()
    expect(nextDueAt(source, channel, slot, 'complete', { ...times, isPast: true })).toBeUndefined()
    const past = { ...times, startedAt: late + 40 * dayMs, now: late + 40 * dayMs }
    expect(nextDueAt(source, channel, slot, 'complete', past)).toBeUndefined()
  })
})
