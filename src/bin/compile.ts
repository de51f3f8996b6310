// Compiles src/, and the files of the client that it imports as `#flat/…` and `#mcp/…`, into dist/ for the package, and
// copies the files beside the code that it reads. Run by `npm pack` (`prepack`).
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'dist')
rmSync(dist, { recursive: true, force: true })
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
if (status === null) throw new Error('tsc is not installed here; run `npm ci` first')
if (status !== 0) throw new Error(`tsc ended with ${status}`)
for (const name of readdirSync(join(dist, 'src'))) renameSync(join(dist, 'src', name), join(dist, name))
rmdirSync(join(dist, 'src'))
const imports = { '#flat/*': './client/src/sinks/*.js', '#mcp/*': './client/src/mcp/*.js' }
writeFileSync(join(dist, 'package.json'), JSON.stringify({ type: 'module', imports }))
// what the service hands out to its customers
const packed = spawnSync(process.execPath, ['client/pack.ts'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
if (packed.status !== 0) throw new Error(`packing the client ended with ${packed.status}`)
// styles and scripts of pages, and data; fixtures belong to tests
for (const file of globSync('src/**/*.{css,js,svg,webp,png,woff2,json,tsv,txt,gz}', { cwd: root }))
  if (!file.endsWith('tsconfig.json')) cpSync(join(root, file), join(root, file.replace(/^src/, 'dist')))
