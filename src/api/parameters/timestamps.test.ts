// Proves D22 to D24.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTimestamp } from './timestamps.ts'

const at = (text: string) => {
  const parsed = parseTimestamp(text)
  return 'floorMs' in parsed ? [parsed.floorMs, parsed.ceilMs] : parsed.code
}
const noon = Date.UTC(2026, 10, 2, 12)

describe('a timestamp', () => {
  test.each([
    ['2026-11-02T12:00:00Z', noon],
    ['2026-11-02t12:00:00z', noon],
    ['2026-11-02T12:00:00.000000000Z', noon],
    ['2026-11-02T14:00:00+02:00', noon],
    ['2026-11-02T06:30:00-05:30', noon],
    ['2026-11-02T12:00:00-00:00', noon],
    ['2026-11-02T12:00:00.25Z', noon + 250],
    ['1970-01-01T00:00:00Z', 0],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
  ])('D22: %s is read', (text, ms) => {
    expect(at(text)).toEqual([ms, ms])
  })

  test('D22: beyond the millisecond, "at or after" rounds up and "after" rounds down', () => {
    expect(at('2026-11-02T12:00:00.000000001Z')).toEqual([noon, noon + 1])
    expect(at('2026-11-02T12:00:00.9999Z')).toEqual([noon + 999, noon + 1000])
  })

  test.each([
    ['2026-11-02T12:00:00', 'timestamp-without-zone'],
    ['2026-11-02T12:00:00.5', 'timestamp-without-zone'],
    ['2026-11-02', 'timestamp-date-only'],
    ['2026-11-02T24:00:00Z', 'invalid-timestamp'],
    ['1969-12-31T23:59:59Z', 'timestamp-too-early'],
    ['1970-01-01T00:00:00+01:00', 'timestamp-too-early'],
    ['2026-02-29T00:00:00Z', 'invalid-timestamp'],
    ['2026-13-01T00:00:00Z', 'invalid-timestamp'],
    ['2026-11-02T12:00:60Z', 'invalid-timestamp'],
    ['2026-11-02T12:00:00+24:00', 'invalid-timestamp'],
    ['2026-11-02T12:00:00.Z', 'invalid-timestamp'],
    ['2026-11-02T12:00:00.1234567890Z', 'invalid-timestamp'],
    ['2026-11-02 12:00:00Z', 'invalid-timestamp'],
    ['2026-11-02T12:00Z', 'invalid-timestamp'],
    ['1793620800', 'invalid-timestamp'],
    ['2026-11-02T12:00:00  02:00', 'invalid-timestamp'],
    ['', 'invalid-timestamp'],
  ])('D22, D23: %s is refused as %s', (text, code) => {
    expect(at(text)).toBe(code)
  })

  test('D23: the detail of a date without a time holds the corrected value', () => {
    expect(parseTimestamp('2026-11-02')).toMatchObject({ detail: expect.stringContaining('2026-11-02T00:00:00Z') })
  })

  test.each([
    '2024-02-30',
    '2024-13-01',
    '1969-12-31',
    '2024-02-30T10:00:00',
    '2024-01-01T24:00:00',
    '2024-01-01T10:60:00',
  ])('D23: %s is never answered with a correction that would be refused in turn', (text) => {
    const { code, detail } = parseTimestamp(text) as { code: string; detail: string }
    expect(detail).not.toContain(text)
    expect(code).toBe(text.startsWith('1969') ? 'timestamp-too-early' : 'invalid-timestamp')
  })

  test('D24: one space in place of the offset is a plus that was decoded', () => {
    expect(at('2026-11-02T14:00:00.000 02:00')).toEqual([noon, noon])
  })

  test('D22: any moment with any offset and nine digits is compared exactly', () => {
    const max = Date.UTC(2100, 0, 1)
    fc.assert(
      fc.property(
        fc.integer({ min: 86_400_000, max }),
        fc.integer({ min: 0, max: 999_999 }),
        fc.integer({ min: -1439, max: 1439 }),
        (ms, nanos, offsetMinutes) => {
          const wall = new Date(ms + offsetMinutes * 60_000).toISOString()
          const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60]
          const pad = (value: number) => String(value).padStart(2, '0')
          const offset = `${offsetMinutes < 0 ? '-' : '+'}${pad(hours)}:${pad(minutes)}`
          const text = `${wall.slice(0, -1)}${String(nanos).padStart(6, '0')}${offset}`
          expect(at(text)).toEqual([ms, nanos === 0 ? ms : ms + 1])
        },
      ),
    )
  })
})
