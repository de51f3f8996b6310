// A member of the record, or a sink, that was forgotten somewhere is named, with the file that lacks it. Types find the
// parsers, `merge.ts` and the labels; `test/docs/fields-page.test.ts` finds the page of fields; `columns.test.ts` the
// columns.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sinkNames } from '../client/src/bin/sink-kinds.ts'
import { carriedMembers } from '../src/domain/notice.ts'
import { leftOutOfOcds, tenderRecordSchema } from '../src/domain/tender.ts'
import { ocdsRelease } from '../src/export/ocds-release.ts'
import { generateTender, notGenerated } from './testing/generate/stock.ts'

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
  const made = new Set([...records.flatMap((record) => Object.keys(record)), ...notGenerated])
  expect(lacking(made, {}), 'its schema alone gives no value: generate it').toEqual([])
})

test('docs/consolidation.md has the rule of every member that is not carried over unchanged', () => {
  const withoutRule: Reasons = {
    id: 'its own section',
    mergedInto: 'its own section',
    lastModified: 'set when an edition is published',
    checkedAt: 'set when an edition is published',
  }
  const page = readFileSync(new URL('../docs/consolidation.md', import.meta.url), 'utf8')
  const named = page.match(/\b\w+\b/g)!.filter((word) => !(word in withoutRule))
  expect(lacking(new Set([...named, ...carriedMembers]), withoutRule), 'add a row to its table "Fields"').toEqual([])
})

test('an OCDS release has every member (src/export/ocds-release.ts)', () => {
  const read = new Set<string>()
  const watched: ProxyHandler<(typeof records)[number]> = {
    get: (record, member, self) => {
      read.add(String(member))
      return Reflect.get(record, member, self)
    },
  }
  for (const record of records) ocdsRelease(new Proxy(record, watched), 'ocds-a1b2c3')
  expect(
    lacking(read, leftOutOfOcds),
    'write it there, or say in leftOutOfOcds (src/domain/tender.ts) why not',
  ).toEqual([])
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
