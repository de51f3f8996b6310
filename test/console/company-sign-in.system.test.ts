// Signing in through a company, against a real provider of OpenID Connect on this machine.
import { generateKeyPairSync, sign } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { signed } from '../../src/console/frame/signed-text.ts'
import { minuteMs } from '../../src/domain/time.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { createInvitation } from '../../src/store/people/invitations.ts'
import { type Account, openCompany } from './company.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A browser with its own cookie jar, which follows redirects until it comes back to the console. */
function browser(world: ConsoleWorld) {
  const jars = new Map<string, Map<string, string>>()
  const visit = async (address: string): Promise<Response> => {
    const { host } = new URL(address)
    const jar = jars.get(host) ?? new Map<string, string>()
    jars.set(host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(address, { redirect: 'manual', headers: { cookie } })
    for (const each of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
  return {
    visit,
    jar: () => jars.get(new URL(world.origin).host) ?? new Map<string, string>(),
    /** Goes to the company, and stops at the address that leads back. */
    leave: async (path = '/sign-in/oidc'): Promise<string> => {
      let next = (await visit(`${world.origin}${path}`)).headers.get('location') ?? ''
      while (!next.startsWith(world.origin)) {
        const answer = await visit(next)
        const location = answer.headers.get('location')
        if (location === null) throw new Error(`${next} answered ${answer.status}: ${await answer.text()}`)
        next = new URL(location, next).href
      }
      return next
    },
  }
}

async function open() {
  let world: ConsoleWorld | undefined
  const company = await openCompany(() => `${world!.origin}/sign-in/oidc/callback`)
  closers.push(() => company[Symbol.asyncDispose]() as Promise<void>)
  world = await openConsoleWorld('embedded', {
    config: {
      oidc: { issuer: company.issuer, clientId: 'console', clientSecret: 'a secret of the console' },
    },
    // the tokens have real times
    start: Date.now(),
  })
  const opened = world
  closers.push(async () => {
    expect(opened.faults).toEqual([])
    await opened[Symbol.asyncDispose]()
  })
  const viewerOf = (guest: ReturnType<typeof browser>) =>
    opened.context.directory.viewerOf(guest.jar().get('session') ?? '')
  const signIn = async (account: Account, path?: string) => {
    company.accounts.set(account.sub, account)
    company.login = account.sub
    const guest = browser(opened)
    const answer = await guest.visit(await guest.leave(path))
    return { guest, answer, viewer: viewerOf(guest), text: await answer.text() }
  }
  return { world: opened, company, signIn, viewerOf }
}

test('a verified email address is matched once; afterwards issuer and subject count', { timeout: 60_000 }, async () => {
  const { world, company, signIn } = await open()
  await world.person('anna@example.org', { isOperator: true })
  expect(await (await world.get('/sign-in?return=/me')).text()).toContain('href="/sign-in/oidc?return=%2Fme"')
  const anna = { sub: 'a-1', email: 'Anna@example.org', email_verified: true }
  const first = await signIn(anna, '/sign-in/oidc?return=/me')
  expect([first.answer.status, first.answer.headers.get('location')]).toEqual([303, '/me'])
  expect(first.viewer?.person.mail).toBe('anna@example.org')
  expect(first.guest.jar().has('oidc')).toBe(false)
  expect(Object.fromEntries(company.asked)).toMatchObject({
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  })
  // the address changed at the company: it is still Anna
  const renamed = await signIn({ sub: 'a-1', email: 'other@example.org', email_verified: true })
  expect(renamed.viewer?.person.mail).toBe('anna@example.org')
  // and somebody who received the address at the company later is not
  const heir = await signIn({ sub: 'a-2', email: 'anna@example.org', email_verified: true })
  expect([heir.answer.status, heir.viewer]).toEqual([422, undefined])
  expect(heir.text).toContain('Somebody else from your company')
  const entries = await world.store.db.selectFrom('audit_entry').select(['action', 'actor']).execute()
  expect(entries).toEqual([{ action: 'identity.link', actor: 'anna@example.org' }])
  // signing in again asks who it is
  company.login = 'a-1'
  await first.guest.visit(await first.guest.leave())
  expect(company.asked.get('prompt')).toBe('login')
})

test('an unverified address and a person whom nobody invited are refused', { timeout: 60_000 }, async () => {
  const { world, signIn } = await open()
  await world.person('anna@example.org', { isOperator: true })
  for (const email_verified of [false, undefined, 'true', 1]) {
    const { answer, viewer, text } = await signIn({
      sub: `x-${email_verified}`,
      email: 'anna@example.org',
      email_verified,
    })
    expect([answer.status, viewer]).toEqual([422, undefined])
    expect(text).toContain('does not confirm your mail address')
  }
  expect((await signIn({ sub: 'x' })).text).toContain('does not confirm your mail address')
  const eve = { sub: 'e-1', email: 'eve@example.org', email_verified: true }
  expect((await signIn(eve)).text).toContain('Ask an Owner of your organization for an invitation')
  const organizationId = await world.organization('Acme')
  const invitation = { organizationId, mail: 'eve@example.org', role: 'member', invitedBy: 'Anna' } as const
  await inTransaction(world.store, (trx) => createInvitation(trx, { invitationId: 'i-1', ...invitation }, world.now()))
  const { viewer, answer } = await signIn(eve)
  expect(viewer?.memberships).toMatchObject([{ organizationId, role: 'member' }])
  expect(answer.headers.get('location')).toBe(`/o/${organizationId}`)
  expect((await signIn(eve)).viewer?.person.mail).toBe('eve@example.org')
})

test('state, nonce, code and time are checked', { timeout: 60_000 }, async () => {
  const { world, company, viewerOf } = await open()
  await world.person('anna@example.org')
  company.accounts.set('a-1', { sub: 'a-1', email: 'anna@example.org', email_verified: true })
  company.login = 'a-1'
  const refused = async (guest: ReturnType<typeof browser>, back: string, sentence: string) => {
    const answer = await guest.visit(back)
    expect([answer.status, viewerOf(guest)]).toEqual([422, undefined])
    expect(await answer.text()).toContain(sentence)
  }
  const bytesOf = (guest: ReturnType<typeof browser>) => Buffer.from(guest.jar().get('oidc')!, 'base64url')
  const flowOf = (guest: ReturnType<typeof browser>) =>
    JSON.parse(bytesOf(guest).subarray(0, -32).toString()) as { [name: string]: unknown }
  /** A flow with other content, signed by the console, as if it had begun so. */
  const setFlow = async (guest: ReturnType<typeof browser>, change: { [name: string]: unknown }) => {
    const body = Buffer.from(JSON.stringify({ ...flowOf(guest), ...change }))
    guest.jar().set('oidc', await signed(world.context, 'oidc', body))
  }

  const [anna, victim] = [browser(world), browser(world)]
  const back = await anna.leave()
  // somebody else's code in another browser, without a flow and with a separate one
  await refused(victim, back, 'started in another browser')
  await victim.leave()
  await refused(victim, back, 'started in another browser')
  const changed = new URL(back)
  changed.searchParams.set('state', 'x'.repeat(43))
  await refused(anna, changed.href, 'started in another browser')
  for (const change of [{ nonce: 'n'.repeat(43) }, { verifier: 'v'.repeat(43) }]) {
    const guest = browser(world)
    const address = await guest.leave()
    await setFlow(guest, change)
    await refused(guest, address, 'The provider refused it')
  }
  const slow = browser(world)
  const late = await slow.leave()
  world.wait(10 * minuteMs + 1)
  await refused(slow, late, 'more than ten minutes ago')
  world.wait(-10 * minuteMs - 1)
  const guest = browser(world)
  const good = await guest.leave()
  expect((await guest.visit(good)).status).toBe(303)
  // the code works once
  const copy = browser(world)
  await copy.leave()
  await refused(copy, good, 'started in another browser')
})

test('a flow that the console did not write is no flow, and a path to return to stays here', {
  timeout: 60_000,
}, async () => {
  const { world, company, signIn, viewerOf } = await open()
  await world.person('anna@example.org')
  const anna = { sub: 'a-1', email: 'anna@example.org', email_verified: true }
  for (const back of ['/..//evil.example', '/.//evil.example/me', '//evil.example']) {
    const { answer, viewer } = await signIn(anna, `/sign-in/oidc?return=${encodeURIComponent(back)}`)
    expect(viewer?.person.mail).toBe('anna@example.org')
    expect(new URL(answer.headers.get('location')!, world.origin).origin).toBe(world.origin)
  }
  company.login = 'a-1'
  const signedFlow = (guest: ReturnType<typeof browser>) => Buffer.from(guest.jar().get('oidc')!, 'base64url')
  const changed = (bytes: Buffer, at: number) => {
    const copy = Buffer.from(bytes)
    copy[at]! ^= 1
    return copy
  }
  const forgeries: ((bytes: Buffer) => Buffer)[] = [
    // as the version before wrote it
    (bytes) => bytes.subarray(0, -32),
    (bytes) => Buffer.concat([Buffer.from(bytes.toString().replace('"back":"/"', '"back":"//evil.example"'))]),
    (bytes) => changed(bytes, bytes.indexOf('"back":"/') + 8),
    (bytes) => changed(bytes, bytes.length - 1),
    () => Buffer.alloc(0),
    () => Buffer.from('{}'),
  ]
  for (const forge of forgeries) {
    const guest = browser(world)
    const address = await guest.leave()
    guest.jar().set('oidc', forge(signedFlow(guest)).toString('base64url'))
    const answer = await guest.visit(address)
    expect([answer.status, viewerOf(guest)]).toEqual([422, undefined])
    expect(await answer.text()).toContain('started in another browser')
  }
  // and if one were written with another place, the answer that would lead there is not sent
  for (const back of ['//evil.example', '/..//evil.example', 'https://evil.example']) {
    const guest = browser(world)
    const address = await guest.leave()
    const flow = JSON.parse(signedFlow(guest).subarray(0, -32).toString()) as object
    guest.jar().set('oidc', await signed(world.context, 'oidc', Buffer.from(JSON.stringify({ ...flow, back }))))
    const answer = await guest.visit(address)
    expect([answer.status, answer.headers.get('location'), viewerOf(guest)]).toEqual([500, null, undefined])
    expect(world.faults.splice(0)).toMatchObject([{ message: expect.stringContaining('is not on this console') }])
  }
})

test('an id token that the issuer did not sign signs nobody in', { timeout: 60_000 }, async () => {
  const { world, company, signIn } = await open()
  await world.person('anna@example.org', { isOperator: true })
  await world.person('ben@example.org')
  const ben = { sub: 'b-1', email: 'ben@example.org', email_verified: true }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const parts = (token: string) => token.split('.').map((each) => Buffer.from(each, 'base64url').toString())
  const renamed = (token: string) => part({ ...JSON.parse(parts(token)[1]!), sub: 'a-1' })
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const forgeries: ((token: string) => string)[] = [
    (token) => [token.split('.')[0], renamed(token), token.split('.')[2]].join('.'),
    (token) => [part({ alg: 'none' }), renamed(token), ''].join('.'),
    (token) => {
      const body = `${token.split('.')[0]}.${renamed(token)}`
      return `${body}.${sign('sha256', Buffer.from(body), privateKey).toString('base64url')}`
    },
    (token) => `${token.slice(0, -8)}${token.at(-8) === 'A' ? 'B' : 'A'}${token.slice(-7)}`,
  ]
  for (const forge of forgeries) {
    company.forge = forge
    const { answer, viewer, text } = await signIn(ben)
    expect([answer.status, viewer]).toEqual([422, undefined])
    expect(text).toContain('The provider refused it')
  }
  company.forge = (token) => token
  expect((await signIn(ben)).viewer?.person.mail).toBe('ben@example.org')
})

test('while the identity provider does not answer, the page says so and offers the other ways', async () => {
  const world = await openConsoleWorld('embedded', {
    config: { oidc: { issuer: 'http://127.0.0.1:9', clientId: 'console', clientSecret: 's' } },
  })
  closers.push(async () => world[Symbol.asyncDispose]())
  await world.person('anna@example.org')
  const answer = await world.get('/sign-in/oidc')
  expect(answer.status).toBe(422)
  const text = await answer.text()
  expect(text).toContain('does not answer at the moment')
  expect(text).toContain('name="mail"')
  expect(world.faults).toEqual([])
})
