// The addresses that clients see: those that the operator set, never the one on which a node listens, except in a
// trial.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressWarnings, publicAddresses } from '../src/service/readers/public-addresses.ts'
import { endOf } from './proxies/proxy-process.ts'

const program = join(import.meta.dirname, '../src/bin/tenderstock.ts')
const listening = 'http://127.0.0.1:8080'
const databaseUrl = 'postgres://h/d'

describe('the addresses that are shown', () => {
  test('a trial on loopback without DATABASE_URL shows where it listens, without a warning', () => {
    for (const host of ['127.0.0.1', 'localhost', '::1']) {
      const deployment = { config: {}, host }
      expect(publicAddresses(deployment, listening)).toEqual({ baseUrl: listening, docsUrl: listening, trustedHops: 0 })
      expect(addressWarnings(deployment)).toEqual([])
    }
  })

  test.each([
    ['a database server', { config: { databaseUrl }, host: '127.0.0.1' }],
    ['all addresses of the machine', { config: {}, host: '0.0.0.0' }],
    ['all addresses, IPv6', { config: {}, host: '::' }],
    ['one address of a network', { config: {}, host: '10.0.0.7' }],
    ['a name', { config: {}, host: 'node7' }],
  ])('%s: no address of a node is shown, and two settings are requested', (_what, deployment) => {
    expect(publicAddresses(deployment, listening)).toEqual({ baseUrl: '', docsUrl: '', trustedHops: 0 })
    expect(addressWarnings(deployment).map((each) => each.split(' ')[0])).toEqual([
      'TENDERSTOCK_BASE_URL',
      'TENDERSTOCK_TRUSTED_HOPS',
    ])
  })

  test('a configured address is shown everywhere', () => {
    const config = { databaseUrl, baseUrl: 'https://t.example', trustedHops: 0 }
    const deployment = { config, host: '0.0.0.0' }
    expect(publicAddresses(deployment, listening)).toEqual({
      baseUrl: 'https://t.example',
      docsUrl: 'https://t.example',
      trustedHops: 0,
    })
    expect(addressWarnings(deployment)).toEqual([])
    const apart = { config: { docsUrl: 'https://docs.example/api', trustedHops: 2 }, host: '127.0.0.1' }
    expect(publicAddresses(apart, listening)).toEqual({
      baseUrl: listening,
      docsUrl: 'https://docs.example/api',
      trustedHops: 2,
    })
  })
})

describe('a node that listens on all addresses without a configured public address', () => {
  let folder: string
  let node: ChildProcess
  let api: string
  const warnings: string[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenderstock-addresses-'))
    const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env
    const options = ['--data', folder, '--api-host', '0.0.0.0', '--api-port', '0', '--json']
    node = spawn(process.execPath, [program, 'serve', ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: environment,
    })
    for await (const line of createInterface({ input: node.stdout! })) {
      const event = JSON.parse(line) as { readonly event: string; readonly message: string; readonly api: string }
      if (event.event === 'warning') warnings.push(event.message)
      if (event.event !== 'ready') continue
      api = event.api
      break
    }
    node.stdout!.resume()
  })

  afterAll(async () => {
    node.kill('SIGKILL')
    await endOf(node)
    await rm(folder, { recursive: true, force: true })
  })

  test('reports this when it starts', () => {
    expect(warnings.filter((each) => each.startsWith('TENDERSTOCK_BASE_URL is not set'))).toHaveLength(1)
    expect(warnings.filter((each) => each.startsWith('TENDERSTOCK_TRUSTED_HOPS is not set'))).toHaveLength(1)
  })

  test('shows its own address nowhere: its links are relative to the URL of the request', async () => {
    const answers = await Promise.all(
      ['/v1/tenders', '/v1/nothing', '/readyz', '/openapi.json', '/access'].map((path) => fetch(api + path)),
    )
    const texts = await Promise.all(answers.map((each) => each.text()))
    const shown = [...texts, ...answers.map(({ headers }) => JSON.stringify([...headers]))]
    for (const text of shown) expect(text).not.toMatch(/127\.0\.0\.1|0\.0\.0\.0|localhost/)
    for (const text of texts.slice(0, 3)) {
      const { type } = JSON.parse(text) as { readonly type: string }
      const page = new URL(type, api)
      expect([page.origin, page.pathname]).toEqual([api, '/access'])
      expect(texts[4]).toContain(`id="${page.hash.slice(1)}"`)
    }
    const { servers } = JSON.parse(texts[3]!) as { readonly servers: readonly { readonly url: string }[] }
    expect(servers.map(({ url }) => new URL(url, `${api}/openapi.json`).origin)).toEqual([api])
  })
})
