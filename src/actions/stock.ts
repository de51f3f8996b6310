// What operators do with the whole stock. Most of it takes several transactions, so its entry of the audit log comes
// first: a process that dies meanwhile leaves it as well.
import type { Executor } from '../store/database/database.ts'
import { beginEpoch, previousEdition } from '../store/editions/older-database.ts'
import { endAllSessions } from '../store/people/sessions.ts'
import { listHolds } from '../store/stock/status.ts'
import { type Acting, type ActingNow, record } from './acting.ts'

/** Notes that documents of these paths are about to be received. */
export const noteIngest = (db: Executor, acting: ActingNow, paths: readonly string[]): Promise<void> =>
  record(db, acting, { action: 'documents.ingest', subject: paths.join(' ').slice(0, 300) })

/** Notes that the stock is about to be rebuilt. */
export const noteRebuild = (db: Executor, acting: ActingNow): Promise<void> =>
  record(db, acting, { action: 'stock.rebuild', subject: 'stock' })

/** Notes that the model of values is about to be fitted. */
export const noteFit = (db: Executor, acting: ActingNow): Promise<void> =>
  record(db, acting, { action: 'values.fit', subject: 'value model' })

/** Notes that the stock is about to be backed up there. */
export const noteBackup = (db: Executor, acting: ActingNow, place: string): Promise<void> =>
  record(db, acting, { action: 'stock.backUp', subject: place })

/** Notes in a stock where it was restored from. */
export const noteRestore = (trx: Executor, acting: ActingNow, from: string, takenAt: string): Promise<void> =>
  record(trx, acting, { action: 'stock.restore', subject: from, detail: { takenAt } })

/** Notes that a drill restored this backup, and found what was published. */
export const noteDrill = (trx: Executor, acting: ActingNow, place: string, takenAt: string): Promise<void> =>
  record(trx, acting, { action: 'stock.drill', subject: place, detail: { takenAt } })

/** Notes that the stock is about to be copied to a server; its address has no password. */
export const noteExport = (db: Executor, acting: ActingNow, { host, pathname }: URL): Promise<void> =>
  record(db, acting, { action: 'stock.export', subject: `${host}${pathname}` })

/**
 * Notes that the next edition is published in spite of an objection, why, and what had held it back. `gate`: what the
 * gate objects to; `future`: the newest edition is dated in the future.
 */
export async function notePublication(
  db: Executor,
  acting: ActingNow,
  { inSpiteOf, reason }: { readonly inSpiteOf: 'gate' | 'future'; readonly reason: string | undefined },
): Promise<void> {
  const previous = await previousEdition(db)
  const [hold] = inSpiteOf === 'gate' ? await listHolds(db, previous?.publishedAt ?? 0, 1) : []
  await record(db, acting, {
    action: inSpiteOf === 'gate' ? 'edition.publishAnyway' : 'edition.acceptFuture',
    subject: `edition ${previous?.next ?? 1}`,
    detail: {
      ...(reason !== undefined && { reason }),
      ...(hold && { held: hold.reasons.join(' ').slice(0, 1000) }),
    },
    ...(hold?.causes && { causes: hold.causes }),
  })
}

/** A new epoch of a stock that was recovered by other means: what was served since is unknown. */
export async function addEpoch(trx: Executor, acting: Acting): Promise<Awaited<ReturnType<typeof beginEpoch>>> {
  await record(trx, acting, { action: 'stock.newEpoch', subject: 'stock' })
  await endAllSessions(trx)
  return beginEpoch(trx, { now: acting.now, randomBytes: acting.random.bytes })
}
