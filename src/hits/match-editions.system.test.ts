import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { engines, openTestStore } from '../../test/world.ts'
import { canonicalJson, contentHash } from '../consolidate/canonical.ts'
import type { TenderContent } from '../domain/tender.ts'
import { dayMs, hourMs } from '../domain/time.ts'
import { systemRandom } from '../platform/random.ts'
import { prune, publish } from '../publish/publish.ts'
import { inTransaction, type Store } from '../store/database/database.ts'
import { releaseHeld } from '../store/hits/deliveries.ts'
import { readHitLag } from '../store/hits/hit-mark.ts'
import { heldEditions, listHits, releaseDeliveries } from '../store/hits/hits.ts'
import { changeSearch, createSearch } from '../store/hits/searches.ts'
import { createEndpoint, enableEndpoint } from '../store/hits/webhook-endpoints.ts'
import { createOrganization } from '../store/people/organizations.ts'
import { upsertTenders } from '../store/stock/tenders.ts'
import { type MatchOptions, matchEditions } from './match-editions.ts'
import { openMatcher } from './matcher.ts'
import { canonicalSearchFilter, parseSearchFilter, searchFilterHash } from './saved-search.ts'

const start = Date.UTC(2026, 0, 1)
const idOf = (number: number): string => `${number.toString(16).padStart(8, '0')}-7d3e-8b64-9a10-5c2e7f4b9d31`

function tenderOf(number: number, members: Partial<TenderContent> = {}): TenderContent {
  return {
    contractAmount: null,
    cpvCodes: ['45233141'],
    id: idOf(number),
    lots: [],
    nutsCodes: ['DE212'],
    originalSources: [],
    status: 'open',
    title: `Road ${number}`,
    ...members,
  }
}

async function put(store: Store, ...tenders: readonly TenderContent[]): Promise<void> {
  const rows = tenders.map((tender) => ({
    tenderId: tender.id,
    foundingKey: tender.id,
    content: canonicalJson(tender),
    contentHash: contentHash(canonicalJson(tender)),
    archiveReason: tender.archiveReason ?? null,
    nextTransitionMs: null,
    mergedInto: tender.mergedInto ?? null,
    sources: '["ted"]',
  }))
  await upsertTenders(store.db, rows)
}

const cut = (store: Store, now: number) => publish(store, { now, minIntervalMs: hourMs, overrideGate: true })

/** An organization with a search for roads and an endpoint, and a matcher. */
async function openWorld(engine: Store['engine']) {
  const store = await openTestStore(engine)
  const matcher = openMatcher()
  const { organization } = await createOrganization(store.db, { name: 'Acme' }, { now: start, random: systemRandom })
  const { organizationId } = organization
  const filter = parseSearchFilter({ cpv: ['45233000'] })
  const terms = {
    isActive: true,
    filter: canonicalSearchFilter(filter),
    filterHash: searchFilterHash(filter),
    profileId: null,
    threshold: 1,
  }
  const search = async (name: string) => {
    const wanted = { ...terms, organizationId, name, createdBy: 'test' }
    const made = await createSearch(store, wanted, { now: start, random: systemRandom })
    if (made.kind !== 'created') throw new Error(made.kind)
    return made.search
  }
  await sql`insert into webhook_endpoint
      (endpoint_id, organization_id, address, description, from_edition, kinds, requests_per_second, created_at)
    values ('e', ${organizationId}, 'https://example.org/', '', 0, '["search.hit"]', 10, ${start})`.execute(store.db)
  return {
    store,
    organizationId,
    search,
    terms,
    match: (options: Partial<MatchOptions> = {}) => matchEditions(store, { matcher, clock: () => start, ...options }),
    hits: async () =>
      (await listHits(store.db, { organizationId }, 10_000))
        .map(({ title, edition }) => ({ title, edition }))
        .sort((left, right) => (left.title < right.title ? -1 : 1)),
    deliveries: async () => {
      const { rows } = await sql<{ state: string; count: number }>`
        select state, count(*)::integer as count from delivery group by state order by state`.execute(store.db)
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
    },
    [Symbol.asyncDispose]: async () => {
      await matcher.close()
      await store[Symbol.asyncDispose]()
    },
  }
}

describe.each(engines)('matching editions (%s)', (engine) => {
  test('a service that was off for three days matches every entry as it was published', async () => {
    await using world = await openWorld(engine)
    const { store } = world
    await world.search('Roads')
    await put(store, tenderOf(1), tenderOf(2))
    await cut(store, start)
    // seen as a road for one hour only
    await put(store, tenderOf(1, { cpvCodes: ['90000000'] }))
    await cut(store, start + hourMs)
    for (let day = 1; day <= 3; day++) {
      await put(store, tenderOf(2, { title: `Road 2, day ${day}` }))
      await cut(store, start + day * dayMs)
    }
    expect(await prune(store, start + 3 * dayMs)).toBe(0)
    expect(await readHitLag(store.db)).toEqual({ edition: 0, editionsBehind: 5, unseen: 0, searches: 1 })
    expect(await world.match()).toEqual({ kind: 'matched', editions: 5, hits: 2, unseen: 0 })
    expect(await world.hits()).toEqual([
      { title: 'Road 1', edition: 1 },
      { title: 'Road 2, day 3', edition: 1 },
    ])
    expect(await prune(store, start + 3 * dayMs)).toBe(2)
    expect(await world.match()).toEqual({ kind: 'matched', editions: 0, hits: 0, unseen: 0 })
  })

  test('a hit that was found when words were read otherwise stays, and sends nothing', async () => {
    await using world = await openWorld(engine)
    const { store } = world
    await sql`update webhook_endpoint set kinds = '["search.hit","search.hit.changed"]'`.execute(store.db)
    const search = await world.search('Building')
    // a soft hyphen once separated two words
    const filter = canonicalSearchFilter(parseSearchFilter({ words: ['bau'] }))
    await sql`update saved_search_version set filter = ${filter}`.execute(store.db)
    await put(store, tenderOf(1, { title: 'Bau\u00adstelle' }))
    await cut(store, start)
    expect(await world.match()).toMatchObject({ hits: 0 })
    await sql`update saved_search_version set filter = ${search.filter}`.execute(store.db)
    await sql`update hit_mark set edition = 0, last_modified = 0, step_modified = 0`.execute(store.db)
    expect(await world.match()).toMatchObject({ hits: 1 })
    await sql`update saved_search_version set filter = ${filter}`.execute(store.db)
    const before = [await world.hits(), await world.deliveries()]
    expect(before[1]).toEqual({ due: 1 })
    await put(store, tenderOf(1, { title: 'Bau\u00adstelle', description: 'corrected' }))
    await cut(store, start + hourMs)
    expect(await world.match()).toMatchObject({ editions: 1, hits: 0 })
    expect([await world.hits(), await world.deliveries()]).toEqual(before)
  })

  test('between the pages of an edition it rests, and not after the last one', async () => {
    await using world = await openWorld(engine)
    const { store } = world
    await world.search('Roads')
    await put(store, ...Array.from({ length: 5 }, (_, index) => tenderOf(index)))
    await cut(store, start)
    const rests: number[] = []
    const rest = async (workedMs: number) => void rests.push(workedMs)
    expect(await world.match({ rest, entriesAtOnce: 2 })).toMatchObject({ hits: 5 })
    expect(rests).toHaveLength(2)
    expect(rests.every((workedMs) => workedMs > 0)).toBe(true)
  })

  test('after 14 days replaced entries are removed, the newest is matched, and the service reports how many it has not seen', async () => {
    await using world = await openWorld(engine)
    const { store } = world
    await world.search('Roads')
    await put(store, tenderOf(1), tenderOf(2))
    await cut(store, start)
    await put(store, tenderOf(1, { title: 'Another road' }))
    await cut(store, start + hourMs)
    expect(await prune(store, start + 15 * dayMs)).toBe(1)
    expect(await world.match()).toEqual({ kind: 'matched', editions: 2, hits: 2, unseen: 1 })
    expect(await world.hits()).toEqual([
      { title: 'Another road', edition: 2 },
      { title: 'Road 2', edition: 1 },
    ])
    expect(await readHitLag(store.db)).toEqual({ edition: 2, editionsBehind: 0, unseen: 1, searches: 1 })
  })

  test('without searches no entry is kept for matching', async () => {
    await using world = await openWorld(engine)
    const { store } = world
    await put(store, tenderOf(1))
    await cut(store, start)
    await put(store, tenderOf(1, { title: 'Another road' }))
    await cut(store, start + hourMs)
    expect(await prune(store, start + 2 * dayMs)).toBe(1)
  })

  test('an edition that the gate holds back makes no hits', async () => {
    await using world = await openWorld(engine)
    const { store } = world
    await world.search('Roads')
    await put(store, ...Array.from({ length: 200 }, (_, index) => tenderOf(index)))
    await cut(store, start)
    await world.match()
    const cancelled = { status: 'cancelled', archiveReason: 'cancelled' } as const
    await put(store, ...Array.from({ length: 150 }, (_, index) => tenderOf(index, cancelled)), tenderOf(200))
    expect(await publish(store, { now: start + hourMs, minIntervalMs: hourMs })).toMatchObject({ kind: 'held' })
    expect(await world.match()).toEqual({ kind: 'matched', editions: 0, hits: 0, unseen: 0 })
    expect(await cut(store, start + hourMs)).toMatchObject({ kind: 'published', edition: 2 })
    expect(await world.match()).toEqual({ kind: 'matched', editions: 1, hits: 1, unseen: 0 })
  })

  test('a flood is held, visibly, and can be released', async () => {
    await using world = await openWorld(engine)
    const { store } = world
    const search = await world.search('Roads')
    await put(store, ...Array.from({ length: 250 }, (_, index) => tenderOf(index)))
    await cut(store, start)
    expect(await world.match()).toEqual({ kind: 'matched', editions: 1, hits: 250, unseen: 0 })
    expect(await world.deliveries()).toEqual({ held: 250 })
    expect(await heldEditions(store.db, search.searchNo)).toEqual([{ edition: 1, hits: 250 }])
    const release = { edition: 1, searchNo: search.searchNo, now: start }
    const next = () => inTransaction(store, (trx) => releaseDeliveries(trx, release, 200))
    expect(await next()).toEqual({ taken: 200, due: 200 })
    expect(await heldEditions(store.db, search.searchNo)).toHaveLength(1)
    expect(await next()).toEqual({ taken: 50, due: 50 })
    expect(await world.deliveries()).toEqual({ due: 250 })
    expect(await heldEditions(store.db, search.searchNo)).toEqual([])
    expect(await next()).toEqual({ taken: 0, due: 0 })
  })

  test('a release sends only what the cap held: a disabled endpoint still waits', async () => {
    await using world = await openWorld(engine)
    const { store } = world
    const search = await world.search('Roads')
    await put(store, ...Array.from({ length: 250 }, (_, index) => tenderOf(index)))
    await cut(store, start)
    await world.match()
    await sql`update delivery set held_why = 'endpoint'
      where message_id in (select message_id from delivery order by message_id limit 30)`.execute(store.db)
    const release = { edition: 1, searchNo: search.searchNo, now: start }
    expect(await inTransaction(store, (trx) => releaseDeliveries(trx, release, 500))).toEqual({ taken: 220, due: 220 })
    expect(await world.deliveries()).toEqual({ due: 220, held: 30 })
  })

  test('the messages of a flood to a disabled endpoint wait for both: the cap and the endpoint', async () => {
    await using world = await openWorld(engine)
    const { store } = world
    const search = await world.search('Roads')
    await sql`update webhook_endpoint set state = 'disabled', disabled_why = 'gone'`.execute(store.db)
    await put(store, ...Array.from({ length: 250 }, (_, index) => tenderOf(index)))
    await cut(store, start)
    await world.match()
    const { rows } = await sql<{ endpointNo: number }>`
      select endpoint_no as "endpointNo" from webhook_endpoint`.execute(store.db)
    const { endpointNo } = rows[0]!
    await enableEndpoint(store.db, endpointNo)
    expect(await releaseHeld(store, endpointNo, start)).toBe(0)
    await sql`update webhook_endpoint set state = 'disabled', disabled_why = 'gone'`.execute(store.db)
    const release = { edition: 1, searchNo: search.searchNo, now: start }
    expect(await inTransaction(store, (trx) => releaseDeliveries(trx, release, 500))).toEqual({ taken: 250, due: 0 })
    expect(await world.deliveries()).toEqual({ held: 250 })
    await enableEndpoint(store.db, endpointNo)
    expect(await releaseHeld(store, endpointNo, start)).toBe(250)
    expect(await world.deliveries()).toEqual({ due: 250 })
  })

  test('an endpoint receives hits from the edition after it was created, however late the matching is', async () => {
    await using world = await openWorld(engine)
    const { store, organizationId } = world
    await world.search('Roads')
    await put(store, tenderOf(1))
    await cut(store, start)
    const { endpointNo } = (await createEndpoint(
      store,
      {
        endpointId: 'later',
        organizationId,
        address: 'https://example.net/',
        description: '',
        kinds: ['search.hit'],
        searches: undefined,
        requestsPerSecond: 10,
        secret: { secretId: 'secret', sealed: Buffer.alloc(48) },
      },
      start,
    ))!
    await put(store, tenderOf(2))
    await cut(store, start + hourMs)
    await world.match()
    const { rows } = await sql<{ endpointNo: number; edition: number }>`
      select endpoint_no as "endpointNo", edition from delivery where endpoint_no = ${endpointNo}`.execute(store.db)
    expect(rows).toEqual([{ endpointNo, edition: 2 }])
    expect(await world.deliveries()).toEqual({ due: 3 })
  })

  test('a flood holds the messages of its own edition alone', async () => {
    await using world = await openWorld(engine)
    const { store } = world
    await world.search('Roads')
    await put(store, tenderOf(1000), tenderOf(1001))
    await cut(store, start)
    await world.match()
    await put(store, ...Array.from({ length: 250 }, (_, index) => tenderOf(index)))
    await cut(store, start + hourMs)
    await world.match()
    expect(await world.deliveries()).toEqual({ due: 2, held: 250 })
  })

  test('organizations with the same search receive only their own hits', async () => {
    await using world = await openWorld(engine)
    const { store, terms } = world
    const own = await world.search('Roads')
    const { organization } = await createOrganization(store.db, { name: 'Other' }, { now: start, random: systemRandom })
    const { organizationId } = organization
    const wanted = { ...terms, organizationId, name: 'Roads', createdBy: 'test' }
    const made = await createSearch(store, wanted, { now: start, random: systemRandom })
    await sql`insert into webhook_endpoint
        (endpoint_id, organization_id, address, description, from_edition, kinds, requests_per_second, created_at)
      values ('f', ${organizationId}, 'https://example.net/', '', 0, '["search.hit"]', 10, ${start})`.execute(store.db)
    await put(store, tenderOf(1), tenderOf(2))
    await cut(store, start)
    expect(await world.match()).toMatchObject({ hits: 4 })
    const { rows } = await sql<{ endpointId: string; searchNo: number; count: number }>`
      select endpoint_id as "endpointId", search_no as "searchNo", count(*)::integer as count
      from delivery join webhook_endpoint using (endpoint_no) join hit using (hit_id)
      group by endpoint_id, search_no order by endpoint_id`.execute(store.db)
    if (made.kind !== 'created') throw new Error(made.kind)
    expect(rows).toEqual([
      { endpointId: 'e', searchNo: own.searchNo, count: 2 },
      { endpointId: 'f', searchNo: made.search.searchNo, count: 2 },
    ])
  })

  test('a search applies from the edition after it was saved, however late the matching is', async () => {
    await using world = await openWorld(engine)
    const { store } = world
    await put(store, tenderOf(1))
    await cut(store, start)
    const search = await world.search('Roads')
    expect(search.fromEdition).toBe(2)
    await put(store, tenderOf(2))
    await cut(store, start + hourMs)
    await changeSearch(store, search.searchNo, { isActive: false }, start)
    await put(store, tenderOf(3))
    await cut(store, start + 2 * hourMs)
    await world.match()
    expect(await world.hits()).toEqual([{ title: 'Road 2', edition: 2 }])
  })
})

describe.skipIf(engines.length === 1)('a search that is saved while an edition is published', () => {
  test('waits for it, and applies from the next one', async () => {
    await using world = await openWorld('server')
    const { store } = world
    let saving: Promise<{ readonly fromEdition: number }> | undefined
    await store.db.transaction().execute(async (trx) => {
      await sql`insert into edition values (1, ${start}, ${start}, 0, 0, '{}')`.execute(trx)
      await sql`update change_signal set serial = serial + 1 where topic = 'edition'`.execute(trx)
      saving = world.search('Roads')
      const isWaiting = sql<{ waits: boolean }>`select exists (
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as waits`
      while (!(await isWaiting.execute(store.looks)).rows[0]!.waits);
    })
    expect((await saving!).fromEdition).toBe(2)
  })
})
