import { expect, test } from 'vitest'
import { firstDeadline, untilDeadline } from './first-deadline.ts'

const [early, late] = ['2026-12-01T11:00:00.000Z', '2026-12-20T11:00:00.000Z'] as const

test.each([
  [{}, undefined],
  [{ submissionDate: late }, { kind: 'submission', at: late }],
  [{ participationDate: late }, { kind: 'participation', at: late }],
  [
    { submissionDate: late, participationDate: early },
    { kind: 'participation', at: early },
  ],
  [
    { submissionDate: early, participationDate: late },
    { kind: 'submission', at: early },
  ],
  [
    { submissionDate: early, participationDate: early },
    { kind: 'submission', at: early },
  ],
])('the first deadline of %j', (dates, deadline) => {
  expect(firstDeadline(dates)).toEqual(deadline)
})

test.each([
  [{}, ''],
  [{ submissionDate: late }, ', for bids until 2026-12-20 11:00 UTC'],
  [{ submissionDate: late, participationDate: early }, ', to participate until 2026-12-01 11:00 UTC'],
  [{ submissionDate: early, timeZone: 'Europe/Berlin' }, ', for bids until 2026-12-01 12:00 CET'],
  [{ submissionDate: early, timeZone: 'Pacific/Tongatapu' }, ', for bids until 2026-12-02 00:00 GMT+13'],
  [{ submissionDate: early, timeZone: 'Pacific/Honolulu' }, ', for bids until 2026-12-01 01:00 GMT-10'],
  // a service may know a zone that this machine does not
  [{ submissionDate: early, timeZone: 'Mars/North' }, ', for bids until 2026-12-01 11:00 UTC'],
])('a line about a tender with %j', (dates, end) => {
  expect(untilDeadline(dates)).toBe(end)
})
