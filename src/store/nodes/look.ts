// What every process queries every second, in one statement: what changed, what time it is, the date of the newest
// edition, and whether the API is closed for maintenance.
import { sql } from 'kysely'
import { steadyClock } from '../../platform/clock.ts'
import type { Serials } from '../database/change-signal.ts'
import type { Executor, Store } from '../database/database.ts'
import type { DatabaseClock } from '../database/database-clock.ts'
import { nowMs } from '../database/database-clock.ts'
import { maintenanceSetting, readMaintenance } from './maintenance.ts'

export type Look = {
  readonly serials: Serials
  /** The database's clock when it answered, in epoch milliseconds. */
  readonly databaseMs: number
  /** Times in epoch milliseconds. */
  readonly newest: { readonly edition: number; readonly publishedAt: number; readonly lastModified: number } | undefined
  /** The end of maintenance in epoch milliseconds; it may have passed. */
  readonly maintenanceUntil: number | undefined
}

async function lookAt(db: Executor): Promise<Look> {
  const { rows } = await sql<{
    tokens: number
    console: number
    serial: number
    now: number
    edition: number | null
    published: number
    modified: number
    maintenance: string | null
  }>`
    select tokens.serial as tokens, people.serial as console, edition.serial, e.edition, e.published_at as published, e.last_modified as modified,
      (select value from setting where name = ${maintenanceSetting}) as maintenance,
      ${nowMs} as now
    from (select serial from change_signal where topic = 'tokens') as tokens
    cross join (select serial from change_signal where topic = 'edition') as edition
    cross join (select serial from change_signal where topic = 'console') as people
    left join (select * from edition order by edition desc limit 1) as e on true`.execute(db)
  const row = rows[0]
  // not ours: a migration makes the rows, and nothing removes them; somebody changed the database
  if (!row) throw new Error('a change signal is missing')
  return {
    serials: { tokens: row.tokens, edition: row.serial, console: row.console },
    databaseMs: row.now,
    newest:
      row.edition === null
        ? undefined
        : { edition: row.edition, publishedAt: row.published, lastModified: row.modified },
    maintenanceUntil: readMaintenance(row.maintenance),
  }
}

/**
 * Runs that query, and records how the clocks differ. The embedded engine has no clock of its own, and its answers may
 * be queued.
 */
export async function measureClock(
  { engine, looks }: Pick<Store, 'engine' | 'looks'>,
  databaseClock: DatabaseClock,
): Promise<Look> {
  const sentAt = steadyClock()
  const look = await lookAt(looks)
  if (engine === 'server') databaseClock.note({ sentAt, databaseMs: look.databaseMs, receivedAt: steadyClock() })
  return look
}
