// Packs the client as a service hands it out: one file that asks no registry for anything, and a file beside it that
// names version and checksum. Run by `node client/pack.ts`, and by `npm pack` of the service.
// Usage: node client/pack.ts [FOLDER]
import { execFileSync } from 'node:child_process'
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
  const index = { version: manifest.version, file, bytes: bytes.length, sha512, node: manifest.engines.node }
  writeFileSync(join(out, 'index.json'), `${JSON.stringify(index, undefined, 2)}\n`)
  process.stdout.write(`${join(out, file)}: ${bytes.length} bytes\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
