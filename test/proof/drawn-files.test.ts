import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { filesLeftOut } from './drawn-files.ts'

const files = globSync('{src,test}/**/*.test.ts')
const all = filesLeftOut(files, 0.001, 1)
const draws = Array.from({ length: 150 }, (_, seed) => filesLeftOut(all, 0.1, seed))

test('a seed always leaves out the same files, and another seed leaves out others', () => {
  const first = filesLeftOut(files, 0.5, 1)
  expect(first.length).toBeGreaterThan(15)
  expect(filesLeftOut(files, 0.5, 1)).toEqual(first)
  expect(filesLeftOut(files, 0.5, 2)).not.toEqual(first)
  const always = files.filter((file) => !first.includes(file))
  expect(always).toEqual(
    expect.arrayContaining(['test/conformance/conformance.system.test.ts', 'src/publish/publish.system.test.ts']),
  )
  expect(filesLeftOut(files, 1, 1)).toEqual([])
})

test('each file runs for some seed, also the longest', () => {
  const ever = new Set(draws.flat())
  expect([...ever].filter((file) => draws.every((leftOut) => leftOut.includes(file)))).toEqual([])
})

test('a draw takes neither much more nor much less time than its share', () => {
  const counts = draws.map((leftOut) => all.length - leftOut.length)
  // the longest file and one other may fill it
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(2)
  expect(Math.max(...counts)).toBeLessThan(all.length / 3)
})

test('an invalid share is refused', () => {
  for (const share of [0, 1.5, Number.NaN]) expect(() => filesLeftOut(files, share, 1)).toThrow('a share like 0.1')
})
