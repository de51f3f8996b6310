// SQL of the columns: what PostgreSQL reads from a record, a lot or a hit as jsonb. The other sinks read the same by
// flat-tender.ts; a test compares the values.
import {
  type Column,
  type ColumnType,
  hitColumns as hit,
  lotColumns as lot,
  tenderColumns as tender,
} from '../record/columns.ts'

/** One column; `from` is SQL over `r`, the record, the lot or the hit as jsonb. */
export type SqlColumn = {
  readonly name: string
  readonly type: string
  readonly from: string
  readonly comment: string
}

const sqlType: { readonly [type in ColumnType]: string } = {
  text: 'text',
  uuid: 'uuid',
  instant: 'timestamptz(3)',
  number: 'numeric',
  integer: 'integer',
  boolean: 'boolean',
}

const at = (path: string): string => (path.includes('.') ? `r #>> '{${path.replaceAll('.', ',')}}'` : `r ->> '${path}'`)

function sqlOf({ type, paths, list }: Column): string {
  const [path = ''] = paths
  switch (list) {
    case 'codes':
      return `coalesce((select string_agg(code, ' ' order by place)
        from jsonb_array_elements_text(r #> '{${path.replaceAll('.', ',')}}') with ordinality as list (code, place)), '')`
    case 'count':
      return `coalesce(jsonb_array_length(r -> '${path}'), 0)`
    case 'names':
      return `(select string_agg(item ->> 'name', '; ' order by place)
        from jsonb_array_elements(r -> '${path}') with ordinality as list (item, place))`
    default: {
      const value = paths.length === 1 ? at(path) : `coalesce(${paths.map(at).join(', ')})`
      return type === 'text' ? value : `(${value})::${sqlType[type]}`
    }
  }
}

const inSql = (columns: readonly Column[]): readonly SqlColumn[] =>
  columns.map((column) => ({
    name: column.name,
    type: sqlType[column.type],
    from: sqlOf(column),
    comment: column.comment,
  }))

/** Columns of `tender` besides `record`. */
export const tenderColumns = inSql(tender)

/** Columns of `tender_lot` besides its key (tender_id, position). */
export const lotColumns = inSql(lot)

/** Columns of `hit` besides `body`. */
export const hitColumns = inSql(hit)
