// The page about the fields names every member of the record, and no other.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  lotSchema,
  organizationSchema,
  originalSourceSchema,
  realizedLocationSchema,
  tenderRecordSchema,
} from '../../src/domain/tender.ts'

const page = readFileSync(new URL('../../docs/fields.md', import.meta.url), 'utf8')

/** Members in the first column of the table below this heading. */
function named(heading: string): string[] {
  const [, section] = page.split(new RegExp(`^## ${heading}$`, 'm'))
  return [...section!.split(/^## /m)[0]!.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
  )
}

const [amount] = tenderRecordSchema.properties.contractAmount.anyOf

test.each<[string, { readonly properties: object }]>([
  ['The record', tenderRecordSchema],
  ['An organization', organizationSchema],
  ['A lot', lotSchema],
  ['A place of performance', realizedLocationSchema],
  ['An amount', amount],
  ['A duration', lotSchema.properties.duration],
  ['A notice that went into the record', originalSourceSchema],
])('%s: every member has its row', (heading, { properties }) => {
  expect(named(heading).sort()).toEqual(Object.keys(properties).sort())
})
