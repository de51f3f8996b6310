import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { dayMs, hourMs, joinDateTime, offsetMsAt, parseSourceDateTime, zoneOf } from './time.ts'

const zones = [...new Set(['DE', 'IE', 'PT', 'IS', 'NO', 'BR', 'US', 'NZ', 'IN', 'GL', 'AU', 'UA'].map(zoneOf))]

const formatters = new Map(
  [...zones, 'Europe/Berlin'].map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' }),
  ]),
)

/** The offset as the engine names it: `GMT`, `GMT+05:30`. */
function namedOffsetMs(zone: string, utcMs: number): number {
  const found = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(formatters.get(zone)!.format(utcMs))!
  if (found[1] === undefined) return 0
  return (found[1] === '-' ? -1 : 1) * (Number(found[2]) * hourMs + Number(found[3]) * 60_000)
}

test('clocks are ahead of UTC by as much as the engine says, even on days when they change (seed 5)', () => {
  const instant = fc.integer({ min: Date.UTC(2005, 0), max: Date.UTC(2035, 0) })
  fc.assert(
    fc.property(fc.constantFrom(...zones), instant, (zone, utcMs) => {
      expect(offsetMsAt(zone, utcMs)).toBe(namedOffsetMs(zone, utcMs))
    }),
    { seed: 5, numRuns: proofCount({ share: 1500, full: 20_000 }) },
  )
  // the last Sunday of March and of October in the European Union, 01:00 UTC
  for (const change of [Date.UTC(2025, 2, 30, 1), Date.UTC(2025, 9, 26, 1)])
    for (const ms of [-dayMs, -1, 0, dayMs])
      expect(offsetMsAt('Europe/Berlin', change + ms)).toBe(namedOffsetMs('Europe/Berlin', change + ms))
  expect(offsetMsAt('Europe/Berlin', Date.UTC(2025, 2, 30, 1))).toBe(2 * hourMs)
})

test('an hour may have one digit, a minute not', () => {
  expect(joinDateTime('2024-03-01', '9:05', 'Europe/Berlin', 'end-of-day')).toBe('2024-03-01T08:05:00.000Z')
  expect(joinDateTime('2024-03-01', '9:05:00Z', 'Europe/Berlin', 'end-of-day')).toBe('2024-03-01T09:05:00.000Z')
  expect(parseSourceDateTime('2024-03-01 9:05', 'Europe/Berlin', 'end-of-day')).toBe('2024-03-01T08:05:00.000Z')
  expect(joinDateTime('2024-03-01', '9:5', 'Europe/Berlin', 'end-of-day')).toBeUndefined()
})
