// One text for one content: the JSON whose hash decides whether a record changed.
import { createHash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { type TenderContent, tenderRecordSchema } from '../domain/tender.ts'

/**
 * Order of members by the schema; a map (`translations`) and members that the schema does not know are sorted by name.
 */
type Shape = { readonly members?: ReadonlyMap<string, Shape>; readonly each?: Shape }

type SchemaView = {
  readonly properties?: { readonly [name: string]: TSchema }
  readonly patternProperties?: { readonly [pattern: string]: TSchema }
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
}

function shapeOf(schema: TSchema): Shape {
  const view = schema as SchemaView
  if (view.properties)
    return { members: new Map(Object.entries(view.properties).map(([name, member]) => [name, shapeOf(member)])) }
  if (view.patternProperties) {
    const [value] = Object.values(view.patternProperties)
    return value ? { each: shapeOf(value) } : {}
  }
  if (view.items) return { each: shapeOf(view.items) }
  const object = view.anyOf?.find((member) => (member as SchemaView).properties)
  return object ? shapeOf(object) : {}
}

const recordShape = shapeOf(tenderRecordSchema)

function ordered(value: unknown, shape: Shape): unknown {
  if (typeof value === 'string') return value.normalize('NFC').toWellFormed()
  if (Array.isArray(value)) return value.map((item) => ordered(item, shape.each ?? {}))
  if (value === null || typeof value !== 'object') return value
  const source = value as { readonly [name: string]: unknown }
  const result: { [name: string]: unknown } = {}
  for (const [name, member] of shape.members ?? [])
    if (source[name] !== undefined) result[name] = ordered(source[name], member)
  for (const name of Object.keys(source).sort())
    if (source[name] !== undefined && !shape.members?.has(name)) result[name] = ordered(source[name], shape.each ?? {})
  return result
}

/**
 * JSON without white space: `id` first, then the schema's order; texts in NFC, numbers as JSON writes them, no absent
 * members. Equal contents give equal text, so the order of arrival or of properties never causes a change. Throws on a
 * member that the schema does not name: it would be published as it is, and break the contract.
 */
export function canonicalJson(content: TenderContent): string {
  // a bug of the merge, which makes only members of the schema
  for (const name in content)
    if (!recordShape.members!.has(name))
      throw new Error(`tender ${content.id} has a member outside the schema: ${name}`)
  return canonicalText(content)
}

/** Canonical text of any value, for comparison: equal values give equal text. */
export const canonicalText = (value: unknown): string => JSON.stringify(ordered(value, recordShape))

/** SHA-256 of a canonical text, hex. */
export function contentHash(canonical: string): string {
  return createHash('sha256').update(canonical).digest('hex')
}
