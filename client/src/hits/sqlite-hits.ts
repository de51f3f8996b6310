// Hits in a SQLite file, in the table `hit` beside the tables of the copy.
import type { DatabaseSync } from 'node:sqlite'
import { SinkError } from '../sinks/faults/sink-error.ts'
import { hitColumns } from '../sinks/record/flat-tender.ts'
import { wellFormed } from '../sinks/record/record-json.ts'
import { diskFaultOf, openSqlite } from '../sinks/sqlite/sqlite-database.ts'
import { boundValue, inTransaction, makeHitTable } from '../sinks/sqlite/sqlite-schema.ts'
import type { Sleep } from '../sleep.ts'
import type { Hit, HitOutcome, HitStore } from './hit.ts'

/** How long a hit waits for a run that is writing: below the 20 s after which the sender gives up. */
const waitMs = 10_000
/** How long to pause before the next attempt. */
const pauseMs = 50
/** SQLite's code for a database that another process is writing. */
const busyCode = 5

export type SqliteHitsOptions = {
  /** Path of the database file; created if missing, with the tables of the copy. */
  readonly file: string
  /** Milliseconds that only rise. */
  readonly clock: () => number
  readonly sleep: Sleep
}

/** Throws a SinkError when Node is too old, or the file is not a database of tender-sync. */
export async function openSqliteHits({ file, clock, sleep }: SqliteHitsOptions): Promise<HitStore> {
  const db = await openSqlite(file)
  try {
    makeHitTable(db, file)
    // Waiting inside SQLite would delay all connections of the receiver.
    db.exec('PRAGMA busy_timeout = 0')
  } catch (error) {
    db.close()
    throw error
  }
  const write = hitWriter(db)
  return {
    async put(hit) {
      const startedAt = clock()
      for (;;) {
        try {
          return write(hit)
        } catch (error) {
          if (!isBusy(error)) throw diskFaultOf(error, file)
          if (clock() - startedAt > waitMs)
            throw new SinkError(`Another process has been writing ${file} for ${waitMs / 1000} seconds.`)
          await sleep(pauseMs)
        }
      }
    },
    end: async () => db.close(),
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === busyCode

function hitWriter(db: DatabaseSync): (hit: Hit) => HitOutcome {
  const names = [...hitColumns.map(({ name }) => name), 'body']
  const changes = names
    .filter((name) => name !== 'hit_id' && name !== 'first_received_at')
    .map((name) => `${name} = excluded.${name}`)
  const find = db.prepare('SELECT 1 FROM hit WHERE hit_id = ?')
  const upsert = db.prepare(
    `INSERT INTO hit (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
     ON CONFLICT (hit_id) DO UPDATE SET ${changes.join(', ')}
     WHERE (excluded.tender_last_modified, excluded.type) > (hit.tender_last_modified, hit.type)`,
  )
  const touch = db.prepare("UPDATE tender_sync_state SET value = ? WHERE name = 'hits'")
  return (given) => {
    const { record: hit } = wellFormed(given)
    const { webhookId, receivedAt, ...body } = hit
    return inTransaction(db, () => {
      const isKnown = find.get(hit.data.hitId) !== undefined
      const { changes: written } = upsert.run(...hitColumns.map(({ of }) => boundValue(of(hit))), JSON.stringify(body))
      // A process that was killed may have left its last commit written but not durable. A hit that is answered with
      // "held" must be durable, and only a commit that changes something makes the log durable.
      if (written === 0) touch.run(JSON.stringify({ version: 1, repeated: webhookId, at: receivedAt }))
      if (written === 0) return 'held'
      return isKnown ? 'changed' : 'new'
    })
  }
}
