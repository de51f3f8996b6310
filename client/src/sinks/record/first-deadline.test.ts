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
  [{ submissionDate: late }, ', until 2026-12-20'],
  [{ submissionDate: late, participationDate: early }, ', to participate until 2026-12-01'],
])('a line about a tender with %j', (dates, end) => {
  expect(untilDeadline(dates)).toBe(end)
})
