// One text for one content: the JSON whose hash decides whether a record changed.
import { hash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { type TenderContent, tenderRecordSchema } from '../domain/tender.ts'

/**
 * Order of members by the schema; a map (`translations`) and members that the schema does not know are sorted by name.
 */
type Shape = {
  readonly members?: ReadonlyMap<string, Shape>
  /** The same in a list. */
  readonly list?: readonly (readonly [name: string, shape: Shape])[]
  readonly each?: Shape
}

type SchemaView = {
  readonly properties?: { readonly [name: string]: TSchema }
  readonly patternProperties?: { readonly [pattern: string]: TSchema }
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
}

function shapeOf(schema: TSchema): Shape {
  const view = schema as SchemaView
  if (view.properties) {
    const list = Object.entries(view.properties).map(([name, member]) => [name, shapeOf(member)] as const)
    return { members: new Map(list), list }
  }
  if (view.patternProperties) {
    const [value] = Object.values(view.patternProperties)
    return value ? { each: shapeOf(value) } : {}
  }
  if (view.items) return { each: shapeOf(view.items) }
  const object = view.anyOf?.find((member) => (member as SchemaView).properties)
  return object ? shapeOf(object) : {}
}

const recordShape = shapeOf(tenderRecordSchema)

const noShape: Shape = {}
/** Characters that NFC may change, and surrogates: the others come before the combining marks. */
const mayChange = /[^\0-\u02ff]/

function ordered(value: unknown, shape: Shape): unknown {
  if (typeof value === 'string') return mayChange.test(value) ? value.normalize('NFC').toWellFormed() : value
  if (value === null || typeof value !== 'object') return value
  const each = shape.each ?? noShape
  if (Array.isArray(value)) return value.map((item) => ordered(item, each))
  const source = value as { readonly [name: string]: unknown }
  const result: { [name: string]: unknown } = {}
  for (const [name, member] of shape.list ?? []) {
    const found = source[name]
    if (found !== undefined) result[name] = ordered(found, member)
  }
  for (const name of otherNames(source, shape))
    if (source[name] !== undefined) result[name] = ordered(source[name], each)
  return result
}

/** Members that the shape does not name, sorted. */
function otherNames(source: object, { members }: Shape): readonly string[] {
  const names = Object.keys(source)
  return (members ? names.filter((name) => !members.has(name)) : names).sort()
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
  return hash('sha256', canonical)
}
