// Readiness of real processes: a node whose newest edition does not come whole, at its start and later, and maintenance of all.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { publish } from '../../src/publish/publish.ts'
import type { Store } from '../../src/store/database.ts'
import { putNumbered } from '../numbered-tenders.ts'
import { openTestStore, testDatabaseUrl } from '../world.ts'
import { launchNode, type NodeProcess, runCommand } from './node-process.ts'
import { makeTokens } from './tokens.ts'

if (testDatabaseUrl === undefined) console.log('skipped: readiness of nodes (no TEST_DATABASE_URL)')

const patience = { timeout: 60_000, interval: 200 }

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'readiness-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function readyOf(node: NodeProcess) {
  const answer = await node.get('/readyz')
  return { status: answer.status, body: (await answer.json()) as { readonly [member: string]: unknown } }
}

async function publishNext(store: Store, version: number): Promise<void> {
  await putNumbered(store, 0, 20, version)
  await publish(store, { now: Date.now(), minIntervalMs: 0, overrideGate: true })
}

describe.skipIf(testDatabaseUrl === undefined)('nodes of one database', () => {
  test('that start behind are not ready before they hold the newest edition; maintenance closes and opens all', {
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

    // asked through the socket of one process, and of the database where none is
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
})
