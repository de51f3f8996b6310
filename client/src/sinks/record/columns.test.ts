// The columns against the contract: no member of the record is forgotten, and none is read that the record does not
// have.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Column, hitColumns, lotColumns, tenderColumns } from './columns.ts'

type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
}
const contract = JSON.parse(readFileSync(new URL('../../../../contract/openapi.json', import.meta.url), 'utf8')) as {
  readonly components: { readonly schemas: { readonly [name: string]: Schema } }
}
const schemas = contract.components.schemas

/** Members without a column, and why the full record is enough for them. */
const withoutColumn: { readonly [path: string]: string } = {
  checkedAt: 'moves with every edition, so that a column would rewrite every row (C26)',
  translations: 'texts by language',
  jointAuthorities: 'a list of authorities',
  'contractAmount.low': 'about the estimate, not about the tender',
  'contractAmount.high': 'about the estimate, not about the tender',
  'contractAmount.confidence': 'about the estimate, not about the tender',
  'contractAmount.basis': 'about the estimate, not about the tender',
  'contractAmount.modelVersion': 'about the estimate, not about the tender',
  'realizedLocation.country': 'of a lot: in nearly all tenders that of the tender',
  'realizedLocation.postalCode': 'of a lot: in nearly all tenders that of the tender',
  'duration.start': 'seldom published',
  'duration.end': 'seldom published',
}

function resolved(schema: Schema): Schema {
  if (schema.$ref !== undefined) return resolved(schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)]!)
  const known = schema.anyOf?.map(resolved).find(({ type }) => type !== 'null')
  return known ?? schema
}

/** Paths of all values of a record: those of lists and of texts by language as one. */
function leaves(schema: Schema, path: string): string[] {
  const { properties } = resolved(schema)
  if (!properties) return [path]
  return Object.entries(properties).flatMap(([name, member]) => leaves(member, path === '' ? name : `${path}.${name}`))
}

function isThere(schema: Schema, steps: readonly string[]): boolean {
  const { properties, items } = resolved(schema)
  const [step, ...rest] = steps
  if (step === undefined) return true
  if (/^-?\d+$/.test(step)) return items !== undefined && isThere(items, rest)
  const member = properties?.[step]
  return member !== undefined && isThere(member, rest)
}

const lots = resolved(resolved(schemas['TenderRecord']!).properties!['lots']!).items!

test.each([
  ['a tender', schemas['TenderRecord']!, tenderColumns],
  ['a lot', lots, lotColumns],
] as const)('each member of %s has a column, or a reason why it has none', (_, schema, columns: readonly Column[]) => {
  const paths = columns.flatMap((column) => column.paths)
  for (const path of paths) expect(isThere(schema, path.split('.')), `${path} is no member`).toBe(true)
  const covered = (leaf: string) => paths.some((path) => path === leaf || path.startsWith(`${leaf}.`))
  expect(leaves(schema, '').filter((leaf) => !covered(leaf) && withoutColumn[leaf] === undefined)).toEqual([])
})

test('the columns of a hit are members of its message, or of its receipt', () => {
  const paths = hitColumns
    .flatMap((column) => column.paths)
    .filter((path) => !['webhookId', 'receivedAt'].includes(path))
  for (const path of paths) expect(isThere(schemas['HitEvent']!, path.split('.')), `${path} is no member`).toBe(true)
})

test('no name appears twice', () => {
  for (const columns of [tenderColumns, lotColumns, hitColumns])
    expect(new Set(columns.map(({ name }) => name)).size).toBe(columns.length)
})
