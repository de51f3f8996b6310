import { tmpdir } from 'node:os'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openEmptyDatabase, openTestStore, testDatabaseUrl } from '../../test/world.ts'
import { OperatorError } from '../platform/errors.ts'
import { systemRandom as random } from '../platform/random.ts'
import { openStore, type Store } from './database.ts'
import { exportStock } from './export.ts'
import { createOrganization, createToken, loadTokens } from './organizations.ts'

const now = Date.UTC(2026, 0, 1)

async function fill(store: Store): Promise<void> {
  await sql`insert into source_document
    select 'd' || i, 'ted', 'a/b#' || i, ${now}, i, case when i % 7 > 0 then repeat('ß€𝄞 "\\', i % 50) end, 1,
      case when i % 7 = 0 then decode(repeat('00ff5c22', i % 50), 'hex') end from generate_series(1, 5000) i`.execute(
    store.db,
  )
  await sql`insert into notice select 'n' || i, 'd' || i, '/', 'k', 'ted', 'ted', 'competition',
    case when i % 2 = 0 then ${now}::bigint end, '{}', i % 3 = 0 from generate_series(1, 5000) i`.execute(store.db)
  await sql`insert into notice_link select 'l' || i % 7, 'n' || i from generate_series(1, 5000) i`.execute(store.db)
  await sql`insert into edition values (1, ${now}, ${now}, 1, 1, '{}')`.execute(store.db)
  await sql`insert into edition_entry values (${now}, 1, 't', '{"id":"t"}', '["ted"]')`.execute(store.db)
  const { organization } = await createOrganization(store.db, { name: 'Acme' }, { now, random })
  await createToken(store, { organizationId: organization.organizationId, name: 'sync' }, { now, random })
}

const tables = ['source_document', 'notice', 'notice_link', 'edition', 'edition_entry', 'change_signal'] as const

describe.skipIf(testDatabaseUrl === undefined)('an export to a server', () => {
  test('carries every row over and can be used at once', async () => {
    await using store = await openTestStore('embedded')
    await using target = await openEmptyDatabase()
    await fill(store)
    const seen: string[] = []
    const summary = await exportStock(store, target.url, ({ table, rows, totalRows }) => {
      if (rows === totalRows) seen.push(table)
    })
    expect(summary.rows).toMatchObject({ source_document: 5000, notice: 5000, notice_link: 5000, api_token: 1 })
    expect(seen).toEqual(expect.arrayContaining(['notice', 'tender', 'api_token']))
    const copy = await openStore({ databaseUrl: target.url, dataFolder: tmpdir() })
    for (const table of tables) {
      const order = sql.raw('1, 2')
      const from = await sql`select * from ${sql.table(table)} order by ${order}`.execute(store.db)
      const to = await sql`select * from ${sql.table(table)} order by ${order}`.execute(copy.db)
      // one engine delivers bytes as Buffer, the other as Uint8Array
      const inHex = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)
      const inOrder = (rows: unknown[]) =>
        rows.map((row) => JSON.stringify(Object.entries(row as object).map(([, value]) => inHex(value)))).sort()
      expect(inOrder(to.rows)).toEqual(inOrder(from.rows))
    }
    expect(await loadTokens(copy.db)).toEqual(await loadTokens(store.db))
    await copy.close()
  })

  test('refuses a database that holds something, and says so', async () => {
    await using store = await openTestStore('embedded')
    await using target = await openEmptyDatabase()
    const other = await openStore({ databaseUrl: target.url, dataFolder: tmpdir() })
    await createOrganization(other.db, { name: 'Acme' }, { now, random })
    const refused = exportStock(store, target.url)
    await expect(refused).rejects.toThrow(OperatorError)
    await expect(refused).rejects.toThrow(/is not empty \(its table organization has rows\); give one that is/)
    await other.close()
  })

  test('leaves nothing behind when it is cut off', async () => {
    await using store = await openTestStore('embedded')
    await using target = await openEmptyDatabase()
    await fill(store)
    const cut = exportStock(store, target.url, ({ table, rows }) => {
      if (table === 'notice' && rows > 0) throw new Error('cut off')
    })
    await expect(cut).rejects.toThrow('cut off')
    const summary = await exportStock(store, target.url)
    expect(summary.rows.notice).toBe(5000)
  })
})
