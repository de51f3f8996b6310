// Readiness of real processes: a node whose newest edition does not arrive completely, a held edition, a disk that gets
// low, maintenance of all, hours without a database, and the end of a process that still has something to answer.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../../src/domain/time.ts'
import { publish } from '../../src/publish/publish.ts'
import type { Store } from '../../src/store/database/database.ts'
import { asleep } from '../asleep.ts'
import { putNumbered } from '../numbered-tenders.ts'
import { openTestStore, testDatabaseUrl } from '../world.ts'
import { launchNode, type NodeProcess, runCommand } from './node-process.ts'
import { openSwallowingProxy } from './swallowing-proxy.ts'
import { makeTokens } from './tokens.ts'
import { fakeTimeLibrary, openWrongClock } from './wrong-clock.ts'

if (testDatabaseUrl === undefined) console.log('skipped: readiness of nodes (no TEST_DATABASE_URL)')

const patience = { timeout: 60_000, interval: 200 }

/** Removed at the end; what a killed process has started may write for a moment longer. */
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'readiness-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }))
  return folder
}

async function readyOf(node: NodeProcess) {
  const answer = await node.get('/readyz')
  return { status: answer.status, body: (await answer.json()) as { readonly [member: string]: unknown } }
}

const ubl = 'urn:oasis:names:specification:ubl:schema:xsd:ContractNotice-2'

/** A disk of this size. Returns the exit code. */
const mount = (folder: string, size: string, more = '') =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `${more}size=${size}`, 'tmpfs', folder]).status

async function publishNext(store: Store, version: number): Promise<void> {
  await putNumbered(store, 0, 20, version)
  await publish(store, { now: Date.now(), minIntervalMs: 0, overrideGate: true })
}

describe.skipIf(testDatabaseUrl === undefined)('nodes of one database', () => {
  test('that start with an old edition become ready with the newest one; maintenance mode applies to all', {
    timeout: 600_000,
  }, async () => {
    await using store = await openTestStore('server')
    const databaseUrl = store.options.databaseUrl!
    const [made] = await makeTokens(store, 'Acme', 1)
    await publishNext(store, 1)
    const data = await newFolder()
    const serve = ['serve', '--data', data]
    {
      await using first = launchNode(serve, { databaseUrl })
      await first.event('ready')
      expect(await readyOf(first)).toMatchObject({ status: 200, body: { status: 'ready', edition: 1 } })
    }
    for (const version of [2, 3, 4]) await publishNext(store, version)
    // the newest one lacks a record
    const { rows } = await sql<{ entry: string }>`
      with gone as (delete from edition_entry where last_modified = (select max(last_modified) from edition_entry)
        returning *) select row_to_json(gone)::text as entry from gone`.execute(store.db)
    await using behind = launchNode(serve, { databaseUrl })
    await using other = launchNode(['start', '--no-samples', '--data', await newFolder()], { databaseUrl })
    await behind.event('ready')
    expect(await readyOf(behind)).toMatchObject({ status: 503, body: { reason: 'loading' } })
    const page = await behind.get('/v1/tenders?limit=1', made!.token)
    expect([page.status, page.headers.get('x-stock-state')]).toEqual([200, expect.stringMatching(/^1; /)])
    await sql`insert into edition_entry select * from json_populate_record(null::edition_entry, ${rows[0]!.entry}::json)`.execute(
      store.db,
    )
    await expect.poll(() => readyOf(behind), patience).toMatchObject({ status: 200, body: { edition: 4 } })
    await other.event('ready')

    // requested through the socket of one process, and from the database if there is none
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const { exitCode, err } = await runCommand(['maintenance', 'on', '--until', until, '--data', data], { databaseUrl })
    expect([exitCode, err]).toEqual([0, ''])
    for (const node of [behind, other]) {
      await expect.poll(() => readyOf(node), patience).toMatchObject({ status: 200, body: { maintenance: { until } } })
      const closed = await node.get('/v1/tenders', made!.token)
      expect(closed.status).toBe(503)
      const left = (Date.parse(until) - Date.now()) / 1000
      expect(Math.abs(Number(closed.headers.get('retry-after')) - left)).toBeLessThan(60)
    }
    const status = await runCommand(['status', '--data', await newFolder(), '--json'], { databaseUrl })
    expect(JSON.parse(status.out)).toMatchObject({ maintenanceUntil: Date.parse(until) })
    expect((await runCommand(['maintenance', 'off', '--data', await newFolder()], { databaseUrl })).exitCode).toBe(0)
    for (const node of [behind, other])
      await expect.poll(async () => (await node.get('/v1/tenders', made!.token)).status, patience).toBe(200)
  })

  test('stay ready while the gate holds an edition, and report low disk space', { timeout: 300_000 }, async () => {
    await using store = await openTestStore('server')
    const databaseUrl = store.options.databaseUrl!
    await publishNext(store, 1)
    await putNumbered(store, 0, 20, 2)
    const [broken, disk] = [await newFolder(), await newFolder()]
    for (let number = 0; number < 60; number++)
      await writeFile(join(broken, `${number}.xml`), `<ContractNotice xmlns="${ubl}"><ID>${number}</ID>`)
    const canMount = mount(disk, '2g') === 0
    if (canMount) onTestFinished(() => void spawnSync('umount', ['--lazy', disk]))
    else console.log('skipped: a disk that gets low (no right to mount a small one)')
    await using publisher = launchNode(
      ['start', '--no-samples', '--publish-interval-minutes', '1', '--ingest', broken, '--data', await newFolder()],
      { databaseUrl },
    )
    await using node = launchNode(['serve', '--data', disk], { databaseUrl })
    expect(await publisher.event('held')).toMatchObject({
      reasons: [expect.stringMatching(/^60 of 60 documents received since the last edition were rejected/)],
    })
    // long enough for each to look at everything
    for (let look = 0; look < 5; look++) {
      for (const each of [publisher, node])
        expect(await readyOf(each)).toMatchObject({ status: 200, body: { edition: 1, isFailing: false } })
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
    if (!canMount) return
    expect((await readyOf(node)).body).toMatchObject({ status: 'ready' })
    mount(disk, '900m', 'remount,')
    await expect
      .poll(() => readyOf(node), patience)
      .toMatchObject({
        status: 200,
        body: {
          status: 'degraded',
          degraded: [expect.stringMatching(/^The disk of the data folder has only 0\.\d GB/)],
        },
      })
    mount(disk, '2g', 'remount,')
    await expect.poll(() => readyOf(node), patience).toMatchObject({ status: 200, body: { status: 'ready' } })
  })

  test('that are frozen, as by a snapshot of their machine, answer at once when they continue', {
    timeout: 300_000,
  }, async () => {
    await using store = await openTestStore('server')
    await publishNext(store, 1)
    const [made] = await makeTokens(store, 'Acme', 1)
    await using node = launchNode(['serve', '--data', join(await newFolder(), 'data')], {
      databaseUrl: store.options.databaseUrl!,
    })
    await node.event('ready')
    process.kill(node.child.pid!, 'SIGSTOP')
    expect(await asleep(node.child.pid!)).toBe(true)
    await delay(8_000)
    process.kill(node.child.pid!, 'SIGCONT')
    for (let request = 0; request < 10; request++) {
      const page = await node.get('/v1/tenders?limit=1', made!.token)
      expect([(await readyOf(node)).status, page.status]).toEqual([200, 200])
      await delay(100)
    }
  })

  const library = fakeTimeLibrary()
  if (library === undefined) console.log('skipped: hours without a database (no package faketime)')

  test.skipIf(library === undefined)(
    'stay ready through a quiet day and hours without the database, for 24 hours',
    async () => {
      await using store = await openTestStore('server')
      await publishNext(store, 1)
      const [made] = await makeTokens(store, 'Acme', 1)
      const folder = await newFolder()
      const clock = await openWrongClock(library!, join(folder, 'clock'), 0, { movesTimers: true })
      const target = new URL(store.options.databaseUrl!)
      await using proxy = await openSwallowingProxy({ host: target.hostname, port: Number(target.port) })
      const own = new URL(target)
      own.port = String(proxy.port)
      await using node = launchNode(['serve', '--data', join(folder, 'data')], {
        databaseUrl: own.href,
        env: clock.env,
      })
      await node.event('ready')
      const pass = (hours: number) => clock.setOff((hours * hourMs) / 1000)
      const page = async () => {
        const answer = await node.get('/v1/tenders?limit=1', made!.token)
        return answer.status === 200 ? 200 : await answer.text()
      }

      // its clock is a day ahead of the database's, and the edition a day old
      await pass(23)
      await expect
        .poll(() => readyOf(node), patience)
        .toMatchObject({ status: 200, body: { status: 'degraded', edition: 1 } })
      proxy.swallowAll()
      await expect
        .poll(() => readyOf(node), patience)
        .toMatchObject({ status: 200, body: { degraded: expect.arrayContaining([expect.stringMatching(/database/)]) } })
      await pass(25)
      // two seconds are enough for it to see the new time
      for (let look = 0; look < 10; look++) {
        expect([(await readyOf(node)).status, await page()]).toEqual([200, 200])
        await new Promise((resolve) => setTimeout(resolve, 400))
      }
      await pass(48)
      await expect.poll(() => readyOf(node), patience).toMatchObject({ status: 503, body: { reason: 'stale' } })
      // a client that is routed here anyway receives the edition that is loaded
      expect(await page()).toBe(200)
      proxy.heal()
      await expect.poll(async () => (await readyOf(node)).status, patience).toBe(200)
    },
  )
})

/** Begins a request whose end never comes. */
async function holdRequest(api: string): Promise<void> {
  const { hostname, port } = new URL(api)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write('GET /v1/tenders HTTP/1.1\r\nHost: x\r\n')
}

describe('a node that is told to stop', () => {
  const launch = async (drainSeconds: number) =>
    launchNode(['start', '--no-samples', '--data', await newFolder(), '--drain-seconds', String(drainSeconds)], {
      databaseUrl: '',
    })

  test('keeps answering while it drains, and ends at once on a second signal', async () => {
    await using node = await launch(300)
    await node.event('ready')
    node.child.kill('SIGTERM')
    await expect.poll(() => readyOf(node), patience).toMatchObject({ status: 503, body: { reason: 'draining' } })
    expect((await node.get('/healthz')).status).toBe(200)
    expect((await node.end(5000)).exitCode).toBe(143)
  })

  test.skipIf(testDatabaseUrl === undefined)('reads the database until the drain ends', async () => {
    await using store = await openTestStore('server')
    await publishNext(store, 1)
    await using node = launchNode(['serve', '--data', await newFolder(), '--drain-seconds', '300'], {
      databaseUrl: store.options.databaseUrl!,
    })
    await node.event('ready')
    node.child.kill('SIGTERM')
    await node.event('stopping')
    // longer than work that waits for the server has to end
    await delay(8000)
    const [made] = await makeTokens(store, 'Late', 1)
    await expect.poll(async () => (await node.get('/v1/tenders', made!.token)).status, patience).toBe(200)
    expect(node.log()).toBe('')
  })

  test('waits for no request that never ends', async () => {
    await using node = await launch(0)
    const { api } = await node.event('ready')
    await holdRequest(String(api))
    expect((await node.end(25_000)).exitCode).toBe(0)
  })
})
