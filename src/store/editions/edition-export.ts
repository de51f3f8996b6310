// Who writes the editions into the bucket (one process at a time, by the clock of the database), and how far it is.
import { hostname } from 'node:os'
import { sql } from 'kysely'
import { dayMs } from '../../domain/time.ts'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { nowMs } from '../database/database-clock.ts'

/** How long to wait for an exporter that shows no sign of life. */
const exportLeaseMs = 60_000

/**
 * Takes the right to export if it is free, or if its holder was silent for too long; undefined otherwise. The fence is
 * above all earlier ones, and above `fenceInBucket`: a restored database may not know all of them.
 */
export async function takeExport(db: Executor, fenceInBucket: number): Promise<number | undefined> {
  const { rows } = await sql<{ fence: number }>`
    update edition_export set fence = greatest(fence, ${fenceInBucket}::bigint) + 1, owner = ${`${hostname()} ${process.pid}`},
      until_ms = ${nowMs} + ${exportLeaseMs}::integer
    where until_ms <= ${nowMs} returning fence`.execute(db)
  return rows[0]?.fence
}

/** Extends the right. False when it was lost. */
export async function keepExport(db: Executor, fence: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update edition_export set until_ms = ${nowMs} + ${exportLeaseMs}::integer where fence = ${fence} and until_ms > 0`.execute(
    db,
  )
  return numAffectedRows === 1n
}

/**
 * Runs `work` while nobody else can take the right: on a server the row stays locked until it ends. The embedded engine
 * has one process, whose one connection must not wait for a network. False when the right was lost.
 */
export async function underExport(
  store: Pick<Store, 'db' | 'engine'>,
  fence: number,
  work: () => Promise<void>,
): Promise<boolean> {
  if (store.engine === 'embedded') {
    if (!(await keepExport(store.db, fence))) return false
    await work()
    return true
  }
  return inTransaction(store, async (trx) => {
    if (!(await keepExport(trx, fence))) return false
    await work()
    return true
  })
}

/** Releases the right immediately. Does nothing when it was lost. */
export async function releaseExport(db: Executor, fence: number): Promise<void> {
  await sql`update edition_export set until_ms = 0, owner = '' where fence = ${fence}`.execute(db)
}

/** The newest edition in the bucket, and what prevents newer ones; undefined if an export was never tried. */
export type ExportProgress = {
  readonly edition: number
  readonly exportedAt: number | null
  readonly concern: string | null
}

export async function exportProgress(db: Executor): Promise<ExportProgress | undefined> {
  const progress = await db
    .selectFrom('edition_export')
    .select(['edition', 'exported_at as exportedAt', 'concern'])
    .executeTakeFirstOrThrow()
  return progress.exportedAt === null && progress.concern === null ? undefined : progress
}

export async function noteExported(db: Executor, edition: number, now: number): Promise<void> {
  await db.updateTable('edition_export').set({ edition, exported_at: now, concern: null }).execute()
}

export async function noteExportConcern(db: Executor, concern: string): Promise<void> {
  await db.updateTable('edition_export').set({ concern }).execute()
}

/** When contact data was last redacted; 0 for never. */
export async function lastRedaction(db: Executor): Promise<number> {
  const row = await db
    .selectFrom('redaction')
    .select((select) => select.fn.max('applied_at').as('last'))
    .executeTakeFirst()
  return row?.last ?? 0
}

/** Runs `add` once per name, in the transaction that records the name. */
export async function addOnce(
  store: Pick<Store, 'db'>,
  { name, now }: { readonly name: string; readonly now: number },
  add: (trx: Executor) => Promise<void>,
): Promise<void> {
  await inTransaction(store, async (trx) => {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('added_use')
      .values({ name, added_at: now })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows === 1n) await add(trx)
  })
}

/** How long a name is kept that may occur again. */
const addedMs = 7 * dayMs

/** Forgets the names of a week ago. */
export async function pruneAdded(db: Executor, now: number): Promise<void> {
  await db
    .deleteFrom('added_use')
    .where('added_at', '<', now - addedMs)
    .execute()
}

/** What was added is known: its name cannot occur again. */
export async function forgetAdded(db: Executor, name: string): Promise<void> {
  await db.deleteFrom('added_use').where('name', '=', name).execute()
}
