// Rules that change: a rebuild moves many records at once, and the edition after it says which rules did that.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { runOperation, serviceContext } from '../../../test/operations-world.ts'
import { engines, openTestStore, type TestStore } from '../../../test/world.ts'
import { continueRebuild } from '../../consolidate/consolidate.ts'
import { type RuleVersions, stockRules } from '../../domain/stock-rules.ts'
import { matchEditions } from '../../hits/match-editions.ts'
import { openMatcher } from '../../hits/matcher.ts'
import { canonicalSearchFilter, parseSearchFilter, searchFilterHash } from '../../hits/saved-search.ts'
import { systemRandom } from '../../platform/random.ts'
import { publish } from '../../publish/publish.ts'
import { setSetting } from '../../store/database/settings.ts'
import { insertEdition } from '../../store/editions/editions.ts'
import { asRebuild } from '../../store/editions/rebuild-mark.ts'
import { createSearch } from '../../store/hits/searches.ts'
import { createOrganization } from '../../store/people/organizations.ts'
import { noteFirstRules, noteRules, rulesChangedSince, rulesToApply } from '../../store/stock/rules.ts'
import type { CommandEvent } from '../events/command-event.ts'

const calls = 220
const cancelled = 110
/** Announcements, which earlier rules took for calls too. */
const planned = 5
const start = Date.UTC(2026, 10, 25)
const hour = 3_600_000
const edition = { edition: 1, lastModified: 0, publishedAt: 0, records: 0, changes: 0, checks: {}, checksum: null }

const olderRules = { ...stockRules, parsers: stockRules.parsers - 1, acts: 0 }

/** As if the stock had been derived by these rules. */
const derivedBy = ({ db }: TestStore, versions: RuleVersions) =>
  setSetting(db, 'stock-rules', JSON.stringify({ versions, change: null }))

/** `isCancelled`: says that it was cancelled, which earlier rules did not read. */
const release = (number: number, isCancelled: boolean, tag = 'tender') => ({
  ocid: `ocds-x-${number}`,
  id: `${number}`,
  date: '2026-11-20T10:00:00Z',
  tag: [tag],
  language: 'en',
  buyer: { id: `b${number}`, name: `Town ${number}` },
  tender: {
    id: `${number}`,
    title: `Road ${number}`,
    status: isCancelled ? 'cancelled' : 'active',
    tenderPeriod: { endDate: '2027-01-20T10:00:00Z' },
    items: [{ id: '1', classification: { scheme: 'CPV', id: '45233141' } }],
  },
})

/** Runs a command at a time. Returns its last event. */
async function run(store: TestStore, command: 'ingest' | 'rebuild' | 'publish', now: number, ...operands: string[]) {
  const events: CommandEvent[] = []
  const context = serviceContext({ store, dataFolder: store.options.dataFolder, clock: () => now })
  await runOperation(context, { command, operands, options: {} }, (event) => {
    if (event.event !== 'progress') events.push(event)
  })
  return events.at(-1)!
}

/**
 * A stock that earlier rules derived: they read every notice as a call, and edition 1 has it as open. A search has a
 * hit for each.
 */
async function openOlderStock(engine: TestStore['engine']) {
  const store = await openTestStore(engine)
  const matcher = openMatcher()
  const { organization } = await createOrganization(store.db, { name: 'Acme' }, { now: start, random: systemRandom })
  const { organizationId } = organization
  const filter = parseSearchFilter({ cpv: ['45233000'] })
  const terms = { isActive: true, filter: canonicalSearchFilter(filter), filterHash: searchFilterHash(filter) }
  const search = { ...terms, profileId: null, threshold: 1, organizationId, name: 'Roads', createdBy: 'test' }
  await createSearch(store, search, { now: start, random: systemRandom })
  await sql`insert into webhook_endpoint
      (endpoint_id, organization_id, address, description, from_edition, kinds, requests_per_second, created_at)
    values ('e', ${organizationId}, 'https://example.org/', '', 0, '["search.hit.changed"]', 10, ${start})`.execute(
    store.db,
  )
  const ingest = async (name: string, now: number, releases: readonly object[]) => {
    const path = join(store.options.dataFolder, `${name}.json`)
    writeFileSync(
      path,
      JSON.stringify({ uri: 'https://example.org/', publishedDate: '2026-11-20T10:00:00Z', releases }),
    )
    await run(store, 'ingest', now, path)
  }
  await ingest(
    'first',
    start,
    Array.from({ length: calls }, (_, number) =>
      release(number, number < cancelled, number < calls - 1 - planned || number === calls - 1 ? 'tender' : 'planning'),
    ),
  )
  const asCall = '{"formType":"competition","isCancelled":false}'
  await sql`update notice set form_type = 'competition', is_consolidated = false,
    content = (content::jsonb || ${asCall}::jsonb)::text`.execute(store.db)
  await derivedBy(store, olderRules)
  await continueRebuild(store, { now: start })
  const match = (now: number) => matchEditions(store, { matcher, clock: () => now })
  return {
    store,
    ingest,
    match,
    messages: async () =>
      (
        await sql<{ changes: string; reason: string | null; count: number }>`
          select changes, reason, count(*)::integer as count from delivery group by 1, 2 order by 2`.execute(store.db)
      ).rows.map(({ changes, reason, ...row }) => ({
        changes: JSON.parse(changes) as string[],
        reason: reason === null ? null : (JSON.parse(reason) as unknown),
        ...row,
      })),
    [Symbol.asyncDispose]: async () => {
      await matcher.close()
      await store[Symbol.asyncDispose]()
    },
  }
}

describe.each(engines)('rules that changed (%s)', (engine) => {
  test('D65 explain one edition by their names, also after crashes, and no later one', async () => {
    await using world = await openOlderStock(engine)
    const { store, match } = world
    expect(await rulesToApply(store.db, stockRules)).toEqual(['parsers', 'acts'])
    expect(await run(store, 'publish', start)).toMatchObject({ event: 'published', records: calls, changedRules: [] })
    expect(await match(start)).toMatchObject({ hits: calls })
    // as the version before this column
    await sql`update hit set tender_status = null`.execute(store.db)
    const stamps = async () =>
      new Map(
        (await store.db.selectFrom('published_tender').select(['tender_id', 'last_modified']).execute()).map((row) => [
          row.tender_id,
          row.last_modified,
        ]),
      )
    const before = await stamps()

    const extended = release(calls - 1, false)
    extended.tender.tenderPeriod.endDate = '2027-02-20T10:00:00Z'
    await world.ingest('later', start + hour / 2, [{ ...extended, id: 'later', date: '2026-11-25T00:10:00Z' }])
    const rebuilder = { random: systemRandom, version: 'test', rules: stockRules }
    await expect(asRebuild(store, rebuilder, () => Promise.reject(new Error('killed')))).rejects.toThrow('killed')
    expect(await rulesToApply(store.db, stockRules)).toEqual(['parsers', 'acts'])
    expect(await run(store, 'rebuild', start + hour)).toMatchObject({ contentsChanged: cancelled + planned })
    expect(await rulesToApply(store.db, stockRules)).toEqual([])

    const kill = () => {
      throw new Error('killed')
    }
    const options = { now: start + hour, minIntervalMs: hour }
    await expect(publish(store, { ...options, onProgress: kill })).rejects.toThrow('killed')
    const published = await run(store, 'publish', start + hour)
    const archived = `Of ${calls} live records ${cancelled} are archived as cancelled and 0 as merged.`
    expect(published).toMatchObject({
      event: 'published',
      edition: 2,
      changes: cancelled + planned + 1,
      changedRules: ['parsers', 'acts'],
      warnings: [
        `The stock was derived again after changes of these rules: parsers, acts. ${archived}`,
        expect.anything(),
      ],
    })
    const unchanged = [...(await stamps())].filter(([id, stamp]) => before.get(id) === stamp)
    expect(unchanged).toHaveLength(calls - cancelled - planned - 1)

    expect(await match(start + hour)).toMatchObject({ hits: 0 })
    const reason = { code: 'corrected', rules: ['parsers', 'acts'], text: 'corrected by the service' }
    const expected = [
      { changes: ['closed'], reason, count: cancelled + planned },
      { changes: ['deadline'], reason: null, count: 1 },
    ]
    expect(await world.messages()).toEqual(expected)

    const rest = Array.from({ length: calls - cancelled }, (_, number) => release(cancelled + number, true))
    await world.ingest(
      'rest',
      start + hour,
      rest.map((each) => ({ ...each, id: 'end', date: '2026-11-25T00:30:00Z' })),
    )
    expect(await run(store, 'publish', start + 2 * hour)).toMatchObject({
      event: 'held',
      reasons: [expect.stringMatching(/^110 of 110 live records would be archived/)],
    })
    expect(await world.messages()).toEqual(expected)
  })

  test('explain nothing else; and without a change a rebuild is held as before', async () => {
    await using world = await openOlderStock(engine)
    const { store } = world
    await run(store, 'publish', start)
    await derivedBy(store, stockRules)
    await run(store, 'rebuild', start + hour)
    expect(await run(store, 'publish', start + hour)).toMatchObject({
      event: 'held',
      reasons: [expect.stringMatching(/^110 of 220 live records would be archived/)],
    })

    await derivedBy(store, olderRules)
    await run(store, 'rebuild', start + hour)
    const paths = Array.from({ length: 60 }, (_, number) => {
      const path = join(store.options.dataFolder, `broken-${number}.json`)
      writeFileSync(path, JSON.stringify({ releases: [{ ocid: `ocds-y-${number}`, tag: ['tender'] }] }))
      return path
    })
    await run(store, 'ingest', start + hour, ...paths)
    expect(await run(store, 'publish', start + hour)).toMatchObject({
      event: 'held',
      reasons: [expect.stringMatching(/documents received since the last edition were rejected/)],
    })
  })

  test('are named together until an edition, and not again by a rebuild with the same ones', async () => {
    await using store = await openTestStore(engine)
    const note = (versions: RuleVersions) => noteRules(store.db, versions)
    await noteFirstRules(store.db, { acts: 1, keys: 1 })
    await noteFirstRules(store.db, { acts: 2, keys: 1 })
    expect(await rulesChangedSince(store.db, 0)).toEqual([])
    await note({ acts: 2, keys: 1 })
    await note({ acts: 2, keys: 2, lots: 1 })
    await note({ acts: 2, keys: 2, lots: 1 })
    expect(await rulesChangedSince(store.db, 0)).toEqual(['acts', 'lots', 'keys'].sort())
    expect(await rulesChangedSince(store.db, 1)).toEqual([])
    await insertEdition(store.db, edition, { live: 0, bySource: {} })
    await note({ acts: 2, keys: 2, lots: 1 })
    expect(await rulesChangedSince(store.db, 1)).toEqual([])
    await note({ acts: 2, keys: 2 })
    expect(await rulesChangedSince(store.db, 1)).toEqual(['lots'])
  })
})
