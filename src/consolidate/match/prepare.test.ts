import { describe, expect, test } from 'vitest'
import { at, lot, notice } from '../../../test/testing/generate/notices.ts'
import type { Notice } from '../../domain/notice.ts'
import { compareRecords } from './comparison.ts'
import { prepare } from './prepare.ts'

const recordOf = (...given: Partial<Notice>[]) =>
  prepare(
    'ted:1',
    given.map((each, number) => ({
      notice: notice({ noticeKey: `ted:${number + 1}`, ...each }),
      rowIds: [],
      sourceIds: [],
    })),
  )

describe('deadlines', () => {
  test('midnight of UTC or of the country is a day without an hour, and that day', () => {
    const dayOf = (submissionDate: string) => {
      const [deadline] = recordOf({ submissionDate }).deadlines
      return [new Date(deadline!.day * 86_400_000).toISOString().slice(0, 10), deadline!.isDateOnly]
    }
    // the last minute of the day in UTC is already the next day in Berlin
    expect(dayOf('2026-04-08T23:59:00.000Z')).toEqual(['2026-04-08', true])
    expect(dayOf('2026-04-08T21:59:59.000Z')).toEqual(['2026-04-08', true])
    expect(dayOf('2026-04-08T10:00:00.000Z')).toEqual(['2026-04-08', false])
  })

  test('of more than are kept, those of the newest notices stay', () => {
    const lots = (month: string) =>
      Array.from({ length: 8 }, (_, number) => lot(`${number}`, { submissionDate: at(`2026-${month}-1${number}`) }))
    const { deadlines } = recordOf({ lots: lots('02') }, { lots: lots('03') })
    expect(deadlines.map(({ minute }) => new Date(minute * 60_000).getUTCMonth() + 1)).toEqual(Array(8).fill(3))
  })
})

test('deadlines are near each other up to 45 days', () => {
  const relation = (other: string) =>
    compareRecords(
      recordOf({ submissionDate: '2026-03-01T10:00:00.000Z' }),
      recordOf({ submissionDate: `${other}T10:00:00.000Z` }),
    ).deadline
  expect([relation('2026-03-02'), relation('2026-04-15'), relation('2026-04-16')]).toEqual(['next-day', 'near', 'far'])
})

test('numbers are those of the first title: another language may write them as words', () => {
  expect(recordOf({ title: { de: 'Neubau von 3 Hallen', fr: '12 halles' } }).numbers).toEqual(['3'])
})

test('places are those of the notice, of its place of performance and of its lots', () => {
  const given = { nutsCodes: ['DE212'], place: { nutsCode: 'DE300' }, lots: [lot('1', { nutsCodes: ['DE600'] })] }
  expect(recordOf(given).nuts).toEqual(['DE212', 'DE300', 'DE600'])
})

test('texts of lots count as text of the notice', () => {
  const lots = [lot('1', { title: { de: 'Estrich' }, description: { de: '480 m² Zementestrich' } })]
  expect(recordOf({ description: { de: 'Umbau der Schule' }, lots }).descriptionWords).toEqual(
    expect.arrayContaining(['estrich', 'zementestrich', 'umbau']),
  )
})

test('a call that was published twice is as old as the first', () => {
  const { callDay, firstDay, lastDay } = recordOf(
    { publicationDate: at('2026-01-10') },
    { publicationDate: at('2026-02-10') },
  )
  expect(callDay).toBe(firstDay)
  expect(lastDay).toBe(firstDay! + 31)
})

test('publications are compared with the nearest one: a portal may have seen only the change', () => {
  const [first, change] = [{ publicationDate: at('2026-01-10') }, { publicationDate: at('2026-02-10') }] as const
  const daysBetween = (...others: Partial<Notice>[]) => compareRecords(recordOf(first, change), recordOf(...others))
  expect(daysBetween({ publicationDate: at('2026-02-11') }).publishedDaysApart).toBe(1)
  expect(daysBetween({ publicationDate: at('2026-01-11') }).publishedDaysApart).toBe(1)
  const late = recordOf({ publicationDate: at('2026-02-11') })
  expect(compareRecords(late, recordOf(first, change)).publishedDaysApart).toBe(1)
})
