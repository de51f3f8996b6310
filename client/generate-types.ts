// Writes src/types.ts from ../contract/openapi.json, so that the client's types are those of the contract,
// src/record-shapes.ts, so that it checks what it receives, lines of src/sinks/record/columns.ts, and the schema of
// mappings as a module, because CommonJS has no other way to a file of its package. Run by `npm run generate`.
import { readFileSync, writeFileSync } from 'node:fs'
import { type Column, lotColumns, tenderColumns, withoutColumn } from './src/sinks/record/columns.ts'

export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: { readonly [pattern: string]: Schema }
  readonly description?: string
}
type Contract = {
  readonly components: { readonly schemas: { readonly [name: string]: Schema } }
  readonly paths: { readonly [path: string]: { readonly get: { readonly parameters: readonly Parameter[] } } }
}
type Parameter = { readonly name: string; readonly in: string; readonly description?: string; readonly schema: Schema }

/** A comment on one line, or wrapped at column 120. */
function comment(text: string | undefined, indent: string): string {
  if (!text) return ''
  const words = text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')
  const line = `${indent}/** ${words} */\n`
  if (line.length <= 121) return line
  const wrapped = words.match(new RegExp(`.{1,${117 - indent.length}}(?: |$)`, 'g')) ?? [words]
  return `${indent}/**\n${wrapped.map((each) => `${indent} * ${each.trimEnd()}\n`).join('')}${indent} */\n`
}

/** A JSON schema as a TypeScript type expression. Covers what the contract uses; anything else is `unknown`. */
function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'")
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ')
  const union = schema.anyOf ?? schema.oneOf
  if (union) return union.map((member) => typeOf(member, indent)).join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `readonly (${schema.items ? typeOf(schema.items, indent) : 'unknown'})[]`
    case 'object': {
      const values = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties
      if (!schema.properties)
        return `{ readonly [name: string]: ${typeof values === 'object' ? typeOf(values, indent) : 'unknown'} }`
      const inner = `${indent}  `
      const members = Object.entries(schema.properties).map(
        ([name, member]) =>
          `${comment(member.description, inner)}${inner}readonly ${name}${schema.required?.includes(name) ? '' : '?'}: ${typeOf(member, inner)}\n`,
      )
      return `{\n${members.join('')}${indent}}`
    }
    default:
      return 'unknown'
  }
}

/** The text of src/types.ts for a contract. */
export function generateTypes(contract: Contract): string {
  const schemas = Object.entries(contract.components.schemas)
    .map(([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')}\n`)
    .join('\n')
  const parameters = contract.paths['/v1/tenders']?.get.parameters.filter((parameter) => parameter.in === 'query') ?? []
  const query = parameters
    .map(
      ({ name, description, schema }) =>
        `${comment(description, '  ')}  readonly ${name}?: ${typeOf(schema, '  ')} | undefined\n`,
    )
    .join('')
  return (
    `// Generated from contract/openapi.json by client/generate-types.ts; do not edit.\n\n${schemas}\n/** ` +
    `Query of GET /v1/tenders. */\nexport type TendersQuery = {\n${query}}\n`
  )
}

/** The kind of a value as src/record-shapes.ts has it; undefined for one that is not checked. */
function kindOf(schema: Schema): string | undefined {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  const union = schema.anyOf ?? schema.oneOf
  if (union) {
    const kinds = new Set(union.map((each) => kindOf(each)))
    const isNullable = kinds.delete('null')
    const [kind] = kinds
    return kinds.size === 1 && kind !== undefined ? `${kind}${isNullable ? '|null' : ''}` : undefined
  }
  if (schema.const !== undefined) return typeof schema.const
  if (schema.type === 'array') return schema.items && `${kindOf(schema.items)}[]`
  if (schema.type === 'string' && schema.format === 'date-time') return 'time'
  if (schema.type === 'object') return schema.properties ? undefined : 'object'
  return typeof schema.type === 'string' ? schema.type.replace('integer', 'number') : undefined
}

/** The text of src/record-shapes.ts for a contract: the schema of a record, and those to which it refers. */
export function generateShapes({ components: { schemas } }: Contract): string {
  const shapes: { [name: string]: { [member: string]: string } } = {}
  const add = (name: string): void => {
    const { properties = {}, required = [] } = schemas[name]!
    const shape: { [member: string]: string } = {}
    shapes[name] = shape
    for (const [member, schema] of Object.entries(properties)) {
      const kind = kindOf(schema)
      if (kind === undefined) throw new Error(`${name}.${member} has a schema that the client cannot check`)
      shape[member] = kind + (required.includes(member) ? '!' : '')
      const referred = kind.replace(/\[\]|\|null/g, '')
      if (schemas[referred] && !shapes[referred]) add(referred)
    }
  }
  add('TenderRecord')
  const text = Object.entries(shapes)
    .map(([name, shape]) => {
      const members = Object.entries(shape).map(([member, kind]) => `    ${member}: '${kind}',\n`)
      return `  ${name}: {\n${members.join('')}  },\n`
    })
    .join('')
  return `// Generated from contract/openapi.json by client/generate-types.ts; do not edit.

/** Kinds of the members of a record, by schema: \`!\` ends the kind of one that is never missing. */
export const recordShapes: { readonly [schema: string]: { readonly [member: string]: string } } = {\n${text}}\n`
}

const factories: { readonly [kind: string]: string } = {
  string: 'text',
  time: 'instant',
  number: 'number',
  boolean: 'boolean',
  'string[]': 'codes',
}

/** src/sinks/record/columns.ts with a line, at the end of its list, for each member that has no column. */
export function withColumns(text: string, { components: { schemas } }: Contract): string {
  const lineOf = (path: string, schema: Schema, kind: string): string => {
    if (!factories[kind]) throw new Error(`${path} cannot be a column: say why in withoutColumn (columns.ts)`)
    const factory = schema.type === 'integer' ? 'integer' : factories[kind]
    const name = path.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const meaning = (schema.description ?? name).split(/\.(?: |$)/)[0]!
    const words = [`'${name}'`, `'${path}'`, meaning.includes("'") ? `"${meaning}"` : `'${meaning}'`]
    const line = `\n  ${factory}(${words.join(', ')}),`
    return line.length <= 121 ? line : `\n  ${factory}(\n${words.map((word) => `    ${word},\n`).join('')}  ),`
  }
  const linesOf = (name: string, paths: readonly string[], before = ''): string[] =>
    Object.entries(schemas[name]!.properties ?? {}).flatMap(([member, schema]) => {
      const path = before + member
      const kind = kindOf(schema)?.replace('|null', '') ?? ''
      if (schemas[kind]) return linesOf(kind, paths, `${path}.`)
      const isThere = path in withoutColumn || paths.some((each) => each === path || each.startsWith(`${path}.`))
      return isThere ? [] : [lineOf(path, schema, kind)]
    })
  const extended = (list: string, columns: readonly Column[], name: string) => (from: string) =>
    from.replace(new RegExp(`(?<=export const ${list}\\b.*?)(?=\\n\\]\\n)`, 's'), () =>
      linesOf(
        name,
        columns.flatMap(({ paths }) => paths),
      ).join(''),
    )
  return extended('lotColumns', lotColumns, 'Lot')(extended('tenderColumns', tenderColumns, 'TenderRecord')(text))
}

const contractUrl = new URL('../contract/openapi.json', import.meta.url)

/** Reads the committed contract. Throws when it is missing: run `npm run generate`. */
export function readContract(): Contract {
  return JSON.parse(readFileSync(contractUrl, 'utf8')) as Contract
}

/** The text of src/sinks/crm/http-mapping-schema.ts. */
export const generateMappingSchema = (): string =>
  `// Generated from mappings/http-mapping.schema.json by client/generate-types.ts; do not edit.
// biome-ignore-all format: as JSON
import type { Schema } from '../faults/schema-faults.ts'

/** The published schema, with which editors complete and check a mapping while it is written. */
export const mappingSchema: Schema = ${readFileSync(new URL('./mappings/http-mapping.schema.json', import.meta.url), 'utf8').trim()}
`

if (import.meta.main) {
  const contract = readContract()
  writeFileSync(new URL('./src/types.ts', import.meta.url), generateTypes(contract))
  writeFileSync(new URL('./src/record-shapes.ts', import.meta.url), generateShapes(contract))
  const columns = new URL('./src/sinks/record/columns.ts', import.meta.url)
  writeFileSync(columns, withColumns(readFileSync(columns, 'utf8'), contract))
  writeFileSync(new URL('./src/sinks/crm/http-mapping-schema.ts', import.meta.url), generateMappingSchema())
}
