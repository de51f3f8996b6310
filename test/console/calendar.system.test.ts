// Deadlines in calendars: marked on pages of tenders, read at a secret address that says nothing about hits and ends
// with whoever made it.
import { afterEach, describe, expect, test } from 'vitest'
import type { TenderContent } from '../../src/domain/tender.ts'
import { dayMs, hourMs, toInstant } from '../../src/domain/time.ts'
import { changeOrganization } from '../../src/store/people/organizations.ts'
import { drawnEngines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld, startOfConsole } from './console-world.ts'
import { fieldsOf } from './plain-form.ts'
import { publishTenders } from './put-tenders.ts'
import { roofTenderId } from './roof-tenders.ts'

const opened: ConsoleWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

const tenderOf = (number: number, members: Partial<TenderContent> = {}): TenderContent =>
  ({
    id: roofTenderId(number),
    title: `Dachsanierung ${number}`,
    language: 'de',
    status: 'open',
    contractAmount: null,
    contractingAuthority: { name: 'Stadt Quellmar' },
    nutsCodes: ['DED21'],
    cpvCodes: ['45261000'],
    submissionDate: toInstant(startOfConsole + number * dayMs),
    timeZone: 'Europe/Berlin',
    lots: [],
    originalSources: [],
    ...members,
  }) as unknown as TenderContent

describe.each(drawnEngines)('calendars of deadlines (%s)', (engine) => {
  test('are read at an address that tells marks alone, and end with it, the member and the contract', async () => {
    const world = await openConsoleWorld(engine)
    opened.push(world)
    const { store, get, post } = world
    await publishTenders(world, [tenderOf(1), tenderOf(2), tenderOf(3)])
    const acme = await world.organization('Acme', true)
    const other = await world.organization('Other', true)
    const owner = await world.person('owner@example.org', { memberOf: [[acme, 'owner']] })
    const anna = await world.person('anna@example.org', { memberOf: [[acme, 'member']] })
    const bert = await world.person('bert@example.org', { memberOf: [[other, 'owner']] })
    await world.command({
      command: 'search create',
      options: { organization: 'Acme', name: 'Roofs', cpv: ['45261000'], 'deliver-open': '100' },
    })
    expect(await (await get(`/o/${acme}/hits`, anna.cookie)).text()).toContain('1 to 3 of 3')

    /** Creates an address through the page. */
    const create = async (cookie: string): Promise<string> => {
      const page = await (await get('/me/calendar', cookie)).text()
      const made = await post('/me/calendar', fieldsOf(page, '/me/calendar'), cookie)
      expect(made.status).toBe(200)
      const path = /\/calendar\/[\w-]{43}\.ics/.exec(await made.text())![0]
      // it is shown once
      expect(await (await get('/me/calendar', cookie)).text()).not.toContain(path)
      return path
    }
    const [ofAnna, ofBert] = [await create(anna.cookie), await create(bert.cookie)]
    const read = async (path: string) => (await get(path)).text()
    // three hits that nobody marked are nothing to a calendar
    expect(await read(ofAnna)).toBe(await read(ofBert))
    expect(await read(ofAnna)).not.toContain('VEVENT')
    // what somebody decides about a hit neither
    const page = await (await get(`/tenders/${roofTenderId(2)}`, anna.cookie)).text()
    const kept = await post(`/o/${acme}/hits`, { ...fieldsOf(page, `/o/${acme}/hits`), do: 'kept' }, anna.cookie)
    expect(kept.status).toBe(303)
    expect(await read(ofAnna)).toBe(await read(ofBert))

    // a mark on a hit and one on a tender that is none are alike
    for (const { cookie } of [anna, bert]) {
      const marking = `/tenders/${roofTenderId(2)}/mark`
      const before = await (await get(`/tenders/${roofTenderId(2)}`, cookie)).text()
      const marked = await post(marking, { ...fieldsOf(before, marking), do: 'mark' }, cookie)
      expect([marked.status, marked.headers.get('location')]).toEqual([303, `/tenders/${roofTenderId(2)}`])
    }
    const answer = await get(ofAnna)
    expect(answer.headers.get('cache-control')).toBe('private, max-age=3600')
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    const text = await answer.text()
    expect(await read(ofBert)).toBe(text)
    expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(1)
    const lines = text.replaceAll('\r\n ', '').split('\r\n')
    expect(lines).toContain('SUMMARY:Submission deadline: Dachsanierung 2')
    expect(lines).toContain(`URL:${world.origin}/tenders/${roofTenderId(2)}`)
    expect(lines.find((line) => line.startsWith('DESCRIPTION:'))).toMatch(
      /^DESCRIPTION:25 Nov 2026\\, 09:00 CET\\, for bids \(Europe\/Berlin\)\\nStadt Quellmar\\nhttp/,
    )
    expect(text).not.toMatch(/score|hit|Roofs|Acme|anna/i)
    // a merge is followed, and the entry stays the same one
    const uid = lines.find((line) => line.startsWith('UID:'))
    await publishTenders(world, [
      tenderOf(2, { archiveReason: 'merged', status: 'merged', mergedInto: roofTenderId(3) } as never),
    ])
    const merged = (await read(ofAnna)).replaceAll('\r\n ', '')
    expect(merged).toContain(`${uid}\r\n`)
    expect(merged).toContain('Dachsanierung 3')

    // at most hourly: what a program knows is not sent again, and reading without end is refused
    const tag = (await get(ofAnna)).headers.get('etag')!
    const again = await get(ofAnna, undefined, { 'if-none-match': tag })
    expect([again.status, await again.text()]).toEqual([304, ''])
    let refused = again
    for (let reads = 0; reads < 12 && refused.status !== 429; reads++) refused = await get(ofAnna)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600'])
    world.wait(hourMs + 1)
    expect((await get(ofAnna)).status).toBe(200)

    // only a hash is stored
    const feeds = await store.db.selectFrom('calendar_feed').selectAll().execute()
    expect(JSON.stringify(feeds)).not.toContain(ofAnna.slice('/calendar/'.length, -'.ics'.length))
    // a new address replaces it; a revoked one, a wrong one and an ended one are answered alike
    const next = await create(await world.signIn(anna.personId))
    expect([(await get(ofAnna)).status, (await get(next)).status]).toEqual([404, 200])
    await post('/me/calendar/revoke', {}, bert.cookie)
    const ended = await read(ofBert)
    expect([(await get(ofBert)).status, ended]).toEqual([404, await read(`/calendar/${'x'.repeat(43)}.ics`)])

    // without access to the stock there is nothing to read, until it comes back
    const setAccess = async (hasApiAccess: boolean) => {
      await changeOrganization(store, acme, { hasApiAccess })
      await world.context.directory.refresh()
    }
    await setAccess(false)
    expect((await get(next)).status).toBe(404)
    await setAccess(true)
    expect((await get(next)).status).toBe(200)
    // whoever is removed leaves neither address nor marks
    const fresh = await world.signIn(owner.personId)
    const removed = await post(`/o/${acme}/people/remove`, { person: anna.personId }, fresh)
    expect([removed.status, (await get(next)).status]).toEqual([303, 404])
    for (const table of ['calendar_feed', 'deadline_mark'] as const)
      expect(
        await store.db.selectFrom(table).select('person_id').where('person_id', '=', anna.personId).execute(),
      ).toEqual([])
  })
})
