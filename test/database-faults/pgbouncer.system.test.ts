// A real PgBouncer in transaction mode before a real server: refused with the reason, or it works.
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { publish } from '../../src/publish/publish.ts'
import { openStore } from '../../src/store/database/database.ts'
import { newestEdition } from '../../src/store/editions/editions.ts'
import { putNumbered } from '../numbered-tenders.ts'
import { hasPgbouncer, startPgbouncer } from '../pgbouncer.ts'
import { publicationFaults } from '../publication-faults.ts'
import { openTestStore, testDatabaseUrl } from '../world.ts'

const isPossible = hasPgbouncer && testDatabaseUrl !== undefined
if (!isPossible) console.log('skipped: PgBouncer (no pgbouncer, or no TEST_DATABASE_URL)')

const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

/** The same database through a pooler; `ignored`: the limits that it drops. */
async function throughPooler(databaseUrl: string, ignored: readonly string[]): Promise<string> {
  const pooler = await startPgbouncer(databaseUrl, { ignored })
  onTestFinished(() => pooler[Symbol.asyncDispose]())
  return pooler.url
}

describe.skipIf(!isPossible)('behind PgBouncer in transaction mode', () => {
  test('a pooler that refuses or ignores the limits is refused, and the error says what to set', async () => {
    await using world = await openTestStore('server')
    for (const [ignored, verb] of [
      [[], 'refuses'],
      [limits, 'drops'],
    ] as const) {
      const databaseUrl = await throughPooler(world.options.databaseUrl!, ignored)
      await expect(openStore({ databaseUrl, dataFolder: '' })).rejects.toThrow(
        new RegExp(`is behind a pooler that ${verb} the limits .*for the role.*high-availability\\.md`),
      )
    }
  }, 120_000)

  test('with the limits set on the role, editions are published and the limits apply', async () => {
    await using world = await openTestStore('server')
    const direct = new URL(world.options.databaseUrl!)
    const role = `pooled_${process.pid}`
    await sql.raw(`create role ${role} login superuser`).execute(world.db)
    onTestFinished(async () => {
      await using admin = await openTestStore('server')
      await sql.raw(`drop role if exists ${role}`).execute(admin.db)
    })
    for (const [index, limit] of limits.entries())
      await sql.raw(`alter role ${role} set ${limit} = '${['10min', '75s', '60s'][index]}'`).execute(world.db)
    direct.username = role
    const store = await openStore({ databaseUrl: await throughPooler(direct.href, limits), dataFolder: '' })
    // a second for each edition: its 200 changes take 200 milliseconds (P4), whatever the machine needs
    const begun = Date.now() - 10_000
    for (let edition = 1; edition <= 3; edition++) {
      await putNumbered(store, 0, 200, edition)
      await Promise.all([
        publish(store, { now: begun + edition * 1000, minIntervalMs: 0, overrideGate: true }),
        ...Array.from({ length: 20 }, () => sql`select 1`.execute(store.db)),
      ])
    }
    expect(await newestEdition(store.db)).toMatchObject({ edition: 3, records: 200 })
    expect(await publicationFaults((query) => sql.raw(query).execute(store.db), 'published')).toEqual([])
    const { rows } = await sql<{ limit: string }>`select current_setting('lock_timeout') as limit`.execute(store.db)
    expect(rows).toEqual([{ limit: '75s' }])
    await store.close()
  }, 120_000)
})
