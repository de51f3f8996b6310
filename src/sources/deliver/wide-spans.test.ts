// Spans that grow in quiet times and shrink at once in busy ones: whatever the volumes and the kills, every entry
// comes.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { nothingKept, readSlot, type Script } from '../../../test/testing/scripted-portal.ts'
import { dayMs, hourMs, minuteMs, toInstant } from '../../domain/time.ts'
import { source as findATender } from '../portals/gb/find-a-tender.ts'
import { fetchOf } from './fetch-of.ts'
import { afterFull, afterRead, cutSpan, joinSpans, nextWidthMs, type Span } from './halve-span.ts'

const start = Date.UTC(2025, 2, 1)
const slotOf = (from: number, to: number) => ({ key: 'any', from: toInstant(from), to: toInstant(to) })

/** A portal with entries at these times, which gives `most` of a window and says nothing of the others. */
function portalOf(times: readonly number[], most: number, name: 'from' | 'updatedFrom', list: 'items' | 'releases') {
  const asked: Span[] = []
  const until = name === 'from' ? 'to' : 'updatedTo'
  const msOf = (url: URL, parameter: string) => Date.parse(`${url.searchParams.get(parameter)!.replace('Z', '')}Z`)
  const script: Script = (_, url) => {
    const [from, to] = [msOf(url, name), msOf(url, until)]
    asked.push([from, to])
    const found = times.flatMap((time, index) =>
      time >= from && time < to ? [{ id: index, date: toInstant(time) }] : [],
    )
    return { body: JSON.stringify({ [list]: found.slice(0, most) }) }
  }
  return { asked, script }
}

test('any volumes, and kills at any request: nothing is skipped, and nothing is asked beside the slot', async () => {
  const hours = 12 * 24
  await fc.assert(
    fc.asyncProperty(
      // how many entries in how many hours, one after the other
      fc.array(fc.record({ hours: fc.integer({ min: 1, max: 90 }), each: fc.constantFrom(0, 0, 1, 3, 12) }), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.integer({ min: 2, max: 40 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 20 }),
      async (volumes, most, kills) => {
        const perHour = volumes
          .flatMap(({ hours: some, each }) => Array.from({ length: some }, () => each))
          .slice(0, hours)
        // never more at one second than the portal gives
        const times = perHour.flatMap((count, hour) =>
          Array.from({ length: count }, (_, index) => start + hour * hourMs + Math.floor((index * hourMs) / count)),
        )
        const { asked, script } = portalOf(times, most, 'from', 'items')
        const fetchSlot = fetchOf({
          kind: 'single',
          request: { url: 'https://portal.example/w?from={from:iso}&to={to:iso}' },
          entries: { format: 'json', at: '/items' },
          most,
        })
        const slot = slotOf(start, start + hours * hourMs)
        const kept = nothingKept()
        for (const killedAtRequest of kills) await readSlot(fetchSlot, script, { slot, kept, killedAtRequest })
        const { end } = await readSlot(fetchSlot, script, { slot, kept })
        expect(end).toEqual({ kind: 'complete' })
        expect(kept.documents.size).toBe(times.length)
        expect(kept.delivered).toBe(times.length)
        expect(asked.every(([from, to]) => from >= start && to <= start + hours * hourMs && from < to)).toBe(true)
      },
    ),
    { numRuns: proofCount({ share: 6, full: 1000 }) },
  )
})

test('a span is cut where a request can, not in an hour that is shown twice; neighbors are joined, others are not', () => {
  const span: Span = [start + 6 * hourMs, start + 9 * dayMs]
  expect(cutSpan(span, 30 * dayMs, 1, 'UTC')).toEqual([span])
  // three hours are not made eighteen, because midnight is a better place
  expect(cutSpan(span, 3 * hourMs, 1000, 'UTC')[0]).toEqual([span[0], span[0] + 3 * hourMs])
  expect(cutSpan(span, 3 * dayMs + 5 * minuteMs, 1000, 'UTC')[0]).toEqual([span[0], span[0] + 3 * dayMs])
  expect(cutSpan(span, 3 * dayMs, dayMs, 'UTC')[0]).toEqual([span[0], start + 3 * dayMs])
  // never less than the dates of the request tell apart, and never the rest for that
  expect(cutSpan(span, 3 * hourMs, dayMs, 'UTC')[0]).toEqual([span[0], start + dayMs])
  // the clocks of London show one to two o'clock twice
  const autumn = Date.UTC(2026, 9, 25)
  for (const minutes of [20, 61, 90, 110]) {
    const [first] = cutSpan([autumn - 30 * minuteMs, autumn + dayMs], minutes * minuteMs, 1000, 'Europe/London')
    expect(first![1] <= autumn - hourMs || first![1] === autumn + dayMs, String(minutes)).toBe(true)
  }
  expect(
    joinSpans([
      [1, 2],
      [2, 5],
      [6, 7],
    ]),
  ).toEqual([
    [1, 5],
    [6, 7],
  ])
})

test('the next span is half of a full one, grows while it is quiet, and ends before an hour that is known to be busy', () => {
  const week: Span = [0, 7 * dayMs]
  const full = afterFull([0, dayMs], [0, 12 * hourMs], 100, null)
  expect(nextWidthMs(week, 100, full)).toBe(12 * hourMs)
  const quiet = afterRead([0, 12 * hourMs], 0, 100, full)
  expect(nextWidthMs([12 * hourMs, 7 * dayMs], 100, quiet)).toBe(dayMs)
  // from noon to four it had 80: the next day is read up to noon, and no further than 70 are expected
  const busy = afterRead([12 * hourMs, 16 * hourMs], 80, 100, quiet)
  expect(busy.widthMs).toBeLessThan(4 * hourMs)
  const evening = afterRead([16 * hourMs, dayMs], 0, 100, busy)
  expect(nextWidthMs([dayMs, 7 * dayMs], 100, evening)).toBe(15 * hourMs)
  // known hours that become too full are as busy as that from then on
  const fuller = afterFull([dayMs, dayMs + 15 * hourMs], [dayMs, dayMs + 8 * hourMs], 100, evening)
  expect(nextWidthMs([dayMs, 7 * dayMs], 100, fuller)).toBeLessThan(15 * hourMs)
})

test('the past of Find a Tender needs two thirds of the requests of its windows in a busy month, and one in a quiet one', async () => {
  const [windows, past] = findATender.channels
  // a busy month: on working days from seven to nineteen o'clock, little in the evening, hardly anything on weekends
  const [from, to] = [start, Date.UTC(2025, 3, 1)]
  const times = Array.from({ length: (to - from) / hourMs }, (_, hour) => {
    const at = new Date(from + hour * hourMs)
    const isWeekend = at.getUTCDay() % 6 === 0
    const isOffice = at.getUTCHours() >= 7 && at.getUTCHours() < 19
    const count = isWeekend ? Number(at.getUTCHours() === 12) : isOffice ? 14 : Number(at.getUTCHours() % 4 === 0)
    return Array.from({ length: count }, (_unused, index) => from + hour * hourMs + index * 4 * minuteMs)
  }).flat()
  const read = async (channel: typeof windows, slots: readonly (readonly [number, number])[]) => {
    const { asked, script } = portalOf(times, 100, 'updatedFrom', 'releases')
    const kept = nothingKept()
    for (const [one, other] of slots) {
      kept.checkpoint = undefined
      await readSlot(fetchOf(channel.delivery), script, { slot: slotOf(one, other), kept })
    }
    expect(kept.documents.size).toBe(times.length)
    return asked.length
  }
  const byWindows = await read(
    windows,
    Array.from({ length: (to - from) / (6 * hourMs) }, (_, index) => [
      from + index * 6 * hourMs,
      from + (index + 1) * 6 * hourMs,
    ]),
  )
  const byMonth = await read(past!, [[from, to]])
  console.log(
    `requests for ${times.length} releases of a month: ${byWindows} by windows of 6 hours, ${byMonth} by growing ones`,
  )
  expect(byMonth).toBeLessThan(0.67 * byWindows)
  // and a month in which next to nothing is published
  const quiet = times.filter((_, index) => index % 60 === 0)
  const { asked, script } = portalOf(quiet, 100, 'updatedFrom', 'releases')
  await readSlot(fetchOf(past!.delivery), script, { slot: slotOf(from, to) })
  expect(asked).toHaveLength(1)
})
