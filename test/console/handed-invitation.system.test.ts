// Where no mail is sent: a link of an invitation that an Owner hands over makes new people, and signs in nobody else; a
// link that an operator makes signs in one member.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandActor } from '../../src/actions/acting.ts'
import { addSignInLink } from '../../src/actions/people.ts'
import { keyHashOf } from '../../src/console/frame/directory.ts'
import { minuteMs } from '../../src/domain/time.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { listAuditEntries } from '../../src/store/people/audit.ts'
import { addPasskey } from '../../src/store/people/passkeys.ts'
import { findPersonByMail, listMembers } from '../../src/store/people/people.ts'
import { createSignInLink } from '../../src/store/people/sessions.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { fieldsOf } from './plain-form.ts'

describe('a link that is handed over', () => {
  let world: ConsoleWorld
  let acme: string
  let owner: string
  beforeAll(async () => {
    world = await openConsoleWorld('embedded')
    acme = await world.organization('Acme')
    owner = (await world.person('owner@acme.example', { memberOf: [[acme, 'owner']] })).cookie
  }, 120_000)
  afterAll(async () => {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  })
  const handOver = async (mail: string) => {
    const at = `/o/${acme}/people`
    const page = await (await world.get(at, owner)).text()
    const sent = { ...fieldsOf(page, `${at}/invite`), mail, role: 'member' }
    const answer = await (await world.post(`${at}/invite`, sent, owner)).text()
    return new URL(/<code id="link"[^>]*>([^<]+)</.exec(answer)![1]!).pathname
  }
  const members = async () => (await listMembers(world.store.db, acme)).map(({ mail }) => mail)

  test('makes a new person, once', async () => {
    const link = await handOver('new@acme.example')
    expect(await (await world.get(link)).text()).toContain('You join as new@acme.example')
    const joined = await world.post(link, {})
    expect([joined.status, joined.headers.get('location')]).toEqual([303, `/o/${acme}/start`])
    expect(joined.headers.get('set-cookie')).toContain('session')
    expect(await members()).toContain('new@acme.example')
    expect((await world.post(link, {})).status).toBe(404)
  })

  test.each(['operator', 'foreign Owner'])(
    'never signs in the %s: it adds the membership after they did',
    async (who) => {
      const mail = `${who.replace(' ', '.')}@example.org`.toLowerCase()
      const other = await world.organization(`Other ${who}`)
      const how = who === 'operator' ? { isOperator: true } : { memberOf: [[other, 'owner'] as [string, 'owner']] }
      const { cookie } = await world.person(mail, how)
      const link = await handOver(mail)
      const shown = await (await world.get(link)).text()
      expect(shown).toContain('This link does not sign it in')
      expect(shown).not.toContain(`<form method="post" action="${link}"`)
      const attempt = await world.post(link, {})
      expect([attempt.status, attempt.headers.get('set-cookie')]).toEqual([200, null])
      // nor through somebody else who is signed in
      expect((await world.post(link, {}, owner)).headers.get('set-cookie')).toBeNull()
      expect(await members()).not.toContain(mail)
      const joined = await world.post(link, {}, cookie)
      expect([joined.status, joined.headers.get('location')]).toEqual([303, `/o/${acme}/start`])
      expect(joined.headers.get('set-cookie') ?? '').not.toContain('session=')
      expect(await members()).toContain(mail)
    },
  )

  test('a first sign-in advises a passkey; one with a passkey does not', async () => {
    const noticeOf = (answer: Response) =>
      decodeURIComponent(/notice=([^;]*)/.exec(answer.headers.get('set-cookie')!)?.[1] ?? '')
    expect(noticeOf(await world.post(await handOver('passkey@acme.example'), {}))).toContain(
      'add one under “Your settings”',
    )
    const { personId } = (await findPersonByMail(world.store.db, 'passkey@acme.example'))!
    const signIn = async (key: string) => {
      const now = world.now()
      await inTransaction(world.store, (trx) => createSignInLink(trx, { keyHash: keyHashOf(key), personId, now }))
      return noticeOf(await world.post(`/sign-in/link/${key}`, {}))
    }
    expect(await signIn('p'.repeat(43))).toContain('add one under “Your settings”')
    const passkey = {
      credentialId: 'cGFzc2tleQ',
      publicKey: Buffer.alloc(1),
      counter: 0,
      transports: [],
      name: 'phone',
    }
    await inTransaction(world.store, (trx) => addPasskey(trx, { ...passkey, personId, createdAt: world.now() }))
    expect(await signIn('q'.repeat(43))).toBe('')
  })

  test('an operator makes a link for a member, which the log of the organization shows', async () => {
    const operator = (await world.person('op@example.org', { isOperator: true })).cookie
    const at = `/operator/organizations/${acme}`
    expect(await (await world.get(at, operator)).text()).toContain(`action="${at}/link"`)
    const wrong = await world.post(`${at}/link`, { person: 'nobody@example.org' }, operator)
    expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining('No member has this address')])
    const made = await world.post(`${at}/link`, { person: 'Owner@acme.example' }, operator)
    const page = await made.text()
    expect([made.status, page.includes('works once within 10 minutes')]).toEqual([200, true])
    const link = new URL(/<code id="link"[^>]*>([^<]+)</.exec(page)![1]!).pathname
    const [entry] = await listAuditEntries(world.store.db, { organizationId: acme, limit: 1 })
    expect(entry).toMatchObject({ actor: 'op@example.org', action: 'console.link', subject: 'owner@acme.example' })
    expect(await (await world.get(`/o/${acme}/audit`, owner)).text()).toContain('created a sign-in link for')
    const used = await world.post(link, {})
    expect([used.status, used.headers.get('location')]).toEqual([303, `/o/${acme}`])
    expect((await world.post(link, {})).status).toBe(404)
    // nobody else may, and an old sign-in is not enough
    expect((await world.post(`${at}/link`, { person: 'owner@acme.example' }, owner)).status).toBe(403)
    world.wait(16 * minuteMs)
    const late = await world.post(`${at}/link`, { person: 'owner@acme.example' }, operator)
    expect((await late.text()).includes('id="link"')).toBe(false)
    Object.assign(world.context.config, { mail: { host: 'mail.example.org' } })
    expect(await (await world.get(at, operator)).text()).not.toContain(`action="${at}/link"`)
    Object.assign(world.context.config, { mail: undefined })
    owner = (await world.person('second.owner@acme.example', { memberOf: [[acme, 'owner']] })).cookie
  })

  test('whoever made the account of somebody else loses it when that person proves the address', async () => {
    const mail = 'victim@example.org'
    const stolen = await world.post(await handOver(mail), {})
    const cookie = /session[^=]*=([^;]+)/.exec(stolen.headers.get('set-cookie')!)![1]!
    expect((await world.get('/me', cookie)).status).toBe(200)
    const { personId } = (await findPersonByMail(world.store.db, mail))!
    // the operator makes a link, which the person uses
    const [key, now] = ['k'.repeat(43), world.now()]
    await inTransaction(world.store, (trx) => createSignInLink(trx, { keyHash: keyHashOf(key), personId, now }))
    expect((await world.post(`/sign-in/link/${key}`, {})).status).toBe(303)
    expect((await world.get('/me', cookie)).status).toBe(303)
  })

  test('an account whose address nobody proved becomes no operator with its sessions', async () => {
    const mail = 'later.operator@example.org'
    const stolen = await world.post(await handOver(mail), {})
    const cookie = /session[^=]*=([^;]+)/.exec(stolen.headers.get('set-cookie')!)![1]!
    const acting = { ...commandActor, now: world.now(), random: systemRandom }
    const wanted = { keyHash: keyHashOf('x'.repeat(43)), typed: mail, mail, isOperator: true }
    await inTransaction(world.store, (trx) => addSignInLink(trx, acting, wanted))
    await world.context.directory.refresh()
    expect((await world.get('/operator', cookie)).status).toBe(303)
  })
})
