// Every way into the program, with versions of Node.js that are too old for it: a sentence, never a syntax error.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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

test.skipIf(installed.status !== 0)('the advice is the command that was typed, and works where it was typed', () => {
  const data = join(folder, "it's a folder")
  const old = join(folder, 'node_modules/n18/bin')
  // in place of npx, which would download: the rest of its line, with this version of Node.js
  const stand = join(folder, 'stand')
  mkdirSync(stand, { recursive: true })
  writeFileSync(join(stand, 'npx'), `#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n`, {
    mode: 0o755,
  })
  const current = dirname(process.execPath)
  const [absolute, query] = [join(root, bin.tenderstock), `status --data "${data}"`]
  for (const [cwd, typed, advised] of [
    [folder, `node ${absolute} ${query}`, `node ${absolute} status --data`],
    // as npm runs its scripts where the development tools, and with them Node.js, are left out
    [root, `npm_lifecycle_event=start node ${absolute} start --data "${data}" --api-port 70000`, 'npm start -- --data'],
    [root, `npm_lifecycle_event=tenderstock node ${absolute} ${query}`, 'npm run tenderstock -- status --data'],
  ] as const) {
    const run = (line: string, path: string) =>
      spawnSync('sh', ['-c', line], { cwd, encoding: 'utf8', env: { PATH: path, HOME: folder } })
    const refused = run(typed, `${old}:/usr/bin:/bin`)
    const advice = /`(npx [^`]+)`/.exec(refused.stderr)?.[1] ?? ''
    expect(advice, refused.stderr).toContain(`-- ${advised} '${data.replace("'", `'\\''`)}'`)
    const { stderr } = run(advice, `${stand}:${current}:/usr/bin:/bin`)
    // what the program itself says of the very same command
    expect(stderr, advice).toMatch(
      typed.includes('70000') ? /--api-port must be .* not "70000"/ : /There is no stock in .*it's a folder yet/,
    )
  }
})

test('a newcomer reads before the first command what npm warns of, and on the same page what to do with a taken port', () => {
  for (const page of ['README.md', 'docs/quick-start.md']) {
    const text = readFileSync(join(root, page), 'utf8')
    const command = text.indexOf('npm ci && npm start')
    expect(text.slice(0, command), page).toContain('EBADENGINE')
    expect(text.slice(command), page).toContain('npm start -- --api-port 9000')
  }
})
