// Packs the clients as a service hands them out: files that ask no registry for anything, and one beside them that
// names versions and checksums. Run by `node client/pack.ts`, and by `npm pack` of the service. That of Python needs
// Python.
// Usage: node client/pack.ts [FOLDER]
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const from = import.meta.dirname
const out = resolve(process.argv[2] ?? join(from, 'package'))
const folder = mkdtempSync(join(tmpdir(), 'tenderstock-client-'))
try {
  execFileSync(process.execPath, [join(from, 'build.ts'), join(folder, 'dist')], { stdio: 'inherit' })
  for (const name of ['bin', 'mappings', 'README.md', 'CHANGELOG.md', 'LICENSE'])
    cpSync(join(from, name), join(folder, name), { recursive: true })
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as {
    readonly version: string
    readonly engines: { readonly node: string }
  }
  // npm asks the registry for optional peers, too: minutes where there is none
  const { scripts, publishConfig, peerDependencies, peerDependenciesMeta, ...kept } = manifest as Record<
    string,
    unknown
  >
  writeFileSync(join(folder, 'package.json'), JSON.stringify(kept, undefined, 2))
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], { cwd: folder })
  const file = `tenderstock-client-${manifest.version}.tgz`
  const bytes = readFileSync(join(out, file))
  const sha512 = createHash('sha512').update(bytes).digest('base64')
  const python = packPython()
  const index = { version: manifest.version, file, bytes: bytes.length, sha512, node: manifest.engines.node, python }
  writeFileSync(join(out, 'index.json'), `${JSON.stringify(index, undefined, 2)}\n`)
  process.stdout.write(`${join(out, file)}: ${bytes.length} bytes\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The wheel and what it is built from; undefined where there is no Python. */
function packPython() {
  const folder = join(from, '../python')
  const { status, stdout } = spawnSync('python3', [join(folder, 'build_package.py'), out], { encoding: 'utf8' })
  if (status !== 0) {
    process.stderr.write('There is no python3 that works: the client of Python is not packed.\n')
    return undefined
  }
  const [wheel, source] = stdout.trim().split('\n') as [string, string]
  const [, python] = /^requires-python = "(.*)"$/m.exec(readFileSync(join(folder, 'pyproject.toml'), 'utf8'))!
  return { ...described(wheel), python, source: described(source) }
}

function described(file: string) {
  const bytes = readFileSync(join(out, file))
  return { file, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}
