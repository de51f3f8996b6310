// The first part of `npm run check`: style, spelling, unused code and types. A step is skipped if it has succeeded on
// exactly these files: its success is kept below node_modules by a hash of all that it reads.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache')
const store = join(cache, 'static-checks.json')
const code = /\.(?:[cm]?[jt]s|json|jsonc|css|html)$/

const steps: readonly { readonly name: string; readonly reads: RegExp; readonly command: string }[] = [
  { name: 'style', reads: code, command: 'biome check --error-on-warnings .' },
  {
    name: 'spelling',
    reads: /\.(?:md|ts|json)$/,
    command: `cspell --no-progress --no-summary --cache --cache-location ${join(cache, 'cspell')}`,
  },
  { name: 'unused code', reads: code, command: 'knip --no-progress' },
  {
    name: 'types',
    reads: /\.(?:ts|json)$/,
    // each checker resolves the common types again: four, the default, take a fifth more CPU
    command: `tsc -p tsconfig.json --checkers 2 --incremental --tsBuildInfoFile ${join(cache, 'types.tsbuildinfo')}`,
  },
  { name: 'types of the browser', reads: /\.(?:ts|json)$/, command: 'tsc -p src/console/browser' },
]

/** Hashes of the files of the repository, also of those that no commit has yet. */
function hashesOfFiles(): readonly (readonly [path: string, hash: string])[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  return [...new Set(listed.split('\0'))]
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .sort()
    .map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex'),
    ])
}

const files = hashesOfFiles()
const kept = existsSync(store) ? (JSON.parse(readFileSync(store, 'utf8')) as { [name: string]: string }) : {}
for (const { name, reads, command } of steps) {
  const read = files.filter(([path]) => reads.test(path))
  const key = createHash('sha256')
    .update(JSON.stringify([command, process.version, read]))
    .digest('hex')
  if (kept[name] === key) continue
  const { status } = spawnSync(command, { cwd: root, shell: true, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  kept[name] = key
  mkdirSync(cache, { recursive: true })
  writeFileSync(store, JSON.stringify(kept))
}
