// Nodes on a database whose connections die silently: real processes, a real server, and between them a proxy that
// swallows bytes.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { publish } from '../../src/publish/publish.ts'
import { inTransaction, openStore } from '../../src/store/database/database.ts'

import { revokeToken } from '../../src/store/people/organizations.ts'
import { lockStock } from '../../src/store/stock/tenders.ts'
import { putNumbered } from '../numbered-tenders.ts'
import { openTestStore, type TestStore, testDatabaseUrl } from '../world.ts'
import { launchNode, runCommand } from './node-process.ts'
import { openSwallowingProxy, type SwallowingProxy } from './swallowing-proxy.ts'
import { makeTokens } from './tokens.ts'

if (testDatabaseUrl === undefined) console.log('skipped: half-open database connections (no TEST_DATABASE_URL)')

/** How long a fault of a connection may keep news from a node. */
const newsLimitMs = 15_000
/** How long a stop may take whatever the database does. */
const stopLimitMs = 10_000

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'half-open-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

type World = AsyncDisposable & {
  readonly store: TestStore
  readonly proxy: SwallowingProxy
  /** The stock, opened through the proxy. */
  readonly databaseUrl: string
  /** Publishes the next edition, with every tender changed, over another connection. */
  readonly publishNext: () => Promise<void>
}

async function openWorld(): Promise<World> {
  const store = await openTestStore('server')
  const direct = new URL(store.options.databaseUrl!)
  const proxy = await openSwallowingProxy({ host: direct.hostname, port: Number(direct.port) })
  const byProxy = new URL(direct)
  byProxy.host = `127.0.0.1:${proxy.port}`
  let version = 0
  const publishNext = async () => {
    await putNumbered(store, 0, 20, ++version)
    const outcome = await publish(store, { now: Date.now(), minIntervalMs: 0, overrideGate: true })
    if (outcome.kind !== 'published') throw new Error(`not published: ${outcome.kind}`)
  }
  await publishNext()
  return {
    store,
    proxy,
    databaseUrl: byProxy.href,
    publishNext,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

describe.skipIf(testDatabaseUrl === undefined)('behind a network that swallows bytes', () => {
  test('a node serves a new edition, loads tokens and revocations, and stops on request', async () => {
    await using world = await openWorld()
    const { store, proxy, databaseUrl } = world
    const [kept, revoked] = await makeTokens(store, 'Acme', 2)
    await using node = launchNode(['serve', '--data', await newFolder()], { databaseUrl })
    const statusOf = async (token: string) => (await node.get('/v1/tenders?limit=1', token)).status
    await node.event('ready')
    expect(await Promise.all([statusOf(kept!.token), statusOf(revoked!.token)])).toEqual([200, 200])

    proxy.swallowOld()
    const news = performance.now()
    const left = () => ({ timeout: Math.max(1, newsLimitMs - (performance.now() - news)), interval: 200 })
    await world.publishNext()
    await revokeToken(store, revoked!.tokenId, Date.now())
    const [made] = await makeTokens(store, 'Later', 1)
    await expect
      .poll(async () => (await (await node.get('/readyz')).json()) as unknown, left())
      .toMatchObject({ status: 'ready', edition: 2 })
    await expect.poll(() => statusOf(revoked!.token), left()).toBe(401)
    await expect.poll(() => statusOf(made!.token), left()).toBe(200)
    expect(await statusOf(kept!.token)).toBe(200)
    console.log(`news arrived ${Math.round(performance.now() - news)} ms after the fault`)
    const { exitCode, tookMs } = await node.end(stopLimitMs)
    expect(exitCode).toBe(0)
    console.log(`ended after ${tookMs} ms`)
  })

  test.each(['swallowOld', 'swallowAll'] as const)(
    'a node that is stopped during its start (%s) ends',
    async (fault) => {
      await using world = await openWorld()
      await using node = launchNode(['serve', '--data', await newFolder()], { databaseUrl: world.databaseUrl })
      await node.event('ready')
      world.proxy[fault]()
      const { exitCode, tookMs } = await node.end(stopLimitMs)
      expect(exitCode).toBe(0)
      console.log(`ended after ${tookMs} ms`)
    },
  )

  test('an unreachable database is reported by log and readiness; a stop still works; updates arrive when it is back', async () => {
    await using world = await openWorld()
    const { proxy, databaseUrl } = world
    await using stopped = launchNode(['serve', '--data', await newFolder()], { databaseUrl })
    await using healed = launchNode(['serve', '--data', await newFolder()], { databaseUrl })
    await Promise.all([stopped.event('ready'), healed.event('ready')])
    proxy.swallowAll()
    for (const node of [stopped, healed]) {
      await expect
        .poll(async () => (await (await node.get('/readyz')).json()) as unknown, { timeout: 30_000, interval: 200 })
        .toMatchObject({
          status: 'degraded',
          edition: 1,
          degraded: [expect.stringMatching(/^The database has not answered for \d+ seconds/)],
        })
      expect((await node.get('/readyz')).status).toBe(200)
      await expect.poll(node.log).toMatch(/"level":"error".*the database does not answer/)
    }
    expect((await stopped.end(stopLimitMs)).exitCode).toBe(0)
    proxy.heal()
    await world.publishNext()
    await expect
      .poll(async () => (await (await healed.get('/readyz')).json()) as unknown, {
        timeout: newsLimitMs,
        interval: 200,
      })
      .toMatchObject({ status: 'ready', edition: 2 })
    await expect.poll(healed.log, { timeout: newsLimitMs, interval: 200 }).toMatch(/the database answers again/)
  })

  test('a start that waits for a silent database can be canceled', async () => {
    await using world = await openWorld()
    world.proxy.swallowAll()
    await using node = launchNode(['start', '--no-samples', '--data', await newFolder()], {
      databaseUrl: world.databaseUrl,
    })
    await expect.poll(() => world.proxy.made(), { timeout: 30_000 }).toBeGreaterThan(0)
    expect((await node.end(stopLimitMs)).exitCode).toBe(0)
  })

  test('a publisher that waits for long continues; one whose connection dies releases its locks and publishes later', async () => {
    await using world = await openWorld()
    const { store, proxy, databaseUrl } = world
    const dataFolder = await newFolder()
    await using service = launchNode(
      ['start', '--no-samples', '--publish-interval-minutes', '0.02', '--data', dataFolder],
      { databaseUrl },
    )
    await service.event('ready')
    const admin = await openStore(store.options)
    onTestFinished(admin.close)
    const publishers = async () => {
      const { rows } = await sql<{ pid: number; waits: boolean }>`
        select l.pid, not l.granted as waits from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'advisory' and a.datname = current_database() and a.pid <> pg_backend_pid()
        order by l.pid`.execute(admin.db)
      return rows
    }
    const released = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = inTransaction(store, async (trx) => {
      await lockStock(trx)
      locked.resolve()
      await released.promise
    })
    await locked.promise
    await putNumbered(admin, 0, 20, 100)
    // it waits for the lock, longer than any small query may take, and is not abandoned
    await expect.poll(async () => (await publishers()).filter(({ waits }) => waits).length, { timeout: 60_000 }).toBe(1)
    const [waiting] = (await publishers()).filter(({ waits }) => waits)
    const waitedFrom = performance.now()
    await expect
      .poll(async () => performance.now() - waitedFrom > 12_000 && (await publishers()).length, { timeout: 30_000 })
      .toBe(2)
    expect((await publishers()).filter(({ waits }) => waits)).toEqual([waiting])
    // now its connection dies, and the lock falls to a session that no process reads any more
    proxy.swallowOld()
    released.resolve()
    await holding
    await expect.poll(publishers, { timeout: newsLimitMs, interval: 200 }).toEqual([])
    const command = await runCommand(['publish', '--publish-interval-minutes', '0', '--data', dataFolder], {
      databaseUrl,
    })
    expect([0, 4], command.err + command.out).toContain(command.exitCode)
    await expect
      .poll(async () => (await (await service.get('/readyz')).json()) as unknown, { timeout: 60_000, interval: 200 })
      .toMatchObject({ edition: 2 })
    expect((await service.end(stopLimitMs)).exitCode).toBe(0)
  })
})
