// The drill on stocks with editions: what it restores, what it finds when records changed, and which backups it leaves.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { putNumbered, startOfStock } from '../../../test/numbered-tenders.ts'
import { runOperation, serviceContext } from '../../../test/operations-world.ts'
import { drawnEngines, openEmptyDatabase, openTestStore, testDatabaseUrl } from '../../../test/world.ts'
import { hourMs } from '../../domain/time.ts'
import { publish } from '../../publish/publish.ts'
import { openStore } from '../../store/database/database.ts'
import { getSetting } from '../../store/database/settings.ts'
import { lastDrillSetting } from '../../store/nodes/last-backup.ts'
import { openServer } from '../../store/server/open-server.ts'
import type { EventOf } from '../events/command-event.ts'
import { drill } from './drill.ts'

const [engine] = drawnEngines

async function openWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-drills-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [shelf, scratch, dataFolder] = ['backups', 'scratch', 'data'].map((name) => join(folder, name))
  for (const path of [shelf!, scratch!, dataFolder!]) await mkdir(path)
  const store = await openTestStore(engine!)
  onTestFinished(() => store[Symbol.asyncDispose]())
  const context = serviceContext({ store, dataFolder: dataFolder! })
  let hour = 0
  const publishNext = async () => {
    await putNumbered(store, 0, 20, ++hour)
    const now = startOfStock + hour * hourMs + 1
    expect(await publish(store, { now, minIntervalMs: hourMs, overrideGate: true })).toMatchObject({
      kind: 'published',
    })
  }
  const backUp = (name: string) =>
    runOperation(context, { command: 'backup', operands: [join(shelf!, name)], options: {} }, () => {})
  const run = async (options: object = {}) => {
    const warnings: string[] = []
    let drilled: EventOf<'drilled'> | undefined
    const code = await drill(
      {
        dataFolder: dataFolder!,
        version: 'test',
        tellStock: (location, facts) =>
          runOperation(context, { command: 'drill', operands: [location], options: facts }, () => {}),
      },
      { command: 'drill', operands: [shelf!], options: { scratch, ...options } },
      (event) => {
        if (event.event === 'drilled') drilled = event
        if (event.event === 'warning') warnings.push(event.message)
      },
    )
    expect(await readdir(scratch!)).toEqual([])
    return { code, drilled, warnings }
  }
  return { store, shelf: shelf!, publishNext, backUp, run }
}

test('a drill restores the newest backup and tells the stock; old ones go only if all are well', async () => {
  const { store, shelf, publishNext, backUp, run } = await openWorld()
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
  const { store, shelf, publishNext, backUp, run } = await openWorld()
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
  const { store, publishNext, backUp, run } = await openWorld()
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
    const { store, publishNext, backUp, run } = await openWorld()
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
