import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openTestStore } from '../../../test/world.ts'
import { OperatorError } from '../../platform/errors.ts'
import { inTransaction, openStore } from '../database/database.ts'
import { ConnectionQueue } from './connection-queue.ts'
import { EmbeddedEngine } from './engine.ts'
import { keepHouse } from './housekeeping.ts'
import { openEmbedded } from './open-embedded.ts'

const endless = sql`select count(*) from generate_series(1, 100000000000) as number where number % 2 = 0`

async function folderBytes(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    bytes += entry.isDirectory() ? await folderBytes(path) : (await stat(path)).size
  }
  return bytes
}

async function openingFails(dataFolder: string): Promise<string> {
  const error = await openStore({ dataFolder }).then(
    async (store) => store.close().then(() => undefined),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(OperatorError)
  const { message } = error as OperatorError
  expect(message).toContain(dataFolder)
  expect(message.split('\n')).toHaveLength(1)
  return message
}

describe('a statement that runs too long', () => {
  test('is an error, the engine recovers, and committed data is there', async () => {
    await using world = await openTestStore('embedded')
    await world.close()
    const store = await openStore({ ...world.options, statementTimeoutMs: 3000 })
    await store.db.insertInto('setting').values({ name: 'kept', value: '1' }).execute()
    await expect(endless.execute(store.db)).rejects.toMatchObject({ code: '57014' })
    expect(await store.db.selectFrom('setting').selectAll().execute()).toEqual([{ name: 'kept', value: '1' }])
    await store.close()
  })

  test('undoes its transaction, and nothing of that transaction continues in the new session', async () => {
    await using world = await openTestStore('embedded')
    await world.close()
    const store = await openStore({ ...world.options, statementTimeoutMs: 3000 })
    const codes: unknown[] = []
    const transaction = inTransaction(store, async (trx) => {
      await trx.insertInto('setting').values({ name: 'lost', value: '1' }).execute()
      await endless.execute(trx).catch((error) => codes.push(error.code))
      const late = trx.insertInto('setting').values({ name: 'late', value: '1' })
      await late.execute().catch((error) => codes.push(error.code))
    })
    await expect(transaction).rejects.toMatchObject({ code: '08006' })
    expect(codes).toEqual(['57014', '08006'])
    expect(await store.db.selectFrom('setting').selectAll().execute()).toEqual([])
    await store.close()
  })
})

test('a statement that gets no core is not late, one that computes is', async () => {
  await using world = await openTestStore('embedded')
  await world.close()
  let share = 0
  const folder = join(world.options.dataFolder, 'database')
  const engine = new EmbeddedEngine({ folder, checkpointBytes: 2 ** 24, cpuShare: () => share })
  const slow = 'select count(*)::integer as n from generate_series(1, 3000000) as number where number % 2 = 0'
  expect(await engine.run(slow, [], 100)).toMatchObject({ rows: [{ n: 1_500_000 }] })
  share = 1
  await expect(engine.run(slow, [], 100)).rejects.toMatchObject({ code: '57014' })
  await engine.close()
})

describe('an engine that panics', () => {
  test('fails the statement without ending the process, and recovers when its files are back', async () => {
    await using store = await openTestStore('embedded')
    const { dataFolder } = store.options
    const log = join(dataFolder, 'database', 'pg_wal')
    await store.db.insertInto('setting').values({ name: 'kept', value: '1' }).execute()
    await rename(log, join(dataFolder, 'pg_wal'))
    const codes: unknown[] = []
    for (let attempt = 0; attempt < 3; attempt++) {
      await sql`select pg_switch_wal()`.execute(store.db).catch(() => {})
      const row = { name: `lost ${attempt}`, value: '' }
      const write = store.db.insertInto('setting').values(row).execute()
      await write.catch((error: unknown) =>
        codes.push(error instanceof OperatorError ? 'operator' : (error as { code: string }).code),
      )
    }
    expect(codes).toEqual(['08006', 'operator', 'operator'])
    await rename(join(dataFolder, 'pg_wal'), log)
    expect(await store.db.selectFrom('setting').selectAll().execute()).toEqual([{ name: 'kept', value: '1' }])
  })
})

describe('the data folder', () => {
  test('belongs to one process: a second opener is told what to do', async () => {
    await using store = await openTestStore('embedded')
    expect(await openingFails(store.options.dataFolder)).toMatch(/in use by another .* stop that one, or .*--data/)
    expect(await store.db.selectFrom('setting').selectAll().execute()).toEqual([])
  })

  test('is free again after a close, and after an opening that failed', async () => {
    await using world = await openTestStore('embedded')
    const { dataFolder } = world.options
    await world.close()
    await writeFile(join(dataFolder, 'database', 'PG_VERSION.kept'), '')
    const version = join(dataFolder, 'database', 'PG_VERSION')
    await rm(version)
    await openingFails(dataFolder)
    await writeFile(version, '18\n')
    const store = await openStore({ dataFolder })
    await store.close()
  })

  test('that cannot be made or written is named', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
    const file = join(folder, 'file')
    await writeFile(file, '')
    expect(await openingFails(file)).toMatch(/cannot be written .*is no folder.* start with another one \(--data/)
    expect(await openingFails(join(file, 'below'))).toMatch(/cannot be written/)
    expect(await openingFails('/proc/tenderstock')).toMatch(/cannot be written/)
    await rm(folder, { recursive: true })
  })

  test.each([
    ['control file emptied', async (database: string) => truncate(join(database, 'global', 'pg_control'), 0)],
    [
      'control file overwritten',
      async (database: string) => writeFile(join(database, 'global', 'pg_control'), 'x'.repeat(8192)),
    ],
    ['write-ahead log removed', async (database: string) => rm(join(database, 'pg_wal'), { recursive: true })],
    ['version file removed', async (database: string) => rm(join(database, 'PG_VERSION'))],
    ['version of another engine', async (database: string) => writeFile(join(database, 'PG_VERSION'), '17\n')],
    ['tables removed', async (database: string) => rm(join(database, 'base'), { recursive: true })],
  ])('with damaged data (%s) is reported in one sentence, not by a crash', async (_, damage) => {
    await using world = await openTestStore('embedded')
    await world.close()
    await damage(join(world.options.dataFolder, 'database'))
    expect(await openingFails(world.options.dataFolder)).toMatch(/cannot be opened: .+; restore .*--data/)
  })

  test('whose first initialization was interrupted is initialized again', async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
    const half = join(dataFolder, 'database.new')
    await mkdir(half)
    await writeFile(join(half, 'PG_VERSION'), '18\n')
    const store = await openStore({ dataFolder })
    expect(await store.db.selectFrom('edition').selectAll().execute()).toEqual([])
    await store.close()
    expect(existsSync(half)).toBe(false)
    await rm(dataFolder, { recursive: true })
  })

  test('of a newer version that this one is too old for is refused', async () => {
    await using world = await openTestStore('embedded')
    await sql`insert into kysely_migration (name, timestamp) values ('9999-future.needs-9998', '')`.execute(world.db)
    await world.close()
    expect(await openingFails(world.options.dataFolder)).toMatch(
      /newer version .*9999-future\.needs-9998.*; update the program/,
    )
  })
})

describe('housekeeping', () => {
  const wide = (rows: number) => sql`insert into setting
    select 'a' || i || ' ' || gen_random_uuid(), repeat(gen_random_uuid()::text, 20) from generate_series(1, ${rows}::integer) i`

  test('bounds the write-ahead log, inside one long transaction too', async () => {
    await using world = await openTestStore('embedded')
    await world.close()
    const store = await openEmbedded({ ...world.options, statementTimeoutMs: 60_000 })
    const log = join(world.options.dataFolder, 'database', 'pg_wal')
    let largest = 0
    await inTransaction(store, async (trx) => {
      while (store.written().walBytes < 250e6) {
        await wide(10_000).execute(trx)
        largest = Math.max(largest, await folderBytes(log))
      }
    })
    expect(largest).toBeLessThan(180e6)
    await store.close()
  })

  test('frees the space of dead rows', async () => {
    await using world = await openTestStore('embedded')
    await world.close()
    const store = await openEmbedded({ ...world.options, statementTimeoutMs: 60_000 })
    await wide(3000).execute(store.db)
    const tableBytes = async () => {
      const { rows } = await sql<{ bytes: number }>`select pg_table_size('setting') as bytes`.execute(store.db)
      return rows[0]!.bytes
    }
    const before = await tableBytes()
    for (let round = 0; round < 60; round++) await sql`update setting set value = value || 'x'`.execute(store.db)
    // 60 rounds without a vacuum would make it 61 times as large.
    expect(await tableBytes()).toBeLessThan(30 * before)
    const { rows } = await sql<{ estimate: number }>`
      select reltuples::integer as estimate from pg_class where relname = 'setting'`.execute(store.db)
    expect(rows[0]!.estimate).toBeGreaterThan(0)
    await store.close()
  })

  test('vacuums tables with dead or new rows, analyzes changed ones, freezes in time, and leaves the rest alone', async () => {
    const statements: string[] = []
    const engine = {
      run: async (text: string) => {
        statements.push(text)
        if (text.includes('datfrozenxid')) return { rows: [{ age: 300_000_000 }], affectedRows: 0, command: 'SELECT' }
        if (!text.includes('pg_stat_user_tables')) return { rows: [], affectedRows: 0, command: 'SELECT' }
        const quiet = { live: 1000, dead: 0, inserted: 0, modified: 0 }
        const rows = [
          { ...quiet, name: 'quiet' },
          { ...quiet, name: 'dead', dead: 500 },
          { ...quiet, name: 'grown', inserted: 1300 },
          { ...quiet, name: 'changed', modified: 200 },
        ]
        return { rows, affectedRows: 0, command: 'SELECT' }
      },
    }
    await keepHouse(engine)
    expect(statements.filter((text) => !text.startsWith('select'))).toEqual([
      'vacuum (analyze) dead',
      'vacuum (analyze) grown',
      'analyze changed',
      'vacuum (freeze)',
    ])
  })
})

describe('waiting callers', () => {
  test('are served in order of arrival, and a close refuses the waiting ones', async () => {
    const queue = new ConnectionQueue()
    await queue.acquire()
    const order: string[] = []
    const first = queue.acquire().then(() => order.push('first'))
    const second = queue.acquire().then(
      () => order.push('second'),
      (error: Error) => order.push(error.message),
    )
    queue.release()
    await first
    const closed = queue.close(new Error('closed')).then(() => order.push('close'))
    await second
    await expect(queue.acquire()).rejects.toThrow('closed')
    expect(order).toEqual(['first', 'closed'])
    queue.release()
    await closed
    expect(order).toEqual(['first', 'closed', 'close'])
  })
})
