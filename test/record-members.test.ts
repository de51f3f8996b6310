// A member of the record that was forgotten somewhere is named, with the file that lacks it. Types find the parsers,
// `merge.ts` and the labels; `test/docs/fields-page.test.ts` the page of fields; `columns.test.ts` the columns.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tenderRecordSchema } from '../src/domain/tender.ts'
import { ocdsRelease } from '../src/export/ocds-release.ts'
import { generateTender } from './testing/generate/stock.ts'

const members = Object.keys(tenderRecordSchema.properties)
const times = { lastModified: '2026-11-02T08:00:00.000Z', checkedAt: '2026-11-02T08:00:00.000Z' }
const records = Array.from({ length: 600 }, (_, index) => ({
  ...generateTender({ seed: 7, count: 600, now: Date.UTC(2026, 10, 1) }, index),
  ...times,
}))

type Reasons = { readonly [member: string]: string }
const lacking = (known: ReadonlySet<string>, exempt: Reasons): string[] =>
  members.filter((member) => known.has(member) === member in exempt)

test('the generated stock has every member (test/testing/generate/stock.ts)', () => {
  const notGenerated: Reasons = {
    jointAuthorities: 'no filter reads it',
    buyerProfileUrl: 'no filter reads it',
    isDynamicPurchasingSystem: 'no filter reads it',
    isSuspended: 'no filter reads it',
  }
  const made = new Set(records.flatMap((record) => Object.keys(record)))
  expect(lacking(made, notGenerated), 'generate it, or say above why not').toEqual([])
})

test('docs/consolidation.md has the rule of every member', () => {
  const withoutRule: Reasons = {
    id: 'its own section',
    mergedInto: 'its own section',
    lastModified: 'set when an edition is published',
    checkedAt: 'set when an edition is published',
  }
  const page = readFileSync(new URL('../docs/consolidation.md', import.meta.url), 'utf8')
  const named = new Set(page.match(/\b\w+\b/g)?.filter((word) => !(word in withoutRule)))
  expect(lacking(named, withoutRule), 'add a row to its table "Fields"').toEqual([])
})

test('an OCDS release has every member (src/export/ocds-release.ts)', () => {
  const notInRelease: Reasons = {
    checkedAt: 'moves without a change',
    tenderNumber: 'OCDS has no member for it',
    buyerProfileUrl: 'OCDS has no member for it',
    publicationDate: 'the documents have the dates of the notices',
    firstPublicationDate: 'the documents have the dates of the notices',
    legalBasis: 'OCDS 1.1 has no member for it',
    isQualificationSystem: 'OCDS has no member for it',
    isSuspended: 'OCDS has no member for it',
    isDeadlineUnknown: 'says only that another member is missing',
  }
  const read = new Set<string>()
  const watched: ProxyHandler<(typeof records)[number]> = {
    get: (record, member, self) => {
      read.add(String(member))
      return Reflect.get(record, member, self)
    },
  }
  for (const record of records) ocdsRelease(new Proxy(record, watched), 'ocds-a1b2c3')
  expect(lacking(read, notInRelease), 'read it there and in docs/open-data.md, or say above why not').toEqual([])
})
