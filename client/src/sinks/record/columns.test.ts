// The columns against the contract: none is read that the record does not have, and a new member gets one.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withColumns } from '../../../generate-types.ts'
import { type Column, hitColumns, lotColumns, tenderColumns } from './columns.ts'

type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
}
const contract = JSON.parse(readFileSync(new URL('../../../../contract/openapi.json', import.meta.url), 'utf8')) as {
  readonly components: { readonly schemas: { readonly [name: string]: Schema } }
}
const schemas = contract.components.schemas

function resolved(schema: Schema): Schema {
  if (schema.$ref !== undefined) return resolved(schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)]!)
  const known = schema.anyOf?.map(resolved).find(({ type }) => type !== 'null')
  return known ?? schema
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
] as const)('the columns of %s are members of it', (_, schema, columns: readonly Column[]) => {
  for (const path of columns.flatMap(({ paths }) => paths))
    expect(isThere(schema, path.split('.')), `${path} is no member`).toBe(true)
})

test('a new member has a line at the end of its list, of its type; one of a form without a column is named', () => {
  const withMembers = (properties: { readonly [name: string]: Schema }) => ({
    components: { schemas: { ...schemas, TenderRecord: { properties }, Lot: { properties: {} } } },
    paths: {},
  })
  const text = 'export const tenderColumns: readonly Column[] = [\n]\nexport const lotColumns = [\n]\n'
  const added = withColumns(
    text,
    withMembers({
      id: { type: 'string' },
      isNew: { type: 'boolean', description: "The buyer's own (BT-1). Seldom." },
      newFee: { $ref: '#/components/schemas/Amount' },
      newCodes: { type: 'array', items: { type: 'string' }, description: 'Codes' },
    }),
  )
  expect(added).toBe(`export const tenderColumns: readonly Column[] = [
  boolean('is_new', 'isNew', "The buyer's own (BT-1)"),
  number('new_fee_value', 'newFee.value', 'Amount, excluding VAT'),
  text('new_fee_currency', 'newFee.currency', 'ISO 4217 currency code as published'),
  codes('new_codes', 'newCodes', 'Codes'),
]\nexport const lotColumns = [\n]\n`)
  const people = { type: 'array', items: { $ref: '#/components/schemas/Organization' } }
  expect(() => withColumns(text, withMembers({ people }))).toThrow(/people/)
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
