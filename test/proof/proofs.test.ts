import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { proofs } from './proofs.ts'

const files = globSync('{src,client,test}/**/*.test.ts', { exclude: (name) => name === 'node_modules' })
const paths = Object.values(proofs).flatMap((proof) => proof.files)

test('every path of a proof leads to tests', () => {
  expect(paths.filter((path) => !files.some((file) => file.startsWith(path)))).toEqual([])
})

test('every test with a full count is in a proof, which runs it', () => {
  const long = files.filter((file) => /proof(?:Count|Draw)\(/.test(readFileSync(file, 'utf8')))
  expect(long.length).toBeGreaterThan(50)
  expect(long.filter((file) => !paths.some((path) => file.startsWith(path)))).toEqual([])
})
