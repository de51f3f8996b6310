// Each error of the package has a code, and the documentation lists it.
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clientErrorCodes } from './client-error.ts'
import { ProblemError } from './problem-error.ts'

const root = import.meta.dirname
const sources = globSync('**/*.ts', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts') && path !== 'client-error.ts')
  .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))

test('no class of errors but that of the API is without a code of the table', () => {
  const bare = sources.filter(({ text }) => / extends Error\b/.test(text)).map(({ path }) => path)
  expect(bare).toEqual(['problem-error.ts'])
  const problem = { type: 'https://x/access#error-unauthorized', title: '', status: 401, detail: '', instance: '' }
  expect(new ProblemError(problem).code).toBe('unauthorized')
  expect(new ProblemError({ ...problem, type: 'about:blank' }).code).toBe('problem')
})

test('each code is that of an error, and docs/sync/tender-sync.md lists it', () => {
  const given = sources.flatMap(({ text }) => [
    ...text.matchAll(/ readonly code\b.* = '([a-z-]+)'|RunError\(\s*'([a-z-]+)'/g),
  ])
  expect(new Set(given.map(([, own, ofRun]) => own ?? ofRun))).toEqual(new Set(clientErrorCodes))
  const page = readFileSync(`${root}/../../docs/sync/tender-sync.md`, 'utf8')
  const listed = page.split('\n').filter((line) => line.startsWith('| `'))
  expect(clientErrorCodes.filter((code) => !listed.some((line) => line.includes(`\`${code}\``)))).toEqual([])
})
