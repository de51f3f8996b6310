// Builds the package: ES modules with the command, and the library once more as CommonJS, each with its types. Run by
// `npm run build -w client`, and by npm before it packs. Usage: node build.ts [FOLDER]
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'rolldown'

const out = process.argv[2] ?? join(import.meta.dirname, 'dist')
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
const compile = (...parameters: string[]): void =>
  void execFileSync(process.execPath, [compiler, ...parameters], { cwd: import.meta.dirname, stdio: 'inherit' })

rmSync(out, { recursive: true, force: true })
for (const [project, folder] of [
  ['tsconfig.build.json', out],
  ['tsconfig.cjs.json', join(out, 'cjs')],
] as const) {
  // Comments belong to the types; the programs are shorter without.
  compile('-p', project, '--outDir', folder, '--emitDeclarationOnly')
  compile('-p', project, '--outDir', folder, '--declaration', 'false', '--removeComments')
}
mkdirSync(join(out, 'cjs'), { recursive: true })
writeFileSync(join(out, 'cjs/package.json'), '{ "type": "commonjs" }\n')
// the library of the protocol is within the one file that needs it: whoever runs the package installs nothing else
await build({
  input: join(import.meta.dirname, 'src/mcp/serve-copy.ts'),
  platform: 'node',
  logLevel: 'warn',
  output: { file: join(out, 'mcp/serve-copy.js'), format: 'esm', minify: true, codeSplitting: false },
})
for (const inside of ['copy-tenders', 'short-record', 'tender-server', 'tool-definitions', 'tool-error'])
  rmSync(join(out, `mcp/${inside}.js`))
