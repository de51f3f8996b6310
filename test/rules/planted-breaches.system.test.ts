// Rules are broken one at a time in a copy of the repository; the test that is named beside each must fail, in a test
// that cites the rule. Bugs that no test once saw are planted in the same way; the test beside their file must fail.
// `npm run proof -- rules` plants all of them, other runs one breach of those that take seconds, and one bug.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proofCount } from '../proof/proof-count.ts'
import { seed } from '../testing/seed.ts'
import { scanFile } from '../tidy/scan.ts'
import { citedNumbers } from '../tidy/statute.ts'
import { type Breach, plantedBreaches } from './planted-breaches.ts'
import { type Bug, plantedBugs, testBeside } from './planted-bugs.ts'

const root = join(import.meta.dirname, '../..')
const left = new Set(['node_modules', '.git', 'data', 'live'])

describe('the planted breaches', () => {
  test('cover thirty rules, each with a test that cites it', () => {
    expect(new Set(plantedBreaches.map(({ rule }) => rule)).size).toBe(30)
    for (const { rule, test } of plantedBreaches) {
      const cited = [test, ...importsOf(test)].map((path) =>
        citedNumbers(scanFile(readFileSync(join(root, path), 'utf8')).withoutComments),
      )
      expect(
        cited.some((numbers) => numbers.has(rule)),
        `${rule} is not held by ${test}`,
      ).toBe(true)
    }
  })

  test('match the source: each replaced text occurs there once', () => {
    for (const { file, from, to } of [...plantedBreaches, ...plantedBugs]) {
      expect(readFileSync(join(root, file), 'utf8').split(from), `${file}: ${from}`).toHaveLength(2)
      expect(to).not.toBe(from)
    }
  })
})

function importsOf(path: string): string[] {
  const folder = path.slice(0, path.lastIndexOf('/'))
  const text = readFileSync(join(root, path), 'utf8')
  return [...text.matchAll(/from '\.\/([^']+)'/g)].map(([, name]) => `${folder}/${name}`)
}

type Ran = { readonly fullName: string; readonly status: string }

/** Runs one test file of the copy with the embedded engine only. */
async function run(copy: string, file: string): Promise<Ran[]> {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const { TEST_DATABASE_URL: _, TEST_REDIS_URL: __, PROOF: ___, TEST_DRAW: ____, ...env } = process.env
    const child = spawn(
      process.execPath,
      [join(copy, 'node_modules/vitest/vitest.mjs'), 'run', file, '--reporter=json', `--outputFile=${report}`],
      { cwd: copy, env, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk))
    child.once('error', reject)
    child.once('exit', () => resolve())
  })
  if (!existsSync(report)) throw new Error(`no report of ${file}: ${output.slice(-2000)}`)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: readonly { readonly assertionResults: readonly Ran[] }[]
  }
  return testResults.flatMap(({ assertionResults }) => assertionResults)
}

describe('in a copy of the repository', () => {
  const quick = plantedBreaches.filter(({ test }) => test.startsWith('src/') || test.startsWith('client/'))
  const first = seed % quick.length
  const count = proofCount({ share: 1, full: plantedBreaches.length })
  const chosen = count === plantedBreaches.length ? plantedBreaches : quick.slice(first, first + count)
  let copy = ''
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'tenderstock-rules-'))
    for (const name of readdirSync(root))
      if (!left.has(name))
        cpSync(join(root, name), join(copy, name), {
          recursive: true,
          filter: (path) => !/[\\/](?:node_modules|dist)$/.test(path),
        })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  /** The names of the tests that fail, of those that ran, while the mistake is in the copy. */
  async function plant({ file, from, to }: Pick<Bug, 'file' | 'from' | 'to'>, testFile: string) {
    const text = readFileSync(join(root, file), 'utf8')
    writeFileSync(
      join(copy, file),
      text.replace(from, () => to),
    )
    try {
      const ran = await run(copy, testFile)
      expect(ran.some(({ status }) => status === 'passed')).toBe(true)
      const failed = ran.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
      return { ran: ran.length, failed }
    } finally {
      writeFileSync(join(copy, file), text)
    }
  }

  test.each(chosen.map((each): [string, string, Breach] => [each.rule, each.test, each]))(
    '%s broken fails a test of %s that cites it',
    { timeout: 600_000 },
    async (rule, testFile, breach) => {
      const { ran, failed } = await plant(breach, testFile)
      const named = failed.filter((name) => citedNumbers(name).has(rule))
      console.log(`rules: ${rule} broken: ${failed.length} of ${ran} tests fail: ${named[0] ?? 'none that cites it'}`)
      expect(named, `failed: ${failed.join(' · ')}`).not.toEqual([])
    },
  )

  const isFull = count === plantedBreaches.length
  const bugs = isFull ? plantedBugs : [plantedBugs[seed % plantedBugs.length]!]
  test.each(bugs.map((bug): [string, Bug] => [bug.name, bug]))(
    'the test beside the file fails: %s',
    { timeout: 600_000 },
    async (name, bug) => {
      const { ran, failed } = await plant(bug, testBeside(bug))
      console.log(`bugs: ${name}: ${failed.length} of ${ran} tests fail: ${failed[0]}`)
      expect(failed).not.toEqual([])
    },
  )
})
