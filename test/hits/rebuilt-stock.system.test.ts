// Rebuilding a stock makes no second hit, and neither does a copy on a server that continues from the original.
import { tmpdir } from 'node:os'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { consolidate, rebuildStock } from '../../src/consolidate/consolidate.ts'
import { hourMs } from '../../src/domain/time.ts'
import { matchEditions } from '../../src/hits/match-editions.ts'
import { openMatcher } from '../../src/hits/matcher.ts'
import { canonicalSearchFilter, parseSearchFilter, searchFilterHash } from '../../src/hits/saved-search.ts'
import { ingest, reparse } from '../../src/ingest/ingest.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { publish } from '../../src/publish/publish.ts'
import { sampleDocuments } from '../../src/simulator/samples/sample-documents.ts'
import { loadSources } from '../../src/sources/registry.ts'
import { exportStock } from '../../src/store/backup/export.ts'
import { openStore, type Store } from '../../src/store/database/database.ts'
import { createSearch } from '../../src/store/hits/searches.ts'
import { createOrganization } from '../../src/store/people/organizations.ts'
import { engines, openEmptyDatabase, openTestStore, testDatabaseUrl } from '../world.ts'

const start = Date.UTC(2026, 0, 1)
/** The newest ones: most of their tenders are open. */
const samples = sampleDocuments(start, 'ted', start)
  .slice(-120)
  .map(({ path, write }) => ({ address: path, bytes: Buffer.from(write()) }))

async function* stream(from: number, to: number) {
  yield* samples.slice(from, to)
}

async function receive(store: Store, from: number, to: number, now: number): Promise<void> {
  await ingest(store, { sourceId: 'ted', documents: stream(from, to), clock: () => now })
  await consolidate(store, { now })
}

const cut = (store: Store, now: number) => publish(store, { now, minIntervalMs: hourMs, overrideGate: true })

/** A search that matches much of the samples, and an endpoint. */
async function subscribe(store: Store): Promise<void> {
  const circumstances = { now: start, random: systemRandom }
  const { organization } = await createOrganization(store.db, { name: 'Acme' }, circumstances)
  const filter = parseSearchFilter({ cpv: ['45', '71', '72', '79', '90', '48', '50', '33', '34', '30'] })
  const terms = { isActive: true, profileId: null, threshold: 1 }
  const text = { filter: canonicalSearchFilter(filter), filterHash: searchFilterHash(filter) }
  const owned = { organizationId: organization.organizationId, name: 'Much', createdBy: 'test' }
  await createSearch(store, { ...terms, ...text, ...owned }, circumstances)
  await sql`insert into webhook_endpoint
      (endpoint_id, organization_id, address, description, from_edition, kinds, requests_per_second, created_at)
    values ('e', ${organization.organizationId}, 'https://example.org/', '', 1, '["search.hit"]', 10, ${start})`.execute(
    store.db,
  )
}

async function hitsOf(store: Store): Promise<unknown[]> {
  const { rows } = await sql`select hit_id, tender_id, edition, fit_score from hit order by hit_id`.execute(store.db)
  return rows
}

async function messagesOf(store: Store): Promise<unknown[]> {
  const { rows } = await sql`select message_id, hit_id from delivery order by message_id`.execute(store.db)
  return rows
}

function openTestMatcher() {
  const matcher = openMatcher()
  onTestFinished(() => matcher.close())
  return (store: Store) => matchEditions(store, { matcher, clock: () => start })
}

describe.each(engines)('D57: hits of a stock that is rebuilt (%s)', (engine) => {
  test('are the same after a rebuild', async () => {
    await using store = await openTestStore(engine)
    const match = openTestMatcher()
    await subscribe(store)
    await receive(store, 0, 120, start)
    await cut(store, start)
    await match(store)
    const [hits, messages] = [await hitsOf(store), await messagesOf(store)]
    expect(hits.length).toBeGreaterThan(10)
    await reparse(store, { clock: () => start, sources: await loadSources() })
    await rebuildStock(store, { now: start })
    // every record is a change again
    await sql`update published_tender set content_hash = ''`.execute(store.db)
    await sql`insert into tender_change select tender_id from published_tender on conflict do nothing`.execute(store.db)
    expect(await cut(store, start + hourMs)).toMatchObject({ kind: 'published', edition: 2 })
    expect(await match(store)).toMatchObject({ editions: 1, hits: 0 })
    expect([await hitsOf(store), await messagesOf(store)]).toEqual([hits, messages])
  })
})

test.skipIf(testDatabaseUrl === undefined)('a copy on a server makes the hits that the original makes', async () => {
  await using store = await openTestStore('embedded')
  await using target = await openEmptyDatabase()
  const match = openTestMatcher()
  await subscribe(store)
  await receive(store, 0, 60, start)
  await cut(store, start)
  await match(store)
  await exportStock(store, target.url)
  const copy = await openStore({ databaseUrl: target.url, dataFolder: tmpdir() })
  try {
    for (const each of [store, copy]) {
      await receive(each, 60, 120, start + hourMs)
      await cut(each, start + hourMs)
      await match(each)
    }
    expect((await hitsOf(store)).length).toBeGreaterThan(10)
    expect(await hitsOf(copy)).toEqual(await hitsOf(store))
    expect(await messagesOf(copy)).toEqual(await messagesOf(store))
  } finally {
    await copy.close()
  }
})
