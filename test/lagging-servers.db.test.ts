// A node whose queries reach two servers, one of which lags behind, in every order: what becomes visible is an edition
// as it was published, or nothing; and the node has all of it once the servers are equal.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../src/domain/time.ts'
import { catchUp, openEditionLog } from '../src/edition/write/edition-log.ts'
import { publish } from '../src/publish/publish.ts'
import type { Store } from '../src/store/database/database.ts'
import { balancedStore } from './lagging-servers.ts'
import { putNumbered, readNewest, startOfStock } from './numbered-tenders.ts'
import { openTestStore, testDatabaseUrl } from './world.ts'

if (testDatabaseUrl === undefined) console.log('skipped: two servers behind one address (no TEST_DATABASE_URL)')

const published = ['setting', 'change_signal', 'edition', 'edition_entry', 'replaced_entry'] as const

/** Makes the tables of `to` that nodes read equal to those of `from`, except for rows that are `left` out. */
async function mirror(
  from: Store,
  to: Store,
  left: { readonly [table: string]: RawBuilder<unknown> } = {},
): Promise<void> {
  for (const table of published) {
    const { rows } = await sql<{ rows: string }>`
      select coalesce(json_agg(t), '[]')::text as rows from ${sql.table(table)} t where not (${left[table] ?? sql`false`})`.execute(
      from.db,
    )
    await sql`delete from ${sql.table(table)}`.execute(to.db)
    await sql`insert into ${sql.table(table)}
      select * from json_populate_recordset(null::${sql.table(table)}, ${rows[0]!.rows}::json)`.execute(to.db)
  }
}

/** Rows that are all there, and stale. */
const noneLeft = {}

const lags: readonly [name: string, left: { readonly [table: string]: RawBuilder<unknown> }][] = [
  ['the whole edition', { edition: sql`edition = 2`, edition_entry: sql`edition = 2`, replaced_entry: sql`true` }],
  ['its entries', { edition_entry: sql`edition = 2`, replaced_entry: sql`true` }],
  ['some of its entries', { edition_entry: sql`edition = 2 and last_modified % 2 = 0` }],
  ['one of its entries', { edition_entry: sql`last_modified = (select max(last_modified) from edition_entry)` }],
  ['the texts of its entries', noneLeft],
  ['its row', { edition: sql`edition = 2` }],
]

/** Calls `run` with every sequence of the choices between two that it makes. Returns how many there were. */
async function everyOrder(run: (choose: () => number) => Promise<void>): Promise<number> {
  let count = 0
  for (let prefix: number[] | undefined = []; prefix !== undefined; count++) {
    const taken: number[] = []
    await run(() => {
      const choice: number = prefix![taken.length] ?? 0
      taken.push(choice)
      return choice
    })
    const last = taken.lastIndexOf(0)
    prefix = last === -1 ? undefined : [...taken.slice(0, last), 1]
  }
  return count
}

describe.skipIf(testDatabaseUrl === undefined)('a node whose questions reach two servers', () => {
  test.each(lags)('one of which lacks %s, shows complete editions only, and everything in the end', async (_, left) => {
    await using ahead = await openTestStore('server')
    await using behind = await openTestStore('server')
    const cut = (edition: number) => publish(ahead, { now: startOfStock + edition * hourMs, minIntervalMs: hourMs })
    const folder = mkdtempSync(join(tmpdir(), 'lagging-servers-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const clock = () => startOfStock + 2 * hourMs
    await putNumbered(ahead, 0, 20)
    await cut(1)
    const log = await openEditionLog(join(folder, 'first'), { clock })
    await catchUp(log, ahead)
    const states = [new Set(readNewest(log))]
    await log.close()
    await putNumbered(ahead, 14, 24, 1)
    await cut(2)
    const whole = await openEditionLog(join(folder, 'whole'), { clock })
    await catchUp(whole, ahead)
    states.push(new Set(readNewest(whole)))
    await whole.close()
    await mirror(ahead, behind, left)
    if (left === noneLeft)
      await sql`update edition_entry set body = replace(body, '"title":"', '"title":"old ') where edition = 2`.execute(
        behind.db,
      )
    const urls = [ahead.options.databaseUrl!, behind.options.databaseUrl!]
    const look = async (from: 'first' | undefined): Promise<number> => {
      let refused = 0
      const orders = await everyOrder(async (choose) => {
        const copy = mkdtempSync(join(folder, 'copy-'))
        if (from) cpSync(join(folder, from), copy, { recursive: true })
        const node = await openEditionLog(copy, { clock })
        let isWhole = false
        await using store = balancedStore(urls, () => (isWhole ? 0 : choose()))
        await catchUp(node, store).catch(() => {
          refused++
        })
        const { newest } = node
        if (newest) expect(new Set(readNewest(node))).toEqual(states[newest.edition - 1])
        else expect(from).toBeUndefined()
        isWhole = true
        await catchUp(node, store)
        expect(node.newest).toMatchObject({ edition: 2, records: 24, changes: 10 })
        expect(new Set(readNewest(node))).toEqual(states[1])
        await node.close()
        rmSync(copy, { recursive: true })
      })
      console.log(`${orders} orders, ${refused} refused`)
      return orders
    }
    expect(await look('first')).toBeGreaterThan(1)
    expect(await look(undefined)).toBeGreaterThan(1)
  })
})
