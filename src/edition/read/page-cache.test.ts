import { describe, expect, test } from 'vitest'
import type { PageBody } from '../format/pieces.ts'
import type { ListResult } from './edition-view.ts'
import { PageBuffers } from './page-buffers.ts'
import { PageCache } from './page-cache.ts'

const listOf = (...positions: number[]): ListResult => ({ positions, next: null })
const bodyOf = (length: number): PageBody => ({ bytes: Buffer.alloc(length), finish: () => Buffer.alloc(0) })

/**
 * Requests the pages one after the other, as a client does: each has a body of 10,000 bytes. Returns how many were
 * kept.
 */
function askInTurn(cache: PageCache, from: number, to: number, edition = 1): number {
  let kept = 0
  for (let number = from; number <= to; number++) {
    const key = `${edition}: page ${number}`
    let list = cache.list(key)
    if (list === undefined) {
      list = listOf(number)
      cache.offer(key, list, edition)
    }
    if (cache.body(list.positions, edition, 'gzip')) kept++
    else if (cache.hasRoom(list.positions, edition, 10_000)) cache.addBody(list.positions, 'gzip', bodyOf(10_000))
    expect(cache.bytes).toBeLessThanOrEqual(200_000)
  }
  return kept
}

describe('kept pages', () => {
  test('are the same list, and its bytes by encoding and edition', () => {
    const cache = new PageCache(1e6)
    const list = listOf(1, 2)
    const body = bodyOf(5)
    cache.offer('question', list, 3)
    expect(cache.hasRoom(list.positions, 3, 5)).toBe(true)
    cache.addBody(list.positions, 'gzip', body)
    expect(cache.list('question')).toBe(list)
    expect(cache.list('another')).toBeUndefined()
    expect(cache.body(list.positions, 3, 'gzip')).toBe(body)
    expect(cache.body(list.positions, 3, 'identity')).toBeUndefined()
    expect(cache.body(list.positions, 4, 'gzip')).toBeUndefined()
    expect(cache.body([1, 2], 3, 'gzip')).toBeUndefined()
    expect([cache.hasRoom([1, 2], 3, 5), cache.hasRoom(list.positions, 4, 5)]).toEqual([false, false])
    cache.clear()
    expect([cache.list('question'), cache.body(list.positions, 3, 'gzip'), cache.bytes]).toEqual([
      undefined,
      undefined,
      0,
    ])
  })

  test('the first of more pages than fit, requested in a cycle, stay and serve', () => {
    const cache = new PageCache(200_000)
    askInTurn(cache, 1, 100)
    for (let round = 0; round < 5; round++) expect(askInTurn(cache, 1, 100)).toBeGreaterThanOrEqual(14)
  })

  test('a page that is requested often is admitted, and a walk through all others evicts none', () => {
    const cache = new PageCache(200_000)
    askInTurn(cache, 1, 100)
    for (let again = 0; again < 20; again++) askInTurn(cache, 201, 210)
    expect(askInTurn(cache, 201, 210)).toBe(10)
    askInTurn(cache, 1, 100)
    askInTurn(cache, 1000, 6000)
    expect(askInTurn(cache, 201, 210)).toBe(10)
  })

  test('pages of a new edition are admitted at once, however often the old ones were requested', () => {
    const cache = new PageCache(200_000)
    for (let again = 0; again < 1000; again++) askInTurn(cache, 1, 16)
    for (let again = 0; again < 4; again++) askInTurn(cache, 1, 10, 2)
    expect(askInTurn(cache, 1, 10, 2)).toBe(10)
  })

  test('a page larger than the whole cache is not kept', () => {
    const cache = new PageCache(10_000)
    const list = listOf(1)
    cache.offer('question', list, 1)
    expect(cache.hasRoom(list.positions, 1, 10_001)).toBe(false)
  })
})

describe('buffers of pages that are not kept', () => {
  test('are reused once they were released, and never by two at once', () => {
    const buffers = new PageBuffers()
    const first = buffers.take(100_000)
    const second = buffers.take(100_000)
    expect(second).not.toBe(first)
    buffers.giveBack(first)
    expect(buffers.take(131_073).length).toBeGreaterThanOrEqual(131_073)
    expect(buffers.take(90_000)).toBe(first)
    expect(buffers.take(90_000)).not.toBe(first)
    buffers.giveBack(first)
    buffers.giveBack(second)
    expect(new Set([buffers.take(1), buffers.take(1)])).toEqual(new Set([first, second]))
  })

  test('are few, and the largest of them stay', () => {
    const buffers = new PageBuffers()
    const taken = Array.from({ length: 100 }, (_, index) => buffers.take(index < 50 ? 1000 : 200_000))
    for (const buffer of taken) buffers.giveBack(buffer)
    const again = Array.from({ length: 100 }, () => buffers.take(200_000))
    const reused = again.filter((buffer) => taken.includes(buffer)).length
    expect(reused).toBeGreaterThan(0)
    expect(reused).toBeLessThanOrEqual(32)
    const huge = buffers.take(5_000_000)
    buffers.giveBack(huge)
    // compared here: what differs is not worth printing
    expect(buffers.take(5_000_000) === huge).toBe(false)
  })
})
