// A flat column as a column of Parquet.
import type { FlatColumn, FlatType, FlatValue } from '../record/flat-column.ts'

const elementTypes = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  instant: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  number: { type: 'DOUBLE' },
  integer: { type: 'INT32' },
  boolean: { type: 'BOOLEAN' },
} as const satisfies Record<FlatType, object>

const cellOf = (type: FlatType, value: FlatValue) =>
  type === 'instant' && typeof value === 'string' ? new Date(value) : value

/** Its schema, and its cell in a row; `part` selects what the column reads. */
export function parquetColumn<Part, Row>({ name, type, isRequired, of }: FlatColumn<Part>, part: (row: Row) => Part) {
  return {
    schema: { name, ...elementTypes[type], repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL' } as const,
    of: (row: Row) => cellOf(type, of(part(row))),
  }
}
