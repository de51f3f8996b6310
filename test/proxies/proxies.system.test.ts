// The samples of docs/proxies with the real programs, curl and openssl, in front of a real node: TLS only, the proxies'
// own problems when all nodes are stopped or hang, and a flood of one client that affects no other.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contractFile } from '../../src/api/contract-text.ts'
import { type ProblemSlug, problemKinds } from '../../src/api/problems/problems.ts'
import { freePort } from '../free-port.ts'
import { readAnswer, sendRaw } from '../raw-http.ts'
import {
  type Certificate,
  endOf,
  makeCertificate,
  type ProxyName,
  type ProxyProcess,
  programOf,
  proxyHost,
  proxyNames,
  startProxy,
} from './proxy-process.ts'

const program = join(import.meta.dirname, '../../src/bin/tenderstock.ts')
const run = promisify(execFile)

const missing = (['openssl', 'curl', ...proxyNames] as const).filter((name) => programOf(name) === undefined)
if (missing.length > 0) console.log(`skipped: proxies of docs/proxies (no ${missing.join(', no ')})`)
const hasTools = programOf('openssl') !== undefined && programOf('curl') !== undefined
const present = proxyNames.filter((name) => programOf(name) !== undefined)

/** How long a start may take on a busy machine. */
const longestStartMs = 300_000
/** Number of requests with a wrong token that one address may send in a minute, and some more. */
const flood = 650

const ajv = new Ajv2020({ strict: false, allErrors: true })
;(formats as unknown as (target: Ajv2020) => void)(ajv)
const contract = JSON.parse(readFileSync(contractFile, 'utf8')) as {
  components: { schemas: Record<string, AnySchema> }
}
const isProblem = ajv.compile(contract.components.schemas.Problem!)

type CurlAnswer = {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly text: string
}

describe.skipIf(!hasTools || present.length === 0)('a proxy in front', () => {
  let folder: string
  let certificate: Certificate
  let node: ChildProcess
  let token: string
  let deadPort: number
  const proxies = new Map<ProxyName, ProxyProcess>()

  /** Sends the request through the proxy with curl, which trusts only the certificate. */
  async function ask(name: ProxyName, path: string, more: readonly string[] = []): Promise<CurlAnswer> {
    const { port } = proxies.get(name)!
    const { stdout } = await run('curl', [
      ...['-sS', '--http1.1', '--path-as-is', '-i', '--max-time', '60', '--cacert', certificate.certificate],
      ...['--resolve', `${proxyHost}:${port}:127.0.0.1`, ...more, `https://${proxyHost}:${port}${path}`],
    ])
    return { ...readAnswer(stdout), body: stdout.slice(stdout.indexOf('\r\n\r\n') + 4), text: stdout }
  }

  /** Number of requests of the flood by status; all of one client address. */
  async function sendFlood(name: ProxyName, address: string, count: number): Promise<ReadonlyMap<string, number>> {
    const { port } = proxies.get(name)!
    const forged = join(folder, `${name}-forged`)
    // The client pretends to be a different one with every request, at the left end and as the only entry.
    const requests = Array.from({ length: count }, (_, index) =>
      [
        `url = "https://${proxyHost}:${port}/v1/tenders"`,
        `header = "X-Forwarded-For: 203.0.113.${index % 250}, 198.51.100.${index % 200}"`,
        'header = "Authorization: Bearer wrong"',
        'output = "/dev/null"',
        'write-out = "%{http_code}\\n"',
        `interface = "${address}"`,
        `cacert = "${certificate.certificate}"`,
        `resolve = "${proxyHost}:${port}:127.0.0.1"`,
        'silent',
      ].join('\n'),
    )
    await writeFile(forged, requests.join('\nnext\n'))
    const { stdout } = await run('curl', ['-K', forged], { maxBuffer: 1 << 24 })
    const counts = new Map<string, number>()
    for (const status of stdout.trim().split('\n')) counts.set(status, (counts.get(status) ?? 0) + 1)
    return counts
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenderstock-proxies-'))
    certificate = await makeCertificate(folder)
    const nodePort = await freePort()
    const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env
    node = spawn(
      process.execPath,
      [program, 'start', '--source', 'ted', '--data', join(folder, 'data'), '--api-port', String(nodePort), '--json'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...environment, TENDERSTOCK_BASE_URL: `https://${proxyHost}`, TENDERSTOCK_TRUSTED_HOPS: '1' },
      },
    )
    for await (const line of createInterface({ input: node.stdout! })) {
      const event = JSON.parse(line) as { readonly event: string; readonly tokenFile?: string }
      if (event.event !== 'ready') continue
      token = readFileSync(event.tokenFile!, 'utf8').trim()
      break
    }
    node.stdout!.resume()
    // The second node of the samples is always down, and no client may notice.
    deadPort = await freePort()
    for (const name of present)
      proxies.set(name, await startProxy(name, { folder, certificate, nodes: [nodePort, deadPort] }))
  }, longestStartMs)

  afterAll(async () => {
    for (const proxy of proxies.values()) await proxy.stop()
    node?.kill('SIGKILL')
    if (node) await endOf(node)
    await rm(folder, { recursive: true, force: true })
  })

  test.each(present)('%s: D51: TLS 1.2 or newer with HSTS, and no other listener', async (name) => {
    const { port, listening } = proxies.get(name)!
    expect([...new Set(listening())]).toEqual([port])
    const page = await ask(name, '/v1/tenders?limit=1', ['-H', `Authorization: Bearer ${token}`])
    expect(page.status).toBe(200)
    expect(JSON.parse(page.body).data).toHaveLength(1)
    expect(page.headers.get('strict-transport-security')).toMatch(/^max-age=[1-9]\d{7}/)
    for (let index = 0; index < 4; index++) expect((await ask(name, '/healthz')).status).toBe(200)
    const handshake = (...protocol: string[]): Promise<string> =>
      new Promise((resolve) => {
        const about = ['s_client', '-connect', `127.0.0.1:${port}`, '-servername', proxyHost, ...protocol]
        execFile('openssl', about, (_error, stdout) => resolve(stdout)).stdin!.end()
      })
    expect(await handshake('-tls1_2')).toMatch(/Protocol\s*: TLSv1\.2/)
    expect(await handshake('-tls1_1', '-cipher', 'ALL:@SECLEVEL=0')).toMatch(/Cipher is \(NONE\)/)
    const newer = await ask(name, '/healthz', ['--http2', '-o', '/dev/null', '-w', '%{http_version}'])
    expect(newer.text).toBe('2')
    const plain = await sendRaw(port, 'GET /v1/tenders HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n').catch(
      () => '',
    )
    expect(plain).not.toMatch(/^HTTP\/1\.\d [23]/)
  })

  test.each(present)('%s: addresses in answers are those of the service, never of a node', async (name) => {
    const refused = await ask(name, '/v1/tenders')
    expect([refused.status, JSON.parse(refused.body).type]).toEqual([
      401,
      `https://${proxyHost}/access#error-unauthorized`,
    ])
    const served = await ask(name, '/openapi.json')
    expect(JSON.parse(served.body).servers[0].url).toBe(`https://${proxyHost}`)
    const page = await ask(name, '/access')
    for (const text of [served.body, page.body]) expect(text).not.toMatch(/127\.0\.0\.1|localhost/)
  })

  test.each(present)('%s: requests that are too long are refused by the service, not by the proxy', async (name) => {
    const long = await ask(name, `/v1/tenders?cpv=${'45000000,'.repeat(1000)}`)
    expect([long.status, JSON.parse(long.body).type]).toEqual([414, `https://${proxyHost}/access#error-uri-too-long`])
    const big = await ask(name, '/v1/tenders', ['-H', `X-Big: ${'x'.repeat(17_000)}`])
    expect([big.status, JSON.parse(big.body).type]).toEqual([
      431,
      `https://${proxyHost}/access#error-headers-too-large`,
    ])
  })

  test.each(present)(
    '%s: D12: a flood of wrong tokens from one client is limited, the 401 of others stays',
    async (name) => {
      const flooder = `127.0.0.${10 + present.indexOf(name)}`
      const counts = await sendFlood(name, flooder, flood)
      expect(Object.fromEntries(counts)).toEqual({ 401: 600, 429: flood - 600 })
      const other = await ask(name, '/v1/tenders', ['-H', 'Authorization: Bearer wrong', '--interface', '127.0.0.9'])
      expect(other.status).toBe(401)
      const held = await ask(name, '/v1/tenders', ['-H', 'Authorization: Bearer wrong', '--interface', flooder])
      expect(held.status).toBe(429)
      expect(held.headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
    },
  )

  function expectProblem(answer: CurlAnswer, slugs: readonly ProblemSlug[], instance: string): void {
    const problem = JSON.parse(answer.body)
    const slug = slugs.find((each) => problem.type === `https://${proxyHost}/access#error-${each}`)
    expect(slug, answer.body).toBeDefined()
    const kind = problemKinds[slug!]
    expect([answer.status, problem.status, problem.title]).toEqual([kind.status, kind.status, kind.title])
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('strict-transport-security')).toMatch(/^max-age=[1-9]\d{7}/)
    expect(Number(answer.headers.get('retry-after'))).toSatisfy((wait: number) => wait >= 8 && wait <= 12)
    expect(problem.retryAfter).toBe(Number(answer.headers.get('retry-after')))
    expect(answer.headers.get('x-request-id')).toBe(problem.requestId)
    expect(problem.instance).toBe(instance)
    expect(isProblem(problem), JSON.stringify(isProblem.errors)).toBe(true)
    expect(answer.body).not.toMatch(/127\.0\.0\.1|node[12]|nginx|haproxy|caddy/i)
  }

  const bearer = () => ['-H', `Authorization: Bearer ${token}`]

  test('C132, C137, C138, D14: hanging nodes are answered as a problem with Retry-After', async () => {
    // The second one accepts connections too, and says nothing.
    const silent = createServer((socket) => void socket.on('error', () => {}).resume()).listen(deadPort, '127.0.0.1')
    await once(silent, 'listening')
    node.kill('SIGSTOP')
    try {
      await Promise.all(
        present.map(async (name) => {
          const answer = await ask(name, '/v1/tenders?limit=1', bearer())
          // HAProxy may have found out meanwhile that no node is ready.
          expectProblem(answer, ['gateway-timeout', 'unavailable'], '/v1/tenders')
        }),
      )
    } finally {
      node.kill('SIGCONT')
      silent.close()
    }
  })

  test('C132, C137, C138, D14: with all nodes stopped every answer is a problem with Retry-After', async () => {
    node.kill('SIGKILL')
    await endOf(node)
    const askAll = async (name: ProxyName): Promise<void> => {
      const waits = new Set<string | undefined>()
      for (let index = 0; index < 8; index++) {
        const answer = await ask(name, '/v1/tenders?limit=1&cpv=45000000', bearer())
        expectProblem(answer, ['bad-gateway', 'unavailable'], '/v1/tenders')
        waits.add(answer.headers.get('retry-after'))
      }
      expect(waits.size, `${name} spreads its clients`).toBeGreaterThan(1)
      // What a client wrote into the address cannot break out of the text.
      for (const path of ['/%22%2C%22x%22:%22', '/v1/tenders/%0d%0aX:1', '/v1/tenders/{err.message}', '/"<b>\\'])
        expectProblem(await ask(name, path), ['bad-gateway', 'unavailable'], '/')
      const id = '/v1/tenders/0f8a1c52-7d3e-8b64-9a10-5c2e7f4b9d31'
      expectProblem(await ask(name, id, bearer()), ['bad-gateway', 'unavailable'], id)
    }
    await Promise.all(present.map(askAll))
  })
})
