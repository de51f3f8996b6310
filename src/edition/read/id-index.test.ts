import { expect, test } from 'vitest'
import { IdIndex } from './id-index.ts'

/** Ids of four words, one after the other; a position is the number of its id. */
function idsOf(count: number) {
  const words = Uint32Array.from({ length: 4 * count }, (_, index) => Math.imul(index + 1, 0x9e3779b1))
  return { words, at: (position: number) => ({ words, offset: 4 * position }) }
}

test('a thread that is told of each shard that grew finds every id; one that is not finds those from before', () => {
  const count = 20_000
  const { words, at } = idsOf(count)
  const writer = new IdIndex(at)
  const [told, untold] = [new IdIndex(at, writer.slots), new IdIndex(at, writer.slots)]
  let grown = 0
  writer.onShard = (index, slots) => {
    grown++
    told.replaceSlots(index, slots)
  }
  const found = (index: IdIndex) =>
    Array.from({ length: count }, (_, position) => index.get(words, 4 * position)).filter((each) => each !== undefined)
  for (let position = 0; position < count; position++) {
    expect(writer.get(words, 4 * position)).toBeUndefined()
    expect(writer.set(words, 4 * position, position)).toBeUndefined()
  }
  expect(grown).toBeGreaterThan(256)
  expect(found(told)).toEqual(Array.from({ length: count }, (_, position) => position))
  const before = found(untold)
  expect(before.length).toBeGreaterThan(1000)
  expect(before.length).toBeLessThan(count)
  expect(writer.used.reduce((sum, used) => sum + used)).toBe(count)
})

test('a position is replaced, in every thread at once, and an index continues from the slots of another', () => {
  const { words, at } = idsOf(10)
  const writer = new IdIndex((position) => at(position % 10))
  const reader = new IdIndex((position) => at(position % 10), writer.slots)
  expect(writer.set(words, 0, 0)).toBeUndefined()
  expect(writer.set(words, 0, 10)).toBe(0)
  expect([writer.get(words, 0), reader.get(words, 0), reader.get(words, 4)]).toEqual([10, 10, undefined])
  const next = new IdIndex((position) => at(position % 10), writer.slots, writer.used)
  expect(next.set(words, 0, 20)).toBe(10)
  expect(next.used).toEqual(writer.used)
})
