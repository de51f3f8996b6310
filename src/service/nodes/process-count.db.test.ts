// How many processes share the limits: those with a sign of life, and the last count while the database is unreachable.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { drawnEngines, openTestStore, testDatabaseUrl } from '../../../test/world.ts'
import { openLog } from '../../platform/log.ts'
import { systemRandom } from '../../platform/random.ts'
import type { Store } from '../../store/database/database.ts'
import { countProcesses, type ProcessCount } from './process-count.ts'

/**
 * a process that was silent for longer does not count, and each gives a sign of life every three seconds (decision 25).
 */
const silentMs = 15_000
const beatMs = 3000

const start = (store: Store): Promise<ProcessCount> => countProcesses(store, systemRandom, openLog('silent'))
const counted = ({ memory }: ProcessCount): number => Atomics.load(memory, 0)
const untilCounted = (processes: ProcessCount, count: number): Promise<void> =>
  vi.waitFor(() => expect(counted(processes)).toBe(count), { timeout: 20_000, interval: 50 })
/** Ending waits one second at most, so that the last word of a process may come later on a busy machine. */
const untilWithdrawn = (store: Store, except?: string): Promise<void> =>
  vi.waitFor(
    async () => {
      const left = await store.db.selectFrom('api_process').select('process_id').execute()
      expect(left.filter(({ process_id: id }) => id !== except)).toEqual([])
    },
    { timeout: 10_000, interval: 50 },
  )

describe.each(drawnEngines)('the processes that share a limit (%s)', (engine) => {
  test('count each other, no longer one that ended, and no longer one that was silent for 15 s', async () => {
    await using store = await openTestStore(engine)
    const [first, second, third] = [await start(store), await start(store), await start(store)]
    expect([first, second, third].map(counted)).toEqual([1, 2, 3])
    await untilCounted(first, 3)
    await second.close()
    await untilCounted(first, 2)
    // One that dies gives no further sign of life, and does not withdraw the last one.
    const { rows } = await sql<{ id: string }>`
      insert into api_process (process_id, seen_at)
      values (${systemRandom.uuid()}, (extract(epoch from clock_timestamp()) * 1000)::bigint) returning process_id as id`.execute(
      store.db,
    )
    await untilCounted(first, 3)
    await sql`update api_process set seen_at = seen_at - ${silentMs}::integer where process_id = ${rows[0]!.id}`.execute(
      store.db,
    )
    await untilCounted(first, 2)
    await Promise.all([first.close(), third.close()])
    await untilWithdrawn(store, rows[0]!.id)
  })

  test('keep their last count while the database is down', async () => {
    await using store = await openTestStore(engine)
    const [other, processes] = [await start(store), await start(store)]
    await sql`alter table api_process rename to away`.execute(store.db)
    await delay(beatMs + 500)
    expect(counted(processes)).toBe(2)
    await sql`alter table away rename to api_process`.execute(store.db)
    const late = await start(store)
    await untilCounted(processes, 3)
    await Promise.all([other.close(), processes.close(), late.close()])
  })
})

test.skipIf(testDatabaseUrl === undefined)(
  'a process that ends withdraws a sign of life that was just being written',
  async () => {
    await using store = await openTestStore('server')
    const processes = await start(store)
    const release = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await sql`create function wait_for_test() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock(1, 2); return new; end'`.execute(store.db)
    await sql`create trigger hold before insert on api_process for each row execute function wait_for_test()`.execute(
      store.db,
    )
    const holding = store.db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(1, 2)`.execute(transaction)
      held.resolve()
      await release.promise
    })
    await held.promise
    await vi.waitFor(
      async () => {
        const waiting = await sql`select 1 from pg_locks where classid = 1 and objid = 2 and not granted`.execute(
          store.db,
        )
        expect(waiting.rows).toHaveLength(1)
      },
      { timeout: 20_000, interval: 50 },
    )
    const closed = processes.close()
    await delay(200)
    release.resolve()
    await Promise.all([holding, closed])
    await untilWithdrawn(store)
  },
)
