// Hits of a stock of the version before, which kept the deadline of submission even where that to participate is
// earlier: the change of the rule reports nothing and mails nothing, and lists show the deadline of today's rule.
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { canonicalJson, contentHash } from '../../src/consolidate/canonical.ts'
import type { TenderContent } from '../../src/domain/tender.ts'
import { dayMs, hourMs, toInstant } from '../../src/domain/time.ts'
import { matchEditions } from '../../src/hits/match-editions.ts'
import { openMatcher } from '../../src/hits/matcher.ts'
import { canonicalSearchFilter, parseSearchFilter, searchFilterHash } from '../../src/hits/saved-search.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { publish } from '../../src/publish/publish.ts'
import type { Store } from '../../src/store/database/database.ts'
import { listHitPage } from '../../src/store/hits/hit-lists.ts'
import { createSearch } from '../../src/store/hits/searches.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { upsertTenders } from '../../src/store/stock/tenders.ts'
import { runBackfills } from '../../src/store/upkeep/backfill.ts'
import { endMails, openDigestWorld } from '../digests/digest-world.ts'
import { engines, openTestStore } from '../world.ts'

const start = Date.UTC(2026, 0, 1)
const on = (day: number) => toInstant(start + day * dayMs)
type Dates = Pick<TenderContent, 'submissionDate' | 'participationDate'>

/** What each tender publishes first. The old rule kept the first date of each line, today's rule the second one. */
const published: readonly (readonly [kept: number | null, first: number | null, dates: Dates])[] = [
  [20, 10, { submissionDate: on(20), participationDate: on(10) }],
  [10, 10, { submissionDate: on(10), participationDate: on(20) }],
  [20, 20, { submissionDate: on(20) }],
  [10, 10, { participationDate: on(10) }],
  [null, null, {}],
]

async function put(store: Store, title: string, dates: readonly Dates[]): Promise<void> {
  const contents = dates.map((own, index): TenderContent => {
    const id = `${index}0000000-7d3e-8b64-9a10-5c2e7f4b9d31`
    const base = { contractAmount: null, cpvCodes: ['45233141'], lots: [], nutsCodes: [], originalSources: [] }
    return { ...base, id, status: 'open', title: `${title} ${index}`, ...own }
  })
  const common = { archiveReason: null, nextTransitionMs: null, mergedInto: null, sources: '["ted"]' }
  const rows = contents.map((each) => {
    const content = canonicalJson(each)
    return { tenderId: each.id, foundingKey: each.id, content, contentHash: contentHash(content), ...common }
  })
  await upsertTenders(store.db, rows)
}

/** A stock whose hits are as the version before wrote them, and which today's program has opened. */
async function openOlder(engine: Store['engine']) {
  const store = await openTestStore(engine)
  const matcher = openMatcher()
  onTestFinished(async () => {
    await matcher.close()
    await store[Symbol.asyncDispose]()
  })
  const world = await openDigestWorld(store, start)
  const filter = parseSearchFilter({ cpv: ['45'] })
  const wanted = {
    organizationId: world.organizationId,
    name: 'All roads',
    createdBy: 'test',
    isActive: true,
    filter: canonicalSearchFilter(filter),
    filterHash: searchFilterHash(filter),
    profileId: null,
    threshold: 1,
  }
  const made = await createSearch(store, wanted, { now: start, random: systemRandom })
  if (made.kind !== 'created') throw new Error(made.kind)
  await sql`insert into webhook_endpoint
      (endpoint_id, organization_id, address, description, from_edition, kinds, requests_per_second, created_at)
    values ('e', ${world.organizationId}, 'https://example.org/', '', 0, '["search.hit","search.hit.changed"]', 10,
      ${start})`.execute(store.db)
  await world.subscribe('anna@example.org', { search: 'All roads', rhythm: 'at-once' })
  const cut = async (title: string, dates: readonly Dates[]) => {
    await put(store, title, dates)
    await publish(store, { now: world.now(), minIntervalMs: hourMs, overrideGate: true })
    world.advance(hourMs)
  }
  const match = () => matchEditions(store, { matcher, clock: world.now })
  await cut(
    'Road',
    published.map(([, , dates]) => dates),
  )
  expect(await match()).toMatchObject({ hits: published.length })
  expect(await world.make()).toBe(1)
  await endMails(store.db)
  for (const [index, [kept]] of published.entries())
    await sql`update hit set deadline_ms = ${kept === null ? null : start + kept * dayMs}::bigint
      where tender_id like ${`${index}%`}`.execute(store.db)
  await sql`alter table hit drop column deadline_kind`.execute(store.db)
  await sql`delete from kysely_migration where name like '%-kind-of-deadline'`.execute(store.db)
  await sql`delete from setting where name = 'backfill deadlines of hits'`.execute(store.db)
  await migrate(store.db, 'The stock')
  const { searchNo } = made.search
  return {
    store,
    cut,
    match,
    backfill: () => runBackfills(store),
    make: world.make,
    /** The deadline of each hit, in the order of the tenders, as lists read it. */
    listed: async () => {
      const page = { searchNos: [searchNo], tab: 'new', order: 'deadline', limit: 10 } as const
      return (await listHitPage(store.db, page))
        .sort((left, right) => (left.tenderId < right.tenderId ? -1 : 1))
        .map(({ deadline, deadlineKind }) => [deadline === null ? null : (deadline - start) / dayMs, deadlineKind])
    },
    changes: async () => {
      const { rows } = await sql<{ tender: string; changes: string }>`
        select left(h.tender_id, 1) as tender, d.changes from delivery d join hit h using (hit_id)
        where d.kind = 'search.hit.changed' order by 1`.execute(store.db)
      return rows.map(({ tender, changes }) => [Number(tender), JSON.parse(changes)])
    },
    mails: async () => (await sql<{ n: number }>`select count(*)::integer as n from mail`.execute(store.db)).rows[0]!.n,
  }
}

const today = published.map(([, first, { participationDate }]) => [
  first,
  first === null ? null : participationDate === on(first) ? 'participation' : 'submission',
])

describe.each(engines)('hits of the rule of before (%s)', (engine) => {
  test('get the deadline of today beside the service; nothing is reported and nothing is mailed', async () => {
    const { backfill, listed, changes, mails, make, match } = await openOlder(engine)
    await backfill()
    expect(await listed()).toEqual(today)
    await match()
    expect([await changes(), await make(), await mails()]).toEqual([[], 0, 1])
  })

  test.each(['before', 'after'])('a record that changes %s that reports only what changed', async (when) => {
    const { backfill, cut, listed, changes, mails, make, match } = await openOlder(engine)
    if (when === 'after') await backfill()
    const dates = published.map(([, , own]) => own)
    await cut('Renamed road', dates)
    await match()
    expect(await changes()).toEqual([])
    expect(await listed()).toEqual(today)
    const moved = [
      { submissionDate: on(20), participationDate: on(11) },
      ...dates.slice(1, 3),
      { submissionDate: on(9) },
    ]
    await cut('Moved road', moved)
    await match()
    expect(await changes()).toEqual([
      [0, ['deadline']],
      [3, ['deadline']],
    ])
    expect([await make(), await mails()]).toEqual([0, 1])
  })

  test('a deadline that moves before the hit has that of today is reported', async () => {
    const { cut, listed, changes, match } = await openOlder(engine)
    await cut('Road', [{ submissionDate: on(25), participationDate: on(12) }])
    await match()
    expect(await changes()).toEqual([[0, ['deadline']]])
    expect((await listed())[0]).toEqual([12, 'participation'])
  })
})
