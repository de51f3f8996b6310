// The first screen of an organization: for somebody new, and with searches, hits and things that need attention.
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import type { TenderContent } from '../../src/domain/tender.ts'
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts'
import { matchEditions } from '../../src/hits/match-editions.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { lazyMatcher } from '../../src/service/hits/hit-rounds.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { addApiUse } from '../../src/store/people/api-use.ts'
import { putContract } from '../../src/store/people/contracts.ts'
import { createToken } from '../../src/store/people/organizations.ts'
import { drawnEngines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { putTenders } from './put-tenders.ts'

const opened: ConsoleWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

const tenderId = '00000001-7d3e-8b64-9a10-5c2e7f4b9d31'
const tender: TenderContent = {
  contractAmount: { value: 1_284_000, currency: 'EUR', estimated: false },
  cpvCodes: ['45233141'],
  id: tenderId,
  language: 'de',
  lots: [],
  nutsCodes: ['DE212'],
  originalSources: [],
  contractingAuthority: { name: 'Landkreis <Aurenbach>' },
  status: 'open',
  submissionDate: '2026-12-04T10:00:00Z',
  title: 'ASPHALT ROAD',
  displayTitle: 'Asphalt <script>alert(1)</script> \u202eroad',
} as TenderContent

describe.each(drawnEngines)('the overview of an organization (%s)', (engine) => {
  async function open() {
    const world = await openConsoleWorld(engine)
    opened.push(world)
    const organizationId = await world.organization('Acme', true)
    const owner = (await world.person('o@example.org', { memberOf: [[organizationId, 'owner']] })).cookie
    const member = (await world.person('m@example.org', { memberOf: [[organizationId, 'member']] })).cookie
    const read = async (who = owner, language = 'en') =>
      (await world.get(`/o/${organizationId}`, who, { 'accept-language': language })).text()
    return { ...world, organizationId, owner, member, read }
  }

  test('shows a new user what is available, without any configuration', async () => {
    const { read, organizationId, member, get, origin } = await open()
    const page = await read()
    expect(page).toContain('Where to begin')
    expect(page).toContain('Nothing needs your attention.')
    expect(page).toContain('Nothing has been published yet.')
    const main = page.slice(page.indexOf('<main'), page.indexOf('</main>'))
    const links = [...main.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href!)
    expect(links).toEqual([
      '/tenders',
      `/o/${organizationId}/settings/api-access`,
      `/o/${organizationId}/searches`,
      '/status',
    ])
    expect(main).not.toContain('<form')
    for (const href of links) expect((await get(new URL(href, origin).pathname, undefined)).status).not.toBe(404)
    const german = await read(member, 'de')
    expect(german).toContain('Wo Sie anfangen können')
    expect(german).not.toContain('api-access')
  })

  test('says what needs an Owner, the figures, the best hits and the searches', async () => {
    const { read, organizationId, store, now, command, context, publish, wait, member } = await open()
    await putTenders(store, [tender])
    const options = { organization: 'Acme', name: 'Roads <b>', cpv: ['45233000'] }
    await command({ command: 'search create', options })
    // finds the same tender: two hits, one row
    await command({ command: 'search create', options: { ...options, name: 'Roads again' } })
    await publish()
    await matchEditions(store, { matcher: lazyMatcher(), clock: now })
    const terms = { organizationId, startsAt: now() - dayMs, endsAt: now() + 12 * dayMs, note: '', setUpBy: 'op' }
    await inTransaction(store, (trx) => putContract(trx, terms, now()))
    await createToken(
      store,
      { organizationId, name: 'ERP', expiresAt: now() + 9 * dayMs },
      { now: now(), random: systemRandom },
    )
    const used = { organizationId, tokenId: '', answered: 34, refused: 2 }
    const minute = now() - (now() % minuteMs)
    await addApiUse(store.db, minute, [used])
    await addApiUse(store.db, minute, [{ ...used, answered: 4, refused: 0 }])
    await addApiUse(store.db, minute - 30 * hourMs, [used])
    await sql`
      insert into webhook_endpoint (endpoint_id, organization_id, address, description, from_edition, kinds,
        requests_per_second, created_at, failing_since)
      values ('e', ${organizationId}, 'https://crm.example.org/', 'CRM production', 1, '[]', 10, 1, ${now() - 3 * hourMs})`.execute(
      store.db,
    )
    wait(1)
    await context.directory.refresh()
    const page = await read()
    expect(page).toContain('4 things need your attention.')
    expect(page).toContain('Webhook “CRM production” has been failing since 23 Nov 2026, 05:00')
    expect(page).toContain('Token “ERP” ends in 9 days')
    expect(page).toContain('The contract ends in 12 days')
    expect(page).toContain('38 of 60 requests in a minute')
    expect(page).toMatch(/<dt>Requests, 24 h<\/dt><dd>38<\/dd>/)
    expect(page).toMatch(/<dt>Hits today<\/dt><dd>2<\/dd>/)
    expect(page).toMatch(/As of \d+ \w+ 2026, \d\d:\d\d UTC/)
    expect(page).toContain('<bdi lang="de">Asphalt &lt;script&gt;alert(1)&lt;/script&gt; road</bdi>')
    expect(page).toContain('Landkreis &lt;Aurenbach&gt;')
    expect(page.split(`href="/tenders/${tenderId}"`)).toHaveLength(2)
    expect(page).toContain('in 11 days')
    expect(page).toContain('€1.3m')
    expect(page).toContain('Roads &lt;b&gt;')
    // the map stays, below what there is
    expect(page.indexOf('Where to begin')).toBeGreaterThan(page.indexOf('Best hits'))
    // what only an Owner can change is not shown to others
    const forMember = await read(member)
    expect(forMember).toContain('One thing needs your attention.')
    expect(forMember).not.toContain('ERP')
  })
})
