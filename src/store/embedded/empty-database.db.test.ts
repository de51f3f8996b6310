import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openStore } from '../database/database.ts'
import { copyEmptyDatabase } from './empty-database.ts'

const folder = await mkdtemp(join(tmpdir(), 'tenderstock-empty-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the first database leaves a copy, and databases made from it share nothing', async () => {
  const stocks = await Promise.all(['first', 'second'].map((name) => openStore({ dataFolder: join(folder, name) })))
  await sql`create table only_here (x int)`.execute(stocks[0]!.db)
  const tables = await Promise.all(
    stocks.map(({ db }) => sql`select 1 from pg_tables where tablename = 'only_here'`.execute(db)),
  )
  expect(tables.map(({ rows }) => rows.length)).toEqual([1, 0])
  await Promise.all(stocks.map((stock) => stock.close()))

  const copy = join(folder, 'copy')
  expect(await copyEmptyDatabase(copy)).toBe(true)
  expect(existsSync(join(copy, 'PG_VERSION'))).toBe(true)
  expect(await copyEmptyDatabase(copy)).toBe(false)
})
