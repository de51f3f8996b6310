// The documents that a rebuild reads again, in pages that several processes take from one list. A page that a process
// took and did not finish goes to another one.
import { sql } from 'kysely'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { nowMs } from '../database/database-clock.ts'
import { getSetting, setSetting } from '../database/settings.ts'
import { unparsedVersion } from './documents.ts'

/** How long a page may take before another process takes it over, by the clock of the database. */
const pageLeaseMs = 120_000

/** What was read so far. */
export type RereadCounts = { readonly documents: number; readonly notices: number; readonly rejections: number }

/** The documents after one ID, up to another one. */
export type RereadPage = { readonly pageId: string; readonly after: string; readonly upTo: string }

type List = RereadCounts & {
  /** Parsers of another version must not read from it. */
  readonly parserVersion: number
  /** All documents up to this one have been taken. */
  readonly after: string
  /** Those that are being read, and until when their processes may take. */
  readonly pages: readonly (RereadPage & { readonly until: number })[]
}

const listName = 'reread'

/** Begins a list of all documents. Whoever still reads a page of an earlier list cannot finish it. */
export async function beginReread(db: Executor, parserVersion: number): Promise<void> {
  const list: List = { parserVersion, after: '', pages: [], documents: 0, notices: 0, rejections: 0 }
  await setSetting(db, listName, JSON.stringify(list))
}

/** Removes the list. Returns what was read. */
export async function endReread(db: Executor): Promise<RereadCounts> {
  const { documents, notices, rejections } = JSON.parse((await getSetting(db, listName))!) as List
  await db.deleteFrom('setting').where('name', '=', listName).execute()
  return { documents, notices, rejections }
}

/**
 * Takes the next page of up to `limit` documents. `wait`: others still read the last ones, and may fail; `none`: there
 * is nothing to read for parsers of this version.
 */
export function takeRereadPage(
  store: Pick<Store, 'db'>,
  { parserVersion, limit }: { readonly parserVersion: number; readonly limit: number },
): Promise<RereadPage | 'wait' | 'none'> {
  return inTransaction(store, async (trx) => {
    const locked = await lockList(trx)
    if (locked?.list.parserVersion !== parserVersion) return 'none'
    const { list, now, newId: pageId } = locked
    const abandoned = list.pages.find((page) => page.until <= now)
    const { after } = abandoned ?? list
    const upTo = abandoned?.upTo ?? (await lastOfPage(trx, after, limit))
    if (upTo === null) return list.pages.length > 0 ? 'wait' : 'none'
    const page = { pageId, after, upTo }
    await saveList(trx, {
      ...list,
      after: abandoned ? list.after : upTo,
      pages: [...list.pages.filter((each) => each !== abandoned), { ...page, until: now + pageLeaseMs }],
    })
    return page
  })
}

/**
 * Call it first in the transaction that writes what was read from a page. Returns what has been read with it, or
 * undefined if another process took the page over: then nothing must be written.
 */
export async function finishRereadPage(
  trx: Executor,
  { pageId }: RereadPage,
  read: RereadCounts,
): Promise<RereadCounts | undefined> {
  const list = (await lockList(trx))?.list
  const pages = list?.pages.filter((page) => page.pageId !== pageId)
  if (list === undefined || pages?.length === list.pages.length) return undefined
  const counts = {
    documents: list.documents + read.documents,
    notices: list.notices + read.notices,
    rejections: list.rejections + read.rejections,
  }
  await saveList(trx, { ...list, ...counts, pages: pages! })
  return counts
}

async function lockList(trx: Executor) {
  const { rows } = await sql<{ value: string; now: number; newId: string }>`
    select value, ${nowMs} as now, gen_random_uuid()::text as "newId"
    from setting where name = ${listName} for update`.execute(trx)
  return rows[0] && { list: JSON.parse(rows[0].value) as List, now: rows[0].now, newId: rows[0].newId }
}

const saveList = (trx: Executor, list: List) => setSetting(trx, listName, JSON.stringify(list))

async function lastOfPage(db: Executor, after: string, limit: number): Promise<string | null> {
  const { rows } = await sql<{ last: string | null }>`
    select max(document_id) as last from (
      select document_id from source_document where document_id > ${after} and parser_version <> ${unparsedVersion}
      order by document_id limit ${limit}) page`.execute(db)
  return rows[0]!.last
}
