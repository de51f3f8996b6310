import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { openMailServer } from '../../src/digests/mail-server.ts'
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts'
import { readConfig } from '../../src/platform/config.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { inTransaction, openStore } from '../../src/store/database/database.ts'
import {
  listDigests,
  lockDueDigests,
  postponeDigests,
  recipientHash,
  removeDigest,
  removeRecipient,
} from '../../src/store/hits/digests.ts'
import { insertHits } from '../../src/store/hits/hits.ts'
import { createOrganization } from '../../src/store/people/organizations.ts'
import { migrations } from '../../src/store/schema/migrations.ts'
import { proofCount } from '../proof/proof-count.ts'
import { madeUpCertificate } from '../testing/made-up-certificate.ts'
import { engines, openTestStore } from '../world.ts'
import { addBareHits, addSearch, endMails, openDigestWorld } from './digest-world.ts'
import { headerOf, parseMails, startMailReceiver } from './mail-receiver.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function opened(engine: (typeof engines)[number]) {
  const store = await openTestStore(engine)
  closers.push(() => store[Symbol.asyncDispose]())
  const receiver = await startMailReceiver()
  closers.push(() => receiver[Symbol.asyncDispose]())
  const server = openMailServer(receiver.settings)
  closers.push(server.close)
  return { store, receiver, server, world: await openDigestWorld(store) }
}

const oneDay = dayMs
const people = proofCount({ share: 20, full: 200 })
const zones = ['Europe/Berlin', 'America/New_York', 'Pacific/Auckland', 'Asia/Kathmandu'] as const
/** All that mails are built of. */
const frameTags = new Set([
  ...[
    'html',
    'head',
    'meta',
    'title',
    'style',
    'body',
    'div',
    'table',
    'tr',
    'td',
    'h1',
    'h2',
    'p',
    'span',
    'b',
    'bdi',
    'a',
  ],
])

describe.each(engines)('digests (%s)', (engine) => {
  test('an email lists hits by deadline, at most 30, without scores or an order that tells them', async () => {
    const { receiver, server, world } = await opened(engine)
    await world.subscribe('anna@example.org', { zone: 'Europe/Berlin', hour: 7 })
    const sent = Date.parse('2026-11-21T06:00:00Z')
    for (let number = 1; number <= 40; number++)
      await world.addHit({ title: `Road ${String(number).padStart(2, '0')}`, fitScore: 50 + (number % 41) })
    await world.addHit({ title: 'Soon', fitScore: 51, deadline: new Date(sent + 6 * dayMs).toISOString() })
    await world.addHit({ title: 'Later', fitScore: 97, deadline: new Date(sent + 8 * dayMs).toISOString() })
    await world.addHit({ title: 'Closed since', fitScore: 99, archiveReason: 'cancelled' })
    await world.endEdition()
    expect(await world.make()).toBe(0)
    world.advance(18 * hourMs)
    expect(world.now()).toBe(sent)
    expect(await world.make()).toBe(1)
    expect(await world.make()).toBe(0)
    await world.send(server)
    const [mail] = parseMails(receiver.received)
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]!.to).toEqual(['anna@example.org'])
    expect(mail!.defects).toEqual([])
    expect(headerOf(mail!, 'Subject')).toBe('43 new tenders: Roads')
    expect(headerOf(mail!, 'From')).toBe('Tenderstock <tenders@example.org>')
    expect(headerOf(mail!, 'To')).toBe('anna@example.org')
    expect(headerOf(mail!, 'Message-ID')).toMatch(/^<[0-9a-f]{32}@example\.org>$/)
    expect(Date.parse(headerOf(mail!, 'Date')!)).toBe(sent)
    expect(headerOf(mail!, 'Auto-Submitted')).toBe('auto-generated')
    const text = mail!.parts['text/plain']!
    const titles = [...text.matchAll(/^(Road \d+|Soon|Later|Closed since)$/gm)].map(([title]) => title)
    expect(titles).toHaveLength(30)
    expect(titles.slice(0, 2)).toEqual(['Soon', 'Later'])
    expect(titles.slice(2)).not.toEqual([...titles.slice(2)].sort().reverse())
    expect(text).toContain(
      '== Deadline within 7 days ==\n\nSoon\nDeadline: 27 Nov 2026, 06:00 UTC, in 6 days, for bids\n',
    )
    expect(text).toContain('Found by Roads: trade: Construction work\nhttps://tenders.example/tenders/')
    const all = 'See all 43 on one page'
    expect(text).toContain(`And 13 more, not listed here.\n${all}: https://tenders.example/me/hits?after=0&to=1`)
    expect(mail!.htmlText).toContain(all)
    expect(mail!.addresses.filter((each) => each.includes('/tenders/'))).toHaveLength(30)
    for (const title of titles) expect(mail!.htmlText).toContain(title)
    // no score, and nothing that is loaded (C143)
    expect(`${text} ${mail!.htmlText}`.replace(/Road \d+/g, '')).not.toMatch(/\b(?:9[0-9]|8[0-9]|7[89]|score)\b/i)
    expect(new Set(mail!.bodyTags)).toEqual(frameTags)
  })

  test('one email has the hits of all searches of a person, also of two organizations, and each tender once', async () => {
    const { store, receiver, server, world } = await opened(engine)
    const other = await createOrganization(store.db, { name: 'Other' }, { now: world.now(), random: systemRandom })
    const bridges = await addSearch(store, other.organization.organizationId, 'Bridges')
    const roads = await world.subscribe('anna@example.org', { zone: 'Europe/Berlin', hour: 7, language: 'de' })
    await world.subscribe('Anna@example.org', { organization: 'Other', search: 'Bridges' })
    await world.subscribe('ben@example.org', { organization: 'Other', search: 'Bridges', zone: 'America/New_York' })
    const list = await listDigests(store.db)
    expect(list.map(({ person, zone, language }) => [person, zone, language])).toEqual([
      ['Anna@example.org', 'Europe/Berlin', 'de'],
      ['ben@example.org', 'America/New_York', 'en'],
      ['anna@example.org', 'Europe/Berlin', 'de'],
    ])
    const both = await world.addHit({
      title: 'Both',
      deadline: '2026-12-10T09:00:00Z',
      record: { timeZone: 'Europe/Berlin' },
    })
    await sql`
      insert into hit select (jsonb_populate_record(h, jsonb_build_object('search_no', ${bridges}::integer, 'hit_id', 'second'))).*
      from hit h where hit_id = ${both}`.execute(store.db)
    await world.addHit({ title: 'Road' })
    await world.addHit({ title: 'Bridge', deadline: '2026-12-01T09:00:00Z' }, bridges)
    await world.endEdition()
    world.advance(oneDay)
    expect(await world.make()).toBe(2)
    expect(await world.make()).toBe(0)
    const leaving = {
      all: (person: string) => `https://x.example/all/${person}`,
      oneSearch: (id: string) => `https://x.example/${id}`,
      status: () => 'https://x.example/status',
    }
    await world.send(server, { leaving })
    const mails = new Map(parseMails(receiver.received).map((mail, index) => [receiver.received[index]!.to[0], mail]))
    const anna = mails.get('anna@example.org') ?? mails.get('Anna@example.org')
    expect(headerOf(anna!, 'Subject')).toBe('3 neue Ausschreibungen: Bridges (Other), Roads (Acme)')
    const text = anna!.parts['text/plain']!
    expect([...text.matchAll(/^(?:Both|Road|Bridge)$/gm)].map(([title]) => title)).toEqual(['Bridge', 'Both', 'Road'])
    expect(text).toContain('Frist: 10. Dez. 2026, 10:00 MEZ, in 19 Tagen, für Angebote')
    expect(text).toMatch(
      /Gefunden von Roads \(Acme\): .*\n.*Gefunden von Bridges \(Other\)|Bridges \(Other\): .*\nGefunden von Roads/,
    )
    expect(anna!.addresses).toContain(leaving.oneSearch(roads))
    const ben = mails.get('ben@example.org')!.parts['text/plain']!
    expect([...ben.matchAll(/^(?:Both|Road|Bridge)$/gm)].map(([title]) => title)).toEqual(['Bridge', 'Both'])
  })

  test('what an email does not list is counted without the hits of a deleted search, and is not lost with the rest', async () => {
    const { store, receiver, server, world } = await opened(engine)
    const bridges = await addSearch(store, world.organizationId, 'Bridges')
    const ids: { [search: string]: string } = {}
    for (const search of ['Roads', 'Bridges'])
      ids[search] = await world.subscribe('anna@example.org', { search, rhythm: 'at-once' })
    await world.subscribe('ben@example.org', { search: 'Roads', rhythm: 'at-once' })
    await world.subscribe('ben@example.org', { search: 'Bridges' })
    const soon = new Date(world.now() + dayMs).toISOString()
    for (let number = 0; number < 35; number++) await world.addHit({ title: 'Road', deadline: soon })
    for (let number = 0; number < 7; number++) await world.addHit({ title: 'Bridge' }, bridges)
    const both = await world.addHit({ title: 'Both' })
    await sql`
      insert into hit select (jsonb_populate_record(h, jsonb_build_object('search_no', ${bridges}::integer, 'hit_id', 'second'))).*
      from hit h where hit_id = ${both}`.execute(store.db)
    await world.endEdition()
    await world.make()
    // Anna leaves the search of the listed ones, and Ben the other
    await inTransaction(store, (trx) => removeDigest(trx, ids['Roads']!))
    const bens = (await listDigests(store.db)).filter(({ person }) => person.startsWith('ben'))
    await inTransaction(store, (trx) => removeDigest(trx, bens.find(({ search }) => search === 'Bridges')!.digestId))
    await world.send(server)
    const subjects = receiver.received.map(({ to }, index) => [
      to[0],
      headerOf(parseMails(receiver.received)[index]!, 'Subject'),
    ])
    expect(subjects.sort()).toEqual([
      ['anna@example.org', '8 new tenders: Bridges'],
      ['ben@example.org', '36 new tenders: Roads'],
    ])
  })

  test('who leaves one search gets waiting emails without it, and who leaves all gets none', async () => {
    const { store, receiver, server, world } = await opened(engine)
    const bridges = await addSearch(store, world.organizationId, 'Bridges')
    const roads = await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await world.subscribe('anna@example.org', { search: 'Bridges' })
    await world.subscribe('ben@example.org', { rhythm: 'at-once' })
    await world.addHit({ title: 'Road' })
    await world.addHit({ title: 'Bridge' }, bridges)
    await world.endEdition()
    expect(await world.make()).toBe(2)
    await inTransaction(store, (trx) => removeDigest(trx, roads))
    await removeRecipient(store.db, recipientHash('Ben@example.org'))
    await world.send(server)
    expect(receiver.received.map(({ to }) => to)).toEqual([['anna@example.org']])
    const text = parseMails(receiver.received)[0]!.parts['text/plain']!
    expect([text.includes('Bridge'), text.includes('Road')]).toEqual([true, false])
    expect((await listDigests(store.db)).map(({ search }) => search)).toEqual(['Bridges'])
  })

  test('each hit comes once across the change from an email for each search', async () => {
    const { store, receiver, server, world } = await opened(engine)
    const bridges = await addSearch(store, world.organizationId, 'Bridges')
    const roads = await world.subscribe('anna@example.org', { zone: 'Europe/Berlin' })
    await world.subscribe('anna@example.org', { search: 'Bridges' })
    for (const [title, search] of [
      ['Road 1', world.searchNo],
      ['Bridge 1', bridges],
    ] as const)
      await world.addHit({ title }, search)
    await world.endEdition()
    // as the version before left them: one sent, its mail waiting; the other weekly, and behind
    await sql`update digest set language = null, rhythm = 'weekly', made_day = made_day - 4 where digest_id <> ${roads}`.execute(
      store.db,
    )
    await sql`update digest set last_edition = 1, made_day = made_day + 1 where digest_id = ${roads}`.execute(store.db)
    const former = {
      search: 'Roads',
      count: 1,
      items: [{ title: 'Road 1', isClosed: false, isUrgent: false, value: '5 EUR' }],
    }
    await sql`
      insert into mail (message_id, digest_id, content, due_at, created_at)
      values ('<former@example.org>', ${roads}, ${JSON.stringify(former)}, 0, ${world.now()})`.execute(store.db)
    for (const statement of migrations['0015-one-letter']!.slice(2)) await sql.raw(statement).execute(store.db)
    expect(new Set((await listDigests(store.db)).map(({ rhythm, dueAt }) => `${rhythm} ${dueAt}`)).size).toBe(1)
    for (const [title, search] of [
      ['Road 2', world.searchNo],
      ['Bridge 2', bridges],
    ] as const)
      await world.addHit({ title }, search)
    await world.endEdition()
    world.advance(3 * oneDay)
    // the former one comes first
    expect(await world.make()).toBe(0)
    await world.send(server)
    world.advance(minuteMs)
    expect(await world.make()).toBe(1)
    await world.send(server)
    const titles = parseMails(receiver.received).map(({ parts }) =>
      [...parts['text/plain']!.matchAll(/^(?:Road|Bridge) \d$/gm)].map(([title]) => title).sort(),
    )
    expect(titles.sort((one, other) => one.length - other.length)).toEqual([
      ['Road 1'],
      ['Bridge 1', 'Bridge 2', 'Road 2'],
    ])
  })

  test('many people receive many hits of 20 searches, each in exactly one email', async () => {
    const { store, world } = await opened(engine)
    const names = Array.from({ length: 20 }, (_, index) => `Search ${index}`)
    const searchNos: number[] = []
    for (const name of names) searchNos.push(await addSearch(store, world.organizationId, name))
    const owed = new Map<string, number>()
    for (let person = 0; person < people; person++)
      for (const step of [0, 7, 13]) {
        const to = `person-${person}@example.org`
        await world.subscribe(to, { search: names[(person + step) % 20], zone: zones[person % 4], hour: person % 24 })
        owed.set(to, 0)
      }
    const digests = await listDigests(store.db)
    for (let edition = 0; edition < 4; edition++) {
      for (const [index, searchNo] of searchNos.entries()) {
        await addBareHits(store.db, searchNo, edition, 125)
        for (const { person, search } of digests) if (search === names[index]) owed.set(person, owed.get(person)! + 125)
      }
      await world.endEdition()
      world.advance(oneDay)
      await world.make()
      await endMails(store.db)
    }
    world.advance(2 * oneDay)
    await world.make()
    const { rows } = await sql<{ person: string; count: number }>`
      select g.person, sum((m.content::json ->> 'count')::integer)::integer as count
      from mail m join digest g using (digest_id) group by g.person`.execute(store.db)
    expect(new Map(rows.map(({ person, count }) => [person, count]))).toEqual(owed)
    expect([...owed.values()].reduce((sum, count) => sum + count)).toBe(people * 3 * 500)
  }, 300_000)

  test('a digest begins with the next edition, and an empty one is not sent', async () => {
    const { receiver, server, world } = await opened(engine)
    await world.addHit({ title: 'Before' })
    await world.endEdition()
    await world.subscribe('anna@example.org')
    world.advance(oneDay)
    expect(await world.make()).toBe(0)
    await world.addHit({ title: 'After' })
    // this edition is not matched completely yet
    world.advance(oneDay)
    expect(await world.make()).toBe(0)
    await world.endEdition()
    expect(await world.make()).toBe(0)
    world.advance(oneDay)
    expect(await world.make()).toBe(1)
    await world.send(server)
    const text = parseMails(receiver.received)[0]!.parts['text/plain']!
    expect(text).toContain('1 new tender: Roads')
    expect(text).toContain('After')
    expect(text).not.toContain('Before')
  })

  test('hits that are made outside an edition are in the next digest', async () => {
    const { store, world } = await opened(engine)
    await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await world.addHit()
    await world.endEdition()
    expect(await world.make()).toBe(1)
    const hit = {
      searchNo: world.searchNo,
      tenderId: 'late',
      hitId: 'late',
      edition: 1,
      lastModified: 1,
      searchVersion: 1,
      fitScore: 60,
      fit: '{}',
      matched: '[]',
      reasons: '{"parts":[],"rules":[],"matched":[]}',
      closedAs: null,
      status: 'open',
      mergedInto: null,
      deadlineMs: null,
      deadlineKind: null,
      value: null,
    }
    await insertHits(store.db, [hit], world.now())
    await endMails(store.db)
    world.advance(hourMs)
    await world.endEdition()
    expect(await world.make()).toBe(1)
    const { rows } = await sql<{ content: string }>`select content from mail order by created_at`.execute(store.db)
    expect(rows.map(({ content }) => (JSON.parse(content) as { count: number }).count)).toEqual([1, 1])
  })

  test('hostile names and titles stay plain text', async () => {
    const { store, receiver, server, world } = await opened(engine)
    const name = 'Roads\r\nBcc: eve@example.org\r\n\r\n<script>alert(1)</script>'
    await sql`update saved_search set name = ${name}`.execute(store.db)
    await world.subscribe('anna@example.org', { search: name, rhythm: 'at-once' })
    const title = '</li><img src=https://evil.example/x.png onerror=alert(1)>\r\n.\r\nQUIT "\u202e&amp;'
    await world.addHit({
      title,
      record: {
        contractingAuthority: { name: '<a href="javascript:alert(1)">Town</a>', city: "O'Hara" },
        contractAmount: { value: 1250000, currency: 'EUR', estimated: true },
        originalSources: [{ url: 'https://ted.example/1' }, { url: 'javascript:alert(1)//https://x' }],
      },
    })
    await world.addHit({ title: '', record: { originalSources: [{ url: 'https://ted.example/?a=1&b="><b>' }] } })
    await world.addHit({ record: { originalSources: [{ url: 'https://ted.example/?a=1&b=2' }] } })
    await world.endEdition()
    await world.make()
    await world.send(server)
    expect(receiver.received[0]!.to).toEqual(['anna@example.org'])
    const [mail] = parseMails(receiver.received)
    expect(mail!.defects).toEqual([])
    expect(headerOf(mail!, 'Bcc')).toBeUndefined()
    expect(headerOf(mail!, 'Subject')).toBe('3 new tenders: Roads Bcc: eve@example.org <script>alert(1)</script>')
    expect(mail!.bodyTags.filter((tag) => !frameTags.has(tag))).toEqual([])
    const elsewhere = mail!.addresses.filter((each) => !each.startsWith('https://tenders.example/tenders/'))
    expect(elsewhere.sort()).toEqual(['https://ted.example/?a=1&b=2', 'https://tenders.example/me#letter'])
    expect(mail!.htmlText).toContain('</li><img src=https://evil.example/x.png onerror=alert(1)> . QUIT " &amp;')
    expect(mail!.parts['text/plain']).toContain('€1.3m, estimated')
    expect(mail!.parts['text/plain']).toContain('A tender without a title')
    expect(mail!.parts['text/plain']).not.toContain('\u202e')
  })

  test('an email that is repeated after a lost answer is identical', async () => {
    const { store, receiver, server, world } = await opened(engine)
    const warnings: string[] = []
    await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await world.addHit()
    await world.endEdition()
    await world.make()
    receiver.judge.content = (count) => (count === 1 ? 'hang up' : undefined)
    await expect(world.send(server)).rejects.toThrow(/closed|ended|reset/i)
    expect(await listDigests(store.db)).toMatchObject([{ mailsDue: 1, mailsSent: 0, lastError: expect.any(String) }])
    world.advance(2 * minuteMs)
    await world.send(server, { onGivenUp: ({ error }) => warnings.push(error) })
    const mails = parseMails(receiver.received)
    expect(mails).toHaveLength(2)
    for (const name of ['Message-ID', 'Date', 'Subject'])
      expect(headerOf(mails[0]!, name)).toBe(headerOf(mails[1]!, name))
    expect(mails[0]!.parts).toEqual(mails[1]!.parts)
    expect(await listDigests(store.db)).toMatchObject([{ mailsDue: 0, mailsSent: 1, lastError: null }])
    expect(warnings).toEqual([])
  })

  test('a digest that cannot be made delays no other', async () => {
    const { store, receiver, server, world } = await opened(engine)
    await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await world.subscribe('ben@example.org', { rhythm: 'at-once' })
    await sql`update digest set zone = 'Nowhere/Land', rhythm = 'daily', due_at = 0 where person like 'anna%'`.execute(
      store.db,
    )
    await world.addHit()
    await world.endEdition()
    await expect(world.make()).rejects.toThrow('Nowhere/Land')
    expect(await world.make()).toBe(0)
    await world.send(server)
    expect(receiver.received.map(({ to }) => to)).toEqual([['ben@example.org']])
  })

  test('a digest that is checked early is not made early', async () => {
    const { store, world } = await opened(engine)
    const id = await world.subscribe('anna@example.org', { zone: 'Europe/Berlin', hour: 7 })
    await world.addHit()
    await world.endEdition()
    await postponeDigests(store.db, [id], world.now())
    expect(await world.make()).toBe(0)
    expect(await listDigests(store.db)).toMatchObject([{ dueAt: Date.parse('2026-11-21T06:00:00Z'), lastEdition: 0 }])
  })

  test('a restored backup that repeats a digest makes the same email, and a different one for different hits', async () => {
    const { store, world } = await opened(engine)
    await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    const makeAgain = async () => {
      await sql`delete from mail`.execute(store.db)
      await sql`update digest set last_edition = 0, made_at = null, due_at = 0`.execute(store.db)
      await world.endEdition()
      expect(await world.make()).toBe(1)
      const { rows } = await sql<{ id: string }>`select message_id as id from mail`.execute(store.db)
      return rows[0]!.id
    }
    await world.addHit()
    await world.addHit()
    const first = await makeAgain()
    expect(await makeAgain()).toBe(first)
    await world.addHit()
    expect(await makeAgain()).not.toBe(first)
  })

  test.skipIf(engine === 'embedded')('a digest that one process makes is skipped by others', async () => {
    const { store, world } = await opened(engine)
    await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await world.addHit()
    await world.endEdition()
    const other = await openStore(store.options)
    await inTransaction(store, async (trx) => {
      expect(await lockDueDigests(trx, world.now())).toMatchObject({ first: { person: 'anna@example.org' } })
      expect(await inTransaction(other, (second) => lockDueDigests(second, world.now()))).toBeUndefined()
    })
    await other.close()
  })

  test('removing a digest removes its emails', async () => {
    const { store, receiver, server, world } = await opened(engine)
    const id = await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await world.addHit()
    await world.endEdition()
    await world.make()
    expect(await inTransaction(store, (trx) => removeDigest(trx, id))).toBe(true)
    await world.send(server)
    expect(receiver.received).toEqual([])
    expect(await listDigests(store.db)).toEqual([])
  })

  test('another process may send an email only after a quarter of an hour', async () => {
    const { receiver, world } = await opened(engine)
    await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await world.addHit()
    await world.endEdition()
    await world.make()
    const ids: string[] = []
    const hanging = Promise.withResolvers<{ kind: 'accepted' }>()
    const answering = (answer: Promise<{ kind: 'accepted' }>) => ({
      send: ({ messageId }: { messageId: string }) => {
        ids.push(messageId)
        return answer
      },
    })
    const first = world.send(answering(hanging.promise))
    await expect.poll(() => ids.length, { timeout: 60_000 }).toBe(1)
    const second = answering(Promise.resolve({ kind: 'accepted' }))
    await world.send(second)
    expect(ids).toHaveLength(1)
    // an attempt takes at most twelve of them
    world.advance(15 * minuteMs - 1)
    await world.send(second)
    expect(ids).toHaveLength(1)
    world.advance(1)
    await world.send(second)
    expect(ids).toHaveLength(2)
    expect(ids[1]).toBe(ids[0])
    hanging.resolve({ kind: 'accepted' })
    await first
    expect(receiver.received).toEqual([])
  })
})

describe('the mail server', () => {
  const mail = {
    messageId: `<${hash('md5', 'x')}@example.org>`,
    to: 'anna@example.org',
    subject: 'x',
    text: 'x',
    html: '<p>x',
    at: 0,
    unsubscribeUrl: 'https://tenders.example.org/unsubscribe?token=x',
  }
  const { signal } = new AbortController()

  test('gets the headers of one-click unsubscribing', async () => {
    await using receiver = await startMailReceiver()
    const server = openMailServer(receiver.settings)
    expect(await server.send(mail, signal)).toEqual({ kind: 'accepted' })
    expect(await server.send({ ...mail, unsubscribeUrl: undefined }, signal)).toEqual({ kind: 'accepted' })
    server.close()
    const [one, other] = parseMails(receiver.received)
    expect(headerOf(one!, 'List-Unsubscribe')).toBe(
      '<https://tenders.example.org/unsubscribe?token=x>, <mailto:tenders@example.org?subject=unsubscribe>',
    )
    expect(headerOf(one!, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click')
    expect(headerOf(other!, 'List-Unsubscribe')).toBe('<mailto:tenders@example.org?subject=unsubscribe>')
    expect(headerOf(other!, 'List-Unsubscribe-Post')).toBeUndefined()
  })

  test('gets a login, and its password is in no error', async () => {
    const logins: string[] = []
    await using receiver = await startMailReceiver({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) => {
        logins.push(`${username} ${password}`)
        if (password === 'p@ss/word') done(null, { user: username })
        else done(new Error(`not ${password}`))
      },
    })
    const { port } = receiver.settings
    const open = (password: string) =>
      openMailServer(
        readConfig({
          TENDERSTOCK_SMTP_URL: `smtp://me:${encodeURIComponent(password)}@127.0.0.1:${port}`,
          TENDERSTOCK_MAIL_FROM: 'tenders@example.org',
        }).mail!,
      )
    const [right, wrong] = [open('p@ss/word'), open('sesame')]
    expect(await right.send(mail, signal)).toEqual({ kind: 'accepted' })
    const refused = await wrong.send(mail, signal)
    expect(refused).toMatchObject({ kind: 'unreachable' })
    expect(JSON.stringify(refused)).not.toContain('sesame')
    expect(logins).toEqual(['me p@ss/word', 'me sesame'])
    right.close()
    wrong.close()
  })

  test('gets nothing without TLS, unless it is on this machine', async () => {
    await using receiver = await startMailReceiver()
    const server = openMailServer({ ...receiver.settings, security: 'starttls', user: 'me', password: 'sesame' })
    expect(await server.send(mail, signal)).toMatchObject({ kind: 'unreachable', error: expect.stringMatching(/TLS/i) })
    server.close()
    await using own = await startMailReceiver({ disabledCommands: [] })
    const strict = openMailServer({ ...own.settings, security: 'starttls', user: 'me', password: 'sesame' })
    // its certificate is made up
    expect(await strict.send(mail, signal)).toMatchObject({
      kind: 'unreachable',
      error: expect.stringMatching(/certificate/i),
    })
    strict.close()
    expect([...receiver.received, ...own.received]).toEqual([])
  })

  test.each(['starttls', 'smtps'] as const)(
    'gets mail and login over %s, by a certificate of its own name',
    async (security) => {
      const own = certificateOf('IP:127.0.0.1')
      const foreign = certificateOf('DNS:elsewhere.example')
      const trusted = getCACertificates('default')
      closers.push(() => setDefaultCACertificates(trusted))
      setDefaultCACertificates([...trusted, own.cert, foreign.cert])
      const sessions: boolean[] = []
      const open = (identity: typeof own) =>
        startMailReceiver({
          ...identity,
          secure: security === 'smtps',
          disabledCommands: [],
          authOptional: false,
          onAuth: ({ username, password }, session, done) => {
            sessions.push(session.secure)
            done(password === 'sesame' ? null : new Error('no'), { user: username })
          },
        })
      await using receiver = await open(own)
      const login = { security, user: 'me', password: 'sesame' }
      const server = openMailServer({ ...receiver.settings, ...login })
      expect(await server.send(mail, signal)).toEqual({ kind: 'accepted' })
      server.close()
      expect(parseMails(receiver.received).map((each) => headerOf(each, 'Message-ID'))).toEqual([mail.messageId])
      expect(sessions).toEqual([true])

      await using other = await open(foreign)
      const strict = openMailServer({ ...other.settings, ...login })
      expect(await strict.send(mail, signal)).toMatchObject({
        kind: 'unreachable',
        error: expect.stringMatching(/altnames|certificate/i),
      })
      strict.close()
      expect([other.received, sessions]).toEqual([[], [true]])
    },
  )

  test('that hangs up before its greeting is asked once for each attempt: the schedule repeats, and not the pool', async () => {
    let connections = 0
    const listener = createServer((socket) => {
      connections++
      socket.end()
    }).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    const server = openMailServer({ host: '127.0.0.1', port, security: 'none', from: 'tenders@example.org' })
    for (const attempt of [1, 2]) {
      expect(await server.send(mail, signal)).toMatchObject({ kind: 'unreachable' })
      expect(connections).toBe(attempt)
    }
    server.close()
    listener.close()
  })

  test('is not waited for longer than configured, whatever it does', async () => {
    await using receiver = await startMailReceiver()
    receiver.judge.content = () => 'silence'
    const server = openMailServer(receiver.settings, 300)
    expect(await server.send(mail, signal)).toMatchObject({ kind: 'unreachable' })
    server.close()
    for (const connection of [openMailServer({ ...receiver.settings, port: 1 })]) {
      expect(await connection.send(mail, signal)).toMatchObject({
        kind: 'unreachable',
        error: expect.stringContaining('ECONNREFUSED'),
      })
      connection.close()
    }
  })
})

/** A self-signed certificate for this name. */
function certificateOf(name: string): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const { key, certificate } = madeUpCertificate(folder, name)
  const made = { key: readFileSync(key, 'utf8'), cert: readFileSync(certificate, 'utf8') }
  rmSync(folder, { recursive: true })
  return made
}
