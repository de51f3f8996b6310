// A database server that went back to an earlier state, as operators and clients see it: a publisher that never saw
// what was lost finds those who did, and a node that holds what was replaced says 503.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openStore, type Store } from '../src/store/database/database.ts'
import { launchNode, type NodeProcess, runCommand } from './database-faults/node-process.ts'
import { makeTokens } from './database-faults/tokens.ts'
import { putNumbered } from './numbered-tenders.ts'
import { openEmptyDatabase, testDatabaseUrl } from './world.ts'

const patience = { timeout: 60_000, interval: 250 }
if (testDatabaseUrl === undefined) console.log('skipped: editions that a server lost (no TEST_DATABASE_URL)')

/** Makes `target` a copy of the database `source`, and ends all connections to both. */
async function copyDatabase(source: string, target: string): Promise<void> {
  const client = new pg.Client(testDatabaseUrl!)
  await client.connect()
  const names = [source, target]
  const end = async (name: string) => {
    await client.query(`alter database ${name} allow_connections false`)
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  }
  try {
    const { rows } = await client.query('select datname from pg_database where datname = any($1)', [names])
    if (rows.length === 2) {
      await end(target)
      await client.query(`drop database ${target} with (force)`)
    }
    await end(source)
    await client.query(`create database ${target} template ${source}`)
    for (const name of names) await client.query(`alter database ${name} allow_connections true`)
  } finally {
    await client.end()
  }
}

test.skipIf(!testDatabaseUrl)(
  'P1 a lost number is not published again beside a node that holds it; replaced editions are served no more',
  { timeout: 900_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'replaced-editions-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await using database = await openEmptyDatabase()
    const name = new URL(database.url).pathname.slice(1)
    const earlier = `${name}_earlier`
    onTestFinished(async () => {
      const client = new pg.Client(testDatabaseUrl!)
      await client.connect()
      await client.query(`drop database if exists ${earlier} with (force)`)
      await client.end()
    })
    const inStore = async <Result>(work: (store: Store) => Promise<Result>): Promise<Result> => {
      const store = await openStore({ databaseUrl: database.url, dataFolder: folder })
      try {
        return await work(store)
      } finally {
        await store.close()
      }
    }
    const on = { databaseUrl: database.url }
    let publishers = 0
    let version = 0
    /** A publisher whose data folder is empty: it knows what the database says. */
    const publishNext = async () => {
      await inStore((store) => putNumbered(store, 0, 5, ++version))
      const data = join(folder, `publisher-${publishers++}`)
      const args = [
        'publish',
        '--publish-interval-minutes',
        '0.0001',
        '--override-gate',
        '--yes',
        '--data',
        data,
        '--json',
      ]
      const { exitCode, out } = await runCommand(args, on)
      return { exitCode, out }
    }
    const published = (edition: number) => ({ exitCode: 0, out: expect.stringContaining(`"edition":${edition},`) })

    const [made] = await inStore((store) => makeTokens(store, 'Acme', 1))
    const shown = async (node: NodeProcess) => {
      const answer = await node.get('/v1/tenders?limit=1', made!.token)
      return [answer.status, ((await answer.json()) as { detail?: string }).detail]
    }
    const ready = async (node: NodeProcess) => {
      const answer = await node.get('/readyz')
      return { status: answer.status, body: (await answer.json()) as { readonly edition?: number } }
    }
    expect(await publishNext()).toMatchObject(published(1))
    await copyDatabase(name, earlier)
    await using node = launchNode(['serve', '--data', join(folder, 'node')], on)
    await node.event('ready')
    expect(await publishNext()).toMatchObject(published(2))
    await expect.poll(async () => (await ready(node)).body, patience).toMatchObject({ status: 'ready', edition: 2 })

    // a snapshot of the disk is put back: the database only lacks what the node serves
    await copyDatabase(earlier, name)
    const refused = await publishNext()
    expect(refused).toMatchObject({ exitCode: 1, out: expect.stringMatching(/the process \d+ on \S+ holds edition 2/) })
    await expect
      .poll(async () => (await ready(node)).body, patience)
      .toMatchObject({ status: 'degraded', edition: 2, degraded: [expect.stringMatching(/lacks the newest ones/)] })
    expect(await shown(node)).toEqual([200, undefined])

    // the node cannot be asked: frozen, and so the number stands for two contents
    node.child.kill('SIGSTOP')
    await copyDatabase(earlier, name)
    expect(await publishNext()).toMatchObject(published(2))
    node.child.kill('SIGCONT')
    await expect.poll(() => ready(node), patience).toMatchObject({ status: 503, body: { reason: 'replaced' } })
    expect(await shown(node)).toMatchObject([503, expect.stringContaining('Other editions were published')])
    expect(JSON.stringify([await ready(node), node.log()])).not.toMatch(/nothing (?:has been|is) published/i)

    // the operator decides
    const decided = await runCommand(['database', 'new-epoch', '--yes', '--data', join(folder, 'operator')], on)
    expect(decided).toMatchObject({ exitCode: 0 })
    expect((await shown(node))[0]).toBe(503)
    const again = await publishNext()
    expect(again.exitCode).toBe(0)
    await expect.poll(async () => (await shown(node))[0], patience).toBe(200)
    const { body } = await ready(node)
    expect(body).toMatchObject({ status: 'ready' })
    expect(body.edition).toBeGreaterThan(1000)
  },
)
