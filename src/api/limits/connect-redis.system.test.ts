// The shared limit over a failover of real servers, watched by a real Sentinel; and a server that turns into a replica.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../../test/free-port.ts'
import { madeUpCertificate } from '../../../test/testing/made-up-certificate.ts'
import { sentinelAddressOf } from '../../platform/redis-address.ts'
import { createRedisLimiter } from './limiter-redis.ts'
import { LateAnswer, type Patience } from './turn-patience.ts'

const program = ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0)
if (program === undefined) console.log('skipped: Sentinel (no redis-server)')

type Store = { readonly port: number; readonly child: ChildProcess; readonly client: Redis }

const startStore = async (...args: string[]): Promise<Store> => startStoreAt(await freePort(), ...args)

async function startStoreAt(port: number, ...args: string[]): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'store-'))
  const config = join(folder, 'store.conf')
  const hasTls = args.some((arg) => arg.startsWith('tls-'))
  const ports = hasTls ? [`tls-port ${port}`, 'port 0'] : [`port ${port}`]
  writeFileSync(config, ['bind 127.0.0.1', ...ports, `dir ${folder}`, ...args].join('\n'))
  const child = spawn(program!, args.some((arg) => arg.startsWith('sentinel ')) ? [config, '--sentinel'] : [config], {
    stdio: 'ignore',
  })
  const client = new Redis(port, '127.0.0.1', {
    retryStrategy: () => 100,
    maxRetriesPerRequest: null,
    ...(hasTls && { tls: {} }),
  })
  client.on('error', () => {})
  onTestFinished(() => {
    client.disconnect()
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  await client.ping()
  return { port, child, client }
}

/**
 * Long, so that a slow machine does not look like an outage. It ends, because nobody ever answers a request that was
 * made while the connection was opening.
 */
const patience: Patience = {
  within: async (answer) => {
    const stop = new AbortController()
    const end = delay(5000, undefined, { signal: stop.signal }).then(() => Promise.reject(new LateAnswer()))
    try {
      return await Promise.race([answer, end])
    } finally {
      end.catch(() => {})
      stop.abort()
    }
  },
}

/** More than a test asks for while it waits: a process that has used up its share no longer asks the store. */
const limit = 10_000

const idsOf = async (client: Redis) => ((await client.client('LIST')) as string).match(/^id=\d+/gm)!.length
const isMaster = async (client: Redis) => /role:master/.test(await client.info('replication'))
const until = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 90_000, interval: 200 })

test.skipIf(program === undefined)(
  'the limit follows the Sentinel to the new master',
  async () => {
    const first = await startStore()
    const second = await startStore(`replicaof 127.0.0.1 ${first.port}`)
    const sentinel = await startStore(
      `sentinel monitor limits 127.0.0.1 ${first.port} 1`,
      'sentinel down-after-milliseconds limits 1000',
      'sentinel failover-timeout limits 10000',
    )
    const url = `redis+sentinel://127.0.0.1:${await freePort()},127.0.0.1:${sentinel.port}/limits`
    const limiter = createRedisLimiter({ url, clock: () => Date.now(), patience })
    await limiter.connected
    await until(
      async () => (await limiter.take('one', limit)).isAllowed && first.client.exists('tenderstock:limit:one'),
    ).toBe(1)
    // the Sentinel has to know the replica before it can promote it
    await until(async () => JSON.stringify(await sentinel.client.call('SENTINEL', 'replicas', 'limits'))).toContain(
      `${second.port}`,
    )
    await until(async () => (await second.client.info('replication')).includes('master_link_status:up')).toBe(true)
    first.child.kill('SIGKILL')
    await until(() => isMaster(second.client)).toBe(true)
    await until(async () => {
      await limiter.take('two', limit)
      return second.client.exists('tenderstock:limit:two')
    }).toBe(1)
    await limiter.close()
  },
  240_000,
)

/** Answers as a Sentinel does, but reports a failover exactly while it is asked for the new master. */
async function startHastySentinel(masters: readonly [before: number, after: number]): Promise<number> {
  const sockets = new Set<Socket>()
  let listener: Socket | undefined
  const addressOf = (port: number) => `*2\r\n$9\r\n127.0.0.1\r\n$${`${port}`.length}\r\n${port}\r\n`
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = ''
    socket.on('error', () => {})
    socket.on('data', async (chunk) => {
      received += chunk
      const commands = received.split(/(?=\*\d+\r\n)/)
      received = ''
      for (const command of commands) {
        const words = command.split('\r\n').filter((_, index) => index > 0 && index % 2 === 0)
        const [name, second] = words.map((word) => word.toLowerCase())
        if (name === 'hello') socket.write('-NOPROTO unsupported\r\n')
        else if (name === 'subscribe') {
          listener = socket
          socket.write('*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n')
        } else if (second === 'sentinels') socket.write('*0\r\n')
        else if (second === 'get-master-addr-by-name' && listener !== undefined) {
          listener.write('*3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$6\r\nlimits\r\n')
          await delay(100)
          socket.write(addressOf(masters[1]))
        } else if (second === 'get-master-addr-by-name') socket.write(addressOf(masters[0]))
        else socket.write('+OK\r\n')
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test.skipIf(program === undefined)(
  'a failover that becomes known while the connection is made again does not end it',
  async () => {
    const [first, second] = [await startStore(), await startStore()]
    const port = await startHastySentinel([first.port, second.port])
    const url = `redis+sentinel://127.0.0.1:${port}/limits`
    const limiter = createRedisLimiter({ url, clock: () => Date.now(), patience })
    await limiter.connected
    await until(
      async () => (await limiter.take('one', limit)).isAllowed && first.client.exists('tenderstock:limit:one'),
    ).toBe(1)
    first.child.kill('SIGKILL')
    await until(async () => {
      await limiter.take('two', limit)
      return second.client.exists('tenderstock:limit:two')
    }).toBe(1)
    await limiter.close()
  },
  240_000,
)

test.skipIf(program === undefined)(
  'a Sentinel that goes away and returns is followed again, and prints nothing',
  async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => printed.mockRestore())
    const store = await startStore()
    const watch = [`sentinel monitor limits 127.0.0.1 ${store.port} 1`, 'sentinel down-after-milliseconds limits 60000']
    const sentinel = await startStore(...watch)
    const url = `redis+sentinel://127.0.0.1:${await freePort()},127.0.0.1:${sentinel.port}/limits`
    const limiter = createRedisLimiter({ url, clock: () => Date.now(), patience })
    await limiter.connected
    const listeners = async (client: Redis) => ((await client.client('LIST')) as string).match(/ sub=1 /g)?.length ?? 0
    await until(() => listeners(sentinel.client)).toBe(1)
    sentinel.child.kill('SIGKILL')
    await until(async () => sentinel.child.signalCode).toBe('SIGKILL')
    expect((await limiter.take('one', limit)).isAllowed).toBe(true)
    const again = await startStoreAt(sentinel.port, ...watch)
    await until(() => listeners(again.client)).toBe(1)
    await limiter.close()
    expect(printed.mock.calls).toEqual([])
  },
  240_000,
)

test.skipIf(program === undefined)(
  'Sentinels and servers are both queried over TLS',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { key, certificate } = madeUpCertificate(folder, 'IP:127.0.0.1')
    const trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, readFileSync(certificate, 'utf8')])
    onTestFinished(() => setDefaultCACertificates(trusted))
    const tls = [`tls-cert-file ${certificate}`, `tls-key-file ${key}`, `tls-ca-cert-file ${certificate}`]
    const options = [...tls, 'tls-auth-clients no', 'tls-replication yes']
    const store = await startStore(...options)
    const sentinel = await startStore(...options, `sentinel monitor limits 127.0.0.1 ${store.port} 1`)
    const url = `rediss+sentinel://127.0.0.1:${sentinel.port}/limits`
    const limiter = createRedisLimiter({ url, clock: () => Date.now(), patience })
    await limiter.connected
    await until(async () => {
      await limiter.take('one', limit)
      return store.client.exists('tenderstock:limit:one')
    }).toBe(1)
    await limiter.close()
  },
  240_000,
)

test.skipIf(program === undefined)(
  'a server that became a replica is left: the connection is made again',
  async () => {
    const store = await startStore()
    const limiter = createRedisLimiter({ url: `redis://127.0.0.1:${store.port}`, clock: () => Date.now(), patience })
    await limiter.connected
    await limiter.take('one', limit)
    const made = async () => Number(/total_connections_received:(\d+)/.exec(await store.client.info('stats'))![1])
    const before = await made()
    await store.client.replicaof('127.0.0.1', await freePort())
    await until(async () => {
      expect((await limiter.take('one', limit)).isAllowed).toBe(true)
      return (await made()) > before
    }).toBe(true)
    await store.client.replicaof('NO', 'ONE')
    await until(async () => {
      await limiter.take('two', limit)
      return store.client.exists('tenderstock:limit:two')
    }).toBe(1)
    expect(await idsOf(store.client)).toBeLessThan(5)
    await limiter.close()
  },
  240_000,
)

test('an address of Sentinels names them, the master, and the user', () => {
  expect(sentinelAddressOf('rediss+sentinel://u:p%40@a,b:7/limits/2?sentinelPassword=s')).toEqual({
    sentinels: [
      { host: 'a', port: 26_379 },
      { host: 'b', port: 7 },
    ],
    name: 'limits',
    db: 2,
    username: 'u',
    password: 'p@',
    sentinelPassword: 's',
    hasTls: true,
  })
  expect(sentinelAddressOf('redis://a:1/0')).toBeUndefined()
  expect(() => sentinelAddressOf('redis+sentinel://a:1')).toThrow(/names no master/)
})
