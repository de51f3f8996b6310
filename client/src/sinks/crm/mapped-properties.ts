// One record as the properties of a CRM, by the fields of a mapping. Pure.
import type { TenderRecord } from '../../types.ts'
import type { MappedField, Scalar } from './http-mapping.ts'

/** The state of a record in the CRM. */
export type TargetState = 'open' | 'closed' | 'merged'

export const targetStateOf = (record: TenderRecord): TargetState =>
  record.archiveReason === undefined ? 'open' : record.archiveReason === 'merged' ? 'merged' : 'closed'

/** Value at a path of member names and list positions, separated by dots; `-1` is the last element. */
export function valueAt(from: unknown, path: string): unknown {
  let value = from
  for (const part of path.split('.')) {
    if (Array.isArray(value)) value = value.at(Number(part))
    else if (typeof value === 'object' && value !== null) value = (value as { [name: string]: unknown })[part]
    else return undefined
  }
  return value
}

/** Cuts to `maxLength` UTF-16 units including the …, never within a surrogate pair. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const kept = text.slice(0, maxLength - 1)
  return `${/[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept}…`
}

function dateIn(ms: number, timeZone: string): string {
  // Swedish dates are written YYYY-MM-DD.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(ms)
}

function shaped(value: unknown, field: MappedField): Scalar | undefined {
  const { type = 'text', map, join = ';', maxLength, timeZone = 'UTC' } = field
  let plain = Array.isArray(value) ? value.map(String).join(join) : value
  if (plain === undefined || plain === null || plain === '') return undefined
  if (map) {
    const mapped = Object.hasOwn(map, String(plain)) ? map[String(plain)] : map['*']
    if (mapped !== undefined) plain = mapped
    if (plain === null) return undefined
  }
  if (type === 'boolean') return typeof plain === 'boolean' ? plain : plain === 'true'
  if (type === 'number') return Number.isFinite(Number(plain)) ? Number(plain) : undefined
  if (type === 'text') {
    const text = typeof plain === 'object' ? JSON.stringify(plain) : String(plain)
    return maxLength === undefined ? text : cut(text, maxLength)
  }
  const ms = Date.parse(String(plain))
  if (Number.isNaN(ms)) return undefined
  return type === 'date' ? dateIn(ms, timeZone) : type === 'datetime' ? new Date(ms).toISOString() : ms
}

/** What the properties depend on besides the record. */
export type MappingContext = { readonly emptyValue: string | null; readonly isBackfill: boolean }

/** The value of one field; undefined: leave the property alone. */
export function mappedValue(record: TenderRecord, field: MappedField, context: MappingContext): Scalar | undefined {
  if (field.from === undefined) return field.value
  for (const path of [field.from].flat()) {
    const source =
      path === '$state' ? targetStateOf(record) : path === '$isBackfill' ? context.isBackfill : valueAt(record, path)
    const value = shaped(source, field)
    if (value !== undefined) return value
  }
  if (field.default !== undefined) return field.default
  return field.empty === 'skip' ? undefined : context.emptyValue
}

/** The properties of these fields, without those that are to be left alone. */
export function mappedProperties(
  record: TenderRecord,
  fields: readonly MappedField[],
  context: MappingContext,
): { [name: string]: Scalar } {
  const properties: { [name: string]: Scalar } = {}
  for (const field of fields) {
    const value = mappedValue(record, field, context)
    if (value !== undefined) properties[field.to] = value
  }
  return properties
}
