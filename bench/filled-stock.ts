// A large stock for measurements, written straight into the tables: as many rows and bytes as the stage writes, and as
// scattered.
import { sql } from 'kysely'
import { inTransaction, type Store } from '../src/store/database/database.ts'
import { ensureMatchKeys } from '../src/store/stock/matches.ts'

const slice = 20_000
/** Ten notices for seven tenders, as `generateNotice` makes them. */
const [noticesOf, tendersOf] = [10, 7]
const contentBytes = 1100

/**
 * Fills an empty stock with this many tenders and their notices. Contents have the usual size but no meaning, and keys
 * are random: no later notice shares one with them, but all share tables and indexes.
 */
export async function fillStock(store: Store, tenders: number, onProgress: (text: string) => void): Promise<void> {
  const notices = Math.ceil((tenders * noticesOf) / tendersOf)
  const restore = await withoutIndexes(store)
  for (let from = 0; from < notices; from += slice) {
    const to = Math.min(from + slice, notices) - 1
    await inTransaction(store, async (trx) => {
      await sql`
        insert into source_document (document_id, source_id, address, received_at, byte_size, parser_version)
        select encode(sha256(i::text::bytea), 'hex'), 'filled', 'filled ' || i, 0, ${contentBytes}::integer, 1
        from generate_series(${from}::integer, ${to}::integer) i`.execute(trx)
      await sql`
        insert into notice (notice_id, document_id, pointer, notice_key, publisher, source_id, form_type, content, is_consolidated)
        select id || '#', id, '', 'filled:' || i, 'ted', 'filled', 'competition', repeat(md5(id), ${Math.ceil(contentBytes / 32)}::integer), true
        from generate_series(${from}::integer, ${to}::integer) i, encode(sha256(i::text::bytea), 'hex') id`.execute(trx)
      await sql`
        create temporary table filled on commit drop as
        select i, encode(sha256(i::text::bytea), 'hex') || '#' as notice_id,
          md5((i * ${tendersOf}::integer / ${noticesOf}::integer)::text)::uuid::text as tender_id,
          i * ${tendersOf}::integer / ${noticesOf}::integer <> (i - 1) * ${tendersOf}::integer / ${noticesOf}::integer or i = 0 as is_first
        from generate_series(${from}::integer, ${to}::integer) i`.execute(trx)
      await sql`
        insert into notice_link (link_key, notice_id)
        select kind || md5(i::text), notice_id from filled, (values ('notice '), ('journal ')) k (kind)`.execute(trx)
      await sql`
        insert into tender (tender_id, founding_key, content, content_hash, next_transition_ms, sources)
        select tender_id, 'filled:' || i, repeat(md5(i::text), ${Math.ceil(contentBytes / 32)}::integer), md5(i::text),
          9000000000000 + i, '["filled"]'
        from filled where is_first`.execute(trx)
      await sql`
        insert into tender_notice (notice_id, tender_id) select notice_id, tender_id from filled`.execute(trx)
      await sql`
        insert into match_record (record_key, mark, is_succeeded, twin_keys, keys, content)
        select 'filled:' || i, (20400 + i % 320) * 4, false, floor(random() * 4e15)::bigint * 2,
          (select string_agg((floor(random() * 4e15)::bigint * 2 + k % 2)::text, ' ') from generate_series(1, 15 + i - i) k),
          repeat(md5(i::text), ${Math.ceil(contentBytes / 32)}::integer)
        from filled where i % 10 <> 7`.execute(trx)
      await sql`
        insert into match_member (notice_id, record_key) select notice_id, 'filled:' || i from filled`.execute(trx)
    })
    if ((from / slice) % 10 === 0) onProgress(`filled ${to + 1} of ${notices} notices`)
  }
  await inTransaction(store, (trx) => ensureMatchKeys(trx))
  onProgress('filled the keys')
  await restore(onProgress)
  await sql`analyze`.execute(store.db)
}

const tables = [
  'source_document',
  'notice',
  'notice_link',
  'tender',
  'tender_notice',
  'match_record',
  'match_member',
  'match_key',
]

/**
 * Drops constraints and indexes, except the index by record number of the filed keys, because rows are written twice as
 * fast without them. Returns the statements that create them again.
 */
async function withoutIndexes(store: Store): Promise<(onProgress: (text: string) => void) => Promise<void>> {
  const { rows: constraints } = await sql<{ table: string; name: string; definition: string; kind: string }>`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition, contype::text as kind
    from pg_constraint where conrelid::regclass::text = any(${tables}::text[]) and contype in ('f', 'p', 'u')
    and conname <> 'match_record_pkey' or confrelid <> 0 and confrelid::regclass::text = any(${tables}::text[])
    order by contype = 'f' desc`.execute(store.db)
  for (const { table, name } of constraints)
    await sql.raw(`alter table ${table} drop constraint ${name}`).execute(store.db)
  const { rows: indexes } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'public' and tablename = any(${tables}::text[]) and indexname <> 'match_record_pkey'`.execute(
    store.db,
  )
  for (const { name } of indexes) await sql.raw(`drop index ${name}`).execute(store.db)
  return async (onProgress) => {
    // Foreign keys come last, and need not be true of existing rows: they apply to new ones.
    for (const { table, name, definition, kind } of constraints.toReversed()) {
      const check = kind === 'f' ? ' not valid' : ''
      await sql.raw(`alter table ${table} add constraint ${name} ${definition}${check}`).execute(store.db)
      onProgress(`indexed: ${name}`)
    }
    for (const { definition } of indexes) await sql.raw(definition).execute(store.db)
  }
}
