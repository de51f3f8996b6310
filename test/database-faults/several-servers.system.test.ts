// One store on two real servers: it writes to the one that accepts writes, leaves a primary that became read-only
// although its connections are alive, and follows a promotion without being reopened.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { isConnectionLoss } from '../../src/store/connections/connection-loss.ts'
import { openStore, type Store } from '../../src/store/database/database.ts'
import { getSetting, setSetting } from '../../src/store/database/settings.ts'
import { postgresBinaries } from '../chaos/postgres-cluster.ts'
import { openReplicatedServers } from '../replicated-servers.ts'

const isPossible = postgresBinaries() !== undefined
if (!isPossible) console.log('skipped: several database servers (no PostgreSQL programs)')

const hostOf = (url: string) => new URL(url).host
const portOf = async ({ db }: Pick<Store, 'db'>) => {
  const { rows } = await sql<{ port: string }>`select current_setting('port') as port`.execute(db)
  return rows[0]!.port
}

/** Tries again after a lost connection, but not after any other error. Resolves to the number of losses. */
async function persist(work: () => Promise<unknown>): Promise<number> {
  for (let losses = 0; ; losses++) {
    try {
      await work()
      return losses
    } catch (error) {
      if (!isConnectionLoss(error) || losses > 100) throw error
      await delay(100)
    }
  }
}

test.skipIf(!isPossible)(
  'a store with two servers writes to the primary, whichever it is',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'several-servers-'))
    await using servers = await openReplicatedServers(join('/tmp', `several-servers-${process.pid}`), 'stock')
    await servers.createDatabase('stock')
    await servers.settle()
    const [primary, standby] = servers.urls()
    const both = `postgres://postgres@${hostOf(standby)},${hostOf(primary)}/stock`
    const store = await openStore({ databaseUrl: both, dataFolder: folder })
    try {
      await setSetting(store.db, 'first', 'written')
      expect(await portOf(store)).toBe(new URL(primary).port)
      await servers.settle()

      // demoted without a restart: connections stay alive, writes are refused
      const admin = new pg.Client({ connectionString: primary })
      await admin.connect()
      await admin.query('alter system set default_transaction_read_only = on')
      await admin.query('select pg_reload_conf()')
      await admin.end()
      const refused = await setSetting(store.db, 'refused', '').catch((error: unknown) => error)
      for (let tries = 0; !(refused instanceof Error) && tries < 50; tries++) await delay(20)
      const lost = await store.db
        .insertInto('setting')
        .values({ name: 'lost', value: '' })
        .execute()
        .catch((error) => error)
      expect([refused, lost].some((error) => isConnectionLoss(error))).toBe(true)

      await servers.failOver()
      const losses = await persist(() => setSetting(store.db, 'second', 'written'))
      expect(await portOf(store)).toBe(new URL(standby).port)
      expect(await portOf({ db: store.looks })).toBe(new URL(standby).port)
      expect(await getSetting(store.db, 'first')).toBe('written')
      console.log(`the promoted server was found after ${losses} losses`)
    } finally {
      await store.close()
    }
  },
  120_000,
)

test.skipIf(!isPossible)(
  'with standbys only, nothing is written, and the error says so',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'several-servers-'))
    await using servers = await openReplicatedServers(join('/tmp', `standby-only-${process.pid}`), 'postgres')
    const standby = hostOf(servers.urls()[1])
    const url = `postgres://postgres@${standby},${standby}/postgres`
    await expect(openStore({ databaseUrl: url, dataFolder: folder })).rejects.toThrow(
      `The database ${standby},${standby}/postgres cannot be used (none of the 2 servers accepts writes)`,
    )
  },
  120_000,
)
