// A stock that another version of the program filled and published: an earlier one is opened and publication continues;
// a newer one, and one from before the first release, are refused.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../src/domain/time.ts'
import { publish } from '../src/publish/publish.ts'
import { type Executor, inTransaction, openStore, type Store } from '../src/store/database/database.ts'
import { newestEdition } from '../src/store/editions/editions.ts'
import { migrate } from '../src/store/schema/migrate.ts'
import { type Migrations, migrations } from '../src/store/schema/migrations.ts'
import type { Database } from '../src/store/schema/schema.ts'
import { runBackfills } from '../src/store/upkeep/backfill.ts'
import { digestByPython } from './state-digest.ts'
import { type Engine, engines, openEmptyDatabase } from './world.ts'

const start = Date.UTC(2026, 0, 1)
const ids = ['a', 'b', 'c'].map((digit) => `00000000-0000-8000-8000-00000000000${digit}`) as [string, string, string]
const [unchanged, changed, added] = ids

/** Migrations of the next version, and of the one after it, which drops what the next one no longer uses. */
const expanded = { ...migrations, '9998-expand': ['alter table setting add column note text'], '9998b-later': [] }
const contracted = { ...expanded, '9999-contract.needs-9998': ['alter table setting drop column note'] }

/** A session of a program that knows the migrations up to that one; all if none is named. */
async function openSession(databaseUrl: string, newest = '9999') {
  const pool = new pg.Pool({ connectionString: databaseUrl, application_name: `tenderstock ${newest}` })
  // the end of a pool does not wait for its connections, and the database is dropped right after it
  pool.on('connect', (connection) => connection.on('error', () => {}))
  const client = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  return { client, close: () => client.destroy() }
}

/** Migrations of a future version. */
const later = {
  ...migrations,
  '9999-later': [
    "alter table tender add column note text not null default ''",
    'create table later (tender_id text primary key)',
    'insert into later select tender_id from published_tender',
  ],
}

async function shownAddress(engine: Engine) {
  const dataFolder = mkdtempSync(join(tmpdir(), 'migrated-stock-'))
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }))
  if (engine === 'embedded') return { dataFolder }
  const database = await openEmptyDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  return { dataFolder, databaseUrl: database.url }
}

async function put(store: Store, id: string, title: string) {
  await sql`insert into tender (tender_id, founding_key, content, content_hash, sources)
    values (${id}, ${id}, ${`{"id":"${id}","title":"${title}"}`}, ${title}, '["ted"]')
    on conflict (tender_id) do update set content = excluded.content, content_hash = excluded.content_hash`.execute(
    store.db,
  )
  await sql`insert into tender_change values (${id})`.execute(store.db)
}

describe.each(engines)('a stock of another version (%s)', (engine) => {
  test('that is older keeps its editions; the next one delivers what was not published yet', async () => {
    const options = await shownAddress(engine)
    const old = await openStore(options)
    await put(old, unchanged, 'u')
    await put(old, changed, 'c')
    expect(await publish(old, { now: start, minIntervalMs: hourMs })).toMatchObject({ edition: 1, records: 2 })
    await put(old, changed, 'c2')
    await put(old, added, 'a')
    const entriesOf = ({ db }: Store) => db.selectFrom('edition_entry').selectAll().orderBy('last_modified').execute()
    const before = await entriesOf(old)
    await old.close()

    const store = await openStore(options)
    onTestFinished(() => store.close())
    await migrate(store.db, 'The stock', { known: later })
    expect(await entriesOf(store)).toEqual(before)
    expect((await sql`select tender_id from later order by 1`.execute(store.db)).rows).toEqual([
      { tender_id: unchanged },
      { tender_id: changed },
    ])
    const now = start + hourMs
    expect(await publish(store, { now, minIntervalMs: hourMs })).toMatchObject({ edition: 2, records: 3, changes: 2 })
    expect(await newestEdition(store.db)).toMatchObject({ edition: 2, checksum: await digestByPython(store) })
    expect(await publish(store, { now: now + hourMs, minIntervalMs: hourMs })).toEqual({ kind: 'nothingNew' })
    // the older program keeps running beside it, and restarts on it
    await migrate(store.db, 'The stock')
    await put(store, changed, 'c3')
    expect(await publish(store, { now: now + 2 * hourMs, minIntervalMs: hourMs })).toMatchObject({
      edition: 3,
      changes: 1,
    })
  })

  test('that a newer program contracted is refused by programs that are too old, and by no others', async () => {
    const options = await shownAddress(engine)
    const store = await openStore(options)
    onTestFinished(() => store.close())
    for (const name of Object.keys(contracted).slice(Object.keys(migrations).length))
      await sql`insert into kysely_migration (name, timestamp) values (${name}, '2026')`.execute(store.db)
    await expect(migrate(store.db, 'The stock')).rejects.toThrow(/newer version .*9999-contract\.needs-9998.*update/)
    // knows what makes the column unnecessary
    await migrate(store.db, 'The stock', { known: expanded })
    await migrate(store.db, 'The stock', { known: contracted })
    // has other migrations, and not those of the newer one
    await expect(migrate(store.db, 'The stock', { known: { ...expanded, '9997-other': [] } })).rejects.toThrow(/newer/)
  })

  test.skipIf(engine === 'embedded')('is contracted when no program that is too old is left', async () => {
    const options = await shownAddress(engine)
    const old = await openStore(options)
    const { client, close } = await openSession(options.databaseUrl!)
    onTestFinished(close)
    const news: unknown[] = []
    const migrateAs = (known: Migrations) =>
      migrate(client, 'The stock', { known, onMigration: (each) => news.push(each) })
    await migrateAs(contracted)
    expect(news).toEqual([{ applying: ['9998-expand', '9998b-later'], waiting: ['9999-contract.needs-9998'] }])
    await old.db.selectFrom('edition').selectAll().execute()
    await old.close()
    // it knows what makes the column unnecessary, and nothing newer
    const enough = await openSession(options.databaseUrl!, '9998')
    onTestFinished(enough.close)
    await sql`select 1`.execute(enough.client)
    await migrateAs(contracted)
    expect(news.at(-1)).toEqual({ applying: ['9999-contract.needs-9998'], waiting: [] })
    await migrateAs(contracted)
    expect(news).toHaveLength(2)
  })

  test.skipIf(engine === 'embedded')(
    'is migrated once by many processes that start at the same time, older ones among them',
    async () => {
      const options = await shownAddress(engine)
      const programs = [undefined, later, undefined, later, later]
      const stores = await Promise.all(programs.map(() => openStore(options)))
      onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
      await Promise.all(
        programs.map((known, index) => migrate(stores[index]!.db, 'The stock', known === undefined ? {} : { known })),
      )
      const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(stores[0]!.db)
      expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(later).sort())
    },
  )

  test.skipIf(engine === 'embedded')(
    'is migrated although a session locks its tables for a while',
    { timeout: 60_000 },
    async () => {
      const options = await shownAddress(engine)
      const store = await openStore(options)
      onTestFinished(() => store.close())
      const held = Promise.withResolvers<void>()
      const migrated = inTransaction(store, async (trx) => {
        await sql`lock table tender in access share mode`.execute(trx)
        held.resolve()
        await sql`select pg_sleep(5)`.execute(trx)
      })
      await held.promise
      await migrate(store.db, 'The stock', { known: later })
      await migrated
      await sql`select note from tender`.execute(store.db)
    },
  )

  test('completes the work that a migration left, once, from where it was interrupted', async () => {
    const options = await shownAddress(engine)
    const store = await openStore(options)
    onTestFinished(() => store.close())
    await sql`create table planted (id integer primary key, doubled integer)`.execute(store.db)
    await sql`insert into planted (id) select generate_series(1, 1000)`.execute(store.db)
    const multiply = (factor: number) => async (trx: Executor, limit: number) => {
      const { numAffectedRows } = await sql`update planted set doubled = ${factor}::integer * id
        where id in (select id from planted where doubled is null order by id limit ${limit})`.execute(trx)
      return Number(numAffectedRows)
    }
    const known = [{ name: 'double', change: multiply(2) }]
    const stop = new AbortController()
    await runBackfills(store, { known, signal: stop.signal, onProgress: () => stop.abort() })
    const doubled = async () =>
      Number((await sql<{ n: number }>`select count(doubled) as n from planted`.execute(store.db)).rows[0]!.n)
    const before = await doubled()
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(1000)
    let changed = 0
    const count = {
      onProgress: ({ rows, isDone }: { rows: number; isDone: boolean }) => {
        if (isDone) changed += rows
      },
    }
    await runBackfills(store, { known, ...count })
    expect([await doubled(), changed]).toEqual([1000, 1000 - before])
    await sql`update planted set doubled = null`.execute(store.db)
    await runBackfills(store, { known })
    expect(await doubled()).toBe(0)
    // completed work does not keep the next one from its own
    const second = { name: 'triple', change: multiply(3) }
    await runBackfills(store, { known: [...known, second] })
    expect(await doubled()).toBe(1000)
  })

  test('that was never released is refused, and stays unchanged', async () => {
    const options = await shownAddress(engine)
    const store = await openStore(options)
    await sql`update kysely_migration set name = '0001-tables' where name = '0001-schema'`.execute(store.db)
    await store.close()
    await expect(openStore(options)).rejects.toThrow(/before the first release.*; start with an empty data folder/)
  })
})
