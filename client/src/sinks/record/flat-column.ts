// A column of the lists (columns.ts) as a function from the subject of a row to its value.
import type { Column, ColumnType } from './columns.ts'

/** Files and SQLite have no separate type for an id. */
export type FlatType = Exclude<ColumnType, 'uuid'>
export type FlatValue = string | number | boolean | null

export type FlatColumn<T> = {
  readonly name: string
  readonly type: FlatType
  /** Whether it is never null. */
  readonly isRequired?: boolean
  readonly of: (of: T) => FlatValue
}

/** A value as a text; null is the empty text. */
export const textOf = (value: FlatValue): string => (value === null ? '' : String(value))

type Json = FlatValue | undefined | readonly Json[] | { readonly [member: string]: Json }

function valueAt(from: Json, steps: readonly string[]): Json {
  let value = from
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Array.isArray(value) ? value.at(Number(step)) : (value as { readonly [member: string]: Json })[step]
  }
  return value
}

function written(list: Column['list'], value: Json): FlatValue {
  const items = Array.isArray(value) ? (value as readonly Json[]) : undefined
  switch (list) {
    // Codes hold no spaces, so a space separates them: `45000000 71000000`.
    case 'codes':
      return (items ?? []).join(' ')
    case 'count':
      return items?.length ?? 0
    case 'names':
      return items?.map((item) => valueAt(item, ['name'])).join('; ') ?? null
    default:
      return (value as FlatValue | undefined) ?? null
  }
}

/** A column of a row about `recordOf` what is given. */
export function flat<From>(column: Column, recordOf: (from: From) => unknown): FlatColumn<From> {
  const paths = column.paths.map((path) => path.split('.'))
  const of = (from: From): FlatValue => {
    const record = recordOf(from) as Json
    for (const steps of paths) {
      const value = written(column.list, valueAt(record, steps))
      if (value !== null) return value
    }
    return null
  }
  const { name, type, isRequired } = column
  return { name, type: type === 'uuid' ? 'text' : type, ...(isRequired && { isRequired }), of }
}
