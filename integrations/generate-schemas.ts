// Writes the record's schema for Airbyte and Singer from contract/openapi.json. Run by `npm run generate`;
// test/integrations fails if it is stale.
import { readFileSync, writeFileSync } from 'node:fs'
import { stringify } from 'yaml'

/** The text above the generated part of the manifest. */
const marker = '# --- Below: made from contract/openapi.json by integrations/generate-schemas.ts ---\n'

type Schema = { readonly [member: string]: unknown }

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Fields that every record has. All others are nullable: a warehouse column is null if the record has no member. */
const never = new Set(['id', 'lastModified', 'checkedAt', 'status', 'title'])

/**
 * The contract's schema in the subset that loaders understand: one type, nullable, open, without patterns and unions.
 */
function simplify(schema: Schema, name?: string): Schema {
  const union = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined
  if (union) {
    const member = union.find(({ type }) => type !== 'null')!
    return simplify({ ...member, description: schema.description }, name)
  }
  const type = name !== undefined && never.has(name) ? schema.type : ['null', schema.type]
  const description = typeof schema.description === 'string' ? { description: schema.description } : {}
  switch (schema.type) {
    case 'array':
      return { type, ...description, items: simplify(schema.items as Schema) }
    case 'object': {
      const properties = isObject(schema.properties) ? schema.properties : {}
      const members = Object.entries(properties).map(([key, value]) => [key, simplify(value as Schema)])
      return { type, ...description, additionalProperties: true, properties: Object.fromEntries(members) }
    }
    default:
      return { type, ...description, ...(schema.format === 'date-time' ? { format: 'date-time' } : {}) }
  }
}

/** The schema of a tender record as Airbyte and Singer require it, with its parts in their places. */
function recordSchema(contract: string): Schema {
  const { schemas } = (JSON.parse(contract) as { components: { schemas: { readonly [name: string]: Schema } } })
    .components
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaced)
    if (!isObject(value)) return value
    const { $ref, ...rest } = value
    const part = typeof $ref === 'string' ? schemas[$ref.slice($ref.lastIndexOf('/') + 1)] : undefined
    return Object.fromEntries(Object.entries({ ...part, ...rest }).map(([key, each]) => [key, replaced(each)]))
  }
  const { properties } = replaced(schemas['TenderRecord']) as { properties: Record<string, Schema> }
  const members = Object.entries(properties).map(([name, schema]) => [name, simplify(schema, name)])
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    additionalProperties: true,
    properties: Object.fromEntries(members),
  }
}

/** The manifest with its schema replaced by that of the contract. */
export function withSchema(manifest: string, contract: string): string {
  const at = manifest.indexOf(marker)
  if (at < 0) throw new Error('integrations/airbyte/manifest.yaml has lost the line above its generated part')
  const schema = stringify(
    { schemas: { tenders: recordSchema(contract) } },
    { lineWidth: 0, aliasDuplicateObjects: false },
  )
  return manifest.slice(0, at) + marker + schema
}

/** The Singer schema file. */
export const singerSchema = (contract: string): string => `${JSON.stringify(recordSchema(contract), null, 2)}\n`

if (import.meta.main) {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
  const contract = read('../contract/openapi.json')
  writeFileSync(new URL('airbyte/manifest.yaml', import.meta.url), withSchema(read('airbyte/manifest.yaml'), contract))
  writeFileSync(new URL('singer/tenders.schema.json', import.meta.url), singerSchema(contract))
}
