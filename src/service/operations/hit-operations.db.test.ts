// The commands about profiles, searches and hits, from their arguments to what they print and store.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { runOperation } from '../../../test/operations-world.ts'
import { drawnEngines, openTestStore } from '../../../test/world.ts'
import { parseCommand } from '../../cli/parse-command.ts'
import { eventText } from '../../cli/texts/event-text.ts'
import { canonicalJson, contentHash } from '../../consolidate/canonical.ts'
import type { TenderContent } from '../../domain/tender.ts'
import { dayMs, hourMs } from '../../domain/time.ts'
import type { Fit } from '../../hits/fit/fit.ts'
import { matchEditions } from '../../hits/match-editions.ts'
import { systemRandom } from '../../platform/random.ts'
import { publish } from '../../publish/publish.ts'
import type { Store } from '../../store/database/database.ts'
import { claimEndpoint, recordDelivered, recordFailed } from '../../store/hits/deliveries.ts'
import { createOrganization } from '../../store/people/organizations.ts'
import { upsertTenders } from '../../store/stock/tenders.ts'
import type { ServiceContext } from '../control/operation-context.ts'
import type { CommandEvent } from '../events/command-event.ts'
import { lazyMatcher } from '../hits/hit-rounds.ts'

const start = Date.UTC(2026, 0, 1)
const plain = (text: string) => text
const paint = { bold: plain, dim: plain, green: plain, yellow: plain, cyan: plain }
const idOf = (number: number): string => `${number.toString(16).padStart(8, '0')}-7d3e-8b64-9a10-5c2e7f4b9d31`

async function put(store: Store, number: number, members: Partial<TenderContent> = {}): Promise<void> {
  const tender: TenderContent = {
    contractAmount: null,
    cpvCodes: ['45233141'],
    id: idOf(number),
    lots: [],
    nutsCodes: ['DE212'],
    originalSources: [],
    status: 'open',
    title: `Asphalt road ${number}`,
    ...members,
  }
  const content = canonicalJson(tender)
  await upsertTenders(store.db, [
    {
      tenderId: tender.id,
      foundingKey: tender.id,
      content,
      contentHash: contentHash(content),
      archiveReason: tender.archiveReason ?? null,
      nextTransitionMs: null,
      mergedInto: tender.mergedInto ?? null,
      sources: '["ted"]',
    },
  ])
}

/** A stock of an organization "Acme", a command line for it, and the service's part in it. */
async function openWorld(engine: Store['engine']) {
  const store = await openTestStore(engine)
  await createOrganization(store.db, { name: 'Acme' }, { now: start, random: systemRandom })
  const matcher = lazyMatcher()
  let now = start
  const context = {
    store,
    dataFolder: '',
    clock: () => now,
    random: systemRandom,
    config: {},
  } as unknown as ServiceContext
  return {
    store,
    run: async (...words: readonly string[]): Promise<CommandEvent[]> => {
      const parsed = parseCommand(words)
      if (parsed.kind !== 'command') throw new Error(`${words.join(' ')} is no command`)
      const events: CommandEvent[] = []
      await runOperation(context, parsed, (event) => void events.push(event))
      return events
    },
    publish: async () => {
      now += hourMs
      await publish(store, { now, minIntervalMs: hourMs, overrideGate: true })
      await matchEditions(store, { matcher, clock: () => now })
    },
    wait: (ms: number) => {
      now += ms
    },
    countRows: async () => {
      const { rows } = await sql<{ count: number }>`
        select ((select count(*) from saved_search) + (select count(*) from saved_search_version)
          + (select count(*) from company_profile) + (select count(*) from hit))::integer as count`.execute(store.db)
      return rows[0]!.count
    },
    [Symbol.asyncDispose]: async () => {
      await matcher.close()
      await store[Symbol.asyncDispose]()
    },
  }
}

const roads = ['--organization', 'Acme', '--name', 'Roads', '--cpv', '45233000', '--threshold', '1']

describe.each(drawnEngines)('the commands about saved searches (%s)', (engine) => {
  test('a search is previewed, saved, and becomes hits; the hit is explained', async () => {
    await using world = await openWorld(engine)
    const { store, run } = world
    await put(store, 1)
    await put(store, 2, { cpvCodes: ['90000000'] })
    await put(store, 3, { status: 'closed', archiveReason: 'expired' })
    await world.publish()
    const [preview] = await run('search', 'create', ...roads, '--preview')
    expect(preview).toMatchObject({ event: 'searchPreview', open: { any: 1 }, lastDays: { any: 2 } })
    expect(eventText(preview!, paint, Date.now)).toContain('Open now                            1')
    expect(await world.countRows()).toBe(0)
    world.wait(31 * dayMs)
    expect(await run('search', 'create', ...roads, '--preview')).toMatchObject([{ lastDays: { any: 0 } }])

    const [search] = await run('search', 'create', ...roads)
    expect(search).toMatchObject({ event: 'search', name: 'Roads', state: 'active', fromEdition: 2, version: 1 })
    expect(await run('hit', 'list', '--organization', 'Acme')).toEqual([
      { event: 'none', message: 'There is no hit yet.' },
    ])
    await put(store, 4)
    await world.publish()
    const hits = await run('hit', 'list', '--search', 'Roads')
    expect(hits).toMatchObject([{ event: 'hit', search: 'Roads', tender: idOf(4), edition: 2, state: 'new' }])
    expect(Object.keys(hits[0]!)).toEqual(expect.arrayContaining(['hitId', 'fitScore', 'mergedInto']))

    const [why] = await run('explain', idOf(4), '--search', 'Roads')
    expect(why).toMatchObject({ event: 'matchExplained', isMatch: true })
    expect(why).toMatchObject({
      clauses: [
        { clause: 'cpv', holds: true },
        { clause: 'status', holds: true },
      ],
    })
    const [whyNot] = await run('explain', idOf(2), '--search', 'Roads')
    expect(whyNot).toMatchObject({ isMatch: false, clauses: [{ clause: 'cpv', holds: false }, { clause: 'status' }] })
    expect(eventText(whyNot!, paint, Date.now)).toContain(`"Roads" does not match ${idOf(2)}`)
    // the score of a search without a profile presumes that the record matches
    expect(eventText(whyNot!, paint, Date.now)).toMatch(/Fit score \d+ if it matched, threshold 1\n/)
    expect(eventText(why!, paint, Date.now)).toMatch(/Fit score \d+, threshold 1\n/)

    await run('profile', 'create', '--organization', 'Acme', '--name', 'Builder', '--cpv', '45233000')
    const [scored] = await run('search', 'edit', 'Roads', '--profile', 'Builder')
    expect([search, scored]).toMatchObject([{ profile: null }, { profile: 'Builder' }])
    expect(eventText(scored!, paint, Date.now)).toContain('scored for         Builder')
  })

  test('--deliver-open makes hits of open tenders, the best first, and offers them to the current endpoints', async () => {
    await using world = await openWorld(engine)
    const { store, run } = world
    for (let number = 1; number <= 5; number++) await put(store, number)
    await put(store, 6, { status: 'closed', archiveReason: 'expired' })
    await world.publish()
    await sql`insert into webhook_endpoint
        (endpoint_id, organization_id, address, description, from_edition, kinds, requests_per_second, created_at)
      select 'e', organization_id, 'https://example.org/', '', 2, '["search.hit"]', 10, 0 from organization`.execute(
      store.db,
    )
    expect((await run('search', 'create', ...roads, '--deliver-open', '3')).at(-1)).toMatchObject({ hits: 3 })
    await run('search', 'pause', 'Roads')
    expect((await run('search', 'resume', 'Roads', '--deliver-open')).at(-1)).toMatchObject({ hits: 2 })
    await put(store, 1, { title: 'Another road' })
    await world.publish()
    expect(await run('hit', 'list', '--organization', 'Acme')).toHaveLength(5)
    expect(await run('hit', 'list', '--limit', '4')).toHaveLength(4)
    const { rows } = await sql`select distinct state, edition from delivery`.execute(store.db)
    expect(rows).toEqual([{ state: 'due', edition: 1 }])
  })

  test('a preview counts what matched when it was first published, and no merged twin', async () => {
    await using world = await openWorld(engine)
    const { store, run } = world
    await put(store, 1, { submissionDate: new Date(start + 10 * dayMs).toISOString() })
    for (const number of [2, 3]) await put(store, number)
    await world.publish()
    await put(store, 3, { status: 'closed', archiveReason: 'merged', mergedInto: idOf(2) })
    await world.publish()
    world.wait(20 * dayMs)
    const [preview] = await run('search', 'create', ...roads, '--preview')
    expect(preview).toMatchObject({ open: { any: 2 }, lastDays: { any: 2 } })
    const [timely] = await run('search', 'create', ...roads, '--min-days', '5', '--preview')
    expect(timely).toMatchObject({ open: { any: 0 }, lastDays: { any: 1 } })
  })

  test('the records of past wins count, in editions and in an explanation', async () => {
    await using world = await openWorld(engine)
    const { store, run } = world
    await put(store, 1, { title: 'Asphalt for the road to Ahlen' })
    await world.publish()
    await run('profile', 'create', '--organization', 'Acme', '--name', 'Us', '--past-win', idOf(1))
    await run('search', 'create', ...roads, '--profile', 'Us')
    await put(store, 2, { title: 'Asphalt for the road to Beckum' })
    await world.publish()
    const { rows } = await sql<{ fit: string; score: number }>`select fit, fit_score as score from hit`.execute(
      store.db,
    )
    const [{ fit, score }] = rows as [{ fit: string; score: number }]
    const { parts } = JSON.parse(fit) as Fit
    expect(parts.find(({ part }) => part === 'pastWins')!.points).toBeGreaterThan(0)
    const [why] = await run('explain', idOf(2), '--search', 'Roads')
    expect(why).toMatchObject({ fitScore: score })
  })

  test('--deliver-open takes the best, and offers them as an edition would', async () => {
    await using world = await openWorld(engine)
    const { store, run } = world
    // the score ranks those that are about roads alone above those that are about something else as well
    for (let number = 1; number <= 6; number++)
      await put(store, number, { cpvCodes: number % 2 === 0 ? ['45233000'] : ['45233000', '90620000'] })
    await world.publish()
    const endpoint = (id: string, state: string, kinds: string, searches: string | null) => sql`
      insert into webhook_endpoint (endpoint_id, organization_id, address, description, from_edition, state, kinds, searches,
        requests_per_second, created_at)
      select ${id}, organization_id, 'https://example.org/', '', 2, ${state}, ${kinds}, ${searches}, 10, 0 from organization`
    await endpoint('all', 'active', '["search.hit"]', null).execute(store.db)
    await endpoint('disabled', 'disabled', '["search.hit"]', null).execute(store.db)
    await endpoint('another search', 'active', '["search.hit"]', '["another"]').execute(store.db)
    await endpoint('changes', 'active', '["search.hit.changed"]', null).execute(store.db)
    await run('search', 'create', ...roads, '--deliver-open', '3')
    const hits = await run('hit', 'list', '--organization', 'Acme')
    expect(hits.map((hit) => ('tender' in hit ? hit.tender : '')).sort()).toEqual([2, 4, 6].map(idOf).sort())
    const { rows } = await sql`
      select endpoint_id as endpoint, d.state, held_why as why, count(*)::integer as count
      from delivery d join webhook_endpoint using (endpoint_no) group by 1, 2, 3 order by 1`.execute(store.db)
    expect(rows).toEqual([
      { endpoint: 'all', state: 'due', why: null, count: 3 },
      { endpoint: 'disabled', state: 'held', why: 'endpoint', count: 3 },
    ])
  })

  test('searches and profiles are edited, paused and listed, by version', async () => {
    await using world = await openWorld(engine)
    const { run } = world
    await run('profile', 'create', '--organization', 'Acme', '--name', 'Us', '--word', 'asphalt', '--exclude-cpv', '90')
    const [profile] = await run(
      'profile',
      'edit',
      'Us',
      '--organization',
      'Acme',
      '--nuts',
      'de2',
      '--clear',
      'exclude-cpv',
    )
    expect(profile).toMatchObject({ version: 2, profile: { words: ['asphalt'], nuts: ['DE2'] } })
    await run('search', 'create', ...roads, '--nuts', 'DE2', '--exclude-word', 'snow', '--profile', 'Us')
    const [edited] = await run('search', 'edit', 'Roads', '--clear', 'nuts', '--threshold', '60')
    expect(edited).toMatchObject({
      version: 2,
      threshold: 60,
      filter: { cpv: ['45233000'], excluded: { words: ['snow'] } },
    })
    expect(edited).not.toHaveProperty('filter.nuts')
    expect(edited).toMatchObject({ profileId: expect.any(String) })
    expect(await run('search', 'edit', 'Roads', '--clear', 'profile')).toMatchObject([{ version: 3, profileId: null }])
    expect(await run('search', 'pause', 'Roads')).toMatchObject([{ version: 4, state: 'paused' }])
    await expect(run('search', 'pause', 'Roads')).rejects.toThrow('is already paused')
    expect(await run('search', 'resume', 'Roads')).toMatchObject([{ version: 5, state: 'active' }])
    expect(await run('search', 'list', '--organization', 'Acme')).toMatchObject([{ name: 'Roads' }])
    expect(eventText((await run('search', 'show', 'Roads'))[0]!, paint, Date.now)).toContain('not words')
  })

  test('a search and a profile are renamed and copied; hits stay with the original', async () => {
    await using world = await openWorld(engine)
    const { store, run } = world
    const acme = ['--organization', 'Acme']
    await run('profile', 'create', ...acme, '--name', 'Us', '--word', 'asphalt')
    const [made] = await run('search', 'create', ...roads, '--profile', 'Us')
    await run('search', 'create', ...acme, '--name', 'Bridges', '--cpv', '45221')
    await put(store, 1)
    await world.publish()
    const [renamed] = await run('search', 'rename', 'Roads', '--name', 'Streets')
    expect(renamed).toMatchObject({ searchId: made!['searchId' as never], name: 'Streets', version: 1 })
    await expect(run('search', 'rename', 'Streets', '--name', 'Bridges')).rejects.toThrow(
      'already has a search "Bridges"',
    )
    await expect(run('search', 'rename', 'Streets', '--name', 'Streets')).rejects.toThrow('Nothing to change')
    await expect(run('search', 'copy', 'Streets', '--name', 'Bridges')).rejects.toThrow(
      'already has a search "Bridges"',
    )
    const [copied] = await run('search', 'copy', 'Streets', '--name', 'Roads')
    expect(copied).toMatchObject({
      name: 'Roads',
      version: 1,
      filter: { cpv: ['45233000'] },
      profile: 'Us',
      threshold: 1,
    })
    expect(await run('hit', 'list', '--search', 'Roads')).toMatchObject([{ event: 'none' }])
    expect(await run('hit', 'list', '--search', 'Streets')).toHaveLength(1)
    await put(store, 2)
    await world.publish()
    expect(await run('hit', 'list', '--search', 'Roads')).toHaveLength(1)
    expect(await run('profile', 'rename', 'Us', ...acme, '--name', 'We')).toMatchObject([{ name: 'We', version: 1 }])
    expect(await run('profile', 'copy', 'We', ...acme, '--name', 'Us')).toMatchObject([{ name: 'Us', version: 1 }])
    await expect(run('profile', 'copy', 'We', ...acme, '--name', 'Us')).rejects.toThrow('already has a profile "Us"')
  })

  test('a deleted search leaves nothing but its entries in the audit log', async () => {
    await using world = await openWorld(engine)
    const { store, run } = world
    const acme = ['--organization', 'Acme']
    const [search] = await run('search', 'create', ...roads)
    await run('search', 'create', ...acme, '--name', 'Bridges', '--cpv', '45233', '--threshold', '1')
    await run('digest', 'create', ...acme, '--search', 'Roads', '--to', 'anna@example.org')
    const { searchId } = search as unknown as { readonly searchId: string }
    const other = (await run('search', 'show', 'Bridges'))[0] as unknown as { readonly searchId: string }
    const endpoint = (id: string, searches: readonly string[] | null) => sql`
      insert into webhook_endpoint (endpoint_id, organization_id, address, description, from_edition, kinds, searches,
        requests_per_second, created_at)
      select ${id}, organization_id, 'https://example.org/', '', 1, '["search.hit"]',
        ${searches && JSON.stringify(searches)}, 10, 0 from organization`
    await endpoint('all', null).execute(store.db)
    await endpoint('only', [searchId]).execute(store.db)
    await endpoint('both', [searchId, other.searchId]).execute(store.db)
    await put(store, 1)
    await world.publish()
    await sql`insert into delivery_body (message_id, packed, created_at) select message_id, '', 0 from delivery`.execute(
      store.db,
    )
    await run('digest', 'create', ...acme, '--search', 'Bridges', '--to', 'Anna@example.org')
    const { rows: digests } = await sql<{ digestId: string; name: string }>`
      select digest_id as "digestId", name from digest join saved_search using (search_no) order by name`.execute(
      store.db,
    )
    const [bridges, roadsDigest] = digests
    const title = (text: string, ...found: number[]) => ({
      title: text,
      isClosed: false,
      matches: found.map((index) => ({ search: index, reasons: null, lines: [] })),
    })
    const searches = digests.map((each) => ({ ...each, organization: 'Acme' }))
    const letter = (...items: object[]) => ({ search: 'Bridges, Roads', language: 'en', searches, count: 9, items })
    const mails: readonly (readonly [id: string, content: object])[] = [
      ['former', { search: 'Roads', count: 1, items: [{ title: 'Asphalt road', isClosed: false }] }],
      ['one', letter(title('Asphalt road', 1))],
      ['two', letter(title('Asphalt road', 1), title('Steel bridge', 0, 1))],
    ]
    for (const [id, content] of mails)
      await sql`insert into mail (message_id, digest_id, content, due_at, created_at)
        values (${id}, ${id === 'former' ? roadsDigest!.digestId : bridges!.digestId}, ${JSON.stringify(content)}, 0, 0)`.execute(
        store.db,
      )

    await expect(run('search', 'delete', 'Roads', '--confirm', 'roads')).rejects.toThrow("pass --confirm 'Roads'")
    expect(await run('hit', 'list', '--search', 'Roads')).toHaveLength(1)
    const { rows: sending } = await sql<{ messageId: string; endpointNo: number }>`
      select message_id as "messageId", endpoint_no as "endpointNo" from delivery d join hit using (hit_id)
      join saved_search s using (search_no) where s.name = 'Roads' order by 1`.execute(store.db)
    const lease = (await claimEndpoint(store, { worker: 'test', now: start + dayMs, leaseMs: dayMs }))!
    const [deleted] = await run('search', 'delete', 'Roads', '--confirm', 'Roads')
    expect(deleted).toEqual({ event: 'searchDeleted', id: searchId, name: 'Roads', hits: 1, messages: 3 })
    expect(eventText(deleted!, paint, Date.now)).toBe(
      '  ✓ The search "Roads" is deleted, with 1 hit; 3 messages that waited will not be sent',
    )

    // an attempt that was in progress ends without a trace, and its worker knows that the endpoint is not its any more
    const { messageId } = sending.find(({ endpointNo }) => endpointNo === lease.endpointNo)!
    const attempt = { messageId, attempts: 1, at: start, status: 500, error: undefined, milliseconds: 1, answer: '' }
    const policy = { warnedAfterMs: dayMs, disabledAfterMs: dayMs, mailDomain: 'example.org' }
    const failed = { ...attempt, step: { event: 'retry', dueAt: start } } as const
    expect(await recordFailed(store, lease, failed, policy)).toEqual({ isLeaseLost: true, disabled: undefined })
    const delivered = { ...attempt, step: { event: 'success' } } as const
    expect(await recordDelivered(store.db, [{ lease, attempt: delivered }])).toEqual([true])
    expect((await sql`select from delivery_attempt`.execute(store.db)).rows).toEqual([])

    await expect(run('search', 'show', 'Roads')).rejects.toThrow('There is no search "Roads"')
    const { rows: left } = await sql`
      select (select count(*) from hit)::integer as hits, (select count(*) from delivery)::integer as deliveries,
        (select count(*) from delivery_body)::integer as bodies, (select count(*) from mail)::integer as mails,
        (select count(*) from removal where removed_id = ${searchId})::integer as removals`.execute(store.db)
    expect(left).toEqual([{ hits: 1, deliveries: 2, bodies: 2, mails: 1, removals: 1 }])
    const { rows: kept } = await sql<{ id: string; content: string }>`
      select message_id as id, content from mail`.execute(store.db)
    expect(kept.map(({ id, content }) => [id, JSON.parse(content)])).toEqual([
      ['two', { ...letter(title('Steel bridge', 0)), search: 'Bridges', searches: searches.slice(0, 1), count: 8 }],
    ])
    const { rows: endpoints } = await sql<{ id: string; searches: string | null }>`
      select endpoint_id as id, searches from webhook_endpoint order by 1`.execute(store.db)
    expect(endpoints.map(({ id, searches }) => [id, searches && JSON.parse(searches)])).toEqual([
      ['all', null],
      ['both', [other.searchId]],
      ['only', []],
    ])
    const digest = (await run('digest', 'list', ...acme)).find((each) => !('search' in each) || each.search === null)
    expect(digest).toMatchObject({ person: 'anna@example.org', search: null })

    // a new search of the same name is another one; the matcher that held the old one has it no longer
    await put(store, 2)
    await world.publish()
    expect(await run('hit', 'list')).toHaveLength(2)
    const { rows: only } = await sql`select from delivery d join webhook_endpoint e using (endpoint_no)
      where e.endpoint_id = 'only'`.execute(store.db)
    expect(only).toEqual([])
    const { rows: entries } = await sql<{ action: string; detail: string }>`
      select action, detail from audit_entry where subject = 'Roads' order by entry_no`.execute(store.db)
    expect(entries.map(({ action }) => action)).toEqual(['search.create', 'search.delete'])
    expect(JSON.stringify(entries)).not.toContain('45233')
    const [again] = await run('search', 'create', ...roads)
    expect(again).not.toMatchObject({ searchId })
  })

  test('a profile in use names its searches before it is deleted', async () => {
    await using world = await openWorld(engine)
    const { run } = world
    const acme = ['--organization', 'Acme']
    await run('profile', 'create', ...acme, '--name', 'Us', '--word', 'asphalt')
    await run('search', 'create', ...roads, '--profile', 'Us')
    await expect(run('profile', 'delete', 'Us', ...acme, '--confirm', 'Us')).rejects.toThrow(
      'use this profile: "Roads"',
    )
    await run('search', 'edit', 'Roads', '--clear', 'profile')
    await expect(run('profile', 'delete', 'Us', ...acme, '--confirm', 'us')).rejects.toThrow("pass --confirm 'Us'")
    expect(await run('profile', 'delete', 'Us', ...acme, '--confirm', 'Us')).toMatchObject([
      { event: 'profileDeleted' },
    ])
    expect(await run('profile', 'list', ...acme)).toMatchObject([{ event: 'none' }])
    expect(await run('search', 'show', 'Roads')).toMatchObject([{ profile: null, version: 2 }])
  })

  test('deliveries that are held are shown and released', async () => {
    await using world = await openWorld(engine)
    const { store, run } = world
    await run('search', 'create', ...roads)
    for (let number = 1; number <= 201; number++) await put(store, number)
    await world.publish()
    const [search] = await run('search', 'show', 'Roads')
    expect(search).toMatchObject({ held: [{ edition: 1, hits: 201 }] })
    expect(eventText(search!, paint, Date.now)).toContain("tenderstock hit release 'Roads'")
    expect(await run('hit', 'release', 'Roads')).toMatchObject([{ edition: 1 }])
    await expect(run('hit', 'release', 'Roads')).rejects.toThrow('No deliveries of "Roads" are held')
  })

  test('mistakes are reported, and nothing is stored', async () => {
    await using world = await openWorld(engine)
    const { run } = world
    const to = ['--organization', 'Acme', '--name', 'Roads']
    const wrong: readonly (readonly [words: readonly string[], message: RegExp])[] = [
      [['search', 'create', ...to], /needs at least one CPV code, NUTS code, word or authority/],
      [['search', 'create', ...to, '--cpv', 'roads'], /"roads" is no CPV code/],
      [['search', 'create', ...to, '--cpv', ...Array.from({ length: 10_000 }, () => '45')], /10000 items, and 200/],
      [['search', 'create', ...to, '--word', '^asph.*'], /words are not patterns/],
      [['search', 'create', ...to, '--cpv', '45', '--profile', 'Us'], /"Acme" has no profile "Us"/],
      [['search', 'create', '--organization', 'Bcme', '--name', 'Roads', '--cpv', '45'], /no organization "Bcme"/],
      [['search', 'create', ...to, '--cpv', '45', '--threshold', '101'], /--threshold must be a whole number/],
      [['search', 'edit', 'Roads', '--clear', 'nuts'], /There is no search "Roads"/],
      [['profile', 'create', ...to, '--nuts', 'DE2'], /needs at least one CPV code, word or past win/],
      [['explain', idOf(1), '--search', 'Roads'], /There is no search "Roads"/],
    ]
    for (const [words, message] of wrong)
      await expect(run(...words), words.slice(0, 8).join(' ')).rejects.toThrow(message)
    await expect(run('search', 'create', ...to)).rejects.toMatchObject({ exitCode: 2 })
    expect(await world.countRows()).toBe(0)
    await run('search', 'create', ...to, '--cpv', '45')
    await expect(run('search', 'create', ...to, '--cpv', '45')).rejects.toThrow('has a search "Roads"')
    await expect(run('search', 'edit', 'Roads', '--cpv', '45')).rejects.toThrow('Nothing to change')
    await expect(run('search', 'edit', 'Roads', '--clear', 'cpv')).rejects.toThrow('needs at least one')
    await expect(run('search', 'edit', 'Roads', '--clear', 'roads')).rejects.toThrow('--clear does not know "roads"')
  })
})
