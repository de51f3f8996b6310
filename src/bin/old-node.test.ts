// Every way into the program, with versions of Node.js that are too old for it: a sentence, never a syntax error.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const versions = { n12: '12', n18: '18', n22: '22.0.0' }
const folder = await mkdtemp(join(tmpdir(), 'tenderstock-old-node-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

// the programs only, as npm's own `node` package has them for this machine
const packages = Object.entries(versions).map(
  ([name, version]) => `${name}@npm:node-${process.platform}-${process.arch}@${version}`,
)
const installed = spawnSync(
  'npm',
  ['install', '--no-save', '--no-audit', '--no-fund', '--prefer-offline', '--prefix', folder, ...packages],
  { encoding: 'utf8', timeout: 300_000 },
)
if (installed.status !== 0)
  console.log(`skipped: old versions of Node.js (npm did not deliver them: ${installed.stderr})`)

const { bin, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  bin: { tenderstock: string }
  scripts: { start: string; tenderstock: string }
}
const documented = [
  'docs/operations.md',
  'deploy/systemd/tenderstock.service',
  'deploy/systemd/tenderstock-canary.service',
  'deploy/systemd/tenderstock-serve@.service',
].flatMap((path) =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/^(?:ExecStart=\/usr\/bin\/)?(node .*\btenderstock\..*)$/gm)].map(
    ([, line]) => line!.replace('/opt/tenderstock/node_modules/tenderstock/', ''),
  ),
)

test.skipIf(installed.status !== 0).for(Object.entries(versions))(
  '%s: says which one it needs and where that is',
  ([name]) => {
    const ways = [`node ${bin.tenderstock} --version`, scripts.start, scripts.tenderstock, ...documented]
    expect(documented.length).toBeGreaterThan(1)
    for (const way of ways) {
      const { status, stdout, stderr } = spawnSync('sh', ['-c', way], {
        cwd: root,
        encoding: 'utf8',
        env: { PATH: `${join(folder, 'node_modules', name, 'bin')}:/usr/bin:/bin` },
      })
      const isJson = way.includes('--json')
      expect(isJson ? stderr : stdout, way).toBe('')
      const text: string = isJson ? JSON.parse(stdout).message : stderr.trimEnd()
      expect(text, way).toMatch(
        /^Tenderstock needs Node\.js 24 or newer, and .* is (?:12|18|22)\.\d+\.\d+\. [^\n]*npx[^\n]*$/,
      )
      expect(status, way).toBe(1)
    }
  },
)
