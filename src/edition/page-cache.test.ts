import { describe, expect, test } from 'vitest'
import type { ListResult } from './edition-reader.ts'
import { PageCache } from './page-cache.ts'
import type { PageBody } from './pieces.ts'

const listOf = (...positions: number[]): ListResult => ({ positions, next: null })
const bodyOf = (length: number): PageBody => ({ bytes: Buffer.alloc(length), finish: () => Buffer.alloc(0) })

/** Lists 1 to `count`, each with a body of 10,000 bytes. */
function filled(cache: PageCache, from: number, to: number): void {
  for (let number = from; number <= to; number++) {
    const list = listOf(number)
    cache.addList(`page ${number}`, list, 1)
    cache.addBody(list.positions, 1, 'gzip', bodyOf(10_000))
  }
}

describe('kept pages', () => {
  test('the very list, and its bytes by encoding and edition', () => {
    const cache = new PageCache(1e6)
    const list = listOf(1, 2)
    const body = bodyOf(5)
    cache.addList('question', list, 3)
    cache.addBody(list.positions, 3, 'gzip', body)
    expect(cache.list('question')).toBe(list)
    expect(cache.list('another')).toBeUndefined()
    expect(cache.body(list.positions, 3, 'gzip')).toBe(body)
    expect(cache.body(list.positions, 3, 'identity')).toBeUndefined()
    expect(cache.body(list.positions, 4, 'gzip')).toBeUndefined()
    expect(cache.body([1, 2], 3, 'gzip')).toBeUndefined()
    cache.addBody([7], 3, 'gzip', body)
    expect(cache.body([7], 3, 'gzip')).toBeUndefined()
    cache.clear()
    expect([cache.list('question'), cache.body(list.positions, 3, 'gzip'), cache.bytes]).toEqual([
      undefined,
      undefined,
      0,
    ])
  })

  test('stay within the bytes; what was asked again outlives what was asked once', () => {
    const cache = new PageCache(200_000)
    filled(cache, 1, 10)
    for (let number = 11; number <= 500; number++) {
      expect(cache.list('page 3')).toBeDefined()
      filled(cache, number, number)
      expect(cache.bytes).toBeLessThanOrEqual(200_000)
    }
    const kept = Array.from({ length: 500 }, (_, index) => index + 1).filter((number) => cache.list(`page ${number}`))
    expect(kept).toContain(3)
    expect(kept).toContain(500)
    expect(kept).not.toContain(4)
  })

  test('what is asked no more leaves, however often it was asked before', () => {
    const cache = new PageCache(100_000)
    filled(cache, 1, 1)
    for (let again = 0; again < 100; again++) cache.list('page 1')
    filled(cache, 2, 40)
    expect(cache.list('page 1')).toBeUndefined()
  })

  test('a page larger than all room is given to who asks for it now', () => {
    const cache = new PageCache(1000)
    const list = listOf(1)
    cache.addList('question', list, 1)
    cache.addBody(list.positions, 1, 'identity', bodyOf(5000))
    expect(cache.body(list.positions, 1, 'identity')).toBeDefined()
    filled(cache, 1, 1)
    expect(cache.list('question')).toBeUndefined()
  })
})
