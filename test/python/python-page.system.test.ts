// docs/sync/python.md: its commands and its program are run unchanged, and its output is what was printed.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, startApi, startOfTests } from '../api-world.ts'
import { generateTender } from '../testing/generate/stock.ts'
import { pythonEnvironment, pythons, runPython } from './pythons.ts'

const page = readFileSync(new URL('../../docs/sync/python.md', import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'tender-python-page-'))
let api: ApiWorld
beforeAll(async () => {
  api = await startApi()
  const stock = { seed: 11, count: 900, now: startOfTests, size: 'small' } as const
  api.editions.publish(
    startOfTests,
    Array.from({ length: stock.count }, (_, index) => generateTender(stock, index)),
  )
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** Durations differ from run to run. */
const masked = (text: string): string => text.replace(/\d+\.\d s\b/g, '# s')

describe.skipIf(pythons.length === 0)('the page about Python', () => {
  const newest = pythons.at(-1)!
  const here = (text: string): string => text.replaceAll('https://api.example.org', api.origin)

  test('shows what its commands print', async () => {
    const [, block, shown] = /<!-- run -->\n```sh\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/.exec(page)!
    mkdirSync(join(folder, 'bin'))
    const { out } = await runPython(newest, ['-c', 'import sys; print(sys.executable)'])
    symlinkSync(out.trim(), join(folder, 'bin/python3'))
    const env = pythonEnvironment(api.token)
    const script = here(block!).replace('export TENDER_TOKEN=…', '')
    const printed = await new Promise<string>((done) =>
      execFile(
        'sh',
        ['-ec', script],
        { cwd: folder, env: { ...env, PATH: `${join(folder, 'bin')}:${env['PATH']}` } },
        (_, text, error) => done(text + error),
      ),
    )
    expect(masked(printed)).toBe(masked(shown!))
  })

  test('has a program that works', async () => {
    const [, program] = /```python\n([\s\S]*?)```/.exec(page)!
    // pandas may be missing here
    const { out, err } = await runPython(newest, ['-c', here(program!)], { token: api.token, cwd: folder })
    expect(err.replace(/^[\s\S]*TenderError: pandas is not installed here.*$/m, '').trim()).toBe('')
    expect(out).toContain('not-found')
    expect(out).toContain("'records': ")
  })
})
