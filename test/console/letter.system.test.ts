// What a person sees of their mails with hits: the page with all of one mail, and their own settings, over real HTTP.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { letterContext } from '../../src/digests/digest-content.ts'
import { minuteMs } from '../../src/domain/time.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { listDigests, removeDigest } from '../../src/store/hits/digests.ts'
import { listAuditEntries } from '../../src/store/people/audit.ts'
import { pruneMails } from '../../src/store/people/mails.ts'
import { addSearch, openDigestWorld } from '../digests/digest-world.ts'
import { openConsoleWorld } from './console-world.ts'

test('the hits of a mail are counted without those of a deleted search, and against the limit of pages', async () => {
  await using world = await openConsoleWorld('embedded')
  const digests = await openDigestWorld(world.store, world.now())
  await world.context.directory.refresh()
  const bridges = await addSearch(world.store, digests.organizationId, 'Bridges')
  const { cookie } = await world.person('anna@example.org', { memberOf: [[digests.organizationId, 'member']] })
  await digests.subscribe('anna@example.org')
  await digests.subscribe('anna@example.org', { search: 'Bridges' })
  for (const title of ['Road 1', 'Road 2']) await digests.addHit({ title })
  for (const title of ['Bridge 1', 'Bridge 2', 'Bridge 3']) await digests.addHit({ title }, bridges)
  await digests.endEdition()
  const read = () => world.get('/me/hits?after=0&to=9', cookie)

  expect(await (await read()).text()).toMatch(/1 to 5 of 5/)
  const { rows } = await sql<{ id: string }>`
    select search_id as id from saved_search where search_no = ${bridges}::integer`.execute(world.store.db)
  const deleted = { command: 'search delete', operands: [rows[0]!.id], options: { confirm: 'Bridges' } }
  expect(await world.command(deleted)).toMatchObject({ exitCode: 0 })
  const left = await (await read()).text()
  expect(left).toMatch(/1 to 2 of 2/)
  expect(left).not.toContain('Bridge')

  world.wait(10 * minuteMs)
  const statuses = []
  for (let count = 0; count < 61; count++) statuses.push((await read()).status)
  expect([statuses.indexOf(429), statuses.length]).toEqual([60, 61])
  expect((await world.get('/tenders', cookie)).status).toBe(429)
  expect(world.faults).toEqual([])
})

test('a person changes when their mails come on their own page, without script, and starts them again', async () => {
  await using world = await openConsoleWorld('embedded')
  const { db } = world.store
  const digests = await openDigestWorld(world.store, world.now())
  await world.context.directory.refresh()
  const memberOf = [[digests.organizationId, 'member']] as [string, 'member'][]
  const anna = await world.person('anna@example.org', { memberOf })
  const ben = await world.person('ben@example.org', { memberOf })
  const me = async (who = anna) => (await world.get('/me', who.cookie)).text()
  expect(await me()).not.toContain('Mails with hits')
  const form = { rhythm: 'weekly', weekday: 'friday', hour: '18', zone: 'Atlantic/Azores', language: 'de' }
  expect((await world.post('/me/letter', form, anna.cookie)).status).toBe(404)
  const id = await digests.subscribe('Anna@example.org', { hour: 7, zone: 'Europe/Berlin' })
  expect(await me()).toMatch(/Mails with hits[\s\S]*Roads[\s\S]*Acme[\s\S]*<option value="7" selected>/)
  expect(await me(ben)).not.toContain('Mails with hits')

  const wrong = await world.post('/me/letter', { ...form, zone: 'Europe/Atlantis"><b>' }, anna.cookie)
  const shown = await wrong.text()
  expect([wrong.status, shown]).toEqual([422, expect.stringContaining('There is no such time zone')])
  expect(shown).toContain('value="Europe/Atlantis&quot;&gt;&lt;b&gt;"')
  for (const value of ['weekly', 'friday', '18', 'de']) expect(shown).toContain(`<option value="${value}" selected>`)
  const stored = async () => (await listDigests(db))[0]!
  expect(await stored()).toMatchObject({ rhythm: 'daily', hour: 7, weekday: 'monday' })

  expect((await world.post('/me/letter', form, ben.cookie)).status).toBe(404)
  expect((await world.post('/me/letter', form, anna.cookie)).status).toBe(303)
  expect(await stored()).toMatchObject({ ...form, hour: 18 })
  // Monday at noon in Brussels; Friday at 18 on the Azores
  expect(new Date((await stored()).dueAt).toISOString()).toBe('2026-11-27T19:00:00.000Z')
  expect(await me()).toContain('<option value="friday" selected>')

  await sql`update digest set ended_at = 1`.execute(db)
  expect(await me()).toContain('These mails ended')
  const page = `/o/${digests.organizationId}/digests`
  expect(await (await world.get(page, ben.cookie)).text()).toContain('Mails to Anna@example.org ended')
  expect((await world.post('/me/letter/start', {}, anna.cookie)).status).toBe(303)
  expect((await stored()).endedAt).toBeNull()
  await sql`update digest set ended_at = 1`.execute(db)
  expect((await world.post(`${page}/${id}/start`, {}, ben.cookie)).status).toBe(303)
  expect((await stored()).endedAt).toBeNull()
  const entries = await listAuditEntries(db, { organizationId: digests.organizationId, limit: 3 })
  expect(entries.map(({ actor, action, subject }) => `${actor} ${action} ${subject}`)).toEqual([
    'ben@example.org digest.start Anna@example.org',
    'anna@example.org digest.start Anna@example.org',
    'anna@example.org digest.edit Anna@example.org',
  ])

  // whoever joined by a link that was handed over has not shown that the address is theirs
  await sql`update person set is_mail_unproven = true where person_id = ${anna.personId}`.execute(db)
  const unproven = await me()
  expect([unproven.includes('is not confirmed'), unproven.includes('action="/me/letter"')]).toEqual([true, false])
  expect((await world.post('/me/letter', { ...form, hour: '3' }, anna.cookie)).status).toBe(404)
  expect(await stored()).toMatchObject({ hour: 18 })
  expect(world.faults).toEqual([])
})

test('a recipient without an account reaches everything that a mail brings, for as long as the mail is kept', async () => {
  await using world = await openConsoleWorld('embedded')
  const { db } = world.store
  const digests = await openDigestWorld(world.store, world.now())
  const bridges = await addSearch(world.store, digests.organizationId, 'Bridges')
  await digests.addHit({ title: 'Before' })
  await digests.endEdition()
  await digests.subscribe('stranger@example.org', { rhythm: 'at-once' })
  const second = await digests.subscribe('stranger@example.org', { search: 'Bridges' })
  await digests.subscribe('other@example.org', { search: 'Bridges' })
  const notice = { record: { originalSources: [{ url: 'https://portal.example/1' }] } }
  for (let number = 0; number < 240; number++)
    await digests.addHit({ title: 'Road', fitScore: 50 + (number % 50), ...notice })
  await digests.addHit({ title: 'Bridge', deadline: '2026-12-24T10:00:00Z', ...notice }, bridges)
  await digests.endEdition()
  expect(await digests.make()).toBe(1)
  await digests.addHit({ title: 'After' })
  await digests.endEdition()
  const mails: { readonly text: string; readonly html: string }[] = []
  const sealer = await world.context.webhooks.sealer()
  await digests.send(
    {
      send: async (mail) => {
        mails.push(mail)
        return { kind: 'accepted' }
      },
    },
    { sealLetter: (messageId) => sealer.seal(Buffer.from(messageId), letterContext).toString('base64url') },
  )
  const [, path] = /See all 241 on one page: https:\/\/tenders\.example(\/letter\/[\w-]+)/.exec(mails[0]!.text)!
  expect(mails[0]!.html).toContain(path)

  const read = async (address: string) => {
    const answer = await world.get(address)
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
  const first = await read(path!)
  expect([first.status, /1 to 200 of 241/.test(first.text)]).toEqual([200, true])
  expect([first.headers.get('x-robots-tag'), first.headers.get('cache-control')]).toEqual([
    'noindex',
    'private, no-cache',
  ])
  expect(first.headers.get('referrer-policy')).toMatch(/^(?:no-referrer|same-origin)$/)
  const next = await read(`${path}?n=200`)
  expect(next.text).toMatch(/201 to 241 of 241/)
  const titles = [first, next].flatMap(({ text }) =>
    [...text.matchAll(/<h3>.*?(Road|Bridge|Before|After)</g)].map(([, title]) => title),
  )
  expect(titles).toEqual(['Bridge', ...Array(240).fill('Road')])
  // pages of tenders need an account; neither a score nor a word of it (C143)
  expect(first.text).toContain('href="https://portal.example/1"')
  expect(first.text).not.toContain('href="/tenders/')
  expect(first.text).not.toMatch(/score|>(?:5\d|[6-9]\d)</i)

  const token = path!.slice('/letter/'.length)
  const foreign = sealer.seal(Buffer.from('<x@example.org>'), letterContext).toString('base64url')
  const unsubscribing = sealer.seal(Buffer.from(second), 'unsubscribe').toString('base64url')
  for (const wrong of [
    `${token}A`,
    token.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A')),
    'x',
    foreign,
    unsubscribing,
  ])
    expect((await read(`/letter/${wrong}`)).status, wrong).toBe(404)
  expect((await read(`${path}?n=x`)).status).toBe(404)

  world.wait(10 * minuteMs)
  await inTransaction(world.store, (trx) => removeDigest(trx, second))
  expect((await read(path!)).text).toMatch(/1 to 200 of 240/)
  await sql`update mail set ended_at = 1`.execute(db)
  await pruneMails(db, world.now(), 10)
  expect(await read(path!)).toMatchObject({ status: 404, text: expect.stringContaining('at the latest after 30 days') })
  world.wait(10 * minuteMs)
  const statuses = []
  for (let count = 0; count < 61; count++) statuses.push((await read(path!)).status)
  expect(statuses.indexOf(429)).toBe(60)
  // letters of colleagues behind the same network are open, and links that open nothing are counted for the network
  expect((await read(`/letter/${foreign}`)).status).toBe(404)
  const guesses = []
  for (let count = 0; count < 61; count++) guesses.push((await read(`/letter/${token}A`)).status)
  expect(guesses.indexOf(429)).toBe(60)
  expect((await read(`/letter/${foreign}`)).status).toBe(404)
  expect(world.faults).toEqual([])
})
