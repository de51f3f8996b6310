// One state of an embedded stock, read while it changes. Its one connection cannot keep a transaction open for a long
// reading, so triggers keep rows as they were at the cut, and each step of reading is a separate transaction.
import { type RawBuilder, sql } from 'kysely'
import { OperatorError } from '../../platform/errors.ts'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { dropBeforeImages } from '../schema/leftovers.ts'
import { isAfter, type Key, namesOf, nextLimit, type Page, pageOf, readPage, type Table } from './table-copy.ts'

/** Maximum rows of the log per transaction, to keep each short. */
const imagesAtOnce = 1000
/** Maximum characters of a page: about a tenth of a second. */
const pageLength = 1024 * 1024
/** How long a transaction runs before it adds nothing more. */
const momentMs = 100
/** Transaction numbers wrap around after this; here they are compared as plain numbers. */
const maxTransactions = 2n ** 32n

/** Runs short transactions, and records how long the longest held the connection. */
export class HeldConnection {
  longestMs = 0
  readonly #store: Pick<Store, 'db'>

  constructor(store: Pick<Store, 'db'>) {
    this.#store = store
  }

  run<Result>(work: (trx: Executor) => Promise<Result>): Promise<Result> {
    return inTransaction(this.#store, async (trx) => {
      const startedAt = performance.now()
      try {
        return await work(trx)
      } finally {
        this.longestMs = Math.max(this.longestMs, performance.now() - startedAt)
      }
    })
  }

  /** Processes the items one after the other, with as many per transaction as fit into `momentMs`. */
  async runEach<Item>(items: readonly Item[], work: (trx: Executor, item: Item) => Promise<unknown>): Promise<void> {
    for (let next = 0; next < items.length; )
      await this.run(async (trx) => {
        const startedAt = performance.now()
        while (next < items.length && performance.now() - startedAt < momentMs) await work(trx, items[next++]!)
      })
  }
}

/** Rows of one table at the cut. */
export type TablePage = { readonly table: Table; readonly page: Page }

export type BeforeImages = {
  /** All rows at the cut, table by table. Can be read once. */
  readonly pages: () => AsyncGenerator<TablePage>
  readonly remove: () => Promise<void>
}

/**
 * Makes the cut: from here on the original of a row is kept when the row is first changed or deleted. `atCut` runs in
 * the transaction of the cut.
 */
export async function keepBeforeImages<Facts>(
  held: HeldConnection,
  tables: readonly Table[],
  atCut: (trx: Executor) => Promise<Facts>,
): Promise<BeforeImages & { readonly facts: Facts }> {
  const remove = async () => {
    await held.runEach(tables, dropTrigger)
    await held.run(dropBeforeImages)
  }
  try {
    await held.run(dropBeforeImages)
    await held.run(makeLog)
    await held.runEach(tables, (trx, { name }) =>
      sql`create trigger before_image after update or delete on ${sql.table(name)} for each row
        when (before_image.is_of_cut(old.xmin)) execute function before_image.keep()`.execute(trx),
    )
    const { cut, facts } = await held.run(async (trx) => {
      const { rows } = await sql<{ cut: string }>`
        insert into before_image.cut values (true, pg_current_xact_id()::text::bigint) returning xid::text as cut`.execute(
        trx,
      )
      return { cut: rows[0]!.cut, facts: await atCut(trx) }
    })
    if (BigInt(cut) >= maxTransactions)
      throw new OperatorError(
        'backup-impossible',
        'This embedded stock has had more transactions than a backup of it can tell apart; copy it to a ' +
          'server with `tenderstock database export URL`, and back that one up.',
      )
    return { facts, remove, pages: () => pagesOf(held, tables, cut) }
  } catch (error) {
    await remove().catch(() => {})
    throw error
  }
}

const dropTrigger = (trx: Executor, { name }: Table) =>
  sql`drop trigger if exists before_image on ${sql.table(name)}`.execute(trx)

/** Logged tables: their content must survive a restart of the engine. */
async function makeLog(trx: Executor): Promise<void> {
  await sql`create schema before_image`.execute(trx)
  await sql`create table before_image.cut (is_only boolean primary key, xid bigint not null)`.execute(trx)
  await sql`create table before_image.image (
    image_no bigint generated always as identity primary key, table_name text not null, content json not null)`.execute(
    trx,
  )
  await sql`create index image_table on before_image.image (table_name, image_no)`.execute(trx)
  // Whether a version of a row existed at the cut. Nothing before the cut has to be kept.
  await sql`create function before_image.is_of_cut(version xid) returns boolean language plpgsql stable as $$ begin
    return coalesce((select version::text::bigint < xid from before_image.cut), false); end $$`.execute(trx)
  await sql`create function before_image.keep() returns trigger language plpgsql as $$ begin
    insert into before_image.image (table_name, content) values (tg_table_name, row_to_json(old)); return null; end $$`.execute(
    trx,
  )
}

/** Reads until `momentMs` has passed or there is enough for one part. */
async function* pagesOf(held: HeldConnection, tables: readonly Table[], cut: string): AsyncGenerator<TablePage> {
  const waiting = tables.map((table) => new TablePages(table, cut))
  while (waiting.length > 0) {
    const found = await held.run(async (trx) => {
      const pages: TablePage[] = []
      const startedAt = performance.now()
      let length = 0
      while (waiting[0] && length < pageLength && performance.now() - startedAt < momentMs) {
        for (const page of await waiting[0].step(trx)) {
          pages.push({ table: waiting[0].table, page })
          length += page.lines.length
        }
        if (waiting[0].isDone) waiting.shift()
      }
      return pages
    })
    yield* found
  }
}

/**
 * A row that was not changed since the cut is read from its table; one that was, from the log. Before each page, the
 * log of the table is emptied in the same transaction: an image made after the reading reached a key belongs to a row
 * that was already read if its own key is not above that one; otherwise it is still to be delivered.
 */
class TablePages {
  readonly table: Table
  readonly #only: RawBuilder<unknown>
  #after: Key | undefined
  #limit = 1
  isDone = false

  constructor(table: Table, cut: string) {
    this.table = table
    this.#only = sql`xmin::text::bigint < ${cut}::text::bigint`
  }

  async step(trx: Executor): Promise<Page[]> {
    const images = await takeImages(trx, this.table, this.#after)
    const pages = images.page ? [images.page] : []
    if (images.isMore) return pages
    const page = await readPage(trx, this.table, { after: this.#after, limit: this.#limit, only: this.#only })
    if (page === undefined) {
      await dropTrigger(trx, this.table)
      this.isDone = true
      return pages
    }
    this.#after = page.last
    this.#limit = nextLimit(this.#limit, page, pageLength)
    return [...pages, page]
  }
}

/** Takes the next images of a table out of the log. `page`: those above `after`. */
async function takeImages(
  trx: Executor,
  table: Table,
  after: Key | undefined,
): Promise<{ readonly page: Page | undefined; readonly isMore: boolean }> {
  const { rows } = await sql<{ last: string | null; count: number }>`
    select max(image_no)::text as last, count(*)::integer as count from (
      select image_no from before_image.image where table_name = ${table.name}
      order by image_no limit ${imagesAtOnce}::integer) as next`.execute(trx)
  const { last, count } = rows[0]!
  if (last === null) return { page: undefined, isMore: false }
  const isTaken: RawBuilder<unknown> = sql`table_name = ${table.name} and image_no <= ${last}::text::bigint`
  const rowsKept = sql`select ${namesOf(table.columns)} from (
      select row_of.* from before_image.image, json_populate_record(null::${sql.table(table.name)}, content) as row_of
      where ${isTaken}) as kept
    ${after ? sql`where ${isAfter(table.key, after)}` : sql``}`
  const page = await pageOf(trx, table, rowsKept)
  await sql`delete from before_image.image where ${isTaken}`.execute(trx)
  return { page, isMore: count === imagesAtOnce }
}
