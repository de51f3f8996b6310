// A stock that another version of the program filled and published: an earlier one is opened and publication goes on; a
// newer one, and one from before the first release, are refused.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../src/domain/time.ts'
import { publish } from '../src/publish/publish.ts'
import { openStore, type Store } from '../src/store/database.ts'
import { newestEdition } from '../src/store/editions.ts'
import { migrate } from '../src/store/migrate.ts'
import { migrations } from '../src/store/migrations.ts'
import { checksumByPython } from './state-checksum.ts'
import { type Engine, engines, openEmptyDatabase } from './world.ts'

const start = Date.UTC(2026, 0, 1)
const ids = ['a', 'b', 'c'].map((digit) => `00000000-0000-8000-8000-00000000000${digit}`) as [string, string, string]
const [unchanged, changed, added] = ids

/** Migrations of a version to come. */
const later = {
  ...migrations,
  '9999-later': [
    "alter table tender add column note text not null default ''",
    'create table later (tender_id text primary key)',
    'insert into later select tender_id from published_tender',
  ],
}

async function placeOf(engine: Engine) {
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
  test('that is earlier keeps its editions; the next one delivers what was not published yet', async () => {
    const options = await placeOf(engine)
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
    await migrate(store.db, 'The stock', later)
    expect(await entriesOf(store)).toEqual(before)
    expect((await sql`select tender_id from later order by 1`.execute(store.db)).rows).toEqual([
      { tender_id: unchanged },
      { tender_id: changed },
    ])
    const now = start + hourMs
    expect(await publish(store, { now, minIntervalMs: hourMs })).toMatchObject({ edition: 2, records: 3, changes: 2 })
    expect(await newestEdition(store.db)).toMatchObject({ edition: 2, checksum: await checksumByPython(store) })
    expect(await publish(store, { now: now + hourMs, minIntervalMs: hourMs })).toEqual({ kind: 'nothingNew' })
    await expect(migrate(store.db, 'The stock')).rejects.toThrow(/newer version .*9999-later/)
  })

  test('that is from before there were saved searches is matched from its next edition on', async () => {
    const options = await placeOf(engine)
    const old = await openStore(options)
    await put(old, unchanged, 'u')
    await publish(old, { now: start, minIntervalMs: hourMs })
    const later = [...Object.keys(migrations)].slice(1)
    const tables = later.flatMap((name) =>
      migrations[name]!.flatMap((text) => /^create table (\w+)/.exec(text)?.[1] ?? []),
    )
    for (const table of tables) await sql`drop table ${sql.table(table)} cascade`.execute(old.db)
    for (const text of later.flatMap((name) => migrations[name]!)) {
      const [, table = '', column = ''] = /^alter table (\w+) add column (\w+)/.exec(text) ?? []
      if (table !== '' && !tables.includes(table))
        await sql`alter table ${sql.table(table)} drop column ${sql.ref(column)}`.execute(old.db)
    }
    await sql`delete from change_signal where topic = 'console'`.execute(old.db)
    await sql`delete from kysely_migration where name = any (${later}::text[])`.execute(old.db)
    await old.close()

    const store = await openStore(options)
    onTestFinished(() => store.close())
    const { last_modified } = await store.db.selectFrom('edition').select('last_modified').executeTakeFirstOrThrow()
    expect(await store.db.selectFrom('hit_mark').selectAll().execute()).toMatchObject([
      { edition: 1, last_modified, step: 'changes', step_modified: last_modified },
    ])
    await put(store, changed, 'c')
    expect(await publish(store, { now: start + hourMs, minIntervalMs: hourMs })).toMatchObject({ edition: 2 })
  })

  test('that was never released is refused, and stays unchanged', async () => {
    const options = await placeOf(engine)
    const store = await openStore(options)
    await sql`update kysely_migration set name = '0001-stock' where name = '0001-tables'`.execute(store.db)
    await store.close()
    await expect(openStore(options)).rejects.toThrow(/before the first release.*; start with an empty data folder/)
  })
})
