// What somebody typed survives a sign-in that is too old: it comes back, is sent once more by its own button, once, and
// by nobody else.
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { minuteMs } from '../../src/domain/time.ts'
import { allowLoopbackWebhooks } from '../../src/service/hits/loopback-webhooks.ts'
import { listEndpoints } from '../../src/store/hits/webhook-endpoints.ts'
import { listAuditEntries } from '../../src/store/people/audit.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { drawnEngines, type Engine } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { fieldsOf } from './plain-form.ts'

if (!hasChromium) console.log('skipped: kept forms in a browser (no chromium)')

const opened: ConsoleWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

async function open(engine: Engine) {
  const world = await openConsoleWorld(engine)
  opened.push(world)
  await allowLoopbackWebhooks(world.store, true)
  const acme = await world.organization('Acme')
  const owner = await world.person('owner@example.org', { memberOf: [[acme, 'owner']] })
  const endpoints = () => listEndpoints(world.store.db, acme)
  return { world, acme, action: `/o/${acme}/webhooks/new`, owner, endpoints }
}

describe.each(drawnEngines)('a form that is sent after the session expired (%s)', (engine) => {
  test('is shown again with its input, and is sent once after signing in', async () => {
    const { world, acme, action, owner, endpoints } = await open(engine)
    const form = fieldsOf(await (await world.get(action, owner.cookie)).text(), action)
    const typed = {
      ...form,
      address: ['http://127.0.0.1:9/"><b>'],
      description: ["Müller's <CRM>\r\n"],
      kind: form['kind']!,
    }
    world.wait(16 * minuteMs)
    const answer = await world.post(action, typed, owner.cookie)
    const page = await answer.text()
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([403, 'no-store'])
    const { 'kept-for': sender, ...kept } = fieldsOf(page, action)
    expect(kept).toEqual(typed)
    expect(sender).toEqual([owner.personId])
    expect(page).not.toMatch(/<b>|<CRM>/)
    expect(page).toContain('href="/sign-in?return=%2Fsigned-in" target="_blank" rel="noopener"')
    expect([(await endpoints()).length, (await listAuditEntries(world.store.db, { limit: 9 })).length]).toEqual([0, 0])
    // without a new sign-in the button asks for it again, and adds nothing
    const again = { ...kept, 'kept-for': sender! }
    const second = await world.post(action, again, owner.cookie)
    expect([second.status, fieldsOf(await second.text(), action)]).toEqual([403, again])

    const fresh = await world.signIn(owner.personId)
    const foreign = { 'sec-fetch-site': 'cross-site' }
    expect((await world.post(action, again, fresh, foreign)).status).toBe(403)
    const other = await world.person('other@example.org', { memberOf: [[acme, 'owner']] })
    const byOther = await world.post(action, again, other.cookie)
    expect([byOther.status, await byOther.text()]).toEqual([
      403,
      expect.stringContaining('Somebody else has signed in'),
    ])
    expect(await endpoints()).toEqual([])

    const made = await world.post(action, again, fresh)
    expect([made.status, await made.text()]).toEqual([200, expect.stringContaining('whsec_')])
    // the key of the form still applies: sent once more, nothing is created and no secret is shown
    const twice = await world.post(action, again, fresh)
    expect([twice.status, await twice.text()]).toEqual([303, ''])
    expect((await endpoints()).map(({ description }) => description)).toEqual(["Müller's <CRM>"])
  })

  test('is shown again after the session ended, and is sent by whoever signs in with the rights for it', async () => {
    const { world, acme, owner } = await open(engine)
    const at = `/o/${acme}/profiles/new`
    const typed = {
      ...fieldsOf(await (await world.get(at, owner.cookie)).text(), at),
      name: ['Müller & <b>Söhne</b>'],
      words: ['beton'],
      do: ['save'],
    }
    world.wait(13 * 60 * minuteMs)
    const answer = await world.post(at, typed, owner.cookie)
    const page = await answer.text()
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([403, 'no-store'])
    expect(page).toContain('You are no longer signed in')
    expect(page).not.toContain('<b>')
    const kept = fieldsOf(page, at)
    expect(kept).toEqual(typed)
    // nothing is shown of a secret, and nothing is sent by somebody of another organization
    const secret = await world.post(at, { ...typed, token: 'x' }, owner.cookie)
    expect([secret.status, await secret.text()]).toEqual([303, ''])
    const stranger = await world.person('stranger@example.org')
    expect((await world.post(at, kept, stranger.cookie)).status).toBe(404)
    const made = await world.post(at, kept, await world.signIn(owner.personId))
    expect(made.status).toBe(303)
    expect(await (await world.get(`/o/${acme}/profiles`, await world.signIn(owner.personId))).text()).toContain(
      'Müller &amp; &lt;b&gt;Söhne',
    )
  })

  test('a button without fields leads to its page, as nothing was typed', async () => {
    const { world, acme, owner } = await open(engine)
    world.wait(16 * minuteMs)
    const at = `/o/${acme}/webhooks/00000000-0000-8000-8000-000000000000`
    const sent = await world.post(`${at}/secret`, { 'form-key': 'x' }, owner.cookie)
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `/sign-in?return=${encodeURIComponent(at)}`])
  })
})

test.skipIf(!hasChromium)('in Chromium without JavaScript, a second tab signs in and the first one sends', async () => {
  const { world, action, owner, endpoints } = await open(drawnEngines[0]!)
  const browser = await launchChromium()
  try {
    const context = await browser.newContext({ javaScriptEnabled: false })
    await context.addCookies([{ name: 'session', value: owner.cookie, url: world.origin }])
    const tab = await context.newPage()
    await tab.goto(`${world.origin}${action}`)
    await tab.fill('#address', 'http://127.0.0.1:9/hook')
    await tab.fill('#description', 'Zeile mit „Zeichen“ & <mehr>')
    await tab.check('input[value="search.hit.changed"]')
    world.wait(16 * minuteMs)
    await tab.click('main form button')
    expect(await tab.title()).toContain('Sign in again to send this')

    const [second] = await Promise.all([context.waitForEvent('page'), tab.click('main a.go')])
    await second.waitForLoadState()
    expect(new URL(second.url()).pathname).toBe('/sign-in')
    // as the mail would lead there
    const { events } = await world.command({ command: 'console link', operands: ['owner@example.org'] })
    const { link } = events[0] as unknown as { readonly link: string }
    await second.goto(`${world.origin}${new URL(link).pathname}?return=%2Fsigned-in`)
    await second.click('main form button')
    expect(new URL(second.url()).pathname).toBe('/signed-in')
    // the tab stays open: Chromium may never answer when a page is closed while it loads

    await tab.click('main form button')
    expect(await tab.textContent('#secret')).toMatch(/^whsec_/)
    expect(await endpoints()).toMatchObject([
      {
        address: 'http://127.0.0.1:9/hook',
        description: 'Zeile mit „Zeichen“ & <mehr>',
        kinds: ['search.hit', 'search.hit.changed'],
      },
    ])
  } finally {
    await browser.close()
  }
})

test.skipIf(!hasChromium)(
  'a double click on a button sends its form once, and the secret stays on the page',
  async () => {
    const { world, action, owner, endpoints } = await open(drawnEngines[0]!)
    const browser = await launchChromium()
    try {
      const context = await browser.newContext()
      await context.addCookies([{ name: 'session', value: owner.cookie, url: world.origin }])
      const tab = await context.newPage()
      let sent = 0
      // an answer that takes a moment
      await tab.route(/webhooks\/new$/, async (route) => {
        if (route.request().method() === 'POST') {
          sent++
          await setTimeout(500)
        }
        await route.continue()
      })
      const clickTwice = () =>
        tab.evaluate(`(() => {
        const button = document.querySelector('main form button.go')
        button.click()
        setTimeout(() => button.click(), 150)
      })()`)
      await tab.goto(`${world.origin}${action}`)
      await tab.fill('#address', 'http://127.0.0.1:9/hook')
      await clickTwice()
      expect(await tab.textContent('#secret')).toMatch(/^whsec_/)
      expect([sent, (await endpoints()).length]).toEqual([1, 1])
      // after an error the corrected form can be sent
      await tab.goto(`${world.origin}${action}`)
      await tab.fill('#address', 'gopher://x')
      await clickTwice()
      await tab.waitForSelector('.why')
      await tab.fill('#address', 'http://127.0.0.1:9/second')
      await tab.click('main form button.go')
      expect(await tab.textContent('#secret')).toMatch(/^whsec_/)
    } finally {
      await browser.close()
    }
  },
)
