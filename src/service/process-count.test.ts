// How many processes share the limits: those with a sign of life, and the last count while the database is unreachable.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { drawnEngines, openTestStore } from '../../test/world.ts'
import { openLog } from '../platform/log.ts'
import { systemRandom } from '../platform/random.ts'
import type { Store } from '../store/database.ts'
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
    const left = await sql`select process_id from api_process where process_id <> ${rows[0]!.id}`.execute(store.db)
    expect(left.rows).toEqual([])
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
