// The summary of docs/performance.md says what was measured at 100,000 records and more, beside a peer that compresses
// beforehand too; and benchmarks run only if they are named.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
type Row = {
  readonly name: string
  readonly work: string
  readonly verdicts: readonly { readonly of: string; readonly value: number }[]
}
const { reports } = JSON.parse(readFileSync(join(root, 'docs/performance.json'), 'utf8')) as {
  reports: readonly { readonly records: number; readonly rows: readonly Row[] }[]
}
const page = readFileSync(join(root, 'docs/performance.md'), 'utf8')
const summary = page.slice(page.indexOf('## In short'), page.indexOf('## How it is measured'))

/** All values of a ratio at 100,000 records and more, smallest first. */
const ratios = (work: RegExp, peer: string): number[] =>
  reports
    .filter(({ records }) => records >= 100_000)
    .flatMap(({ rows }) => rows)
    .filter((row) => work.test(row.work))
    .flatMap(({ verdicts }) => verdicts)
    .filter(({ of }) => of === `work per CPU second, ours ÷ ${peer}`)
    .map(({ value }) => value)
    .sort((a, b) => a - b)
const shown = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toPrecision(2))
function range(values: readonly number[]): string {
  const [least, most] = [shown(values[0]!), shown(values.at(-1)!)]
  return least === most ? least : `${least} to ${most}`
}

test('the summary names the ratios of pages at 100,000 records and more', () => {
  const stored = ratios(/^list page of 100, gzip, .*beside stored gzip$/, 'SQLite with stored gzip')
  expect(stored.length).toBeGreaterThan(1)
  expect(summary).toContain(`${range(stored)} times the work per CPU second of SQLite with stored gzip`)
  const plain = ratios(/^list page of 100, identity$/, 'Fastify + PostgreSQL')
  const zipped = ratios(/^list page of 100, gzip$/, 'Fastify + PostgreSQL')
  expect(summary).toContain(`${range(plain)} times Fastify with PostgreSQL if neither compresses, ${range(zipped)} `)
  expect(summary).toContain(
    `${range(ratios(/^list page of 100, gzip, /, 'nginx'))} of nginx with the same bytes in files`,
  )
  const six = ratios(/^page by six filters, identity/, 'Fastify + PostgreSQL')
  expect(summary).toContain(`${range(six)} times Fastify with PostgreSQL if neither compresses (goal: 200)`)
})

test('a benchmark runs only if it is named: without a name they are listed', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(root, 'bench/bench.ts')], {
    timeout: 60_000,
  })
  expect(stderr).toBe('')
  for (const name of ['all', 'speed', 'profile', 'sink', 'match'])
    expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
})
