// A member of the record, or a sink, that was forgotten somewhere is named, with the file that lacks it. Types find the
// parsers, `merge.ts` and the labels; `test/docs/fields-page.test.ts` finds the page of fields; `columns.test.ts` the
// columns.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sinkNames } from '../client/src/bin/sink-kinds.ts'
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
    displayTitle: 'no filter reads it',
    titleLanguage: 'no filter reads it',
    descriptionLanguage: 'no filter reads it',
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
    displayTitle: 'the title has the published form',
    tenderNumber: 'OCDS has no member for it',
    buyerProfileUrl: 'OCDS has no member for it',
    publicationDate: 'the documents have the dates of the notices',
    firstPublicationDate: 'the documents have the dates of the notices',
    isQualificationSystem: 'OCDS has no member for it',
    isSuspended: 'OCDS has no member for it',
    isDeadlineUnknown: 'says only that another member is missing',
    timeZone: 'OCDS has no member for it',
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

test('every sink of the command line has a page, and every sink a test with sinkConformance', () => {
  const readAll = (folder: string, part: RegExp) =>
    readdirSync(new URL(`../${folder}`, import.meta.url))
      .filter((file) => part.test(file))
      .map((file) => ({ file, text: readFileSync(new URL(`../${folder}/${file}`, import.meta.url), 'utf8') }))
  const pages = readAll('docs/sync/sinks', /\.md$/)
  const withoutPage = sinkNames.filter((kind) => !pages.some(({ text }) => text.includes(`--sink ${kind}`)))
  expect(withoutPage, 'add a page with an example to docs/sync/sinks/').toEqual([])
  const tested = readAll('client/src/sinks', /\.test\.ts$/).filter(({ text }) => text.includes('sinkConformance('))
  // the ancestor of the sinks that are files, and one that keeps nothing between two runs
  const shipped = readAll('client/src/sinks', /^(?!file-|memory-).*-sink\.ts$/).map(({ file }) => file.slice(0, -3))
  expect(shipped.filter((name) => !tested.some(({ file }) => file.startsWith(`${name}.`)))).toEqual([])
})
