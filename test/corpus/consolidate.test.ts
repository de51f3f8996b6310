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
import type { Store } from '../../src/store/database.ts'
import { randomOf } from '../generate/random.ts'
import { receiveNotices } from '../receive-notices.ts'
import { openTestStore } from '../world.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const isMissing = !existsSync(corpus)
if (isMissing) console.log('skipped: no corpus')

/** Why a group of LINKED-GROUPS.tsv is not one tender. Every other group must be. */
const apart: { readonly [group: string]: string } = {
  '550470-2023': 'five notices of four buyers that copied the procedure id of an official example',
  '693956-2023': 'different BT-04: a call under a qualification system, and the system',
  '151907-2018': 'calls that share only an announcement that is not there; several may follow one',
  '275919-2017': 'two calls that share only an announcement that is not there',
  '417800-2016': 'a call and the result of another that share only an announcement that is not there',
  '348503-2021': 'one of the buyers has nothing in common with the other: a mistyped reference',
}

async function readCorpus(): Promise<Map<string, Notice[]>> {
  const notices = new Map<string, Notice[]>()
  for (const folder of ['ted-eforms', 'ted-legacy', 'doffin-eforms', 'eforms-de', 'ocds'])
    for await (const { address, bytes, unreadable } of readPath(join(corpus, folder))) {
      if (unreadable) continue
      const found = parseDocument(bytes).flatMap((part) => ('notice' in part ? [part.notice] : []))
      notices.set(address.slice(corpus.length + 1), found)
    }
  return notices
}

/** Stocks are compared as of this moment, in the life of the Maltese chain. */
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

  test('over-merges nothing: hardly a tender has more than ten notices', () => {
    const large = [...contents.values()].filter(({ originalSources }) => originalSources.length > 10)
    expect(large.length / contents.size).toBeLessThan(0.002)
  })

  test('is the same stock when the notices come in another order, in portions', async () => {
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
