// What a database needs that is older than the editions that clients have seen, so that they end with equal copies
// again.
import { sql } from 'kysely'
import { arrayText } from './array-text.ts'
import { beginCursorEpoch, type CursorKeyOptions } from './cursor-keys.ts'
import type { Executor, Store } from './database.ts'
import { type EditionRow, newestEdition } from './editions.ts'
import { inStockTransaction } from './publication.ts'
import { getSetting, setSetting } from './settings.ts'

const floorName = 'stamp-floor'
const idsAtOnce = 1000

/**
 * The newest edition as the next one has to follow it: with a W that is no lower than any lastModified that clients may
 * have seen (P5).
 */
export async function previousEdition(db: Executor): Promise<EditionRow | undefined> {
  const newest = await newestEdition(db)
  const floor = await stampFloor(db)
  return newest && floor !== undefined ? { ...newest, lastModified: Math.max(newest.lastModified, floor) } : newest
}

/** The largest lastModified of editions that this database gave up; undefined when there are none. */
async function stampFloor(db: Executor): Promise<number | undefined> {
  const value = await getSetting(db, floorName)
  return value === undefined ? undefined : Number(value)
}

export type LostEditions = {
  /** The largest lastModified before them, and of them. */
  readonly after: number
  readonly lastModified: number
  /** Records that they changed; some may come more than once. */
  readonly ids: Iterable<string>
}

/**
 * Prepares the database to continue without these editions: later ones take stamps above theirs, and the next one
 * publishes again, as it is here, every record that they changed or that has a stamp like theirs here. Does nothing if
 * that was done for the same editions, or later ones, before. Returns how many records that is, and how many more are
 * not published here.
 */
export async function forgoEditions(
  store: Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>,
  { after, lastModified, ids }: LostEditions,
): Promise<{ readonly changed: number; readonly unknown: number }> {
  const prepared = await inStockTransaction(store, async (trx) => {
    const floor = await stampFloor(trx)
    if (floor !== undefined && floor >= lastModified) return { changed: 0, unknown: 0 }
    await setSetting(trx, floorName, String(lastModified))
    const lost = new Set(ids)
    const alike = await sql<{ id: string }>`
      select tender_id as id from published_tender where last_modified > ${after} and last_modified <= ${lastModified}`.execute(
      trx,
    )
    for (const { id } of alike.rows) lost.add(id)
    const waiting = [...lost]
    let changed = 0
    for (let from = 0; from < waiting.length; from += idsAtOnce) {
      const { rows } = await sql<{ count: number }>`
        with lost as (
          update published_tender set content_hash = ''
          where tender_id = any (${arrayText(waiting.slice(from, from + idsAtOnce))}::text[])
          returning tender_id
        ), noted as (
          insert into tender_change (tender_id) select tender_id from lost on conflict do nothing
        )
        select count(*)::integer as count from lost`.execute(trx)
      changed += rows[0]!.count
    }
    return { changed, unknown: waiting.length - changed }
  })
  return prepared!
}

const epochName = 'epoch'

/** When a restored database began to be the stock, by its clock, and its newest edition then. */
export type Epoch = { readonly at: number; readonly edition: number }

/** The newest epoch; undefined in a database that was never restored. */
export async function epochOf(db: Executor): Promise<Epoch | undefined> {
  const text = await getSetting(db, epochName)
  return text === undefined ? undefined : (JSON.parse(text) as Epoch)
}

/**
 * Prepares a database that was restored from a backup while nobody knows what was served since: the next edition
 * publishes every record again, with stamps above `now`, which is above every stamp that anybody has seen (none is
 * ahead of the clock). Cursors of the lost editions have expired. Returns the number of records.
 */
export async function beginEpoch(
  trx: Executor,
  options: CursorKeyOptions,
): Promise<{ readonly edition: number; readonly records: number }> {
  const newest = await newestEdition(trx)
  if (!newest) return { edition: 0, records: 0 }
  const { edition } = newest
  const at = Math.max(options.now, newest.lastModified, (await stampFloor(trx)) ?? 0)
  await setSetting(trx, floorName, String(at))
  await setSetting(trx, epochName, JSON.stringify({ at, edition } satisfies Epoch))
  // what an unfinished publication replaced is restored from there when it is undone
  await sql`update replaced_entry set content_hash = '' where superseded_by > ${edition}::integer`.execute(trx)
  await sql`update published_tender set content_hash = ''`.execute(trx)
  const { rows } = await sql<{ count: number }>`
    with noted as (insert into tender_change select tender_id from published_tender on conflict do nothing)
    select count(*) as count from published_tender`.execute(trx)
  await beginCursorEpoch(trx, edition, options)
  return { edition, records: rows[0]!.count }
}
