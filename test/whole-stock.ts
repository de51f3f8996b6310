// All that consolidation and publication have written, to be compared with another stock that has the same notices.
import { sql } from 'kysely'
import type { Store } from '../src/store/database/database.ts'

/** Without the numbers of records, which follow the order of arrival. */
const queries = {
  notice: sql`select notice_id, is_consolidated from notice`,
  links: sql`select * from notice_link`,
  tenders: sql`select * from tender`,
  places: sql`select * from tender_notice`,
  doubts: sql`select * from tender_doubt`,
  changes: sql`select * from tender_change`,
  records: sql`select record_key, is_succeeded, mark, keys, twin_keys, content from match_record`,
  members: sql`select * from match_member`,
  keys: sql`select match_key, record_key, k.mark from match_key k join match_record using (record_no)`,
  dropped: sql`select * from dropped_match_key`,
  edges: sql`select * from tender_match`,
  published: sql`select * from published_tender`,
  entries: sql`select * from edition_entry`,
  replaced: sql`select * from replaced_entry`,
  editions: sql`select * from edition`,
}

/** Each table as the sorted JSON of its rows. */
export async function wholeStock({ db }: Pick<Store, 'db'>): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, readonly string[]> = {}
  for (const [name, query] of Object.entries(queries)) {
    const { rows } = await query.execute(db)
    found[name] = rows.map((row) => JSON.stringify(row)).sort()
  }
  return found
}
