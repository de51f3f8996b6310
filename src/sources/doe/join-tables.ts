// The 19 tables of a CSV export joined to one document per notice and version.
import { parse } from 'csv-parse/sync'
import { Refused } from '../../platform/http.ts'

type TableRow = { readonly [column: string]: string | undefined }

/**
 * One notice of the tables: the rows of each table that are its own, without the two columns that name it and without
 * empty cells.
 */
type JoinedNotice = {
  readonly noticeIdentifier: string
  readonly noticeVersion: string
  readonly tables: { readonly [table: string]: readonly TableRow[] }
}

/**
 * Joins tables (by name, without `.csv`) over noticeIdentifier and noticeVersion; rows of lots keep their
 * lotIdentifier. The same rows give the same bytes: tables are ordered by name, rows stay in their order. `announced`
 * counts the rows of `notice`. Throws Refused if that table, or the columns for the join, are missing: then the layout
 * has changed.
 */
export function joinTables(
  tables: ReadonlyMap<string, Uint8Array>,
  url: string,
): { readonly announced: number; readonly notices: readonly { readonly name: string; readonly bytes: Uint8Array }[] } {
  const joined = new Map<string, { id: string; version: string; tables: { [table: string]: TableRow[] } }>()
  let announced = 0
  if (!tables.has('notice')) throw new Refused(`${url} holds no table of notices`)
  for (const [table, bytes] of [...tables].sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const { noticeIdentifier, noticeVersion, ...cells } of rowsOf(bytes, table, url)) {
      if (!noticeIdentifier || !noticeVersion) throw new Refused(`${url}: a row of ${table} names no notice`)
      const key = `${noticeIdentifier}-${noticeVersion}`
      let notice = joined.get(key)
      if (!notice) {
        notice = { id: noticeIdentifier, version: noticeVersion, tables: {} }
        joined.set(key, notice)
      }
      const rows = notice.tables[table] ?? []
      notice.tables[table] = rows
      rows.push(Object.fromEntries(Object.entries(cells).filter(([, cell]) => cell !== '')))
      if (table === 'notice') announced++
    }
  }
  const notices = [...joined].map(([key, { id, version, tables: own }]) => {
    const document: JoinedNotice = { noticeIdentifier: id, noticeVersion: version, tables: own }
    return { name: `${key}.json`, bytes: Buffer.from(JSON.stringify(document)) }
  })
  return { announced, notices }
}

function rowsOf(bytes: Uint8Array, table: string, url: string): TableRow[] {
  try {
    return parse(Buffer.from(bytes), { columns: true, bom: true, relax_column_count: true, skip_empty_lines: true })
  } catch (error) {
    const detail = error instanceof Error ? error.message.slice(0, 200) : ''
    throw new Refused(`${url}: ${table} is no table (${detail})`, { cause: error })
  }
}
