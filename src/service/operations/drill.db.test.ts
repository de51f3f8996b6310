// The drill on stocks with editions: what it restores, what it finds when records changed, and which backups it leaves.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openDrillWorld } from '../../../test/drill-world.ts'
import { putNumbered } from '../../../test/numbered-tenders.ts'
import { openEmptyDatabase, testDatabaseUrl } from '../../../test/world.ts'
import { openStore } from '../../store/database/database.ts'
import { getSetting } from '../../store/database/settings.ts'
import { lastDrillSetting } from '../../store/nodes/last-backup.ts'
import { openServer } from '../../store/server/open-server.ts'

test('a drill restores the newest backup and tells the stock; old ones go only if all are well', async () => {
  const { store, shelf, publishNext, backUp, run } = await openDrillWorld()
  await publishNext()
  await backUp('1')
  const first = await run()
  expect(first).toMatchObject({ code: 0, drilled: { location: join(shelf, '1'), edition: 1, removed: [], kept: 1 } })
  const { takenAt } = JSON.parse(await readFile(join(shelf, '1', 'manifest.json'), 'utf8')) as { takenAt: string }
  expect(await getSetting(store.db, lastDrillSetting)).toBe(String(Date.parse(takenAt)))
  for (const name of ['2', '3', '4']) {
    await publishNext()
    await backUp(name)
  }
  // what is damaged is said, the one before is restored, and everything stays
  const path = join(shelf, '4', 'manifest.json')
  const manifest = await readFile(path, 'utf8')
  await writeFile(path, manifest.replace('"rows": ', '"rows": 1'))
  const [sums, before] = [join(shelf, '3', 'SHA256SUMS'), await readdir(shelf)]
  const ofThree = await readFile(sums)
  await rm(sums)
  const second = await run({ keep: 1 })
  expect(second).toMatchObject({ code: 1, drilled: { location: join(shelf, '2'), removed: [] } })
  expect(second.warnings.join()).toMatch(/4 is damaged: manifest\.json.*3 is damaged: SHA256SUMS/)
  expect(await readdir(shelf)).toEqual(before)
  await writeFile(path, manifest)
  await writeFile(sums, ofThree)
  await mkdir(join(shelf, 'notes'))
  await cp(path, join(shelf, '1', 'my-own-file'))
  const third = await run({ keep: 2 })
  expect(third).toMatchObject({ code: 0, drilled: { location: join(shelf, '4'), removed: ['2', '1'], kept: 2 } })
  expect((await readdir(shelf)).sort()).toEqual(['1', '3', '4', 'notes'])
  expect(await readdir(join(shelf, '1'))).toEqual(['my-own-file'])
}, 600_000)

test('backups of other stocks with the same key and place are neither restored nor removed', async () => {
  const { store, shelf, publishNext, backUp, run } = await openDrillWorld()
  await backUp('before the first edition')
  expect(await run()).toMatchObject({ code: 0, drilled: { edition: null, digest: null } })
  await publishNext()
  await backUp('1')
  const rename = (to: string) => sql`update setting set value = ${to} where name = 'stock-id'`.execute(store.db)
  const { rows } = await sql<{ value: string }>`select value from setting where name = 'stock-id'`.execute(store.db)
  const id = rows[0]!.value
  await rename(id.replaceAll(/\d/g, '0'))
  for (const name of ['2', '3']) await backUp(name)
  await rename(id)
  expect(await run({ keep: 1 })).toMatchObject({ code: 0, drilled: { location: join(shelf, '1'), removed: [] } })
  await rename(id.replaceAll(/\d/g, '1'))
  // `before the first edition` may be of any stock
  expect(await run({ keep: 1 })).toMatchObject({ code: 0, drilled: { edition: null, removed: [] } })
  await rm(join(shelf, 'before the first edition'), { recursive: true })
  await expect(run({ keep: 1 })).rejects.toThrow(/is no backup of this stock/)
  expect((await readdir(shelf)).sort()).toEqual(['1', '2', '3'])
}, 600_000)

test('a backup whose records are not those that were published is found', async () => {
  const { store, publishNext, backUp, run } = await openDrillWorld()
  await publishNext()
  await backUp('1')
  const { rows } = await sql<{ checksum: string }>`select checksum from edition`.execute(store.db)
  await sql`update edition set checksum = ${rows[0]!.checksum.replaceAll('a', 'b')}`.execute(store.db)
  await expect(run()).rejects.toThrow(/this stock published edition 1 with other records/)
  await sql`update edition set checksum = ${rows[0]!.checksum}`.execute(store.db)
  expect(await run()).toMatchObject({ code: 0 })
  await sql`update edition_entry set body = replace(body, '"status"', '"state"')`.execute(store.db)
  await backUp('2')
  const second = await run()
  expect(second).toMatchObject({ code: 1, drilled: { edition: 1 } })
  expect(second.warnings.join()).toMatch(/2 was restored, but the records of edition 1 are not those/)
}, 600_000)

test.runIf(testDatabaseUrl !== undefined)(
  'a scratch database on a server is emptied; one in use, also that of the stock, is left as it is',
  async () => {
    const { store, publishNext, backUp, run } = await openDrillWorld()
    await publishNext()
    await backUp('1')
    await using database = await openEmptyDatabase()
    for (let time = 0; time < 2; time++) expect(await run({ scratch: database.url })).toMatchObject({ code: 0 })
    const { db, close } = await openServer({ databaseUrl: database.url, statementTimeoutMs: 60_000 })
    onTestFinished(close)
    const tables = async () =>
      (await sql<{ tablename: string }>`select tablename from pg_tables where schemaname = 'public'`.execute(db)).rows
    // of another program: without rows, and by a name that the stock has too
    await sql`create table tender (id int)`.execute(db)
    await expect(run({ scratch: database.url })).rejects.toThrow(/is not empty \(it holds: table tender\)/)
    expect(await tables()).toEqual([{ tablename: 'tender' }])
    await sql`drop table tender`.execute(db)
    await sql`create function only_this() returns int language sql as 'select 1'`.execute(db)
    await expect(run({ scratch: database.url })).rejects.toThrow(/it holds: function only_this/)
    expect(await tables()).toEqual([])
    await sql`drop function only_this`.execute(db)

    // leftovers of a drill, and what is not of one: its name without the mark, and what somebody put beside its tables
    const leave = async (comment: string) => {
      await sql`drop schema if exists tenderstock_drill cascade`.execute(db)
      await sql`create schema tenderstock_drill`.execute(db)
      await sql`comment on schema tenderstock_drill is ${sql.lit(comment)}`.execute(db)
      await sql`create table tenderstock_drill.tender (id bigint generated always as identity primary key)`.execute(db)
    }
    const mark = 'Scratch tables of a drill of Tenderstock, which the next drill removes.'
    await leave(mark)
    expect(await run({ scratch: database.url })).toMatchObject({ code: 0 })
    expect((await sql`select from pg_namespace where nspname = 'tenderstock_drill'`.execute(db)).rows).toEqual([])
    const foreign = {
      'schema tenderstock_drill, without': [],
      'table tenderstock_drill.mine': ['create table tenderstock_drill.mine (id int)'],
      'view tenderstock_drill.tender': [
        'drop table tenderstock_drill.tender',
        'create view tenderstock_drill.tender as select 1 as id',
      ],
      'sequence tenderstock_drill.mine': ['create sequence tenderstock_drill.mine'],
      'function tenderstock_drill.mine': [
        "create function tenderstock_drill.mine() returns int language sql as 'select 1'",
      ],
      'view elsewhere.mine': ['create view elsewhere.mine as select id from tenderstock_drill.tender'],
      'table elsewhere.mine': ['create table elsewhere.mine (id bigint references tenderstock_drill.tender)'],
      'table elsewhere.child': ['create table elsewhere.child () inherits (tenderstock_drill.tender)'],
      'table mine': ['create table public.mine (id int)'],
    }
    for (const [named, statements] of Object.entries(foreign)) {
      await leave(named.startsWith('schema') ? 'of another program' : mark)
      await sql`create schema elsewhere`.execute(db)
      for (const statement of statements) await sql.raw(statement).execute(db)
      const count = async () => (await sql`select from pg_class`.execute(db)).rows.length
      const before = await count()
      await expect(run({ scratch: database.url }), named).rejects.toThrow(`it holds: ${named}`)
      expect(await count(), named).toBe(before)
      await sql`drop schema elsewhere cascade`.execute(db)
      await sql`drop table if exists public.mine`.execute(db)
    }
    // another drill that runs there keeps its tables
    await leave(mark)
    await db.connection().execute(async (other) => {
      await sql`select pg_advisory_lock(hashtext(${mark}))`.execute(other)
      await expect(run({ scratch: database.url })).rejects.toThrow(/is used by another drill/)
      await sql`select pg_advisory_unlock(hashtext(${mark}))`.execute(other)
    })
    expect(await run({ scratch: database.url })).toMatchObject({ code: 0 })

    const stock = await openStore({ databaseUrl: database.url, dataFolder: tmpdir() })
    onTestFinished(stock.close)
    // of a stock that has no row yet, too
    await expect(run({ scratch: database.url })).rejects.toThrow(/is not empty/)
    await putNumbered(stock, 0, 1)
    // however the address is written
    vi.stubEnv('DATABASE_URL', database.url)
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const scratch of [database.url, `${database.url}?application_name=scratch`])
      await expect(run({ scratch })).rejects.toThrow(/is not empty/)
    expect((await sql`select from tender`.execute(stock.db)).rows).toHaveLength(1)
    if (store.options.databaseUrl === undefined) return
    await expect(run({ scratch: store.options.databaseUrl })).rejects.toThrow(/is not empty/)
    expect((await sql`select from edition`.execute(store.db)).rows).toHaveLength(1)
  },
  600_000,
)
