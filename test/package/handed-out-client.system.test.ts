// A customer has an address and a token, and no clone: from an empty folder, and without a registry, the command that
// the console shows makes a copy.
import { execFile, execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type ClientPackage,
  copyCommand,
  pythonCommand,
  readClientPackage,
} from '../../src/console/frame/client-package.ts'
import { type ApiWorld, startApi, startOfTests } from '../api-world.ts'
import { openConsoleWorld } from '../console/console-world.ts'
import { plainId } from '../memory-editions.ts'
import { pythons } from '../python/pythons.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'tenderstock-handed-out-'))
let api: ApiWorld
let client: ClientPackage
beforeAll(async () => {
  const packed = join(folder, 'package')
  execFileSync(process.execPath, [join(root, 'client/pack.ts'), packed], { stdio: 'ignore' })
  client = readClientPackage(packed)!
  api = await startApi()
  api.editions.publish(
    startOfTests,
    Array.from({ length: 120 }, (_, number) => ({ id: plainId(number), title: `Works ${number}` })),
  )
}, 300_000)
afterAll(async () => {
  await api?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** A folder with the programs of these versions; undefined where no registry has them. */
async function programsOf(node: number, npm: number): Promise<string | undefined> {
  const at = join(folder, `programs-${node}-${npm}`)
  const bin = join(at, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(at, 'package.json'), '{}')
  const names = [`node@${node}`, `npm@${npm}`]
  const options = ['--no-audit', '--no-fund', '--fetch-retries=1', '--fetch-timeout=20000', '--prefer-offline']
  const code = await new Promise((done) =>
    execFile('npm', ['install', ...options, ...names], { cwd: at, timeout: 100_000 }, (error) => done(error ? 1 : 0)),
  )
  if (code !== 0) {
    console.log(`skipped: no registry has ${names.join(' and ')} here`)
    return undefined
  }
  symlinkSync(join(at, 'node_modules/node/bin/node'), join(bin, 'node'))
  for (const name of ['npm', 'npx']) symlinkSync(join(at, `node_modules/npm/bin/${name}-cli.js`), join(bin, name))
  return bin
}

/** A console that hands it out, and a registry that counts what npm asks it. */
async function open() {
  const world = await openConsoleWorld('embedded', { client })
  onTestFinished(() => world[Symbol.asyncDispose]())
  const asked: string[] = []
  const registry = createServer((request, reply) => {
    asked.push(request.url!)
    reply.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await new Promise((done) => registry.once('listening', done))
  onTestFinished(() => void registry.close())
  return { world, asked, registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/` }
}

/** Runs a command in a folder that is empty at first, with an empty home and this registry. */
function run(
  command: string,
  name: string,
  registry: string,
  programs = dirname(process.execPath),
): Promise<{ code: number; out: string }> {
  const cwd = join(folder, name)
  mkdirSync(cwd, { recursive: true })
  const env = {
    PATH: `${programs}:${process.env['PATH']}`,
    PIP_INDEX_URL: 'http://127.0.0.1:9/',
    HOME: cwd,
    TENDER_TOKEN: api.token,
    npm_config_cache: join(cwd, 'cache'),
    npm_config_registry: registry,
    npm_config_update_notifier: 'false',
  }
  return new Promise((done) =>
    execFile('sh', ['-c', command], { cwd, env, timeout: 200_000 }, (error, out, err) =>
      done({ code: error ? Number(error.code ?? -1) : 0, out: out + err }),
    ),
  )
}

describe('the client that the service hands out', () => {
  test('makes a copy by the shown command from an empty folder, where no registry answers', async () => {
    const { world } = await open()
    const shown = copyCommand({ origin: world.origin, api: api.origin }, client.file)
    // nobody listens there
    const { code, out } = await run(shown, 'npx', 'http://127.0.0.1:9/')
    expect([code, out]).toEqual([0, expect.stringContaining('is up to date')])
    expect(out).toContain('120 records')
  })

  test('is installed with the checksum that the console names, also where npm asks nothing else', async () => {
    const { world, asked, registry } = await open()
    const address = `${world.origin}/client/${client.file}`
    expect((await run(`npm install --no-audit --no-fund ${address}`, 'install', registry)).code).toBe(0)
    const lock = JSON.parse(readFileSync(join(folder, 'install/package-lock.json'), 'utf8')) as {
      readonly packages: { readonly [path: string]: { readonly integrity?: string } }
    }
    expect(lock.packages['node_modules/@tenderstock/client']!.integrity).toBe(`sha512-${client.sha512}`)
    expect(asked).toEqual([])
  })

  test('is described for programs, and its address carries its version', async () => {
    const { world } = await open()
    const answer = await fetch(`${world.origin}/client/index.json`)
    const { content, python, ...said } = client
    const address = `${world.origin}/client/${client.file}`
    expect(await answer.json()).toMatchObject({ ...said, address })
    expect(Boolean(python)).toBe(pythons.length > 0)
    expect(client.file).toContain(client.version)
    const file = await fetch(address)
    expect(file.headers.get('cache-control')).toContain('immutable')
    expect(Buffer.from(await file.arrayBuffer()).equals(content)).toBe(true)
  })

  test('is refused when the file is not the one of the release', () => {
    const damaged = join(folder, 'damaged')
    mkdirSync(damaged)
    const { content, python, ...said } = client
    writeFileSync(join(damaged, 'index.json'), JSON.stringify(said))
    const changed = Buffer.from(content)
    changed[100]! ^= 1
    writeFileSync(join(damaged, client.file), changed)
    expect(() => readClientPackage(damaged)).toThrow(/is damaged/)
    expect(readClientPackage(join(folder, 'nothing'))).toBeUndefined()
  })

  test.skipIf(pythons.length === 0)(
    'makes a copy with Python by the shown command, checked by its checksum',
    async () => {
      const { world } = await open()
      const shown = pythonCommand({ origin: world.origin, api: api.origin }, client.python!)
      const { code, out } = await run(shown, 'pip', 'http://127.0.0.1:9/')
      expect([code, out]).toEqual([0, expect.stringContaining('is up to date')])
      expect(out).toContain('120 records')
      const [, install, use] = shown.split('\n') as [string, string, string]
      const changed = install.replace(/(?<=sha256=)./, (digit) => (digit === '0' ? '1' : '0'))
      const again = (command: string) => run(command.replace('install', 'install --force-reinstall'), 'pip', '')
      expect((await again(changed)).out).toMatch(/DO NOT MATCH THE HASHES/)
      const address = `${world.origin}/client/${client.python!.source.file}`
      expect((await again(install.replace(/"[^"]+"/, address))).code).toBe(0)
      expect((await run(use, 'pip', '')).out).toContain('is up to date')
    },
    300_000,
  )

  test.skipIf(pythons.length === 0)('has the same wheel from every Python', () => {
    const sums = pythons.map(({ path, version }) => {
      const at = join(folder, `wheel-${version}`)
      execFileSync(path, [join(root, 'python/build_package.py'), at], { env: { PYTHONDONTWRITEBYTECODE: '1' } })
      return hash('sha256', readFileSync(join(at, client.python!.file)))
    })
    expect(new Set([...sums, client.python!.sha256]).size).toBe(1)
  })

  test.each([20, 22].flatMap((node) => [10, 11].map((npm) => ({ node, npm }))))(
    'makes a copy with Node $node and npm $npm by the shown command',
    async ({ node, npm }) => {
      const programs = await programsOf(node, npm)
      if (!programs) return
      const { world } = await open()
      const shown = copyCommand({ origin: world.origin, api: api.origin }, client.file)
      const startedAt = performance.now()
      const first = await run(shown, `node-${node}-npm-${npm}`, 'http://127.0.0.1:9/', programs)
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      console.log(`Node ${node}, npm ${npm}: ${seconds} s`)
      if (node >= 22) {
        expect([first.code, first.out]).toEqual([0, expect.stringContaining('120 records')])
        return
      }
      // SQLite is part of Node from 22.5 on: the sentence names another way, which works
      expect([first.code, first.out]).toEqual([4, expect.stringContaining('use the sink ndjson')])
      const lines = shown.replace('sqlite:tenders.db', 'ndjson:tenders.ndjson')
      const second = await run(lines, `node-${node}-npm-${npm}-lines`, 'http://127.0.0.1:9/', programs)
      expect([second.code, second.out]).toEqual([0, expect.stringContaining('120 records')])
    },
    300_000,
  )
})
