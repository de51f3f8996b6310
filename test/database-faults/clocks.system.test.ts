// Machines whose clocks are wrong: real processes under libfaketime, on one database whose clock is right.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../../src/domain/time.ts'
import { publish } from '../../src/publish/publish.ts'
import { openStore } from '../../src/store/database/database.ts'
import { newestEdition } from '../../src/store/editions/editions.ts'
import { putNumbered } from '../numbered-tenders.ts'
import { engines, openTestStore, testDatabaseUrl } from '../world.ts'
import { type LaunchOptions, launchNode, runCommand } from './node-process.ts'
import { openSwallowingProxy } from './swallowing-proxy.ts'
import { makeTokens } from './tokens.ts'
import { fakeTimeLibrary, openWrongClock } from './wrong-clock.ts'

const library = fakeTimeLibrary()
if (library === undefined) console.log('skipped: processes with a wrong clock (no package faketime)')
if (testDatabaseUrl === undefined) console.log('skipped: nodes with wrong clocks (no TEST_DATABASE_URL)')

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clocks-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const records = 60

type Page = { readonly data: readonly { readonly id: string }[]; readonly nextCursor: string | null }
type Ready = { readonly status: string; readonly edition: number; readonly degraded?: readonly string[] }

describe.skipIf(testDatabaseUrl === undefined || library === undefined)('wrong clocks on one database', () => {
  test('a paged run over three nodes ends although one is 90 s ahead and one 10 min behind', async () => {
    await using store = await openTestStore('server')
    await putNumbered(store, 0, records, 1)
    await publish(store, { now: Date.now() - hourMs, minIntervalMs: 0 })
    const [token] = await makeTokens(store, 'Acme', 1)
    const databaseUrl = store.options.databaseUrl!
    const folder = await newFolder()
    const ahead = await openWrongClock(library!, join(folder, 'ahead'), 90)
    const behind = await openWrongClock(library!, join(folder, 'behind'), -600)
    const serve = (name: string, env: LaunchOptions['env'] = {}) =>
      launchNode(['serve', '--data', join(folder, name)], { databaseUrl, env })
    await using right = serve('right')
    await using fast = serve('fast', ahead.env)
    await using slow = serve('slow', behind.env)
    const nodes = [right, fast, slow]
    await Promise.all(nodes.map((node) => node.event('ready')))
    // in both directions: each passes cursors to each
    for (const order of [nodes, [...nodes].reverse()]) {
      const seen: string[] = []
      let cursor: string | null = null
      for (let page = 0; page === 0 || cursor !== null; page++) {
        const next: string = cursor === null ? '' : `&cursor=${cursor}`
        const answer: Response = await order[page % 3]!.get(`/v1/tenders?archived=true&limit=7${next}`, token!.token)
        const text = await answer.text()
        expect(answer.status, text).toBe(200)
        const { data, nextCursor } = JSON.parse(text) as Page
        seen.push(...data.map(({ id }) => id))
        cursor = nextCursor
      }
      expect(new Set(seen).size).toBe(records)
      expect(seen).toHaveLength(records)
    }
    // each reports it itself, and continues to serve
    const readiness = async (node: (typeof nodes)[number]) => {
      const answer = await node.get('/readyz')
      const { edition, degraded } = (await answer.json()) as Ready
      return { status: answer.status, edition, degraded }
    }
    expect(await readiness(right)).toEqual({ status: 200, edition: 1, degraded: undefined })
    expect(await readiness(fast)).toMatchObject({
      status: 200,
      degraded: [expect.stringMatching(/^The clock of this machine is (?:89|90|91) s ahead of the database's/)],
    })
    expect(await readiness(slow)).toMatchObject({
      status: 200,
      degraded: [expect.stringMatching(/^The clock of this machine is 10 min behind the database's/)],
    })
    expect(slow.log()).toMatch(/"level":"warn".*10 min behind the database's/)
    const { out } = await runCommand(['status', '--json', '--data', join(folder, 'slow')], { databaseUrl })
    expect(JSON.parse(out)).toMatchObject({ clocks: [expect.stringMatching(/10 min behind the database's/)] })
  })

  test('a node whose clock is set while the database is silent still shares cursors, ages and limits with others', async () => {
    await using store = await openTestStore('server')
    await putNumbered(store, 0, records, 1)
    await publish(store, { now: Date.now(), minIntervalMs: 0 })
    const limit = 60
    const [token] = await makeTokens(store, 'Acme', 1, limit)
    const address = new URL(store.options.databaseUrl!)
    await using proxy = await openSwallowingProxy({ host: address.hostname, port: Number(address.port) })
    address.port = String(proxy.port)
    const folder = await newFolder()
    const clock = await openWrongClock(library!, join(folder, 'clock'), 0)
    const serve = (name: string, env: LaunchOptions['env'] = {}) =>
      launchNode(['serve', '--data', join(folder, name)], { databaseUrl: address.href, env })
    await using right = serve('right')
    await using set = serve('set', clock.env)
    const nodes = [right, set]
    await Promise.all(nodes.map((node) => node.event('ready')))
    await expect.poll(async () => ((await (await set.get('/readyz')).json()) as Ready).status).toBe('ready')
    const get = async (node: (typeof nodes)[number], query: string) => {
      const answer = await node.get(`/v1/tenders?archived=true&limit=7${query}`, token!.token)
      const text = await answer.text()
      expect(answer.status, text).toBe(200)
      return JSON.parse(text) as Page
    }
    proxy.swallowAll()
    let asked = 0
    for (const seconds of [300, -300]) {
      await clock.setOff(seconds)
      await delay(2500)
      for (const [from, to] of [nodes, [...nodes].reverse()]) {
        const { nextCursor } = await get(from!, '')
        await get(to!, `&cursor=${nextCursor}`)
        asked++
      }
      const { editionAgeSeconds } = (await (await set.get('/readyz')).json()) as { readonly editionAgeSeconds: number }
      expect(editionAgeSeconds).toBeLessThan(120)
    }
    // what was counted before the clock was set, forwards and back, still counts, once
    const left = await Promise.all(Array.from({ length: limit }, () => set.get('/v1/tenders?limit=1', token!.token)))
    expect(left.filter(({ status }) => status === 200)).toHaveLength(limit - asked)
  })

  test('a publisher whose clock is 20 s ahead refuses, says why, and publishes when its clock is right', async () => {
    await using store = await openTestStore('server')
    await putNumbered(store, 0, 5, 1)
    await publish(store, { now: Date.now() - hourMs, minIntervalMs: 0 })
    await putNumbered(store, 0, 5, 2)
    const databaseUrl = store.options.databaseUrl!
    const folder = await newFolder()
    const clock = await openWrongClock(library!, join(folder, 'clock'), 20)
    const refusal = /^The clock of this machine is (?:19|20|21) s ahead of the database's, and nothing is published/
    const alone = await runCommand(['publish', '--json', '--data', await newFolder()], { databaseUrl, env: clock.env })
    expect(alone.exitCode, alone.err).toBe(1)
    expect(JSON.parse(alone.out)).toMatchObject({ event: 'clockDiffers', message: expect.stringMatching(refusal) })

    const data = join(folder, 'data')
    await using service = launchNode(['start', '--no-samples', '--publish-interval-minutes', '1', '--data', data], {
      databaseUrl,
      env: clock.env,
    })
    expect(await service.event('clockDiffers')).toMatchObject({ message: expect.stringMatching(refusal) })
    await service.event('ready')
    const readiness = async () => (await (await service.get('/readyz')).json()) as Ready
    expect(await readiness()).toMatchObject({
      status: 'degraded',
      edition: 1,
      degraded: [expect.stringMatching(refusal)],
    })
    const status = await runCommand(['status', '--data', data], { databaseUrl })
    expect(status.out).toMatch(/s ahead of the database's, and nothing is published/)
    await clock.setOff(0)
    await expect.poll(readiness, { timeout: 60_000, interval: 500 }).toMatchObject({ status: 'ready', edition: 2 })
    const edition = (await newestEdition(store.db))!
    expect(Math.abs(edition.publishedAt - Date.now())).toBeLessThan(120_000)
  })

  test('a publisher whose clock is a little behind dates its edition by the time of the database', async () => {
    await using store = await openTestStore('server')
    await putNumbered(store, 0, 5, 1)
    await sql.raw('create table noted_publication (at_ms bigint)').execute(store.db)
    await sql
      .raw(`create function note_publication() returns trigger language plpgsql as $$ begin
        insert into noted_publication values (floor(extract(epoch from clock_timestamp()) * 1000)); return new; end $$`)
      .execute(store.db)
    await sql
      .raw('create trigger noted after insert or update on edition for each row execute function note_publication()')
      .execute(store.db)
    const clock = await openWrongClock(library!, join(await newFolder(), 'clock'), -8)
    // within what is tolerated it publishes, and the database's time counts
    const { exitCode, err } = await runCommand(['publish', '--data', await newFolder()], {
      databaseUrl: store.options.databaseUrl!,
      env: clock.env,
    })
    expect(exitCode, err).toBe(0)
    const { publishedAt, lastModified } = (await newestEdition(store.db))!
    const { rows } = await sql<{ at: number }>`select max(at_ms) as at from noted_publication`.execute(store.db)
    expect(Math.abs(rows[0]!.at - publishedAt)).toBeLessThan(4000)
    expect(lastModified).toBeLessThanOrEqual(publishedAt)
  })
})

/** The commands of a section of the operations page, as an operator would type them. */
async function documentedCommands(heading: string): Promise<string[]> {
  const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const section = page.split(/^## /m).find((each) => each.startsWith(heading))
  const block = /```sh\n([\s\S]*?)```/.exec(section ?? '')?.[1] ?? ''
  return block.split('\n').flatMap((line) => /^tenderstock ([^#]*?)\s*(?:#.*)?$/.exec(line)?.[1] ?? [])
}

describe.each(engines)('an edition that a fast clock dated in the future (%s)', (engine) => {
  test('is reported, and the documented steps restore publication after its timestamps', async () => {
    const dataFolder = await newFolder()
    const commands = await documentedCommands('When a clock was wrong')
    expect(commands.length).toBeGreaterThanOrEqual(2)
    await using server = engine === 'server' ? await openTestStore('server') : undefined
    const options = { dataFolder, ...server?.options }
    const databaseUrl = server?.options.databaseUrl ?? ''
    const inStore = async <Result>(work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<Result>) => {
      const store = await openStore({ ...options, dataFolder })
      try {
        return await work(store)
      } finally {
        await store.close()
      }
    }
    const before = await inStore(async (store) => {
      await putNumbered(store, 0, 5, 1)
      await publish(store, { now: Date.now() - 2 * hourMs, minIntervalMs: hourMs })
      await putNumbered(store, 0, 5, 2)
      // three hours ahead, as a machine whose clock was
      await publish(store, { now: Date.now() + 3 * hourMs, minIntervalMs: hourMs })
      await putNumbered(store, 0, 5, 3)
      return (await newestEdition(store.db))!
    })
    const run = (...args: string[]) => runCommand([...args, '--data', dataFolder, '--json'], { databaseUrl })
    const refused = await run('publish')
    expect(refused.exitCode, refused.err).toBe(4)

    await using service = launchNode(['start', '--no-samples', '--data', dataFolder], { databaseUrl })
    await service.event('ready')
    expect(service.events).toContainEqual(
      expect.objectContaining({
        event: 'warning',
        message: expect.stringMatching(/^Edition 2 is dated \S+, (?:2 h 5\d min|3 h) in the future/),
      }),
    )
    expect(service.log()).toMatch(/"level":"warn".*Edition 2 is dated/)
    expect((await service.get('/readyz')).status).toBe(200)
    const clocks: unknown[] = []
    for (const command of commands) {
      const { exitCode, out, err } = await run(...command.split(/\s+/))
      expect(exitCode, `${command}: ${err}${out}`).toBe(0)
      if (command === 'status') clocks.push((JSON.parse(out) as { readonly clocks: unknown }).clocks)
    }
    expect(clocks).toEqual([
      [
        expect.stringMatching(/^Edition 2 is dated/),
        expect.stringMatching(/^The stamps \(lastModified\) of edition 2/),
      ],
      [expect.stringMatching(/^The stamps \(lastModified\) of edition 3 go up to/)],
    ])
    await expect
      .poll(async () => (await (await service.get('/readyz')).json()) as unknown, { timeout: 30_000, interval: 200 })
      .toMatchObject({ status: 'ready', edition: 3 })
    // and afterwards the usual rule applies: an hour after this one
    const early = await run('publish', '--accept-future-edition', '--yes')
    expect(early.exitCode, early.out).toBe(4)
    expect((await service.end(20_000)).exitCode).toBe(0)
    await inStore(async (store) => {
      const after = (await newestEdition(store.db))!
      expect(after).toMatchObject({ edition: 3, records: before.records, changes: 5 })
      expect(Math.abs(after.publishedAt - Date.now())).toBeLessThan(hourMs)
      // P2, P4: stamps continue above those that were ahead, one millisecond each
      expect(after.lastModified).toBe(before.lastModified + 5)
      const rows = await store.db.selectFrom('edition_entry').select('last_modified').where('edition', '=', 3).execute()
      expect(rows.map(({ last_modified }) => last_modified).sort((left, right) => left - right)).toEqual(
        [1, 2, 3, 4, 5].map((step) => before.lastModified + step),
      )
    })
  }, 300_000)
})
