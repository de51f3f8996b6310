// People of an organization and a person's own settings, from outside: roles, the last Owner, sessions, the audit log.
import { afterEach, describe, expect, test } from 'vitest'
import { hourMs, minuteMs } from '../../src/domain/time.ts'
import { drawnEngines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { fieldsOf } from './plain-form.ts'

const opened: ConsoleWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

const cookieOf = (answer: Response): string | undefined =>
  answer.headers
    .getSetCookie()
    .map((cookie) => /^session=([^;]+)/.exec(cookie)?.[1])
    .find(Boolean)

describe.each(drawnEngines)('people (%s)', (engine) => {
  async function open(): Promise<ConsoleWorld> {
    const world = await openConsoleWorld(engine, {
      config: { mail: { host: 'mail.example.org', port: 25, security: 'none', from: 'tenders@example.org' } },
    })
    opened.push(world)
    return world
  }

  test('the last Owner stays, however many requests come at once', async () => {
    const { organization, person, post, store, context, signIn } = await open()
    const id = await organization('Acme')
    const anna = await person('anna@example.org', { memberOf: [[id, 'owner']] })
    const ida = await person('ida@example.org', { memberOf: [[id, 'owner']] })
    // each demotes the other or leaves, in ten sessions at once
    const work = Array.from({ length: 20 }, async (_, index) => {
      const [own, other] = index % 2 === 0 ? [anna, ida] : [ida, anna]
      const how = index % 4 < 2 ? 'role' : 'leave'
      const form = how === 'role' ? { person: other.personId, role: 'member' } : {}
      return (await post(`/o/${id}/people/${how}`, form, own.cookie)).status
    })
    const statuses = await Promise.all(work)
    expect(statuses.filter((status) => status >= 500)).toEqual([])
    const owners = await store.db.selectFrom('membership').select('person_id').where('role', '=', 'owner').execute()
    expect(owners).toHaveLength(1)
    const last = owners[0]!.person_id
    const cookie = await signIn(last)
    for (const [path, form] of [
      ['leave', {}],
      ['role', { person: last, role: 'member' }],
      ['remove', { person: last }],
    ] as const) {
      const answer = await post(`/o/${id}/people/${path}`, form, cookie)
      expect(answer.status).toBe(409)
      const text = await answer.text()
      expect(text).toContain('keeps at least one Owner')
      expect(text).toContain('<title>This cannot be done')
    }
    expect(context.directory.membershipsOf(last)).toMatchObject([{ role: 'owner' }])
  })

  test('a change of role ends the sessions of the person; a change of one’s own role renews the session', async () => {
    const { organization, person, post, get, context, signIn, wait } = await open()
    const id = await organization('Acme')
    const anna = await person('anna@example.org', { memberOf: [[id, 'owner']] })
    const ida = await person('ida@example.org', { memberOf: [[id, 'member']] })
    const second = await signIn(ida.personId)
    wait(16 * minuteMs)
    const late = await post(`/o/${id}/people/role`, { person: ida.personId, role: 'owner' }, anna.cookie)
    expect([late.status, fieldsOf(await late.text(), `/o/${id}/people/role`)]).toMatchObject([403, { role: ['owner'] }])
    expect(context.directory.viewerOf(ida.cookie)?.memberships).toMatchObject([{ role: 'member' }])
    const fresh = await signIn(anna.personId)
    const page = await (await get(`/o/${id}/people`, fresh)).text()
    expect(page).toContain('Make Owner')
    expect((await post(`/o/${id}/people/role`, { person: ida.personId, role: 'owner' }, fresh)).status).toBe(303)
    for (const cookie of [ida.cookie, second]) expect(context.directory.viewerOf(cookie)).toBeUndefined()
    const own = await post(`/o/${id}/people/role`, { person: anna.personId, role: 'member' }, fresh)
    expect(own.status).toBe(303)
    expect(context.directory.viewerOf(fresh)).toBeUndefined()
    expect(context.directory.viewerOf(anna.cookie)).toBeUndefined()
    const demoted = cookieOf(own)!
    expect(context.directory.viewerOf(demoted)?.memberships).toMatchObject([{ role: 'member' }])
    expect((await post(`/o/${id}/people/role`, { person: ida.personId, role: 'member' }, demoted)).status).toBe(403)
    expect(await (await get(`/o/${id}/people`, demoted)).text()).not.toContain('Make Owner')
    // people of other organizations are strangers here
    const stranger = await person('eve@example.org')
    const again = await signIn(ida.personId)
    expect((await post(`/o/${id}/people/remove`, { person: stranger.personId }, again)).status).toBe(404)
    expect((await post(`/o/${id}/people/remove`, { person: anna.personId }, again)).status).toBe(303)
    expect(context.directory.viewerOf(demoted)).toBeUndefined()
    const log = await (await get(`/o/${id}/audit`, again, { 'accept-language': 'de' })).text()
    expect(log).toContain('<h1>Protokoll</h1>')
    expect(log.match(/<time datetime="2026-11-23T08:16:00.000Z">/g) ?? [], 'entries at 08:16').toHaveLength(3)
    expect(log).toContain('hat die Rolle geändert von')
    expect(log).toContain('von: Mitglied, zu: Inhaber')
  })

  test('invitations are listed, replaced and withdrawn, and wrong ones are shown again', async () => {
    const { organization, person, post, get, store, wait } = await open()
    const id = await organization('Acme')
    const other = await organization('Beta')
    const { cookie } = await person('anna@example.org', { memberOf: [[id, 'owner']] })
    const beta = await person('bert@example.org', { memberOf: [[other, 'owner']] })
    let forms = 0
    const invite = (mail: string, role = 'member') =>
      post(`/o/${id}/people/invite`, { mail, role, 'form-key': String(forms++).padStart(22, 'k') }, cookie)
    for (const mail of ['', 'ida', 'anna@example.org', '<b>@example.org']) {
      const answer = await invite(mail)
      expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('id="mail-error"')])
    }
    await invite('Ida@Example.org')
    await invite('ida@example.org', 'owner')
    const again = { mail: 'eva@example.org', role: 'member', 'form-key': 'k'.repeat(22) }
    for (let each = 0; each < 3; each++) await post(`/o/${id}/people/invite`, again, cookie)
    const rows = await store.db
      .selectFrom('invitation')
      .select(['mail', 'role', 'invitation_id'])
      .orderBy('mail')
      .execute()
    expect(rows.map(({ mail, role }) => [mail, role])).toEqual([
      ['eva@example.org', 'member'],
      ['ida@example.org', 'owner'],
    ])
    const mails = await store.db.selectFrom('mail').select('person').execute()
    expect(mails.map(({ person: to }) => to).sort()).toEqual(['eva@example.org', 'ida@example.org', 'ida@example.org'])
    const withdraw = (organizationId: string, who: string) =>
      post(`/o/${organizationId}/people/withdraw`, { invitation: rows[0]!.invitation_id }, who)
    await withdraw(other, beta.cookie)
    expect(await (await get(`/o/${id}/people`, cookie)).text()).toContain('eva@example.org')
    await withdraw(id, cookie)
    expect(await (await get(`/o/${id}/people`, cookie)).text()).not.toContain('eva@example.org')
    wait(7 * 24 * hourMs)
    const rest = await store.db.selectFrom('invitation').select('mail').execute()
    expect(rest).toEqual([{ mail: 'ida@example.org' }])
  })

  test('a person sets name and language, and ends only their own sessions', async () => {
    const { person, post, get, context, signIn } = await open()
    const anna = await person('anna@example.org')
    const ida = await person('ida@example.org')
    const saved = await post('/me', { name: ' <b>Anna</b>\u0000 ', language: 'de' }, anna.cookie)
    expect(saved.headers.getSetCookie().join()).toMatch(/language=;/)
    const page = await (await get('/me', anna.cookie)).text()
    expect(page).toContain('<h1>Ihre Einstellungen</h1>')
    expect(page).toContain('value="&lt;b&gt;Anna&lt;/b&gt;"')
    const [second, third] = [await signIn(anna.personId), await signIn(anna.personId)]
    const foreign = context.directory.viewerOf(ida.cookie)!.sessionId
    await post('/me/end', { session: foreign }, anna.cookie)
    expect(context.directory.viewerOf(ida.cookie)).toBeDefined()
    await post('/me/end', { session: context.directory.viewerOf(second)!.sessionId }, anna.cookie)
    expect([second, third, anna.cookie].map((each) => context.directory.viewerOf(each) !== undefined)).toEqual([
      false,
      true,
      true,
    ])
    await post('/me/end-others', {}, anna.cookie)
    expect(context.directory.viewerOf(third)).toBeUndefined()
    expect(context.directory.viewerOf(anna.cookie)).toBeDefined()
    expect(
      (await post('/me/add-passkey', { credential: '{"id":"x","response":{"clientDataJSON":"e30"}}' }, anna.cookie))
        .status,
    ).toBe(422)
    expect((await post('/sign-in/passkey', { credential: '{}' })).status).toBe(422)
  })
})
