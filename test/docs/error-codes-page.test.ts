// The page of error codes says what the table says, and each code ends a command somewhere.
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorCodesPage, errorCodesText } from '../../src/bin/error-codes-page.ts'
import { errorCodes, exitCodeOf } from '../../src/platform/error-codes.ts'

const root = new URL('../..', import.meta.url).pathname
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8')

/** Tables that name every code, and tests, give none. */
const givesNone = /\.test\.ts$|^src\/console\/|\/(?:error-codes|refusal)\.ts$/

/** The codes that errors, refusals and events are made with. */
const codesIn = (source: string): string[] =>
  [...source.matchAll(/(?:Error|super)\(\s*'([a-z-]+)'|\bcode\b(.*)/g)].flatMap(([, made, rest = '']) =>
    made === undefined ? [...rest.matchAll(/'([a-z-]+)'/g)].map(([, code]) => code!) : [made],
  )

test('docs/error-codes.md is what `npm run generate` makes of the table', () => {
  expect(readFileSync(errorCodesPage, 'utf8') === errorCodesText(), 'run: npm run generate').toBe(true)
})

test('each code ends a command somewhere', () => {
  const files = globSync('src/**/*.{ts,cjs}', { cwd: root }).filter((path) => !givesNone.test(path))
  const given = new Set(files.flatMap((path) => codesIn(read(path))))
  expect(
    errorCodes.filter((code) => !given.has(code)),
    'remove these from src/platform/error-codes.ts',
  ).toEqual([])
})

test('the exit code of each is one that the documentation explains', () => {
  const explained = new Set(
    [...read('docs/operations.md').matchAll(/^\| (\d+)(?:, \d+)* \|/gm)].map(([, code]) => code),
  )
  expect(errorCodes.filter((code) => !explained.has(String(exitCodeOf(code))))).toEqual([])
})
