// What the API counts as read by an organization: records in the bodies that it sends, whichever way they go.
import { expect, test } from 'vitest'
import { startApi, startOfTests } from '../../../test/api-world.ts'
import { plainId } from '../../../test/memory-editions.ts'
import { UseCounter } from './use-counter.ts'

test('records of lists and single ones are counted with their bytes; a 304, a refusal and HEAD have none', async () => {
  const use = new UseCounter(() => startOfTests)
  await using world = await startApi({ use })
  world.editions.publish(
    startOfTests,
    Array.from({ length: 7 }, (_, index) => ({ id: plainId(index + 1) })),
  )
  const { get } = world
  const taken = () => {
    const { records = 0, bytes = 0, answered = 0 } = use.take()[0] ?? {}
    return { records, bytes, answered }
  }
  const plain = { 'accept-encoding': 'identity' }
  const list = await get('/v1/tenders?limit=5', plain)
  const bytes = (await list.arrayBuffer()).byteLength
  expect(taken()).toEqual({ records: 5, bytes, answered: 1 })
  const tag = list.headers.get('etag')!
  expect((await get('/v1/tenders?limit=5', { ...plain, 'if-none-match': tag })).status).toBe(304)
  expect((await get('/v1/tenders?limit=5', plain, 'HEAD')).status).toBe(200)
  expect((await get('/v1/tenders?limit=none', plain)).status).toBe(400)
  expect(taken()).toEqual({ records: 0, bytes: 0, answered: 3 })
  const record = await get(`/v1/tenders/${plainId(1)}`, plain)
  expect(taken()).toEqual({ records: 1, bytes: (await record.arrayBuffer()).byteLength, answered: 1 })
  expect((await get(`/v1/tenders/${plainId(99)}`, plain)).status).toBe(404)
  const long = await get(`/v1/tenders/${plainId(1)}`, { ...plain, connection: 'close' }, 'HEAD')
  expect([long.status, taken().records]).toEqual([200, 0])
  // compressed bytes are what was sent
  await (await get('/v1/tenders', { 'accept-encoding': 'gzip' })).arrayBuffer()
  const packed = taken()
  expect(packed.records).toBe(7)
  expect(packed.bytes).toBeGreaterThan(0)
})
