import { expect, test } from 'vitest'
import { RunMemory } from './body-runs.ts'

test('reading one record each second keeps no more memory than the record needs', () => {
  const memory = new RunMemory()
  for (let second = 0; second < 60; second++) {
    expect(memory.take(3000)).toHaveLength(3000)
    memory.reset()
  }
  expect(memory.size).toBe(3000)
})

test('what was taken before the memory grows stays as it is, and 2 MB are kept at most', () => {
  const memory = new RunMemory()
  const pieces = Array.from({ length: 40 }, (_, index) => memory.take(100_000).fill(index))
  for (const [index, piece] of pieces.entries()) expect(piece.every((byte) => byte === index)).toBe(true)
  memory.take(3 << 20)
  expect(memory.size).toBe(2 << 20)
})
