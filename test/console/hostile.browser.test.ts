// Texts of strangers stay text on every page and in every mail that shows them: over HTTP, and in Chromium, where
// nothing runs and nothing overflows. The pages are found by the routes: a page that nobody named makes the test fail.
import { XmlDocument } from 'libxml2-wasm'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { helpNames } from '../../src/console/help/help-texts.ts'
import { renderDigestLetter } from '../../src/console/mails/digest-letter.ts'
import { writeAccountMail } from '../../src/console/mails/write-mails.ts'
import { routesOf } from '../../src/console/routes.ts'
import { type RenderedMail, sendMails } from '../../src/digests/send-mails.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { drawnEngines } from '../world.ts'
import { attacksIn, expectOnlyText, expectOnlyTextInMail, lookAt } from './hostile-pages.ts'
import { hostileTexts } from './hostile-texts.ts'
import { channelPath, type HostileWorld, openHostileWorld, queueHostileMails } from './hostile-world.ts'
import { fieldsOf } from './plain-form.ts'

if (!hasChromium) console.log('skipped: hostile texts in a browser (no chromium)')
const isFull = process.env['PROOF'] === 'full'

/** Routes whose pages show nothing that strangers wrote, and why; guides of the documentation are left out below. */
const ownWords = new Set([
  // texts of this house only
  ...[
    '/',
    '/changelog',
    '/changelog.atom',
    '/codes/cpv',
    '/codes/cpv.json',
    '/codes/nuts',
    '/codes/nuts.json',
    '/help',
    ...helpNames.map((name) => `/help/${name}`),
    '/help/pictures/:picture',
    '/language',
    '/quote',
    '/quote/sent',
    '/me/status-mails',
  ],
  ...['/events.schema.json', '/llms.txt', '/openapi.json', '/robots.txt', '/sitemap.xml', '/.well-known/security.txt'],
  // they show what the address contains, and the test below sends that
  ...['/sign-in', '/sign-in/sent', '/signed-in', '/sign-in/oidc', '/sign-in/oidc/callback', '/first/:key'],
  // files, whose cells are tested beside what writes them
  ...['/tenders.csv', '/operator/organizations/use.csv'],
  // files of calendars, tested beside what writes them, and ways to another page
  ...['/calendar/:key', '/samples/:id/deadline.ics', '/tenders/:id/deadline.ics'],
  ...['/o/:organization/hits/:hit/next', '/o/:organization/hits/:hit/previous'],
  // as bytes in a sandbox
  '/operator/documents/:hash',
])
/** Pages among the hostile ones whose main part has figures and empty fields only. */
const withoutTexts = new Set([
  ...['/o/:organization/profiles/new', '/operator/organizations/new', '/operator/values'],
  '/operator/editions',
])

let browser: Browser | undefined
beforeAll(async () => {
  if (hasChromium) browser = await launchChromium()
})
afterAll(() => browser?.close())

const opened: HostileWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

async function open(engine: (typeof drawnEngines)[number]): Promise<HostileWorld> {
  const world = await openHostileWorld(engine)
  opened.push(world)
  return world
}

/** Every mail that waits, as it leaves. */
async function mailsOf({ store, now, context }: HostileWorld): Promise<(RenderedMail & { readonly to: string })[]> {
  const mails: (RenderedMail & { readonly to: string })[] = []
  await sendMails(
    {
      store,
      clock: now,
      random: () => 0.5,
      server: {
        send: async (mail) => {
          mails.push(mail)
          return { kind: 'accepted' }
        },
      },
      accepted: new Map(),
      endRecipient: async () => {},
      leaving: {
        all: () => 'https://console.example.org/unsubscribe',
        oneSearch: (digestId) => `https://console.example.org/unsubscribe/search/${digestId}`,
        status: (personId) => `https://console.example.org/unsubscribe/status?token=${personId}`,
      },
      renderDigest: (letter) => renderDigestLetter(letter, context.origin),
      renderAccountMail: (taken, leaving) => writeAccountMail(context, taken, leaving),
    },
    new AbortController().signal,
  )
  return mails
}

describe.each(drawnEngines)('untrusted text (%s)', (engine) => {
  test('stays text in every answer: it adds no markup, no attribute and no URL', async () => {
    const { get, cookie, pages, documents, context } = await open(engine)
    const routes = routesOf(context).filter(
      ({ method, path }) => method === 'GET' && !/^\/docs(?!\/fields$)|^\/status\.atom/.test(path),
    )
    expect(
      routes
        .map(({ path }) => path)
        .filter((path) => !ownWords.has(path))
        .sort(),
    ).toEqual(Object.keys(pages).sort())
    const shown = new Map<number, number>()
    const unexpected: string[] = []
    for (const language of ['en', 'de'] as const)
      for (const [route, paths] of Object.entries(pages)) {
        const seen = new Set<number>()
        for (const path of language === 'en' ? paths : paths.slice(0, 3)) {
          const answer = await get(path, cookie, { 'accept-language': language })
          expect([path, answer.status]).toEqual([path, 200])
          expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
          const markup = await answer.text()
          expectOnlyText(markup, path)
          expect(markup, path).not.toContain(channelPath)
          for (const each of attacksIn(/<main[\s\S]*<\/main>/.exec(markup)![0])) seen.add(each)
        }
        if (seen.size > 0 !== !withoutTexts.has(route)) unexpected.push(`${language} ${route}: ${[...seen]}`)
        for (const each of seen) shown.set(each, (shown.get(each) ?? 0) + 1)
      }
    // the attacks did arrive on the pages
    expect(unexpected).toEqual([])
    for (const [index, text] of hostileTexts.entries())
      expect([text, (shown.get(index) ?? 0) > 3]).toEqual([text, true])
    const raw = await get(`/operator/documents/${documents[0]!.documentId}`, cookie)
    expect(raw.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(raw.headers.get('content-security-policy')).toMatch(/; sandbox$/)
    using feed = XmlDocument.fromString(await (await get('/status.atom')).text())
    const titles = feed.find('//a:entry/a:title', { a: 'http://www.w3.org/2005/Atom' }).map(({ content }) => content)
    expect(titles).toContain(hostileTexts[0])
    expect(titles).toHaveLength(hostileTexts.length)
  })

  test('stays text in redisplayed forms, in query values that a page repeats, and in the note after a change', async () => {
    const { get, post, origin, cookie, pages } = await open(engine)
    let [forms, shown] = [0, 0]
    const seen = async (answer: Response, where: string) => {
      expect([200, 303, 400, 403, 404, 409, 413, 422], where).toContain(answer.status)
      const markup = await answer.text()
      if (!answer.headers.get('content-type')?.startsWith('text/html')) return
      expectOnlyText(markup, where)
      if (attacksIn(/<main[\s\S]*<\/main>/.exec(markup)![0]).length > 0) shown++
    }
    const queries =
      'q return state search after before n tender reason source left cpv id as words place buyer min'.split(' ')
    for (const [route, [path]] of Object.entries(pages)) {
      const answer = await get(path!, cookie)
      const page = await answer.text()
      const asked = new URLSearchParams()
      for (const [index, name] of queries.entries()) asked.set(name, hostileTexts[(index + route.length) % 20]!)
      await seen(await get(`${path!.replace(/\?.*/, '')}?${asked}`, cookie), `GET ${route}`)
      for (const [, action] of page.matchAll(/<form\b[^>]*method="post"[^>]*action="([^"]*)"/g)) {
        // the viewer stays who they are
        if (/^\/(?:sign-out|me\/end)|\/leave$/.test(action!)) continue
        forms++
        const fields = Object.entries(fieldsOf(page, action!)).map(([name, values], index) => {
          const isKept = /^(?:form-key|version|was)$/.test(name) || values.length === 0
          return [name, isKept ? values : values.map(() => hostileTexts[(forms + index) % 20]!)] as const
        })
        const sent = await post(action!, Object.fromEntries([...fields, ['do', 'save']]), cookie)
        await seen(sent, `POST ${action}`)
        const notice = /notice=([^;]*)/.exec(sent.headers.get('set-cookie') ?? '')?.[1]
        if (notice !== undefined)
          await seen(
            await fetch(`${origin}/me`, { headers: { cookie: `session=${cookie}; notice=${notice}` } }),
            action!,
          )
      }
    }
    expect(forms).toBeGreaterThan(40)
    expect(shown).toBeGreaterThan(40)
  })

  test('stays text in mails too, and adds no header line', async () => {
    const world = await open(engine)
    await inTransaction(world.store, (trx) => queueHostileMails(trx, world))
    const mails = await mailsOf(world)
    const shown = new Set<number>()
    for (const { subject, text, html } of mails) {
      expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
      expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
      expectOnlyTextInMail(html, subject)
      for (const each of attacksIn(html)) shown.add(each)
    }
    expect(mails.length).toBeGreaterThan(100)
    expect(shown.size).toBeGreaterThan(12)
  })
})

test.skipIf(!hasChromium)(
  'untrusted text runs nothing in Chromium, violates no policy and does not overflow at 360 pixels',
  async () => {
    const world = await open(drawnEngines[0]!)
    const { origin, cookie, pages, documents, store } = world
    const context = await browser!.newContext({ viewport: { width: 360, height: 800 } })
    await context.addCookies([{ name: 'session', value: cookie, url: origin }])
    // of twenty similar pages five are examined, among them the one with the long word
    const few = (paths: readonly string[]) => paths.filter((_, index) => isFull || index % 4 === 0)
    const paths = Object.entries(pages).flatMap(([route, all]) => (route === '/tenders/:id' ? all : few(all)))
    expect(await lookAt(context, origin, [...paths, `/operator/documents/${documents[0]!.documentId}`])).toEqual({
      alarms: [],
      overflows: [],
    })
    await inTransaction(store, (trx) => queueHostileMails(trx, world))
    const mails = await mailsOf(world)
    await context.route('https://mail.example.org/**', (route) => {
      const { html } = mails[Number(new URL(route.request().url()).pathname.slice(1))]!
      return route.fulfill({ contentType: 'text/html; charset=utf-8', body: html })
    })
    const { alarms } = await lookAt(context, 'https://mail.example.org', few(mails.map((_, index) => `/${index}`)))
    expect(alarms).toEqual([])
    await context.close()
  },
  isFull ? 1_200_000 : 300_000,
)
