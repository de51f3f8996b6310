// The program as people install it: packed, installed into an empty folder with nothing else, started there and
// queried. `npm run proof -- package` does that; other runs check that the list of files contains what the running
// program loads.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, test } from 'vitest'
import { listedGuides, pagesOfFiles } from '../../src/console/docs/guide-groups.ts'
import { type PrintedEvent, readPrintedEvent } from '../testing/printed-event.ts'

const root = join(import.meta.dirname, '../..')
const isFull = process.env['PROOF'] === 'full'

/** Returns what `npm pack` puts into the package, without building it unless requested. */
function pack(args: readonly string[]): readonly string[] {
  const printed = execFileSync('npm', ['pack', '--json', ...args], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
  const listed = JSON.parse(printed.slice(printed.search(/^[[{]/m))) as object
  const [packed] = Object.values(listed) as { readonly files: readonly { readonly path: string }[] }[]
  return packed!.files.map(({ path }) => path)
}

/** Modules that run: without tests, what only generates files, and what the browser runs. */
const modules = globSync('src/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'))

type Locked = { readonly [flag in 'dev' | 'devOptional' | 'optional' | 'peer' | 'link']?: boolean } & {
  readonly version: string
}
const locked = (
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: { readonly [path: string]: Locked }
  }
).packages

let listed: readonly string[] | undefined
/** What the package would hold. */
const listedFiles = (): readonly string[] => (listed ??= pack(['--dry-run', '--ignore-scripts']))

describe('the package', () => {
  test('holds the guides, the contract and the program, and no tests', () => {
    const files = listedFiles()
    const guides = Object.values(listedGuides).flatMap((list) => list.map(([file]) => file))
    expect(files).toEqual(
      expect.arrayContaining([
        ...guides,
        ...Object.keys(pagesOfFiles),
        ...globSync('docs/**/*.{md,svg}', { cwd: root }),
        'src/bin/tenderstock.cjs',
        'package.json',
        'LICENSE',
      ]),
    )
    const own = files.filter((path) => !path.startsWith('node_modules/'))
    expect(own.filter((path) => /\.test\.|^test\/|^bench\/|^src\/.*\.ts$|node_modules/.test(path))).toEqual([])
  })

  test('holds every dependency that the program needs, and no development tool', () => {
    const bundled = listedFiles().flatMap((path) => /^(node_modules\/.+)\/package\.json$/.exec(path)?.[1] ?? [])
    for (const [path, { dev, devOptional, optional, peer, link }] of Object.entries(locked)) {
      if (!path.startsWith('node_modules/') || devOptional || optional || peer || link) continue
      expect(bundled.includes(path), path).toBe(!dev)
    }
  })

  test('every file that the code reads next to itself is copied', () => {
    const copied = /globSync\('src\/\*\*\/\*\.\{([\w,]+)\}'/.exec(
      readFileSync(join(root, 'src/bin/compile.ts'), 'utf8'),
    )![1]!
    const endings = new Set(copied.split(','))
    const others = globSync('src/**/*.*', { cwd: root }).filter(
      (path) => !/\.(?:ts|cjs|xml)$|fixtures|tsconfig/.test(path),
    )
    expect(others.length).toBeGreaterThan(10)
    for (const path of others) expect(endings.has(path.split('.').at(-1)!), path).toBe(true)
  })

  test('the compiled program finds every module that a thread or a process starts with', () => {
    let started = 0
    for (const path of modules) {
      const text = readFileSync(join(root, path), 'utf8')
      for (const [, before, name] of text.matchAll(/(\w*\(?)new URL\(\s*['`](\.[^'`]+\.ts)['`]/g)) {
        expect(before, `${path} starts ${name}`).toBe('runnable(')
        expect(existsSync(join(root, dirname(path), name!)), `${path} starts ${name}`).toBe(true)
        started += 1
      }
      for (const [started] of text.matchAll(/\b(?:new Worker|fork)\((?!runnable\(new URL)[^)]*/g))
        expect(started, `${path} starts a file by another way`).toBe('')
    }
    expect(started).toBeGreaterThanOrEqual(6)
  })
})

describe.skipIf(!isFull)('the package, installed from the tarball in an empty folder', () => {
  const folder = isFull ? mkdtempSync(join(tmpdir(), 'tenderstock-package-')) : ''
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder }
  const npm = (args: readonly string[]) => {
    const cache = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim()
    const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--cache', cache]
    return execFileSync('npm', [...args, ...flags], { cwd: folder, encoding: 'utf8' })
  }

  test('starts, answers in the API and the console, and stops', async () => {
    const files = pack(['--pack-destination', folder])
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    const compiled = modules.filter((path) => !/console\/browser|bin\/compile/.test(path))
    expect(files).toEqual(
      expect.arrayContaining(compiled.map((path) => path.replace(/^src/, 'dist').replace(/\.ts$/, '.js'))),
    )
    const tarball = join(folder, `tenderstock-${version}.tgz`)
    // nothing comes from a registry, so the versions are those that were tested
    npm(['install', '--omit=dev', '--offline', tarball])
    const installed = globSync('node_modules/tenderstock/node_modules/{*,@*/*}/package.json', { cwd: folder })
    expect(installed.length).toBeGreaterThan(100)
    for (const path of installed) {
      const { version } = JSON.parse(readFileSync(join(folder, path), 'utf8')) as { version: string }
      const name = dirname(path).replace('node_modules/tenderstock/', '')
      expect(`${name} ${version}`).toBe(`${name} ${locked[name]?.version}`)
    }
    const [packed, unpacked] = [tarball, join(folder, 'node_modules')].map(
      (path) => execFileSync('du', ['-sk', path], { encoding: 'utf8' }).split('\t')[0],
    )
    console.log(`package: ${packed} KB packed; ${unpacked} KB installed with its dependencies`)

    const program = join(folder, 'node_modules/.bin/tenderstock')
    const args = ['start', '--data', join(folder, 'data'), '--api-port', '0', '--json', '--source', 'no-doffin', 'doe']
    const service = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const closed = once(service, 'close')
    let errors = ''
    service.stderr.on('data', (chunk) => (errors += chunk))
    try {
      let ready: PrintedEvent | undefined
      for await (const line of createInterface({ input: service.stdout })) {
        const event = readPrintedEvent(line)
        if (event.event === 'ready') ready = event
        if (ready) break
      }
      expect(ready, errors).toBeDefined()
      const { api, console: site, tokenFile } = ready as unknown as Record<'api' | 'console' | 'tokenFile', string>
      const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` }
      const page = await fetch(`${api}/v1/tenders?limit=5`, { headers })
      expect(((await page.json()) as { data: unknown[] }).data).toHaveLength(5)
      for (const path of ['/readyz', '/openapi.json', '/access'])
        expect((await fetch(api + path)).status, path).toBe(200)
      const home = await (await fetch(`${site}/`)).text()
      const assets = [...home.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
      expect(assets.length).toBeGreaterThan(1)
      for (const path of [
        ...assets,
        '/docs',
        '/docs/operations',
        '/docs/flow.svg',
        '/docs/fields',
        '/changelog',
        '/status',
      ])
        expect((await fetch(site + path)).status, path).toBe(200)
      const guide = await (await fetch(`${site}/docs/architecture`)).text()
      for (const [, path] of guide.matchAll(/href="(\/[^"#]*)/g))
        expect((await fetch(site + path)).status, path).toBe(200)
    } finally {
      service.kill('SIGTERM')
      await closed
    }
    expect(service.exitCode, errors).toBe(0)
    expect(errors).toBe('')
  }, 600_000)

  test('says what to do under an older Node.js, and that works', () => {
    npm(['install', '--no-save', `old@npm:node-${process.platform}-${process.arch}@18`])
    const old = join(folder, 'node_modules/old/bin/node')
    const program = join(folder, 'node_modules/tenderstock/src/bin/tenderstock.cjs')
    const { status, stderr } = spawnSync(old, [program, 'start'], { encoding: 'utf8', env })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Tenderstock needs Node\.js 24 or newer, and [^\n]*\n$/)
    const [, way] = /`(npx [^`]*) start`/.exec(stderr)!
    expect(way).toBe(`npx --yes -p node@24 -- node ${program}`)
  }, 600_000)
})
