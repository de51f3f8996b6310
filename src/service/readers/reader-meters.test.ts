// The counts of several readers combined, including those that died.
import { expect, test } from 'vitest'
import { durationBounds, RequestCounts } from '../../api/request-counts.ts'
import { ReaderMeters } from './reader-meters.ts'

test('counts of all threads are added by route and status, also those of a thread that was replaced', () => {
  const meters = new ReaderMeters()
  meters.showThreads(() => [2])
  const count = (thread: number, status: number, seconds: number) =>
    new RequestCounts(meters.memoryOf(thread)).count('/v1/tenders', status, seconds)
  count(1, 200, 0.0001)
  count(1, 200, 0.002)
  count(2, 200, 0.002)
  count(2, 404, 20)
  meters.noteDeath()
  // the next thread with its number continues
  count(1, 200, 0.25)
  const buckets = (counts: { readonly [bound: number]: number }) =>
    [...durationBounds, Number.POSITIVE_INFINITY].map((bound) => counts[bound] ?? 0)
  expect(meters.requests()).toEqual([
    {
      route: '/v1/tenders',
      status: 200,
      buckets: buckets({ 0.0005: 1, 0.0025: 2, 0.25: 1 }),
      seconds: expect.closeTo(0.2541, 6),
    },
    { route: '/v1/tenders', status: 404, buckets: buckets({ [Number.POSITIVE_INFINITY]: 1 }), seconds: 20 },
  ])
  expect([meters.deaths, meters.alive().map(({ thread }) => thread)]).toEqual([1, [2]])
  expect(meters.noRequests).toEqual(buckets({}))
})
