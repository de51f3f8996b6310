// What people do on the console, in a browser: each flow with the keyboard alone, and without script; a usual run has
// one of both, `PROOF=full` both. One world has the console, the API beside it, a mail server, a company to sign in
// through, and a clock that moves.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { writeAccountMail } from '../../src/console/mails/write-mails.ts'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { openMailServer } from '../../src/digests/mail-server.ts'
import { sendMails } from '../../src/digests/send-mails.ts'
import type { Notice } from '../../src/domain/notice.ts'
import { hourMs, minuteMs } from '../../src/domain/time.ts'
import type { CommandEvent } from '../../src/service/events/command-event.ts'
import { makeConsoleLink } from '../../src/service/operations/console-operations.ts'
import { insertAlarm } from '../../src/store/sources/source-health.ts'
import { upsertEdges } from '../../src/store/stock/matches.ts'
import { type MailReceiver, parseMails, startMailReceiver } from '../digests/mail-receiver.ts'
import { proofCount } from '../proof/proof-count.ts'
import { receiveNotices } from '../receive-notices.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { at, notice } from '../testing/generate/notices.ts'
import { type AccessWorld, openAccessWorld } from './access-world.ts'
import { type Company, openCompany } from './company.ts'
import { type Hands, openHands, stopsOf, type Way, ways } from './hands.ts'
import { putRejections } from './put-rejections.ts'

if (!hasChromium) console.log('skipped: flows of the console in a browser (no chromium)')
const tokenPattern = /tdr_live_[0-9A-Za-z]{36}/
const isFull = proofCount({ share: 0, full: 1 }) === 1
const run = promisify(execFile)

/** The switch of the page turns single keys off, also on its next visit, and on again. */
async function keysAreTurnedOff(page: Page): Promise<void> {
  const [here, keysOn] = [page.url(), page.locator('input[data-keys]')]
  await keysOn.uncheck()
  await page.reload()
  expect(await keysOn.isChecked()).toBe(false)
  for (const key of ['j', 'm', 's']) await page.keyboard.press(key)
  // what a key did would have begun by then
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
  expect(page.url()).toBe(here)
  await keysOn.check()
  await page.locator('h1').click()
}

describe.skipIf(!hasChromium)('people on the console', () => {
  const closing = new AsyncDisposableStack()
  let world: AccessWorld
  let receiver: MailReceiver
  let company: Company
  let browser: Browser
  beforeAll(async () => {
    receiver = closing.use(await startMailReceiver())
    company = closing.use(await openCompany(() => `${world.origin}/sign-in/oidc/callback`))
    world = closing.use(
      await openAccessWorld('embedded', {
        config: {
          mail: receiver.settings,
          oidc: { issuer: company.issuer, clientId: 'console', clientSecret: 'a secret of the console' },
        },
        // the tokens of the company have real times
        start: Date.now(),
      }),
    )
    await world.context.reads.titles()
    browser = await launchChromium()
    closing.defer(() => browser.close())
  }, 120_000)
  afterAll(async () => {
    expect(world?.faults ?? []).toEqual([])
    await closing.disposeAsync()
  })

  describe.each(ways)('%s', (way) => {
    /** A browser window of a person. Any error in it fails the test. */
    const windowOf = async (session?: string): Promise<Hands> => {
      const hands = await openHands(browser, way, { origin: world.origin, ...(session !== undefined && { session }) })
      onTestFinished(async () => {
        await hands[Symbol.asyncDispose]()
        expect(hands.complaints).toEqual([])
      })
      return hands
    }
    /** `share`: the way that is tested in a usual run. */
    const flow = (name: string, share: Way, body: () => Promise<void>) => {
      if (isFull || way === share) test(name, { timeout: 120_000 }, body)
    }
    const mailOf = (name: string) => `${name}.${ways.indexOf(way)}@example.org`
    const operator = async () => windowOf((await world.person(mailOf('op'), { isOperator: true })).cookie)

    /** Sends what is waiting, and returns the link of the newest mail to somebody. */
    async function linkTo(mail: string): Promise<string> {
      const server = openMailServer(receiver.settings)
      const { store, context } = world
      await sendMails(
        {
          store,
          clock: context.clock,
          random: () => 0.5,
          server,
          accepted: new Map(),
          endRecipient: async () => {},
          leaving: undefined,
          renderDigest: () => ({ subject: '', text: '', html: '' }),
          renderAccountMail: (each) => writeAccountMail(context, each),
        },
        new AbortController().signal,
      )
      server.close()
      const [parsed] = parseMails(receiver.received.filter(({ to }) => to.includes(mail)).slice(-1))
      const link = parsed?.addresses.find((each) => each.startsWith(world.origin))
      if (link === undefined) throw new Error(`no link was mailed to ${mail}`)
      return link
    }

    flow('flow 1: the first link makes an operator, once', 'without script', async () => {
      // only while there are no users
      for (const table of ['session', 'sign_in_link', 'oidc_identity', 'passkey', 'membership', 'person'] as const)
        await world.store.db.deleteFrom(table).execute()
      await world.context.directory.refresh()
      const events: CommandEvent[] = []
      const { clock, random, config, origin } = world.context
      await makeConsoleLink(
        { store: world.store, clock, random, config, consoleOrigin: origin },
        { command: 'console link', operands: [], options: {} },
        (event) => void events.push(event),
      )
      const [made] = events
      if (made?.event !== 'consoleLink') throw new Error('there is no link')
      const hands = await windowOf()
      await hands.visit(made.link)
      expect(await hands.heading()).toBe('Welcome to Tenderstock')
      await hands.fill('Your mail address (optional)', mailOf('first'))
      await hands.press('Begin')
      expect(new URL(hands.page.url()).pathname).toBe('/operator')
      const other = await windowOf()
      await other.visit(made.link)
      expect(await other.heading()).toBe('This link no longer works')
    })

    flow(
      'flow 2: an emailed link signs in once, for ten minutes, and returns to the requested page',
      'by keys',
      async () => {
        const mail = mailOf('anna')
        await world.person(mail, { isOperator: true })
        const hands = await windowOf()
        const ask = async () => {
          await hands.visit('/operator/editions')
          expect(await hands.heading()).toBe('Sign in')
          await hands.fill('Work mail address', mail)
          await hands.press('Mail me a link')
          expect(await hands.heading()).toBe('Check your mailbox')
          return linkTo(mail)
        }
        const link = await ask()
        // programs that read mails open every link
        for (let scan = 0; scan < 3; scan++) expect((await fetch(link)).status).toBe(200)
        await hands.visit(link)
        expect(await hands.heading()).toBe(`Sign in as ${mail}`)
        await hands.press('Sign in')
        expect(await hands.heading()).toBe('Editions')
        await hands.press('Sign out')
        expect(await hands.text()).toContain('You are signed out.')
        await hands.visit(link)
        expect(await hands.heading()).toBe('This link no longer works')
        const late = await ask()
        world.wait(10 * minuteMs + 1)
        await hands.visit(late)
        expect(await hands.heading()).toBe('This link no longer works')
      },
    )

    flow('flow 4: the company’s identity provider signs in known people only', 'without script', async () => {
      const mail = mailOf('ida')
      await world.person(mail, { isOperator: true })
      const hands = await windowOf()
      const host = new URL(company.issuer).host
      const enter = async (account: { readonly sub: string; readonly email_verified: boolean }) => {
        company.accounts.set(account.sub, { ...account, email: mail })
        company.login = account.sub
        await hands.context.clearCookies()
        await hands.visit('/sign-in?return=/me')
        await hands.follow(`Sign in through ${host}`)
      }
      await enter({ sub: `unverified ${way}`, email_verified: false })
      expect(await hands.text()).toContain('does not confirm your mail address')
      await enter({ sub: `known ${way}`, email_verified: true })
      expect(new URL(hands.page.url()).pathname).toBe('/me')
      expect(await hands.text()).toContain(`You sign in as ${mail}.`)
    })

    flow(
      'flow 5: access is set up, two tokens are made, rotated while a client asks, and end with the contract',
      'by keys',
      async () => {
        const name = `Bauwerk ${ways.indexOf(way)}`
        const owner = await windowOf(
          (await world.person(mailOf('own'), { memberOf: [[await world.organization(name), 'owner']] })).cookie,
        )
        await owner.visit('/')
        expect(await owner.page.getByRole('link', { name: 'API access' }).count()).toBe(0)
        const desk = await operator()
        await desk.visit('/operator/organizations')
        await desk.follow(name)
        expect(await desk.text()).toContain('No contract was set up.')
        await desk.fill('Last day', '2031-12-24')
        await desk.fill('Requests a minute', '100000')
        await desk.press('Set up access')
        expect(await desk.text()).toMatch(/Up to and including\s+24 Dec 2031/)

        await owner.visit('/')
        await owner.follow('API access')
        const makeToken = async (label: string) => {
          await owner.fill('Name', label)
          await owner.choose('Ends', await owner.page.locator('option').filter({ hasText: 'In 90 days' }).innerText())
          await owner.press('Create token')
          const page = await owner.text()
          expect(page).toContain(`Copy “${label}” now.`)
          return { token: tokenPattern.exec(page)![0], page }
        }
        const old = await makeToken('ERP')
        if (way === 'by keys') {
          await owner.context.grantPermissions(['clipboard-read', 'clipboard-write'])
          await owner.use('Copy token')
          await owner.page.getByRole('button', { name: 'Copied' }).waitFor()
          expect(await owner.page.evaluate('navigator.clipboard.readText()')).toBe(old.token)
        }
        const example = (await owner.page.locator('#first-request').innerText()).replace(
          'http://api.example.org',
          world.api,
        )
        const { stdout } = await run('sh', ['-c', example.replace('curl ', 'curl -sS ')])
        expect(JSON.parse(stdout)).toHaveProperty('data')

        let token = old.token
        let isAsking = true
        onTestFinished(() => {
          isAsking = false
        })
        const seen: number[] = []
        const client = (async () => {
          while (isAsking) {
            seen.push(await world.ask(token))
            await new Promise((resolve) => setTimeout(resolve, 5))
          }
        })()
        // the page itself shows no token, whatever was sent before
        await owner.visit(owner.page.url().replace(/\/tokens(?:#.*)?$/, ''))
        expect(await owner.text()).not.toMatch(tokenPattern)
        world.wait(minuteMs)
        const next = await makeToken('ERP 2')
        expect(next.page).toContain('Change a token without an outage')
        expect(await owner.page.getByRole('button', { name: 'Create token' }).count()).toBe(0)
        token = next.token
        await owner.follow('Revoke…')
        expect(await owner.heading()).toBe('Revoke “ERP”?')
        await owner.press('Revoke token')
        expect(await owner.text()).toContain('“ERP” is revoked. Its place is free.')
        await expect.poll(() => world.ask(old.token), { timeout: 15_000 }).toBe(401)
        isAsking = false
        await client
        expect(new Set(seen)).toEqual(new Set([200]))

        await desk.follow('End the contract…')
        expect(await desk.heading()).toBe(`End the contract of ${name}?`)
        await desk.press('End the contract')
        await expect.poll(() => world.ask(token), { timeout: 15_000 }).toBe(403)
        await owner.visit(owner.page.url())
        expect(await owner.text()).toContain('The contract has ended')
        expect(await owner.page.getByRole('button', { name: 'Create token' }).count()).toBe(0)
        expect(await owner.page.getByRole('link', { name: 'Revoke…' }).count()).toBe(0)
      },
    )

    flow(
      'flow 5: a customer is set up whole, and the first Owner joins by the invitation',
      'without script',
      async () => {
        const desk = await operator()
        const name = `Klinikum ${ways.indexOf(way)}`
        await desk.visit('/operator/organizations')
        await desk.follow('Set up a customer')
        await desk.fill('Name', name)
        await desk.fill('Note', 'T-17')
        await desk.fill('Mail address of the first Owner', mailOf('maren'))
        await desk.press('Set up access')
        expect(await desk.heading()).toBe(name)
        const guest = await windowOf()
        await guest.visit(await linkTo(mailOf('maren')))
        await guest.press(`Join ${name}`)
        expect(await guest.text()).toContain(`You are in ${name}.`)
        await guest.follow('API access')
        expect(await guest.text()).toContain('First place is free')
        await guest.follow('People')
        await guest.fill('Work mail address', mailOf('tom'))
        await guest.choose('Role', 'Member')
        await guest.press('Send invitation')
        expect(await guest.text()).toContain(`${mailOf('tom')} is invited.`)
        const second = await windowOf()
        await second.visit(await linkTo(mailOf('tom')))
        await second.press(`Join ${name}`)
        await second.visit(guest.page.url().replace('/people', '/settings/api-access'))
        expect(await second.text()).toContain(`Only Owners see this. Ask ${mailOf('maren')}.`)
        await guest.visit(guest.page.url())
        await guest.press('Make Owner', guest.page.getByRole('row').filter({ hasText: mailOf('tom') }))
        expect(await guest.text()).toContain('is now: Owner')
        // a new role is a new sign-in
        await second.visit('/me')
        expect(await second.heading()).toBe('Sign in')
      },
    )

    flow(
      'flow 9: other sessions are ended, and a sensitive action continues after a fresh sign-in',
      'by keys',
      async () => {
        const mail = mailOf('eva')
        const { personId, cookie } = await world.person(mail, { isOperator: true })
        const here = await windowOf(cookie)
        const there = await windowOf(await world.signIn(personId))
        await there.visit('/me')
        await here.visit('/me')
        await here.press('End all others')
        await there.visit('/me')
        expect(await there.heading()).toBe('Sign in')
        world.wait(16 * minuteMs)
        await here.visit('/operator/organizations')
        await here.follow('Set up a customer')
        await here.fill('Name', `Late ${way}`)
        await here.fill('Mail address of the first Owner', mailOf('late'))
        await here.press('Set up access')
        expect(await here.heading()).toBe('Sign in again to send this')
        expect(await here.text()).toContain('at most 15 minutes old')
        const tab = await here.followInTab(/Sign in again/)
        expect(await tab.heading()).toBe('Sign in again')
        await tab.press('Mail me a link')
        await tab.visit(await linkTo(mail))
        await tab.press('Sign in')
        expect(await tab.heading()).toBe('You are signed in again')
        await tab.page.close()
        await here.press('Send what I entered')
        expect(await here.heading()).toBe(`Late ${way}`)
      },
    )

    flow('flow 12: pairs are merged, split and undone as the commands do', 'by keys', async () => {
      const { store } = world
      const prefix = 100 * (1 + ways.indexOf(way))
      const pairs = [0, 1, 2].map((index) => ({
        left: `doe:${prefix + index}`,
        right: `ted:${prefix + index}-2026`,
        titles: [`Grundschule ${index} ${way}, Türen`, `Grundschule ${index} ${way}, Fenster`] as const,
      }))
      const call = (noticeKey: string, title: string): Notice =>
        notice({ noticeKey, title: { de: title }, publicationDate: at('2026-11-05') })
      await receiveNotices(
        store,
        pairs.flatMap(({ left, right, titles }) => [call(left, titles[0]), call(right, titles[1])]),
      )
      await consolidate(store, { now: world.now() })
      await store.db.deleteFrom('tender_match').execute()
      await upsertEdges(
        store.db,
        pairs.map(({ left, right }, index) => ({
          left,
          right,
          kind: 'review' as const,
          rule: 'uncorroborated',
          score: 9 - index,
          evidence: 'title +5.1, buyer equal +2.4',
        })),
      )
      const stock = async () => ({
        tenders: await store.db
          .selectFrom('tender')
          .select(['tender_id', 'content', 'merged_into'])
          .orderBy('tender_id')
          .execute(),
        decisions: await store.db.selectFrom('review_decision').select(['left_key', 'decision', 'note']).execute(),
      })
      const before = await stock()
      const desk = await operator()
      const byKey = async (key: string, button: string | RegExp) => {
        if (way === 'by keys') await Promise.all([desk.page.waitForEvent('load'), desk.page.keyboard.press(key)])
        else if (/^[jk]$/.test(key)) await desk.follow(button)
        else await desk.press(button)
      }
      await desk.visit('/operator/reviews')
      await desk.follow('Start with the first')
      expect(await desk.text()).toContain('Pair 1 of 3.')
      if (way === 'by keys') await keysAreTurnedOff(desk.page)
      await byKey('j', /^Later/)
      expect(await desk.text()).toContain('Pair 2 of 3.')
      await byKey('k', /^Previous/)
      expect(await desk.text()).toMatch(/Grundschule 0 .*, Türen/)
      await byKey('m', /^Merge/)
      expect(await desk.text()).toContain('One tender from the next edition.')
      expect(await desk.text()).toMatch(/Grundschule 1 .*, Türen/)
      const merged = await stock()
      // the newest decision is the one to undo
      world.wait(minuteMs)
      expect(merged.tenders).not.toEqual(before.tenders)
      await byKey('s', /^Split/)
      expect(await desk.text()).toContain('Two tenders from the next edition.')
      await desk.press(/^Undo/)
      expect(await desk.text()).toContain('The decision was removed.')
      expect(await stock()).toEqual(merged)
      await desk.visit('/operator/reviews')
      await desk.press(/^Undo/)
      expect(await stock()).toEqual(before)
      const operands = [pairs[0]!.left, pairs[0]!.right]
      await world.command({ command: 'review merge', operands, options: { note: mailOf('op') } })
      expect(await stock()).toEqual(merged)
      await world.command({ command: 'review undo', operands })
    })

    flow('flow 12: an edition that is held back is published anyway, with a reason', 'without script', async () => {
      const { store, now } = world
      const turn = ways.indexOf(way)
      const add = async (noticeKey: string) => {
        await receiveNotices(store, [notice({ noticeKey, title: { de: `Neubau ${noticeKey}` } })])
        await consolidate(store, { now: now() })
      }
      // the first edition has nothing to be compared with
      await add(`ted:8${turn}-2026`)
      await world.publish()
      world.wait(2 * hourMs)
      await add(`ted:9${turn}-2026`)
      await putRejections(store, now(), turn)
      const held = await world.command({ command: 'publish', options: { 'publish-interval-minutes': 60 } })
      expect(held.exitCode).toBe(3)
      const desk = await operator()
      await desk.visit('/operator')
      await desk.follow(
        /reasons|Decide|edition/i,
        desk.page.locator('.wrong li').filter({ hasText: 'waits for a decision' }),
      )
      expect(await desk.heading()).toMatch(/^Edition \d+ is held back$/)
      await desk.fill('Reason', 'because')
      await desk.press('Publish anyway')
      expect(await desk.text()).toContain('Write at least ten letters')
      await desk.fill('Reason', 'The portal told us of it by phone')
      await desk.press('Publish anyway')
      expect(await desk.text()).toMatch(/Edition \d+ is published\./)
      await desk.visit('/operator/rejections')
      await desk.follow('Raw document')
      expect(await desk.page.locator('body').innerText()).toBe('<p>x</p>')
    })

    flow('the forms of the operator’s desk handle an alarm, an incident and a fit', 'by keys', async () => {
      const { store } = world
      const detail = `It answers ${way}.`
      await insertAlarm(store.db, { sourceId: 'doe', kind: 'silent', raisedAt: world.now(), detail, share: 1 })
      const desk = await operator()
      await desk.visit('/operator/sources/doe')
      await desk.open('Acknowledge with a note')
      await desk.fill('Note', 'Phoned: moved to a new server')
      await desk.press('Acknowledge')
      expect(await desk.text()).toContain('The alarm is acknowledged.')
      expect(await desk.text()).toContain('Phoned: moved to a new server')
      await desk.follow('Status and incidents')
      const title = `New notices arrive late ${way}`
      await desk.fill('Title', title)
      await desk.fill('What happened', 'TED answers slowly.')
      await desk.fill('Began (UTC)', 'yesterday')
      await desk.press('Publish incident')
      expect(await desk.text()).toContain('Write the time as')
      // typed values stay
      await desk.fill('Began (UTC)', '')
      await desk.press('Publish incident')
      expect(await desk.text()).toContain('The incident is published.')
      const row = desk.page.getByRole('row').filter({ hasText: title })
      await desk.follow('Change', row)
      await desk.fill('What happened', 'TED answers again.')
      await desk.press('Save')
      await desk.follow('End incident…', row)
      await desk.press('End incident')
      expect(await row.innerText()).toContain('Over')
      await desk.follow('Value model')
      await desk.press('Fit now')
      expect(await desk.text()).toMatch(/There are \d+ priced tenders|fitted/)
    })
  })

  test('flow 13: the Tab key reaches every control, and can leave every page', async () => {
    const { cookie } = await world.person('walk@example.org', { isOperator: true })
    await using hands = await openHands(browser, 'by keys', { origin: world.origin, session: cookie })
    for (const path of [
      '/',
      '/sign-in',
      '/me',
      '/operator',
      '/operator/reviews',
      '/operator/organizations/new',
      '/docs',
    ]) {
      await hands.visit(path)
      const stops = await stopsOf(hands.page)
      const usable = Number(
        await hands.page.evaluate(
          "[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, " +
            "summary, [tabindex]')].filter((each) => each.checkVisibility({ visibilityProperty: true })).length",
        ),
      )
      expect([path, stops.length]).toEqual([path, usable])
      expect(await hands.page.locator('[tabindex]:not([tabindex="0"])').count()).toBe(0)
    }
    expect(hands.complaints).toEqual([])
  })
})
