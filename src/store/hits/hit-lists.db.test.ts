// The lists of hits on a stock with many: they return the same as a plain scan of all hits, and do not read more when
// there are more.
import { type KyselyPlugin, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { engines, openTestStore, type TestStore } from '../../../test/world.ts'
import { dayMs } from '../../domain/time.ts'
import { systemRandom } from '../../platform/random.ts'
import type { Executor } from '../database/database.ts'
import { createOrganization } from '../people/organizations.ts'
import { countHitTabs, type HitKey, type HitListing, hitKeyOf, listHitPage, type PageHit } from './hit-lists.ts'
import { createSearch } from './searches.ts'

const now = Date.UTC(2026, 10, 23, 8)
const searches = 20

/**
 * Searches of one organization with `hits` hits of every state, each tenth without a deadline, some closed, some
 * merged, half of these into a tender that ended.
 */
async function fill(store: TestStore, hits: number): Promise<number[]> {
  const circumstances = { now, random: systemRandom }
  const { organization } = await createOrganization(store.db, { name: 'Acme' }, circumstances)
  const nos: number[] = []
  for (let number = 0; number < searches; number++) {
    const terms = { isActive: true, filter: '{}', filterHash: '', profileId: null, threshold: 50 }
    const { organizationId } = organization
    const made = await createSearch(
      store,
      { ...terms, organizationId, name: `${number}`, createdBy: '' },
      circumstances,
    )
    if (made.kind === 'created') nos.push(made.search.searchNo)
  }
  for (let from = 0; from < hits; from += 2000)
    await sql`
      insert into hit (search_no, tender_id, hit_id, edition, last_modified, search_version, fit_score, fit, matched, made_at,
        score_now, last_edition, state, archive_reason, merged_into, deadline_ms, state_modified, digest_edition)
      select (${nos}::integer[])[1 + i % ${searches}::integer], md5((i / ${searches}::integer)::text), md5('hit' || i), 1, i, 1,
        40 + (i::bigint * 7919) % 60, ${'{}'.padEnd(300)}, '[]', i, 50, 1,
        (array['new', 'new', 'new', 'new', 'new', 'new', 'seen', 'seen', 'kept', 'dismissed'])[1 + (i * 31) % 10],
        case when i % 100 < 2 then case when i % 200 < 2 then 'merged' else 'awarded' end when i % 100 < 30 then 'expired' end,
        case when i % 100 < 2 then md5((i % 3000)::text) end,
        case when i % 10 > 0 then ${now} + (i::bigint * 104729 % 60) * ${dayMs}::bigint end, i, 1
      from generate_series(${from}::integer, ${Math.min(hits, from + 2000) - 1}::integer) i`.execute(store.db)
  await sql`vacuum analyze hit`.execute(store.db)
  return nos
}

/** Number of pages that a statement reads of tables and indexes. */
async function pagesRead({ db }: TestStore, ask: (db: Executor) => Promise<unknown>): Promise<number> {
  let pages = 0
  const explain: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (node.kind !== 'RawNode') return node
      const [first = '', ...fragments] = (node as { readonly sqlFragments: readonly string[] }).sqlFragments
      return {
        ...node,
        sqlFragments: [`explain (analyze, buffers, format json) ${first}`, ...fragments],
      } as typeof node
    },
    transformResult: async ({ result }) => {
      for (const row of result.rows) {
        const [{ Plan: plan }] = row['QUERY PLAN'] as [{ readonly Plan: { readonly [figure: string]: number } }]
        pages += plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
      }
      return { ...result, rows: [] }
    },
  }
  await ask(db.withPlugin(explain))
  return pages
}

type Row = Pick<PageHit, 'hitId' | 'searchNo' | 'tenderId' | 'fitScore' | 'state' | 'deadline'> & {
  readonly archiveReason: string | null
  readonly mergedInto: string | null
}

describe.each(engines)('lists of hits (%s)', (engine) => {
  test('read no more rows when there are more hits', async () => {
    await using store = await openTestStore(engine)
    const nos = await fill(store, 20_000)
    const list = (how: Partial<HitListing>) => (db: Executor) =>
      listHitPage(db, { searchNos: nos, tab: 'new', order: 'score', limit: 26, ...how })
    const first = await list({ limit: 200 })(store.db)
    const read = (ask: (db: Executor) => Promise<unknown>) => pagesRead(store, ask)
    // three for each of 400 merged ones
    expect(await read((db) => countHitTabs(db, nos, 251))).toBeLessThan(2200)
    expect(await read(list({}))).toBeLessThan(400)
    expect(await read(list({ after: hitKeyOf(first.at(-1)!, 'score') }))).toBeLessThan(400)
    expect(await read(list({ order: 'deadline' }))).toBeLessThan(800)
    expect(await read(list({ tab: 'closed' }))).toBeLessThan(600)
    for (const days of [1, 7, 40])
      for (const order of ['score', 'deadline'] as const) {
        const pages = await read(list({ order, deadline: { from: now, to: now + days * dayMs } }))
        expect(pages, `${days} days by ${order}`).toBeLessThan(600)
      }
  })

  test('show every hit on one tab, in order, in whichever direction they are paged', async () => {
    await using store = await openTestStore(engine)
    const nos = await fill(store, 600)
    const { rows } = await sql<Row>`
      select hit_id as "hitId", search_no as "searchNo", tender_id as "tenderId", fit_score as "fitScore", state,
        archive_reason as "archiveReason", merged_into as "mergedInto", deadline_ms as deadline from hit`.execute(
      store.db,
    )
    const own = new Set(rows.map(({ searchNo, tenderId }) => `${searchNo} ${tenderId}`))
    const tabOf = ({ archiveReason, mergedInto, searchNo, state }: Row) =>
      archiveReason !== null &&
      (mergedInto === null || archiveReason !== 'merged' || own.has(`${searchNo} ${mergedInto}`))
        ? 'closed'
        : state
    const byId = (left: Row, right: Row) => (left.hitId < right.hitId ? -1 : 1)
    const byScore = (left: Row, right: Row) => right.fitScore - left.fitScore || byId(left, right)
    const never = Number.MAX_SAFE_INTEGER
    const byDeadline = (left: Row, right: Row) =>
      (left.deadline ?? never) - (right.deadline ?? never) || byId(left, right)
    const counts = await countHitTabs(store.db, nos, 250)
    const deadline = { from: now, to: now + 7 * dayMs }
    for (const tab of ['new', 'seen', 'kept', 'dismissed', 'closed'] as const) {
      const all = rows.filter((row) => tabOf(row) === tab)
      expect([tab, counts[tab]]).toEqual([tab, Math.min(250, all.length)])
      expect(all.length).toBeGreaterThan(30)
      for (const order of tab === 'closed' ? (['score'] as const) : (['score', 'deadline'] as const))
        for (const closing of [undefined, deadline]) {
          const isAsked = (row: Row) => closing === undefined || (row.deadline !== null && row.deadline <= closing.to)
          const expected = all.filter(isAsked).sort(order === 'score' ? byScore : byDeadline)
          const listing = { searchNos: nos, tab, order, limit: 25, ...(closing && { deadline: closing }) }
          const found: string[] = []
          for (let after: HitKey | undefined; ; ) {
            const page = await listHitPage(store.db, { ...listing, ...(after && { after }) })
            found.push(...page.map(({ hitId }) => hitId))
            expect(page.every(({ isClosed }) => isClosed === (tab === 'closed'))).toBe(true)
            if (page.length < 25) break
            after = hitKeyOf(page.at(-1)!, order)
          }
          expect(found).toEqual(expected.map(({ hitId }) => hitId))
          const third = expected[60]
          if (!third) continue
          const before = { hitId: third.hitId, value: order === 'score' ? third.fitScore : (third.deadline ?? never) }
          const back = await listHitPage(store.db, { ...listing, before })
          expect(back.map(({ hitId }) => hitId)).toEqual(expected.slice(35, 60).map(({ hitId }) => hitId))
        }
    }
  })
})
