import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { PageOrder } from './page-order.ts'

const page = (nextCursor: string | null, ...numbers: number[]): Buffer =>
  Buffer.from(
    JSON.stringify({
      data: numbers.map((number) => ({ id: `${number}`, lastModified: `2026-01-01T00:00:00.00${number}Z` })),
      nextCursor,
    }),
  )

test('C45 C46: a record repeated in a page or across pages is reported, compressed or not, and so are unreadable pages', () => {
  const order = new PageOrder()
  order.look('/v1/tenders?limit=3', {}, page('a', 1, 2, 3))
  order.look('/v1/tenders?limit=3&cursor=a', { 'content-encoding': 'gzip' }, gzipSync(page('b', 4, 5)))
  // requested once more
  order.look('/v1/tenders?limit=3&cursor=a', {}, page('c', 4, 5))
  order.look('/v1/tenders/4', {}, Buffer.from('{}'))
  expect(order.faults).toEqual([])
  order.look('/v1/tenders?limit=3&cursor=b', {}, page(null, 5, 6))
  order.look('/v1/tenders?limit=3', {}, page(null, 1, 2, 2))
  order.look('/v1/tenders', { 'content-encoding': 'gzip' }, gzipSync(page(null, 1)).subarray(0, 30))
  expect(order.faults).toHaveLength(3)
})
