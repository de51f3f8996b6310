// The API while it is closed for maintenance.
import { expect, test } from 'vitest'
import { startApi, startOfTests } from '../../test/api-world.ts'
import { plainId } from '../../test/memory-editions.ts'

test('C137, D12, D14: maintenance is a 503 with its true end, which costs nobody anything and ends by itself', async () => {
  let until: number | undefined
  let now = startOfTests
  await using world = await startApi({
    maintenanceUntil: () => until,
    clock: () => now,
  })
  world.editions.publish(startOfTests, [{ id: plainId(1) }])
  const left = async () => Number((await world.get('/v1/tenders')).headers.get('x-ratelimit-remaining'))
  const before = await left()

  until = startOfTests + 1_234_500
  for (const [path, method] of [
    ['/v1/tenders', 'GET'],
    ['/v1/tenders?limit=1&cpv=45000000', 'HEAD'],
    [`/v1/tenders/${plainId(1)}`, 'GET'],
  ] as const) {
    const answer = await world.get(path, {}, method)
    expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '1235'])
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    if (method === 'HEAD') continue
    expect(await answer.json()).toMatchObject({
      type: `${world.docsUrl}/access#error-unavailable`,
      status: 503,
      detail: `The service is closed for maintenance until ${new Date(until).toISOString()}. Repeat the request in 1235 seconds.`,
      retryAfter: 1235,
    })
  }
  // for everybody; and a wrong token is not counted either
  expect((await world.get('/v1/tenders', { authorization: 'Bearer wrong' })).status).toBe(503)
  // a load balancer keeps its nodes: its own 503 would have no end time
  const ready = await world.get('/readyz')
  expect(ready.status).toBe(200)
  expect(await ready.json()).toMatchObject({ status: 'ready', maintenance: { until: new Date(until).toISOString() } })
  for (const path of ['/healthz', '/access', '/openapi.json']) expect((await world.get(path)).status).toBe(200)
  expect((await world.get('/v1/nothing')).status).toBe(404)

  now += 1_234_000
  expect((await world.get('/v1/tenders')).headers.get('retry-after')).toBe('1')
  now += 500
  // only this one counts
  expect(await left()).toBe(before - 1)
  expect(await (await world.get('/readyz')).json()).not.toHaveProperty('maintenance')
})
