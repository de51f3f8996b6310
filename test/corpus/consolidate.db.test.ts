// The consolidation on the corpus: linked groups, false links, known chains, and the same stock in any order.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { beforeAll, describe, expect, test } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import type { Notice } from '../../src/domain/notice.ts'
import { type TenderContent, tenderRecordSchema } from '../../src/domain/tender.ts'
import { readPath } from '../../src/sources/files.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'
import type { Store } from '../../src/store/database/database.ts'
import { receiveNotices } from '../receive-notices.ts'
import { randomOf } from '../testing/generate/random.ts'
import { openTestStore } from '../world.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const isMissing = !existsSync(corpus)

/** Why a group of LINKED-GROUPS.tsv is not one tender. Every other group must be. */
const apart: { readonly [group: string]: string } = {
  '550470-2023': 'five notices of four buyers that copied the procedure id of an official example',
  '693956-2023': 'different BT-04: a call under a qualification system, and the system',
  '151907-2018': 'calls that share only an announcement that is not there; several may follow one',
  '275919-2017': 'two calls that share only an announcement that is not there',
  '417800-2016': 'a call and the result of another that share only an announcement that is not there',
  '348503-2021':
    'a mistyped reference to a stranger, and two contracts of other titles under a system that is not there',
  '120559-2019': 'two purchases with numbers of their own that name a call that is not there',
  '243764-2016': 'two intentions with numbers of their own that name a notice that is not there',
  '273850-2021': 'two intentions with numbers of their own, each with its result',
  '29200-2021': 'three purchases under a dynamic purchasing system that is not there',
}

/** Journal numbers that a TED_EXPORT document names, by its own number: read by patterns, not by the parser. */
const namedBy = new Map<string, readonly string[]>()

function noteNumbers(document: string): void {
  const numbers = (text: string) =>
    [...text.matchAll(/(\d{4})\/S\s*\d{1,3}\s*-\s*0*(\d+)/g)].map(([, year, number]) => `${number}-${year}`)
  const own = /<NO_DOC_OJS>([^<]*)</.exec(document.replace(/<REF_NOTICE>[\s\S]*?<\/REF_NOTICE>/g, ''))?.[1]
  const form = document.slice(document.indexOf('<FORM_SECTION'))
  const named = [
    ...document.matchAll(/<REF_NOTICE>([\s\S]*?)<\/REF_NOTICE>/g),
    ...form.matchAll(/<NOTICE_NUMBER_OJ>([^<]*)</g),
  ].flatMap(([, text]) => numbers(text!))
  for (const number of numbers(own ?? '')) {
    namedBy.set(number, [...new Set(named)])
    const original = form.slice(Math.max(0, form.indexOf('CATEGORY="ORIGINAL"')))
    // one only refers to a register, one says that no supplier was chosen
    if (/<ADDRESS_CONTRACTOR>\s*<OFFICIALNAME>(?!Please see |Leverandør ikkje valgt)/.test(original))
      withContractor.add(number)
  }
}

/** Numbers of the TED_EXPORT documents that name a contractor. */
const withContractor = new Set<string>()

async function readCorpus(): Promise<Map<string, Notice[]>> {
  const notices = new Map<string, Notice[]>()
  for (const folder of ['ted-eforms', 'ted-legacy', 'doffin-eforms', 'eforms-de', 'ocds'])
    for await (const { address, bytes, unreadable } of readPath(join(corpus, folder))) {
      if (unreadable) continue
      if (folder === 'ted-legacy') noteNumbers(Buffer.from(bytes).toString('utf8'))
      const found = parseDocument(bytes).flatMap((part) => ('notice' in part ? [part.notice] : []))
      notices.set(address.slice(corpus.length + 1), found)
    }
  return notices
}

/** Stocks are compared as of this moment, during the lifetime of the Maltese chain. */
const now = Date.parse('2026-01-25T12:00:00.000Z')

async function stockOf(store: Store) {
  return store.db
    .selectFrom('tender')
    .select(['tender_id', 'founding_key', 'content_hash', 'next_transition_ms', 'sources'])
    .orderBy('tender_id')
    .execute()
}

describe.skipIf(isMissing)('the corpus, consolidated', () => {
  const byFile = new Map<string, Notice[]>()
  const all: Notice[] = []
  const tenderOf = new Map<string, string>()
  const contents = new Map<string, TenderContent>()
  let expected: Awaited<ReturnType<typeof stockOf>> = []

  beforeAll(async () => {
    for (const [file, notices] of await readCorpus()) byFile.set(file, notices)
    all.push(...[...byFile.values()].flat())
    await using store = await openTestStore('embedded')
    await receiveNotices(store, all)
    const start = performance.now()
    const { notices } = await consolidate(store, { now })
    const seconds = (performance.now() - start) / 1000
    console.log(`consolidated ${notices} notices in ${seconds.toFixed(1)} s: ${Math.round(notices / seconds)} a second`)
    const places = await store.db
      .selectFrom('tender_notice')
      .innerJoin('notice', 'notice.notice_id', 'tender_notice.notice_id')
      .select(['notice_key', 'tender_id'])
      .execute()
    for (const place of places) tenderOf.set(place.notice_key, place.tender_id)
    for (const row of await store.db.selectFrom('tender').select(['tender_id', 'content']).execute())
      contents.set(row.tender_id, JSON.parse(row.content) as TenderContent)
    expected = await stockOf(store)
  }, 300_000)

  const tendersOfFile = (file: string): string[] => byFile.get(file)!.map((notice) => tenderOf.get(notice.noticeKey)!)

  test('joins every linked group, apart from those that the guards keep apart', () => {
    const groups = Map.groupBy(
      readFileSync(join(corpus, 'LINKED-GROUPS.tsv'), 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split('\t')),
      (fields) => fields[0]!,
    )
    const split = [...groups]
      .filter(([, rows]) => new Set(rows.flatMap((fields) => tendersOfFile(fields[2]!))).size !== 1)
      .map(([group]) => group)
    expect(groups.size).toBe(114)
    expect(split.sort()).toEqual(Object.keys(apart).sort())
  })

  test('keeps the five notices apart that share a copied procedure id', () => {
    const sharing = all.filter((notice) => notice.procedureId === 'aff2863e-b4cc-4e91-baba-b3b85f709117')
    const swiss = sharing.filter(({ publisher }) => publisher === 'ted')
    expect(swiss).toHaveLength(5)
    expect(new Set(swiss.map(({ noticeKey }) => tenderOf.get(noticeKey))).size).toBe(5)
  })

  test('makes one tender of the notice that Doffin and TED both published', () => {
    const [doffin] = tendersOfFile('doffin-eforms/2024-100506.xml')
    expect(tendersOfFile('ted-eforms/notices/00027384_2024.xml')).toEqual([doffin])
    expect(
      contents
        .get(doffin!)
        ?.originalSources.map(({ publisher }) => publisher)
        .sort(),
    ).toEqual(['doffin', 'ted'])
  })

  test('follows the Maltese chain to its award, with the deadline of 5 February', async () => {
    const chain = [...byFile.keys()].filter((file) => file.includes('chain-mt-32c34097/') && file.endsWith('.xml'))
    const tenders = new Set(chain.flatMap(tendersOfFile))
    expect(chain).toHaveLength(4)
    expect(tenders.size).toBe(1)
    const [id] = tenders
    expect(contents.get(id!)).toMatchObject({ status: 'awarded', archiveReason: 'awarded' })
    expect(contents.get(id!)?.submissionDate).toMatch(/^2026-02-05T/)
    // Without the award, as of a moment between the second and the third deadline.
    await using store = await openTestStore('embedded')
    const calls = chain.flatMap((file) => byFile.get(file)!).filter(({ formType }) => formType !== 'result')
    await receiveNotices(store, calls)
    await consolidate(store, { now: Date.parse('2026-01-30T00:00:00.000Z') })
    const [row] = await store.db.selectFrom('tender').select(['content', 'next_transition_ms']).execute()
    expect(JSON.parse(row!.content)).toMatchObject({ status: 'open' })
    expect(new Date(row!.next_transition_ms!).toISOString()).toMatch(/^2026-02-05T/)
  })

  test('gives records that the schema allows, each with a title and at least one source', () => {
    for (const content of contents.values()) {
      const record = { ...content, lastModified: '2026-01-25T12:00:00.000Z', checkedAt: '2026-01-25T12:00:00.000Z' }
      const errors = [...Value.Errors(tenderRecordSchema, record)].map(
        ({ instancePath, message }) => `${content.id} ${instancePath} ${message}`,
      )
      expect(errors).toEqual([])
      expect(content.title.trim()).not.toBe('')
      expect(content.originalSources.length).toBeGreaterThan(0)
    }
  })

  test('attributes no result to a call that it does not name, or that was published on the same day or later', () => {
    const day = (text: string | undefined) => Math.floor((Date.parse(text!) + 7_200_000) / 86_400_000)
    let pairs = 0
    const wrong: string[] = []
    for (const { originalSources } of contents.values()) {
      const legacy = originalSources.filter(({ format }) => format === 'ted-export')
      for (const result of legacy.filter(({ formType }) => formType === 'result')) {
        const named = namedBy.get(result.publicationNumber!)!
        const others = legacy.filter(({ publicationNumber }) => publicationNumber !== result.publicationNumber)
        const related = others.flatMap(({ publicationNumber }) => [
          publicationNumber!,
          ...namedBy.get(publicationNumber!)!,
        ])
        for (const call of legacy.filter(({ formType }) => formType === 'competition')) {
          pairs++
          if (named.length > 0 && !named.some((number) => related.includes(number)))
            wrong.push(`${result.publicationNumber} names ${named.join(', ')}, not ${call.publicationNumber}`)
          if (day(result.publicationDate) <= day(call.publicationDate))
            wrong.push(`${result.publicationNumber} is as old as ${call.publicationNumber}`)
        }
      }
    }
    expect(namedBy.size).toBe(2940)
    expect(pairs).toBeGreaterThan(30)
    expect(wrong).toEqual([])
  })

  test('does not join two notices that name the same third one when their numbers differ', () => {
    const numberOf = new Map(
      all.map((each) => [each.noticeKey, each.internalReference?.replace(/[^\p{L}\p{N}]/gu, '')]),
    )
    const wrong = [...contents.values()].flatMap(({ originalSources }) => {
      const legacy = originalSources.filter(({ format }) => format === 'ted-export')
      const here = new Set(legacy.map(({ publicationNumber }) => publicationNumber))
      const absent = legacy.flatMap(({ publicationNumber }) =>
        namedBy
          .get(publicationNumber!)!
          .filter((named) => !here.has(named) && !namedBy.has(named))
          .map((named) => ({ named, number: numberOf.get(`ted:${publicationNumber}`) })),
      )
      return [...Map.groupBy(absent, ({ named }) => named)]
        .map(([named, holders]) => [named, ...new Set(holders.flatMap(({ number }) => number ?? []))])
        .filter((row) => row.length > 2)
    })
    expect(wrong).toEqual([])
  })

  test('shows winners in every record of a direct award or a modification that names a contractor', () => {
    const counts: { [formType: string]: number } = {}
    const without = [...contents.values()].flatMap(({ originalSources, lots }) => {
      const named = originalSources.filter(
        ({ formType, publicationNumber }) =>
          (formType === 'dir-awa-pre' || formType === 'cont-modif') && withContractor.has(publicationNumber ?? ''),
      )
      for (const { formType } of named) counts[formType] = (counts[formType] ?? 0) + 1
      return lots.some(({ winners }) => winners !== undefined) ? [] : named
    })
    expect(counts).toEqual({ 'dir-awa-pre': 338, 'cont-modif': 102 })
    expect(without).toEqual([])
  })

  test('serves no lot that is worth more than all contracts together', () => {
    const priced = [...contents.values()].filter(({ lots }) => lots.some(({ awardedAmount }) => awardedAmount))
    const above = priced.flatMap(({ id, awardedAmount: total, lots }) =>
      lots
        .filter(({ awardedAmount: own }) => own && total?.currency === own.currency && own.value > total.value)
        .map(({ lotId }) => `${id} ${lotId}`),
    )
    expect(priced.length).toBeGreaterThan(1380)
    expect(above).toEqual([])
  })

  test('over-merges nothing: very few tenders have more than ten notices', () => {
    const large = [...contents.values()].filter(({ originalSources }) => originalSources.length > 10)
    expect(large.length / contents.size).toBeLessThan(0.002)
  })

  test('gives the same stock when the notices arrive in another order, in portions', async () => {
    await using store = await openTestStore('embedded')
    const random = randomOf(20_260_125)
    const order = all.map((notice) => ({ notice, rank: random.next() })).sort((a, b) => a.rank - b.rank)
    for (let from = 0; from < order.length; from += 700) {
      await receiveNotices(
        store,
        order.slice(from, from + 700).map(({ notice }) => notice),
      )
      await consolidate(store, { now, batchSize: 100 })
    }
    expect(await stockOf(store)).toEqual(expected)
  }, 300_000)
})
