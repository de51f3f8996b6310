// The pages about tender-sync and its sinks: their commands are run unchanged, and their outputs are what was printed.
// RECORD_DOCS=1 writes the outputs into the pages.
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCommandLine } from '../../client/src/bin/command-line.ts'
import { type ApiWorld, startApi, startOfTests } from '../api-world.ts'
import { duckRows } from '../files/independent-programs.ts'
import { generateTender } from '../testing/generate/stock.ts'

const root = join(import.meta.dirname, '../..')
const pages = [
  'tender-sync.md',
  ...readdirSync(join(root, 'docs/sync/sinks')).map((page) => `sinks/${page}`),
  '../hits/receiver.md',
]
const pathOf = (page: string): string => join(root, 'docs/sync', page)
const isRecording = process.env.RECORD_DOCS === '1'
const runnable = /<!-- run -->\n```sh\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g

let api: ApiWorld
const folders: string[] = []
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
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Durations, rates and moments of this machine's clock differ from run to run. */
const masked = (text: string): string => text.replace(/\d+(?:\.\d+)? s\b/g, '# s').replace(/\([\d,.]+\/s\)/g, '(#/s)')

function workspace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tender-docs-'))
  folders.push(folder)
  mkdirSync(join(folder, 'bin'))
  symlinkSync(join(root, 'client/bin/tender-sync.js'), join(folder, 'bin/tender-sync'))
  mkdirSync(join(folder, 'work'))
  return folder
}

async function runBlock(folder: string, block: string): Promise<string> {
  const script = block
    .replaceAll('https://api.example.org', api.origin)
    .replace('TENDER_TOKEN=…', `TENDER_TOKEN=${api.token}`)
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
    cwd: join(folder, 'work'),
    env: {
      ...process.env,
      PATH: `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
      TENDER_TOKEN: api.token,
    },
  })
  return stdout.replaceAll(api.origin, 'https://api.example.org')
}

describe.each(pages)('%s', (page) => {
  test('shows what its commands print', async () => {
    const folder = workspace()
    let text = readFileSync(pathOf(page), 'utf8')
    for (const [whole, block, recorded] of [...text.matchAll(runnable)] as unknown as [string, string, string][]) {
      const printed = await runBlock(folder, block)
      if (isRecording)
        text = text.replace(whole, () => whole.replace(`\`\`\`text\n${recorded}`, () => `\`\`\`text\n${printed}`))
      else expect(masked(recorded), block).toBe(masked(printed))
    }
    if (isRecording) writeFileSync(pathOf(page), text)
    for (const [, queries] of text.matchAll(/<!-- DuckDB -->\n```sql\n([\s\S]*?)```/g))
      for (const query of queries!.split(/;\s*/).filter(Boolean))
        expect(
          (await duckRows(query.replaceAll("'tenders.", `'${folder}/work/tenders.`))).length,
          query,
        ).toBeGreaterThan(5)
    // The receiver's own tests ask about hits.
    if (page.endsWith('receiver.md')) return
    for (const [, query] of text.matchAll(/<!-- query -->\n```sql\n([\s\S]*?)```/g)) {
      const db = new DatabaseSync(join(folder, 'work/tenders.db'))
      // as of the stock's time, whenever the test runs
      const asked = query!.replaceAll("'now'", `'${new Date(startOfTests).toISOString()}'`)
      expect(db.prepare(asked).all().length, asked).toBeGreaterThan(0)
      db.close()
    }
  })

  test('names only commands and options that exist', () => {
    const text = readFileSync(pathOf(page), 'utf8').replaceAll(/\s*\\\n\s*/g, ' ')
    const commands = [
      ...text.matchAll(
        /^(?:\d\S* \* \* \* \* +)?(tender-sync (?:run|watch|webhooks|status|verify|reset) --.*?)(?: {2,}#.*)?$/gm,
      ),
    ]
    for (const [, command] of commands) readCommandLine(command!.split(' ').slice(1))
    expect(commands.length).toBeGreaterThan(0)
  })

  test('has no dead link', () => {
    const text = readFileSync(pathOf(page), 'utf8')
    for (const [, target] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g))
      expect(() => readFileSync(join(dirname(pathOf(page)), target!)), target).not.toThrow()
  })
})

describe('the systemd units', () => {
  const text = readFileSync(pathOf('tender-sync.md'), 'utf8')
  const units = [...text.matchAll(/`\/etc\/systemd\/system\/(tender-sync\.\w+)`:\n\n```ini\n([\s\S]*?)```/g)]
  const analyze = spawnSync('systemd-analyze', ['--version']).status === 0
  if (!analyze) console.log('skipped: no systemd-analyze to check the units with')

  test.skipIf(!analyze)('are accepted by systemd', () => {
    expect(units.map(([, name]) => name)).toEqual(['tender-sync.service', 'tender-sync.timer'])
    const folder = workspace()
    const files = units.map(([, name, unit]) => {
      const file = join(folder, name!)
      writeFileSync(file, unit!)
      return file
    })
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' })
    const ours = stderr.split('\n').filter((line) => line.includes('tender-sync'))
    expect({ status, ours }).toEqual({ status: 0, ours: [] })
  })
})
