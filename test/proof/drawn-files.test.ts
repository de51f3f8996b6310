import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { filesLeftOut } from './drawn-files.ts'

const files = globSync('{src,test}/**/*.test.ts')

test('a draw always leaves out the same half, and another draw leaves out other files', () => {
  const first = filesLeftOut(files, '0.5 of 1')
  expect(first.length).toBeGreaterThan(15)
  expect(filesLeftOut(files, '0.5 of 1')).toEqual(first)
  expect(filesLeftOut(files, '0.5 of 2')).not.toEqual(first)
  const always = files.filter((file) => !first.includes(file))
  expect(always).toEqual(
    expect.arrayContaining(['test/conformance/conformance.test.ts', 'src/publish/publish.test.ts']),
  )
  const met = new Set(
    Array.from({ length: 12 }, (_, seed) => seed).flatMap((seed) => filesLeftOut(files, `0.5 of ${seed}`)),
  )
  const never = [...met].filter((file) =>
    Array.from({ length: 12 }, (_, seed) => filesLeftOut(files, `0.5 of ${seed}`)).every((left) => left.includes(file)),
  )
  expect(never).toEqual([])
  expect(filesLeftOut(files, '1 of 1')).toEqual([])
})

test('an invalid draw is refused', () => {
  expect(() => filesLeftOut(files, 'half')).toThrow('0.5 of 1234')
})
