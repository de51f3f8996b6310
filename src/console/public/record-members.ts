// Every member of the record by the kind of object that has it: type and meaning from the schema, origin from
// docs/fields.md.
import {
  lotSchema,
  organizationSchema,
  originalSourceSchema,
  realizedLocationSchema,
  tenderRecordSchema,
} from '../../domain/tender.ts'

/** Objects of a record, in the order in which they are shown. */
export const memberKinds = ['record', 'organization', 'lot', 'location', 'amount', 'duration', 'notice'] as const
export type MemberKind = (typeof memberKinds)[number]

export type RecordMember = {
  readonly name: string
  readonly type: string
  readonly meaning: string
  /** Formats, each with the position of the value; `''` for a remark without a format. With `code` in backticks. */
  readonly origins: readonly (readonly [format: string, place: string])[]
}

type Schema = {
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly string[]
  readonly const?: unknown
}
type ObjectSchema = { readonly properties: { readonly [name: string]: unknown } }

const [amount] = tenderRecordSchema.properties.contractAmount.anyOf

const schemas: { readonly [kind in MemberKind]: ObjectSchema } = {
  record: tenderRecordSchema,
  organization: organizationSchema,
  lot: lotSchema,
  location: realizedLocationSchema,
  amount,
  duration: lotSchema.properties.duration,
  notice: originalSourceSchema,
}

/** The headings of docs/fields.md. */
export const fieldHeadings: { readonly [kind in MemberKind]: string } = {
  record: 'The record',
  organization: 'An organization',
  lot: 'A lot',
  location: 'A place of performance',
  amount: 'An amount',
  duration: 'A duration',
  notice: 'A notice that went into the record',
}

/** Names of the members of a kind. */
export const memberNames = (kind: MemberKind): string[] => Object.keys(schemas[kind].properties)

/** All members of a kind. `page`: the text of docs/fields.md. */
export function membersOf(kind: MemberKind, page: string): RecordMember[] {
  const rows = tableRows(page, fieldHeadings[kind])
  return Object.entries(schemas[kind].properties).map(([name, property]) => {
    const schema = property as Schema
    const row = rows.find(({ names }) => names.includes(name))
    const ownMeaning = schema.description ?? row?.cells.find(([head]) => head === 'Meaning')?.[1] ?? ''
    const origins = (row?.cells ?? [])
      .filter(([head, text]) => text !== '' && !/^(?:Filled|Meaning)/.test(head))
      .map(([head, text]) => [head === 'Remark' ? '' : head, text] as const)
    return { name, type: typeOf(schema), meaning: ownMeaning, origins }
  })
}

type TableRow = {
  readonly names: readonly string[]
  readonly cells: readonly (readonly [head: string, text: string])[]
}

/** The rows of the table below a heading of the page. */
function tableRows(page: string, heading: string): TableRow[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('| ') || line.startsWith('|-'))
  const [head = '', , ...rows] = lines
  const cellsOf = (line: string) =>
    line
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim())
  const heads = cellsOf(head)
  return rows.map((line) => {
    const cells = cellsOf(line)
    return {
      names: [...(cells[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name!),
      cells: cells.slice(1).map((text, index) => [heads[index + 1] ?? '', text] as const),
    }
  })
}

function typeOf(schema: Schema): string {
  if (schema.anyOf?.some(({ type }) => type === 'null')) return `${typeOf(schema.anyOf[0]!)} or null`
  if (schema.format === 'uuid') return 'UUID'
  if (schema.format === 'date-time') return 'timestamp'
  if (schema.type === 'array') return `list of ${plural(typeOf(schema.items ?? {}))}`
  return schema.type ?? 'string'
}

const plural = (type: string): string => (type.endsWith('s') ? type : `${type}s`)
