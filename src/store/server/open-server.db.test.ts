import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openTestStore, serverUrlOf, testDatabaseUrl } from '../../../test/world.ts'
import { systemClock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { asOperatorError, isConnectionLoss } from '../connections/connection-loss.ts'
import { inTransaction, openStore } from '../database/database.ts'
import { migrate } from '../schema/migrate.ts'
import { migrations } from '../schema/migrations.ts'
import { examineServers } from './examine-server.ts'
import { assertVersion } from './open-server.ts'
import { shownAddress } from './server-addresses.ts'

async function openingFails(databaseUrl: string): Promise<string> {
  const error = await openStore({ databaseUrl, dataFolder: '' }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(OperatorError)
  return (error as OperatorError).message
}

test('the error for a silent server names it without its password, and says what to do', async () => {
  const message = await openingFails('postgres://someone:secret@127.0.0.1:1/stock')
  expect(message).toMatch(/^The database 127\.0\.0\.1:1\/stock cannot be used \(.+\); check its address and/)
  expect(message).not.toContain('secret')
  // the address may be that of `database export`
  expect(message).not.toContain('DATABASE_URL')
})

test('a connection that does not answer, or breaks in use, counts as lost; another error does not', () => {
  const states = ['57P01', '57P02', '57P03', '08006', 'ECONNREFUSED', 'ECONNRESET']
  for (const code of states) expect(isConnectionLoss(Object.assign(new Error(), { code })), code).toBe(true)
  for (const code of ['57014', '23505', '40001', 'ENOENT'])
    expect(isConnectionLoss(Object.assign(new Error(), { code })), code).toBe(false)
  expect(isConnectionLoss(new Error('Connection terminated unexpectedly'))).toBe(true)
  expect(isConnectionLoss(new Error('during this', { cause: new Error('Connection terminated') }))).toBe(true)
  expect(isConnectionLoss('Connection terminated')).toBe(false)
})

test('an invalid PostgreSQL URL is refused without repeating it', async () => {
  for (const url of ['mysql://a:secret@b/c', 'stock', 'http://secret/']) {
    expect(await openingFails(url)).not.toContain('secret')
  }
})

test('PostgreSQL before 15 is refused', () => {
  expect(() => assertVersion(140_022, 'h/d')).toThrow(/h\/d runs PostgreSQL 14; .* version 15 or newer/)
  expect(() => assertVersion(150_000, 'h/d')).not.toThrow()
  expect(shownAddress('postgresql://u:p@h:5/d')).toBe('h:5/d')
})

describe.skipIf(testDatabaseUrl === undefined)('a server', () => {
  test('ends a statement that runs too long, and continues', async () => {
    await using world = await openTestStore('server')
    const store = await openStore({ ...world.options, statementTimeoutMs: 2000 })
    await expect(sql`select pg_sleep(3600)`.execute(store.db)).rejects.toMatchObject({ code: '57014' })
    expect(await store.db.selectFrom('setting').selectAll().execute()).toEqual([])
    await store.close()
  })

  test('that ends our connections, idle or in a transaction, fails only their work', async () => {
    await using store = await openTestStore('server')
    const endAll = sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    const admin = await openStore(store.options)
    const transaction = inTransaction(store, async (trx) => {
      await trx.insertInto('setting').values({ name: 'lost', value: '' }).execute()
      await endAll.execute(admin.db)
      await trx.insertInto('setting').values({ name: 'late', value: '' }).execute()
    })
    const error = await transaction.catch((reason: unknown) => reason)
    expect(isConnectionLoss(error)).toBe(true)
    expect(asOperatorError(error, 'x')).toBeInstanceOf(OperatorError)
    const read = () => store.db.selectFrom('setting').selectAll().execute()
    await expect.poll(() => read().catch(() => undefined)).toEqual([])
    await endAll.execute(admin.db)
    await expect.poll(() => read().catch(() => undefined)).toEqual([])
    await admin.close()
  })

  test('that ends our connection during a migration is lost', async () => {
    await using store = await openTestStore('server')
    const known = { ...migrations, '9999-planted': ['select pg_terminate_backend(pg_backend_pid())'] }
    const error = await migrate(store.db, 'the database', { known }).catch((reason: unknown) => reason)
    expect(isConnectionLoss(error), String(error)).toBe(true)
    expect(asOperatorError(error, 'x')).toBeInstanceOf(OperatorError)
  })

  test('that refuses a statement is not lost', async () => {
    await using store = await openTestStore('server')
    const error = await sql`select 1 / 0`.execute(store.db).catch((reason: unknown) => reason)
    expect(isConnectionLoss(error)).toBe(false)
    expect(asOperatorError(error, 'x')).toBe(error)
  })

  test('without the named database is reported as an error for the operator', async () => {
    const url = serverUrlOf('no such "database"')
    expect(await openingFails(url)).toMatch(/does not exist; create it on the server \(createdb 'no such "database"'\)/)
    const examined = await examineServers(url, { clock: systemClock, limitMs: 5_000 })
    expect(String('error' in examined[0]! && examined[0].error)).toContain(`(createdb 'no such "database"')`)
  })
})
