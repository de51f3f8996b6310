// The published package: its size, its imports, and that it runs without Node 24.
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../../test/api-world.ts'
import { plainId } from '../../test/memory-editions.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const packageFolder = join(root, 'client')
const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
  exports: { [path: string]: { [way in 'import' | 'require']: { types: string; default: string } } | string }
  dependencies?: object
}
/** The files that a client without optional parts loads. */
const coreEntries = ['tender-client.js', 'sync/sync.js', 'sync/sync-state.js', 'state/memory-state.js']

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tenderstock-client-'))
  await run(process.execPath, [join(packageFolder, 'build.ts'), join(folder, 'dist')])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const dist = (path: string): string => join(folder, 'dist', path)

/** Files that an entry loads by relative imports, and its other imports. */
function graphOf(entries: readonly string[]): { files: Set<string>; foreign: Set<string> } {
  const files = new Set<string>()
  const foreign = new Set<string>()
  const visit = (path: string): void => {
    if (files.has(path)) return
    files.add(path)
    for (const [, , specifier] of readFileSync(dist(path), 'utf8').matchAll(
      /\b(from|import)\s*\(?\s*['"]([^'"]+)['"]/g,
    ))
      if (specifier!.startsWith('.')) visit(join(dirname(path), specifier!))
      else foreign.add(specifier!)
  }
  for (const entry of entries) visit(entry)
  return { files, foreign }
}

/** Finds an executable of this name on the path or in a usual location whose `--version` matches. */
async function findRuntime(names: readonly string[], version: RegExp): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/bin', '/usr/local/bin']
  for (const path of new Set(names.flatMap((name) => folders.map((place) => join(place, name))))) {
    if (!existsSync(path)) continue
    const { stdout } = await run(path, ['--version']).catch(() => ({ stdout: '' }))
    if (version.test(stdout)) return path
  }
  return undefined
}

describe('the built package', () => {
  it('has a core of 21 kB, compressed', () => {
    const { files } = graphOf(coreEntries)
    const bytes = [...files].map((path) => gzipSync(readFileSync(dist(path)), { level: 9 }).length)
    const total = bytes.reduce((sum, size) => sum + size, 0)
    console.log(`core: ${files.size} files, ${total} bytes compressed one by one`)
    expect(total).toBeLessThan(21_000)
  })

  it('has a core that imports nothing but itself: no node: module, no package', () => {
    const { files, foreign } = graphOf(coreEntries)
    expect(files.size).toBeGreaterThan(10)
    expect([...foreign]).toEqual([])
    expect(manifest.dependencies).toBeUndefined()
    // The check would find one: the sinks do import node: modules.
    expect(graphOf(['state/file-state.js']).foreign.size).toBeGreaterThan(0)
  })

  it('has a core that names no global of one runtime', () => {
    for (const path of graphOf(coreEntries).files)
      expect(readFileSync(dist(path), 'utf8')).not.toMatch(
        /\b(?:process|Buffer|require|__dirname|global|Deno|Bun|window)\b\s*[.([]/,
      )
  })

  it('exports only what is built, types included, and no test', () => {
    const built = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    expect([...built].filter((path) => path.includes('.test.'))).toEqual([])
    for (const [name, target] of Object.entries(manifest.exports)) {
      if (typeof target === 'string') continue
      for (const way of [target.import, target.require])
        for (const path of [way.types, way.default].map((each) => relative('.', each)))
          if (!name.includes('*')) expect(built).toContain(path)
          else {
            const [start, end] = path.split('*') as [string, string]
            expect([...built].filter((each) => each.startsWith(start) && each.endsWith(end)).length).toBeGreaterThan(0)
          }
    }
  })

  it('has types that a strict program can use by the package’s name', async () => {
    mkdirSync(join(folder, 'user/node_modules/@tenderstock/client'), { recursive: true })
    for (const part of ['package.json', 'dist'])
      symlinkSync(
        part === 'dist' ? join(folder, 'dist') : join(packageFolder, part),
        join(folder, 'user/node_modules/@tenderstock/client', part),
      )
    writeFileSync(
      join(folder, 'user/user.mts'),
      `import { TenderClient } from '@tenderstock/client'
import { ProblemError } from '@tenderstock/client/problem-error'
import { memorySink } from '@tenderstock/client/sinks/memory'
import { memoryState } from '@tenderstock/client/state/memory'
import { sync, type SyncOutcome } from '@tenderstock/client/sync'
import type { Sink } from '@tenderstock/client/sync/sink'
import type { TenderRecord } from '@tenderstock/client/types'
const client = new TenderClient({ baseUrl: 'https://x.example', token: 't' })
export const title = async (): Promise<string> => (await client.get('x')).title
export const sink: Sink = memorySink()
export const outcome: Promise<SyncOutcome> = sync({ client, sink, state: memoryState(), filters: { cpv: ['45000000'] } })
export const isGone = (error: unknown): boolean => error instanceof ProblemError && error.slug === 'not-found'
// @ts-expect-error lots is a list
export const wrong = (record: TenderRecord): string => record.lots
`,
    )
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
      '--types',
      '',
      'user.mts',
    ]
    await run(join(root, 'node_modules/.bin/tsc'), options, { cwd: join(folder, 'user') }).catch(
      (error: { stdout: string }) => {
        throw new Error(error.stdout)
      },
    )
  })

  const runtimes: readonly [string, readonly string[], RegExp, readonly string[]][] = [
    ['Node 20', ['node', 'node20'], /^v20\./, []],
    ['Bun', ['bun'], /^\d/, ['run']],
    ['Deno', ['deno'], /^deno /, ['run', '--no-config', '--allow-net=127.0.0.1', '--allow-read']],
  ]
  it.each(runtimes)('has a core that syncs on %s', async (name, names, version, parameters) => {
    const runtime = await findRuntime(names, version)
    if (runtime === undefined) {
      console.log(`skipped: no ${name} on this machine`)
      return
    }
    await using api = await startApi()
    const ids = Array.from({ length: 30 }, (_, number) => plainId(number))
    api.editions.publish(
      api.now,
      ids.map((id) => ({ id })),
    )
    // It runs in a separate folder: none of our configuration affects it.
    const { stdout } = await run(
      runtime,
      [...parameters, join(import.meta.dirname, 'run-core.mjs'), join(folder, 'dist'), api.origin, api.token],
      {
        cwd: folder,
        timeout: 60_000,
      },
    )
    const { outcomes, ids: held } = JSON.parse(stdout) as { outcomes: object[]; ids: string[] }
    expect(outcomes).toEqual([
      { result: 'completed', kind: 'first', records: 30 },
      { result: 'completed', kind: 'delta', records: 1 },
    ])
    expect(held).toEqual(ids)
    console.log(`ran on ${name}: ${runtime}`)
  })
})
