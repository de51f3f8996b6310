// Passkeys in a real browser with a virtual authenticator: adding, signing in, a counter that goes back, removing,
// without script.
import type { Browser, BrowserContext, CDPSession, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AccountMail, renderAccountMail } from '../../src/console/mails/account-mails.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { reachByTab } from './hands.ts'

if (!hasChromium) console.log('skipped: passkeys in a browser (no chromium)')

describe.skipIf(!hasChromium)('a passkey', () => {
  let world: ConsoleWorld
  let browser: Browser
  beforeAll(async () => {
    world = await openConsoleWorld('embedded', { start: Date.now() })
    browser = await launchChromium()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  })

  /**
   * `isOffered`: passkeys are in the list below the mail field, where the virtual device chooses its own immediately.
   */
  async function openPage(
    context: BrowserContext,
    { isOffered = false } = {},
  ): Promise<{ page: Page; complaints: string[]; device: CDPSession }> {
    const page = await context.newPage()
    if (!isOffered) await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    page.setDefaultTimeout(60_000)
    const complaints: string[] = []
    page.on('console', (message) => {
      // a refused sign-in is answered 422, which the browser mentions
      if (message.type() === 'error' && !message.text().includes('422')) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    const device = await context.newCDPSession(page)
    await device.send('WebAuthn.enable')
    return { page, complaints, device }
  }

  const authenticator = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const

  const signInCookie = (context: BrowserContext, value: string) =>
    context.addCookies([{ name: 'session', value, url: world.origin }])
  const countOf = () => world.store.db.selectFrom('passkey').select(['counter', 'name', 'last_used_at']).execute()

  test('is added, signs in, and is removed', { timeout: 180_000 }, async () => {
    const context = await browser.newContext({ locale: 'en-GB' })
    const { cookie } = await world.person('anna@example.org', { isOperator: true })
    await signInCookie(context, cookie)
    const { page, complaints, device } = await openPage(context)
    const byKeys = async (target: Locator) => {
      await reachByTab(page, target, complaints)
      await page.keyboard.press('Enter')
    }
    const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', { options: authenticator })
    await page.goto(`${world.origin}/me`)
    await byKeys(page.getByRole('link', { name: 'Add a passkey' }))
    await page.getByLabel('Name of the passkey').fill('My laptop')
    await byKeys(page.getByRole('button', { name: 'Add passkey' }))
    await page.getByRole('status').filter({ hasText: 'The passkey “My laptop” is added.' }).waitFor()
    const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId })
    expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }])
    // the same device is not added twice
    await page.goto(`${world.origin}/me/passkeys/new`)
    await byKeys(page.getByRole('button', { name: 'Add passkey' }))
    await page.waitForTimeout(500)
    expect(await countOf()).toMatchObject([{ name: 'My laptop', last_used_at: null }])
    await byKeys(page.getByRole('link', { name: 'Cancel', exact: true }))
    await page.waitForURL(`${world.origin}/me`)

    const signIn = async () => {
      await context.clearCookies()
      await page.goto(`${world.origin}/sign-in?return=/me`)
      expect(await page.getByLabel('Work mail address').getAttribute('autocomplete')).toBe('username webauthn')
      await byKeys(page.getByRole('button', { name: 'Use a passkey' }))
    }
    await signIn()
    await page.waitForURL(`${world.origin}/me`)
    await page.getByText('You sign in as anna@example.org.').waitFor()
    const [used] = await countOf()
    expect(used!.counter).toBeGreaterThan(1)
    expect(used!.last_used_at).toBe(world.now())

    // a device that does not ask who the person is signs nobody in
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await signIn()
    await page.waitForTimeout(1_000)
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('session')
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })

    await signIn()
    await page.waitForURL(`${world.origin}/me`)
    await byKeys(page.getByRole('link', { name: 'Remove…' }))
    await page.getByRole('heading', { name: 'Remove the passkey “My laptop”?' }).waitFor()
    await byKeys(page.getByRole('button', { name: 'Remove' }))
    await page.getByText('No passkey yet').waitFor()
    await signIn()
    await page.getByRole('alert').waitFor()
    expect(complaints).toEqual([])
    const actions = await world.store.db.selectFrom('audit_entry').select('action').orderBy('entry_no').execute()
    expect(actions.map(({ action }) => action)).toEqual(['passkey.add', 'passkey.remove'])
    await context.close()
  })

  test('whose counter goes back is blocked at once, and its person is told', { timeout: 180_000 }, async () => {
    const context = await browser.newContext({ locale: 'de-DE' })
    const { personId, cookie } = await world.person('olga@example.org', { isOperator: true })
    await signInCookie(context, cookie)
    const { page, complaints, device } = await openPage(context)
    await device.send('WebAuthn.addVirtualAuthenticator', { options: authenticator })
    const add = async () => {
      await page.goto(`${world.origin}/me/passkeys/new`)
      await page.getByRole('button', { name: 'Passkey hinzufügen' }).click()
      await page.getByRole('status').filter({ hasText: 'ist hinzugefügt' }).waitFor()
    }
    await add()
    const own = world.store.db.selectFrom('passkey').selectAll().where('person_id', '=', personId)
    const { counter } = await own.executeTakeFirstOrThrow()
    // the other of the two devices has signed twice more; each try of this one raises its count
    const ahead = world.store.db.updateTable('passkey').set({ counter: counter + 2 })
    await ahead.where('person_id', '=', personId).execute()
    const signIn = async () => {
      await context.clearCookies()
      await page.goto(`${world.origin}/sign-in?return=/me`)
      await page.getByRole('button', { name: 'Passkey verwenden' }).click()
    }
    const mail = { host: 'mail.example.org', port: 25, security: 'none', from: 'tenders@example.org' }
    Object.assign(world.context.config, { mail })
    for (let tries = 1; tries <= 4; tries++) {
      await signIn()
      await page.getByRole('alert').filter({ hasText: 'Dieser Passkey ist gesperrt' }).waitFor()
      expect((await context.cookies()).map(({ name }) => name)).not.toContain('session')
    }
    expect(await own.execute()).toMatchObject([{ counter: counter + 2, last_used_at: null, blocked_at: world.now() }])

    const mails = await world.store.db.selectFrom('mail').select(['person', 'content']).execute()
    expect(mails.map(({ person }) => person)).toEqual(['olga@example.org'])
    Object.assign(world.context.config, { mail: undefined })
    const letter = renderAccountMail(JSON.parse(mails[0]!.content) as AccountMail, { origin: world.origin, key: '' })
    expect(letter.subject).toBe('Ihr Passkey „Mein Gerät“ wurde gesperrt')
    expect(letter.text).toContain('127.0.0.0/24')
    expect(letter.text).toContain(`${world.origin}/me`)

    // another way stays open, and says what happened
    await signInCookie(context, await world.signIn(personId))
    await page.goto(`${world.origin}/me`)
    await page.getByText('Der Passkey „Mein Gerät“ ist gesperrt').waitFor()
    await page.goto(`${world.origin}/operator/audit`)
    await page.getByText('hat einen Passkey, der kopiert sein kann, gesperrt von').waitFor()
    // the same device may have a new one
    await add()
    await signIn()
    await page.waitForURL(`${world.origin}/me`)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('an answer signs in once, and only for the challenge that it was made for', { timeout: 120_000 }, async () => {
    const context = await browser.newContext({ locale: 'en-GB' })
    const { cookie } = await world.person('ida@example.org')
    await signInCookie(context, cookie)
    const { page, device } = await openPage(context)
    await device.send('WebAuthn.addVirtualAuthenticator', { options: authenticator })
    const sent: { url: string; form: { [name: string]: string } }[] = []
    page.on('request', (request) => {
      if (request.method() !== 'POST') return
      sent.push({ url: request.url(), form: Object.fromEntries(new URLSearchParams(request.postData() ?? '')) })
    })
    await page.goto(`${world.origin}/me/passkeys/new`)
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByRole('status').waitFor()
    await context.clearCookies()
    await page.goto(`${world.origin}/sign-in?return=/me`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL(`${world.origin}/me`)
    const [added, signedIn] = sent
    expect([added!.url, signedIn!.url]).toEqual([`${world.origin}/me/add-passkey`, `${world.origin}/sign-in/passkey`])
    // the same bytes again, as somebody who saw them would send them
    expect((await world.post('/sign-in/passkey', signedIn!.form)).status).toBe(422)
    expect((await world.post('/sign-in/passkey', { credential: added!.form['credential'] })).status).toBe(422)
    const fresh = await world.signIn((await world.person('ida@example.org')).personId)
    expect((await world.post('/me/add-passkey', added!.form, fresh)).status).toBe(422)
    await context.close()
  })

  test('is not blocked when a second sign-in overtakes the first', { timeout: 120_000 }, async () => {
    const context = await browser.newContext({ locale: 'en-GB' })
    const { personId, cookie } = await world.person('uwe@example.org')
    await signInCookie(context, cookie)
    const { page, device } = await openPage(context)
    await device.send('WebAuthn.addVirtualAuthenticator', { options: authenticator })
    await page.goto(`${world.origin}/me/passkeys/new`)
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByRole('status').waitFor()
    const signIn = async () => {
      await context.clearCookies()
      await page.goto(`${world.origin}/sign-in?return=/me`)
      world.wait(1000)
      await page.getByRole('button', { name: 'Use a passkey' }).click()
    }
    const blockedAt = async () =>
      (
        await world.store.db
          .selectFrom('passkey')
          .selectAll()
          .where('person_id', '=', personId)
          .executeTakeFirstOrThrow()
      ).blocked_at
    // the answer hangs on its way, and the person tries again
    const late = Promise.withResolvers<string>()
    await page.route('**/sign-in/passkey', (route) => {
      late.resolve(route.request().postData() ?? '')
      return route.abort()
    })
    await signIn()
    const form = Object.fromEntries(new URLSearchParams(await late.promise))
    await page.unroute('**/sign-in/passkey')
    await signIn()
    await page.waitForURL(`${world.origin}/me`)
    const answer = await world.post('/sign-in/passkey', form)
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('did not sign you in')])
    expect(await blockedAt()).toBeNull()
    // a copy answers a challenge that is newer than the last use
    await world.store.db.updateTable('passkey').set({ counter: 1000 }).where('person_id', '=', personId).execute()
    await signIn()
    await page.getByRole('alert').filter({ hasText: 'This passkey is blocked' }).waitFor()
    expect(await blockedAt()).toBe(world.now())
    await context.close()
  })

  test('is offered below the email field', { timeout: 120_000 }, async () => {
    const context = await browser.newContext({ locale: 'en-GB' })
    const { cookie } = await world.person('ute@example.org')
    await signInCookie(context, cookie)
    const { page, device, complaints } = await openPage(context, { isOffered: true })
    await device.send('WebAuthn.addVirtualAuthenticator', { options: authenticator })
    await page.goto(`${world.origin}/me/passkeys/new`)
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByRole('status').waitFor()
    await context.clearCookies()
    await page.goto(`${world.origin}/sign-in?return=/me`)
    await page.waitForURL(`${world.origin}/me`)
    await page.getByText('You sign in as ute@example.org.').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('without JavaScript the page says what is needed, and the emailed link works', { timeout: 60_000 }, async () => {
    const context = await browser.newContext({ locale: 'de-DE', javaScriptEnabled: false })
    const { cookie } = await world.person('eva@example.org')
    await signInCookie(context, cookie)
    const page = await context.newPage()
    await page.goto(`${world.origin}/me/passkeys/new`)
    expect(await page.locator('main').innerText()).toContain('Dafür braucht es Skripte')
    await context.clearCookies()
    await page.goto(`${world.origin}/sign-in`)
    expect(await page.getByRole('button', { name: 'Passkey verwenden' }).count()).toBe(0)
    await page.getByLabel('Geschäftliche E-Mail-Adresse').fill('eva@example.org')
    await page.keyboard.press('Enter')
    await page.getByText('tenderstock console link eva@example.org').waitFor()
    await context.close()
  })
})
