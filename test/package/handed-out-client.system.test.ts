// A customer has an address and a token, and no clone: from an empty folder, and without a registry, the command that
// the console shows makes a copy.
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ClientPackage, copyCommand, readClientPackage } from '../../src/console/frame/client-package.ts'
import { type ApiWorld, startApi, startOfTests } from '../api-world.ts'
import { openConsoleWorld } from '../console/console-world.ts'
import { plainId } from '../memory-editions.ts'

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

/** Runs a command in an empty folder, with an empty home and this registry. */
function run(command: string, name: string, registry: string): Promise<{ code: number; out: string }> {
  const cwd = join(folder, name)
  mkdirSync(cwd)
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: cwd,
    TENDER_TOKEN: api.token,
    npm_config_cache: join(cwd, 'cache'),
    npm_config_registry: registry,
    npm_config_update_notifier: 'false',
  }
  return new Promise((done) =>
    execFile('sh', ['-c', command], { cwd, env, timeout: 110_000 }, (error, out, err) =>
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
    const { content, ...said } = client
    const address = `${world.origin}/client/${client.file}`
    expect(await answer.json()).toEqual({ ...said, address })
    expect(client.file).toContain(client.version)
    const file = await fetch(address)
    expect(file.headers.get('cache-control')).toContain('immutable')
    expect(Buffer.from(await file.arrayBuffer()).equals(content)).toBe(true)
  })

  test('is refused when the file is not the one of the release', () => {
    const damaged = join(folder, 'damaged')
    mkdirSync(damaged)
    const { content, ...said } = client
    writeFileSync(join(damaged, 'index.json'), JSON.stringify(said))
    const changed = Buffer.from(content)
    changed[100]! ^= 1
    writeFileSync(join(damaged, client.file), changed)
    expect(() => readClientPackage(damaged)).toThrow(/is damaged/)
    expect(readClientPackage(join(folder, 'nothing'))).toBeUndefined()
  })
})
