import { expect, test } from 'vitest'
import { lot, notice } from '../../test/testing/generate/notices.ts'
import { withoutSentinelDates } from './sentinel-dates.ts'

test('deadlines of years that a form requires are no deadlines, in the notice and in its lots', () => {
  const [none, real] = ['2090-01-01T00:00:00.000Z', '2089-12-31T23:59:59.000Z'] as const
  for (const member of ['submissionDate', 'participationDate', 'interestDate', 'validityEnd'] as const) {
    const given = notice({ noticeKey: 'ted:1', [member]: none })
    expect(withoutSentinelDates(given)).toEqual(notice({ noticeKey: 'ted:1' }))
    const kept = notice({ noticeKey: 'ted:1', [member]: real })
    expect(withoutSentinelDates(kept)).toBe(kept)
  }
  expect(withoutSentinelDates(notice({ noticeKey: 'ted:1', submissionDate: '1900-01-01T00:00:00.000Z' }))).toEqual(
    notice({ noticeKey: 'ted:1' }),
  )
  const lots = [lot('1', { submissionDate: none }), lot('2', { submissionDate: real })]
  expect(withoutSentinelDates(notice({ noticeKey: 'ted:1', lots })).lots).toEqual([lot('1'), lots[1]])
})
