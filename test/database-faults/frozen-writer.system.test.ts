// A writer that is frozen, or cut off, in the middle of a transaction blocks nobody for long; nobody intervenes, and
// the real limits apply.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, test } from 'vitest'
import { OperatorError } from '../../src/platform/errors.ts'
import { publish } from '../../src/publish/publish.ts'
import { asOperatorError } from '../../src/store/connections/connection-loss.ts'
import { inTransaction, openStore } from '../../src/store/database/database.ts'
import { getSetting, setSetting } from '../../src/store/database/settings.ts'
import { inStockTransaction, takeLease, underLease } from '../../src/store/editions/publication.ts'
import { asleep } from '../asleep.ts'
import { putNumbered } from '../numbered-tenders.ts'
import { publicationFaults } from '../publication-faults.ts'
import { openTestStore, type TestStore, testDatabaseUrl } from '../world.ts'
import { openSwallowingProxy } from './swallowing-proxy.ts'

if (testDatabaseUrl === undefined) console.log('skipped: frozen and cut-off writers (no TEST_DATABASE_URL)')

/** How long a writer that does nothing may keep others from writing. */
const holdLimitMs = 90_000
const sleeper = fileURLToPath(new URL('sleeping-writer.ts', import.meta.url))

/** A publisher in this process, without help. */
async function publishBeside(store: TestStore): Promise<{ readonly kind: string; readonly tookMs: number }> {
  const begun = performance.now()
  const { kind } = await publish(store, { now: Date.now(), minIntervalMs: 0, overrideGate: true })
  return { kind, tookMs: performance.now() - begun }
}

const faultsOf = (store: TestStore) => publicationFaults((query) => sql.raw(query).execute(store.db), 'published')

// in parallel: all they do is wait
describe.skipIf(testDatabaseUrl === undefined).concurrent('nobody waits longer than 90 seconds', () => {
  test('for a frozen publisher: the second one publishes, and the first, woken, writes nothing', async ({
    expect,
    onTestFinished,
  }) => {
    await using store = await openTestStore('server')
    await putNumbered(store, 0, 50)
    const child = spawn(process.execPath, [sleeper, store.options.databaseUrl!], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const said = once(createInterface({ input: child.stdout }), 'line')
    expect(await asleep(child.pid!)).toBe(true)

    const { kind, tookMs } = await publishBeside(store)
    expect(kind).toBe('published')
    expect(tookMs).toBeLessThan(holdLimitMs)
    child.kill('SIGCONT')
    const [line] = await said
    // its session was ended, and its lease is gone
    expect(JSON.parse(line as string).outcome).toMatch(/, then LeaseLostError$/)
    for (const name of ['asleep', 'woken', 'again']) expect(await getSetting(store.db, name), name).toBeUndefined()
    expect(await faultsOf(store)).toEqual([])
  }, 200_000)

  test('for one that is cut off, behind a proxy that keeps its connections open', async ({ expect }) => {
    await using store = await openTestStore('server')
    await putNumbered(store, 0, 50)
    const direct = new URL(store.options.databaseUrl!)
    await using proxy = await openSwallowingProxy({ host: direct.hostname, port: Number(direct.port) })
    const far = new URL(direct)
    far.host = `127.0.0.1:${proxy.port}`
    const cutOff = await openStore({ databaseUrl: far.href, dataFolder: '' })
    const lease = (await inTransaction(cutOff, takeLease))!
    const writing = underLease(cutOff, lease, async (trx) => {
      await setSetting(trx, 'cut-off', 'written')
      proxy.swallowAll()
      await setSetting(trx, 'later', 'written')
    }).catch((error: unknown) => error)

    const { kind, tookMs } = await publishBeside(store)
    expect(kind).toBe('published')
    expect(tookMs).toBeLessThan(holdLimitMs)
    expect(await writing).toBeInstanceOf(Error)
    for (const name of ['cut-off', 'later']) expect(await getSetting(store.db, name), name).toBeUndefined()
    expect(await faultsOf(store)).toEqual([])
    await cutOff.close()
  }, 200_000)

  test('for a lock that a busy session holds: the error names that session', async ({ expect }) => {
    await using store = await openTestStore('server')
    const holder = new pg.Client({ connectionString: store.options.databaseUrl!, application_name: 'a report of Ann' })
    holder.on('error', () => {})
    await holder.connect()
    await holder.query('begin')
    await holder.query("select set_config('idle_in_transaction_session_timeout', '0', true)")
    await holder.query('lock table publication')
    const busy = holder.query('select pg_sleep(300)').catch(() => {})
    const begun = performance.now()
    const error = await inStockTransaction(store, (trx) => setSetting(trx, 'waited', 'written')).catch(
      (reason) => reason,
    )
    expect(performance.now() - begun).toBeLessThan(holdLimitMs)
    expect(error).toMatchObject({ code: '55P03' })
    expect((error as Error).message).toMatch(
      /the lock is held by session \d+ \(a report of Ann from 127\.0\.0\.1\), active for \d+ s$/,
    )
    const reported = asOperatorError(error, 'x')
    expect(reported).toBeInstanceOf(OperatorError)
    expect((reported as Error).message).toContain('pg_terminate_backend')
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'a report of Ann' and datname = current_database()`.execute(
      store.db,
    )
    await busy
    await inStockTransaction(store, (trx) => setSetting(trx, 'waited', 'written'))
    expect(await getSetting(store.db, 'waited')).toBe('written')
  }, 200_000)
})
