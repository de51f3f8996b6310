// Signing in from outside: links that work once, the same answer for everybody, and mails through a real SMTP server.
import { request } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { openConsole } from '../../src/console/console.ts'
import { writeAccountMail } from '../../src/console/mails/write-mails.ts'
import { openMailServer } from '../../src/digests/mail-server.ts'
import { sendMails } from '../../src/digests/send-mails.ts'
import { hourMs, minuteMs } from '../../src/domain/time.ts'
import type { CommandEvent } from '../../src/service/events/command-event.ts'
import { makeConsoleLink } from '../../src/service/operations/console-operations.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { createInvitation } from '../../src/store/people/invitations.ts'
import { trialOrganization } from '../../src/store/people/organizations.ts'
import { headerOf, type MailReceiver, parseMails, startMailReceiver } from '../digests/mail-receiver.ts'
import { freePort } from '../free-port.ts'
import { drawnEngines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    if ('faults' in each) expect(each.faults).toEqual([])
    await each[Symbol.asyncDispose]()
  }
})

const cookieOf = (answer: Response): string | undefined =>
  answer.headers
    .getSetCookie()
    .map((cookie) => /^session=([^;]+)/.exec(cookie)?.[1])
    .find(Boolean)
const locationOf = (answer: Response): string | null => answer.headers.get('location')
const headingOf = async (answer: Response): Promise<string | undefined> =>
  /<h1>(.*?)<\/h1>/.exec(await answer.text())?.[1]

describe.each(drawnEngines)('signing in (%s)', (engine) => {
  async function open(): Promise<ConsoleWorld> {
    const world = await openConsoleWorld(engine)
    opened.push(world)
    return world
  }

  async function openWithMail(): Promise<{ world: ConsoleWorld; receiver: MailReceiver; send: () => Promise<void> }> {
    const receiver = await startMailReceiver()
    opened.push(receiver)
    const world = await openConsoleWorld(engine, { config: { mail: receiver.settings } })
    opened.push(world)
    const server = openMailServer(receiver.settings)
    opened.push({ [Symbol.asyncDispose]: async () => server.close() })
    const { store, context } = world
    const send = () =>
      sendMails(
        {
          store,
          clock: context.clock,
          random: () => 0.5,
          server,
          accepted: new Map(),
          endRecipient: async () => {},
          leaving: undefined,
          renderDigest: () => ({ subject: '', text: '', html: '' }),
          renderAccountMail: (mail) => writeAccountMail(context, mail),
        },
        new AbortController().signal,
      )
    return { world, receiver, send }
  }

  async function command({ context, store }: ConsoleWorld, operands: string[], options = {}) {
    const events: CommandEvent[] = []
    const { clock, random, config, origin } = context
    await makeConsoleLink(
      { store, clock, random, config, consoleOrigin: origin },
      { command: 'console link', operands, options },
      (event) => void events.push(event),
    )
    const [made] = events
    if (made?.event !== 'consoleLink') throw new Error('there is no link')
    return new URL(made.link)
  }

  test('the first link makes one operator, who is Owner of the trial organization', async () => {
    const world = await open()
    const { get, post, organization, context, wait, origin } = world
    const trial = await organization(trialOrganization)
    const link = await command(world, [])
    expect(link.origin).toBe(origin)
    expect(link.pathname).toMatch(/^\/first\/[\w-]{43}$/)
    for (let scan = 0; scan < 3; scan++) expect((await get(link.pathname)).status).toBe(200)
    expect((await get(`${link.pathname}x`)).status).toBe(404)
    // the page names the command that makes the first link, and no person that it could be for
    const nobody = await (await get('/sign-in')).text()
    expect(nobody).toContain('<code>tenderstock console link</code>')
    expect(nobody).not.toContain('<form')
    expect((await post(link.pathname, { mail: 'anna at home' })).status).toBe(422)
    expect((await post(link.pathname, {}, undefined, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    const other = await command(world, [])
    const answers = await Promise.all(
      [link, other, link, other, link].map(({ pathname }) => post(pathname, { mail: 'Anna@Example.org' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404, 404])
    const signedIn = answers.find(({ status }) => status === 303)!
    expect(locationOf(signedIn)).toBe(`/o/${trial}`)
    expect(locationOf(await get('/', cookieOf(signedIn)))).toBe(`/o/${trial}`)
    const { person, memberships } = context.directory.viewerOf(cookieOf(signedIn)!)!
    expect(person).toMatchObject({ mail: 'anna@example.org', isOperator: true })
    expect(memberships).toMatchObject([{ role: 'owner', name: trialOrganization }])
    // the other link is for a first person, and there is one
    expect((await get(other.pathname)).status).toBe(404)

    const back = await command(world, [])
    expect(back.pathname).toMatch(/^\/sign-in\/link\//)
    expect(await headingOf(await get(back.pathname))).toBe('Sign in as anna@example.org')
    expect(await headingOf(await get(back.pathname, undefined, { 'accept-language': 'de' }))).toBe(
      'Als anna@example.org anmelden',
    )
    wait(10 * minuteMs + 1)
    expect((await get(back.pathname)).status).toBe(404)
    expect((await post(back.pathname, {})).status).toBe(404)
  })

  test('one click is enough: the first person needs no email address', async () => {
    const world = await open()
    const link = await command(world, [])
    const answer = await world.post(link.pathname, {})
    expect(locationOf(answer)).toBe('/operator')
    const again = await command(world, ['operator@localhost'])
    expect((await world.post(again.pathname, {})).status).toBe(303)
  })

  test('a command makes links for known people only, and further operators', async () => {
    const world = await open()
    const { post, person, context, store } = world
    expect((await command(world, ['ida@example.org'])).search).toBe('?mail=ida%40example.org')
    await person('anna@example.org', { isOperator: true })
    await expect(command(world, ['nobody@example.org'])).rejects.toThrow('No person here has the address')
    await expect(command(world, ['nobody'])).rejects.toThrow('is not a mail address')
    const link = await command(world, ['ida@example.org'], { operator: true })
    const answer = await post(link.pathname, {})
    expect(context.directory.viewerOf(cookieOf(answer)!)?.person).toMatchObject({ isOperator: true })
    await expect(command(world, [])).rejects.toThrow('name the mail address')
    const entries = await store.db.selectFrom('audit_entry').select(['action', 'subject', 'actor']).execute()
    expect(entries).toEqual(
      ['first person', 'ida@example.org'].map((subject) => ({ action: 'console.link', subject, actor: 'operator' })),
    )
  })

  test('a link is emailed, returns to the requested page, and is in no table before', async () => {
    const { world, receiver, send } = await openWithMail()
    const { get, post, person, store, wait, context, origin } = world
    await person('anna@example.org', { isOperator: true })
    expect(await (await get('/sign-in')).text()).toContain('autocomplete="username webauthn"')
    const asked = await post('/sign-in', { mail: ' Anna@example.org', return: '/operator/editions?a=1' })
    expect([asked.status, locationOf(asked)]).toEqual([303, '/sign-in/sent'])
    expect(await store.db.selectFrom('sign_in_link').selectAll().execute()).toEqual([])
    const [waiting] = await store.db.selectFrom('mail').selectAll().execute()
    expect(waiting).toMatchObject({ person: 'anna@example.org', digest_id: null })
    await send()
    expect(receiver.received.map(({ to }) => to)).toEqual([['anna@example.org']])
    const [mail] = parseMails(receiver.received)
    expect(mail!.defects).toEqual([])
    expect(headerOf(mail!, 'Subject')).toBe('Sign in to Tenderstock')
    expect(headerOf(mail!, 'List-Unsubscribe')).toBeUndefined()
    const link = new URL(mail!.addresses[0]!)
    expect(mail!.parts['text/plain']).toContain(`Sign in: ${link.href}\n`)
    expect(link.href).toMatch(new RegExp(`^${origin}/sign-in/link/[\\w-]{43}\\?return=%2Foperator%2Feditions%3Fa%3D1$`))
    expect(JSON.stringify(await store.db.selectFrom('mail').selectAll().execute())).not.toContain(
      link.pathname.split('/').at(-1),
    )
    const form = await (await get(link.pathname + link.search)).text()
    const back = /name="return" value="([^"]*)"/.exec(form)![1]!.replaceAll('&amp;', '&')
    wait(9 * minuteMs)
    const answer = await post(link.pathname, { return: back })
    expect(locationOf(answer)).toBe('/operator/editions?a=1')
    expect(context.directory.viewerOf(cookieOf(answer)!)?.person.mail).toBe('anna@example.org')
    expect((await post(link.pathname, {})).status).toBe(404)

    // after an hour a mail that could not be sent is of no use
    await post('/sign-in', { mail: 'anna@example.org' })
    wait(hourMs + 1)
    await send()
    expect(receiver.received).toHaveLength(1)
    expect(await store.db.selectFrom('mail').select('state').execute()).toEqual([{ state: 'sent' }])
  })

  test('nobody learns which addresses are known, and attempts are counted by address and network together', async () => {
    const { world, receiver, send } = await openWithMail()
    const { post, person, wait, store } = world
    await person('anna@example.org')
    const seen = async (mail: string) => {
      const answer = await post('/sign-in', { mail })
      return [answer.status, locationOf(answer), await answer.text()]
    }
    expect(await seen('anna@example.org')).toEqual(await seen('nobody@example.org'))
    // the content of the mail is the same too, except for the address
    const mails = await store.db.selectFrom('mail').selectAll().orderBy('person').execute()
    const shape = mails.map(({ message_id: _id, person: _person, ...rest }) => rest)
    expect(shape[0]).toEqual(shape[1])
    await send()
    expect(receiver.received.map(({ to }) => to)).toEqual([['anna@example.org']])
    expect(await store.db.selectFrom('mail').select('person').execute()).toEqual([{ person: 'anna@example.org' }])
    for (const mail of ['anna@example.org', 'nobody@example.org']) {
      // however it is written
      const statuses: unknown[] = []
      for (const typed of [mail, mail.toUpperCase(), ` ${mail}`, mail, mail.toUpperCase()])
        statuses.push((await seen(typed))[0])
      expect(statuses).toEqual([303, 303, 303, 303, 429])
    }
    // whoever is refused has links that work, and gets more when they end
    wait(10 * minuteMs)
    expect((await seen('anna@example.org'))[0]).toBe(303)
    expect((await seen('nobody@example.org'))[0]).toBe(303)
  })

  /** A request from another network of this machine. */
  const askFrom = ({ origin }: ConsoleWorld, localAddress: string, mail: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' }
      const url = origin.replace('localhost', '127.0.0.1')
      const sent = request(`${url}/sign-in`, { method: 'POST', localAddress, headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      sent.on('error', reject).end(new URLSearchParams({ mail }).toString())
    })

  test('no stranger locks the sign-in of a person: not from elsewhere, not from the same network', async () => {
    const { world, receiver, send } = await openWithMail()
    const { person, post, wait, store, context } = world
    await person('anna@example.org')
    const received = () => receiver.received.length
    const expectLink = async (how: string) => {
      await send()
      const [before, status] = [received(), (await post('/sign-in', { mail: 'anna@example.org' })).status]
      await send()
      expect([how, status, received()]).toEqual([how, 303, before + 1])
    }
    for (let each = 0; each < 8; each++) await askFrom(world, '127.0.1.7', 'anna@example.org')
    await expectLink('five requests from another network')
    // with enough links in the mailbox no further one is sent, and each of those works
    for (let network = 2; network < 40; network++) await askFrom(world, `127.0.${network}.7`, 'anna@example.org')
    await send()
    expect(received()).toBe(10)
    const links = parseMails(receiver.received).map(({ addresses }) => new URL(addresses[0]!).pathname)
    const signedIn = await post(links.at(0)!, {})
    expect(context.directory.viewerOf(cookieOf(signedIn)!)?.person.mail).toBe('anna@example.org')
    await expectLink('after one of them was used')
    wait(10 * minuteMs)
    await expectLink('when they have ended')
    // a network that tries many addresses gets no mails for those that nobody has, and nobody in it is locked out
    wait(hourMs)
    for (let each = 0; each < 60; each++)
      expect((await post('/sign-in', { mail: `p${each}@example.org` })).status).toBe(303)
    expect(await store.db.selectFrom('mail').select('person').where('state', '=', 'due').execute()).toHaveLength(30)
    await expectLink('sixty made-up addresses in the same network')
  })

  test('an invited address is not flooded either', async () => {
    const { world, receiver, send } = await openWithMail()
    const organizationId = await world.organization('Acme')
    const invitation = { organizationId, mail: 'eve@example.org', role: 'member', invitedBy: 'Anna' } as const
    await inTransaction(world.store, (trx) =>
      createInvitation(trx, { invitationId: 'i-1', ...invitation }, world.now()),
    )
    for (let network = 2; network < 40; network++) await askFrom(world, `127.0.${network}.7`, 'eve@example.org')
    await send()
    expect(receiver.received).toHaveLength(10)
  })

  test('attempts are counted for all processes together, also concurrent ones', async () => {
    const { world } = await openWithMail()
    const port = await freePort()
    const options = {
      host: '127.0.0.1',
      port,
      trustedHops: 0,
      onFault: (error: unknown) => void world.faults.push(error),
    }
    const second = await openConsole(world.context, options)
    opened.push({ [Symbol.asyncDispose]: () => second.close() })
    const ask = async (origin: string, mail: string) => {
      const headers = { 'sec-fetch-site': 'same-origin' }
      const body = new URLSearchParams({ mail })
      return (await fetch(`${origin}/sign-in`, { method: 'POST', redirect: 'manual', body, headers })).status
    }
    const origins = [world.origin, `http://127.0.0.1:${port}`]
    const asked = Array.from({ length: 20 }, (_, index) => ask(origins[index % 2]!, 'anna@example.org'))
    const answers = await Promise.all(asked)
    expect(answers.filter((status) => status === 303)).toHaveLength(5)
    expect(answers.filter((status) => status === 429)).toHaveLength(15)
    expect(await world.store.db.selectFrom('mail').select('person').execute()).toHaveLength(5)
  })

  test('a page that fails is reported without the secret of its address', async () => {
    const world = await openConsoleWorld('embedded')
    opened.push(world)
    const reported: string[] = []
    const broken = {
      get db(): never {
        throw new Error('a bug')
      },
    }
    const sealer = () => Promise.reject(new Error('a bug'))
    const port = await freePort()
    const context = { ...world.context, store: broken as never, webhooks: { ...world.context.webhooks, sealer } }
    const options = { host: '127.0.0.1', port, trustedHops: 0 }
    const console = await openConsole(context, {
      ...options,
      onFault: (error, pattern) => void reported.push(`${pattern} ${String(error)}`),
    })
    opened.push({ [Symbol.asyncDispose]: () => console.close() })
    const secret = 'Ab1_'.repeat(11).slice(0, 43)
    const pages = ['/letter', '/invitation', '/sign-in/link', '/first']
    for (const page of pages) {
      const answer = await fetch(`http://127.0.0.1:${port}${page}/${secret}`)
      expect([page, answer.status]).toEqual([page, 500])
    }
    expect(reported.map((each) => each.replace(/:\w+ Error: a bug$/, ''))).toEqual(pages.map((page) => `${page}/`))
  })

  test('without a mail server the page says how the operator helps', async () => {
    const { get, post, person, store } = await open()
    await person('ben@example.org')
    const answer = await post('/sign-in', { mail: 'anna@example.org' })
    expect(await answer.text()).toContain('tenderstock console link anna@example.org')
    expect(await (await get('/sign-in')).text()).toContain('tenderstock console link MAIL')
    expect(await store.db.selectFrom('mail').selectAll().execute()).toEqual([])
    const wrong = await post('/sign-in', { mail: '"><b>x' })
    expect(wrong.status).toBe(422)
    expect(await wrong.text()).toContain('value="&quot;&gt;&lt;b&gt;x"')
    for (const target of ['https://evil.example/', '//evil.example', '/\\evil.example', '/a\r\nb'])
      expect(await (await get(`/sign-in?return=${encodeURIComponent(target)}`)).text()).toContain(
        'name="return" value="/"',
      )
  })

  test('a session has a new value at every sign-in, and the previous one ends', async () => {
    const world = await open()
    const { post, get, person, context, wait } = world
    const { cookie } = await person('anna@example.org', { isOperator: true })
    const link = await command(world, ['anna@example.org'])
    wait(16 * minuteMs - 10 * minuteMs)
    const answer = await post(link.pathname, {}, cookie)
    const fresh = cookieOf(answer)!
    expect(fresh).not.toBe(cookie)
    expect(context.directory.viewerOf(cookie)).toBeUndefined()
    // a value that somebody planted is never adopted
    const second = await command(world, ['anna@example.org'])
    const planted = await post(second.pathname, {}, 'planted-value')
    expect(cookieOf(planted)).not.toBe('planted-value')
    expect((await get('/', 'planted-value')).status).toBe(200)
    expect(planted.headers.getSetCookie().find((each) => each.startsWith('session='))).toMatch(
      /HttpOnly; SameSite=Lax$/,
    )
    wait(16 * minuteMs)
    const again = await get('/sign-in?return=/me', fresh)
    expect(await again.text()).toContain('at most 15 minutes old')
    // a sign-in page that appears by itself says why
    const ended = 'A session ends after 12 hours without use'
    expect(await (await get('/sign-in?return=/me', 'a-session-that-ended')).text()).toContain(ended)
    expect(await (await get('/sign-in?return=/me')).text()).not.toContain(ended)
    const out = await post('/sign-out', {}, fresh)
    expect(out.status).toBe(303)
    expect(out.headers.getSetCookie().some((each) => each.startsWith('session=;'))).toBe(true)
    expect(context.directory.viewerOf(fresh)).toBeUndefined()
  })

  test('an invitation is for one address, once, and its texts stay texts', async () => {
    const { world, receiver, send } = await openWithMail()
    const { get, post, person, organization, context, store, now } = world
    const hostile = 'Roads\r\nBcc: eve@example.org <script>alert(1)</script>\u202e'
    const id = await organization(hostile)
    const { cookie } = await person('anna@example.org', { memberOf: [[id, 'owner']] })
    const asked = await post(
      `/o/${id}/people/invite`,
      { mail: 'Ida@example.org', role: 'member', 'form-key': 'a'.repeat(22) },
      cookie,
    )
    expect(asked.status).toBe(303)
    await send()
    const [mail] = parseMails(receiver.received)
    expect(receiver.received[0]!.to).toEqual(['ida@example.org'])
    expect(mail!.defects).toEqual([])
    expect(headerOf(mail!, 'Bcc')).toBeUndefined()
    expect(headerOf(mail!, 'Subject')).toContain('Roads Bcc: eve@example.org <script>alert(1)</script>')
    expect(mail!.bodyTags).not.toContain('script')
    const path = new URL(mail!.addresses[0]!).pathname
    for (let scan = 0; scan < 3; scan++) expect((await get(path)).status).toBe(200)
    // an invitation is not a way in for the first person, nor a link of somebody
    for (const way of ['/first/', '/sign-in/link/'])
      expect((await post(path.replace('/invitation/', way), {})).status).toBe(404)
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(path, {})))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404])
    const joined = answers.find(({ status }) => status === 303)!
    const viewer = context.directory.viewerOf(cookieOf(joined)!)!
    expect(viewer.person).toMatchObject({ mail: 'ida@example.org', isOperator: false })
    expect(viewer.memberships).toMatchObject([{ organizationId: id, role: 'member' }])
    expect(locationOf(joined)).toBe(`/o/${id}/start`)
    const entries = await store.db
      .selectFrom('audit_entry')
      .select(['action', 'actor', 'at'])
      .orderBy('entry_no')
      .execute()
    expect(entries).toEqual([
      { action: 'member.invite', actor: 'anna@example.org', at: now() },
      { action: 'member.join', actor: 'ida@example.org', at: now() },
    ])
  })
})
