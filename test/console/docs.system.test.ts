// The documentation site from outside: broken links, anchors, search, errors, languages, pictures, files for programs.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problemKind, problemSlugs } from '../../src/api/problems/problems.ts'
import { drawnEngines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

/** Links of a page that stay on the site, as written. */
const linksOf = (page: string): string[] =>
  [...page.matchAll(/<(?:a|link|img|script|form)\b[^>]*?\s(?:href|src|action)="([^"]*)"/g)]
    .map(([, to]) => to!.replaceAll('&amp;', '&').replaceAll('&#39;', "'"))
    .filter((to) => !/^(?:https?:|mailto:)/.test(to))

test('an installation without developer tools has everything that the console imports', () => {
  const root = join(import.meta.dirname, '../..')
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object }
  const files = readdirSync(join(root, 'src/console'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
  )
  const imported = files.flatMap((path) =>
    [
      ...readFileSync(join(root, 'src/console', path), 'utf8').matchAll(
        /^(?:import (?!type).*?|\} )from '([^.'][^']*)'/gm,
      ),
    ].map(([, name]) => name!),
  )
  const names = new Set(imported.filter((name) => !/^(?:node:|#)/.test(name)))
  expect(names).toContain('markdown-it')
  expect(names).toContain('minisearch')
  for (const name of names) {
    const [scope, second] = name.split('/')
    expect(dependencies).toHaveProperty([scope!.startsWith('@') ? `${scope}/${second}` : scope!])
  }
})

describe.each(drawnEngines)('the documentation (%s)', (engine) => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await openConsoleWorld(engine)
  })
  afterAll(async () => {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  })

  test('lists how it is made for operators, and not for customers', async () => {
    const { cookie: operator } = await world.person('op@example.org', { isOperator: true })
    const acme = await world.organization('Acme', true)
    const { cookie: owner } = await world.person('owner@example.org', { memberOf: [[acme, 'owner']] })
    for (const path of ['/docs', '/docs/search?q=decision', '/docs/sync/guide', '/docs/errors', '/docs/fields'])
      for (const [who, isListed] of [
        [operator, true],
        [owner, false],
        [undefined, false],
      ] as const) {
        let text = ''
        await expect
          .poll(async () => (text = await (await world.get(path, who)).text()), { timeout: 20_000 })
          .not.toContain('http-equiv="refresh"')
        expect([
          path,
          who,
          /<nav aria-label="Documentation">.*?<\/nav>/s.exec(text)![0].includes('/docs/decisions'),
        ]).toEqual([path, who, isListed])
        if (!isListed && path !== '/docs/sync/guide')
          expect([path, text.includes('/docs/decisions')]).toEqual([path, false])
      }
    // a guide that cites one leads to it
    expect((await world.get('/docs/decisions', owner)).status).toBe(200)
  })

  /** Pages of the console that other groups provide. */
  const isOfOthers = (lost: string) => /→ \/(?:codes|sign-in)\b/.test(lost)

  test('has no dead link on any public page, and every anchor exists', { timeout: 120_000 }, async () => {
    const pages = new Map<string, string>()
    const lost: string[] = []
    const waiting: (readonly [to: string, from: string])[] = [['/', '']]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [path, from] = next
      if (pages.has(path)) continue
      const answer = await world.get(path)
      const text = await answer.text()
      pages.set(path, text)
      if (![200, 303].includes(answer.status)) lost.push(`${from} → ${path}: ${answer.status}`)
      if (!answer.headers.get('content-type')?.startsWith('text/html')) continue
      for (const link of linksOf(text)) {
        const to = new URL(link, `${world.origin}${path}`)
        if (!to.pathname.startsWith('/language')) waiting.push([to.pathname, path])
      }
    }
    expect(lost.filter((each) => !isOfOthers(each))).toEqual([])
    // where the service's own address stands for that of the examples, no other one is named
    const own = 'http://api.example.org'
    const fixed = /https?:\/\/(?:127\.0\.0\.1|localhost):80\d\d/
    expect([...pages].flatMap(([path, text]) => (text.includes(own) && fixed.test(text) ? [path] : []))).toEqual([])
    for (const [path, text] of pages)
      for (const link of linksOf(text)) {
        const to = new URL(link, `${world.origin}${path}`)
        if (to.hash === '' || !pages.has(to.pathname)) continue
        const id = decodeURIComponent(to.hash.slice(1))
        if (!pages.get(to.pathname)!.includes(` id="${id}"`)) lost.push(`${path} → ${to.pathname}${to.hash}`)
      }
    expect(lost.filter((each) => !isOfOthers(each))).toEqual([])
    expect(pages.size).toBeGreaterThan(110)
  })

  const text = async (path: string, language = 'en') =>
    (await world.get(path, undefined, { 'accept-language': language })).text()

  test('has a page for every guide of docs/, in the navigation and in the sitemap', async () => {
    const folder = join(import.meta.dirname, '../../docs')
    const guides = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => `/docs/${path.replace(/(?:\/?README)?\.md$/, '')}`)
    const { cookie } = await world.person('ida@example.org', { isOperator: true })
    const [index, sitemap] = [await (await world.get('/docs', cookie)).text(), await text('/sitemap.xml')]
    for (const address of guides) {
      expect(index).toContain(`href="${address}"`)
      expect(sitemap).toContain(`<loc>${world.origin}${address}</loc>`)
    }
    expect(guides.length).toBeGreaterThan(60)
  })

  test('a guide is in English within a German frame, with its contents, neighbors and no text that steers programs', async () => {
    const page = await text('/docs/sync/guide', 'de')
    expect(page).toContain('<html lang="de">')
    expect(page).toContain('Auf dieser Seite')
    expect(page).toMatch(/rel="prev" href="\/docs\/[^"]+"><span>Zurück/)
    expect(page).toMatch(/<div class="prose" lang="en"><h1>Keeping a copy<\/h1>/)
    expect(page).toContain('>Kopieren</button>')
    expect(page).toContain('<a href="/docs/specification">')
    expect(page).toMatch(/<img src="\/docs\/sync\/late-commit.svg" alt="[^"]{20,}" width="640" height="\d+"/)
    const client = await text('/docs/client')
    expect(client).not.toContain('&lt;!--')
    expect(client).toContain('<td data-l=""></td>'.replace(' data-l=""', ''))
    expect(await text('/docs/operations')).toContain('<span id="live"></span>')
  })

  test('what exists only in the repository is shown as code, not as a link', async () => {
    const page = await text('/docs/proxies')
    expect(page).toContain('<code>nginx.conf</code>')
    expect(page).not.toContain('href="/docs/proxies/nginx.conf"')
  })

  test('pictures are SVG and fit the strict content security policy', async () => {
    const answer = await world.get('/docs/sync/late-commit.svg')
    expect(answer.headers.get('content-type')).toBe('image/svg+xml')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await answer.text()).toContain('<svg')
  })

  test('every problem has a page that names its cause, its fix and whether a retry helps', async () => {
    const index = await text('/docs/errors')
    for (const slug of problemSlugs) {
      expect(index).toContain(`href="/docs/errors/${slug}"`)
      const page = await text(`/docs/errors/${slug}`)
      const { status, title, exampleDetail } = problemKind(slug)
      expect(page).toContain(`<h1>${status} ${title}</h1>`)
      expect(page).toContain(exampleDetail.slice(0, 12))
      for (const heading of ['Cause', 'What to do', 'Does a retry help?', 'Example answer'])
        expect(page).toContain(`>${heading}</h2>`)
    }
    expect(await text('/docs/errors/rate-limited', 'de')).toContain('Ja, nach Retry-After')
  })

  test('the reference has every parameter, header and problem of the contract', async () => {
    const page = await text('/docs/reference/list')
    const contract = JSON.parse(await text('/openapi.json')) as {
      paths: {
        [path: string]: {
          get: { parameters: { name: string }[]; responses: { [status: string]: { headers?: object } } }
        }
      }
    }
    const { parameters, responses } = contract.paths['/v1/tenders']!.get
    for (const { name } of parameters) expect(page).toContain(`<code id="parameter-${name}">${name}</code>`)
    for (const header of Object.keys(responses['200']!.headers!)) expect(page).toContain(`<code>${header}</code>`)
    expect(page).toContain('href="/docs/errors/cursor-expired"')
    expect(page).not.toContain('href="/docs/errors/not-found"')
    expect(await text('/docs/reference/record')).toContain('href="/docs/errors/not-found"')
  })

  test('the search finds guides, parameters, fields and errors, marks the words, and escapes the query', async () => {
    // the first search builds the index
    let page = ''
    for (let tries = 0; tries < 20 && !page.includes('<mark>'); tries++) page = await text('/docs/search?q=cursor')
    expect(page).toMatch(/<mark>cursor<\/mark>/i)
    expect(page).toContain('href="/docs/reference/list#parameter-cursor"')
    expect(page).toContain('href="/docs/errors#cursor-expired"')
    expect(await text('/docs/search?q=participationDate')).toContain('href="/docs/fields#participationDate"')
    expect(await text('/docs/search?q=late+commit')).toContain('href="/docs/sync/guide#a-late-commit"')
    expect(await text('/docs/search?q=zzzyx', 'de')).toContain('Nichts gefunden zu „zzzyx“')
    const hostile = await text(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script> (a+)+$ __proto__')}`)
    expect(hostile).not.toContain('<script>alert')
    expect((await world.get(`/docs/search?q=${'a+'.repeat(5000)}`)).status).toBe(200)
  })

  test('the files for programs list what exists', async () => {
    expect(await text('/robots.txt')).toContain(`Sitemap: ${world.origin}/sitemap.xml`)
    expect(await text('/llms.txt')).toMatch(
      /^# Tenderstock\n[\s\S]*- \[Keeping a copy\]\(http[^)]*\/docs\/sync\/guide\): This page/,
    )
    const security = await text('/.well-known/security.txt')
    expect(security).toMatch(/^Contact: \S+$/m)
    const expires = Date.parse(/^Expires: (.*)$/m.exec(security)![1]!)
    expect(expires - world.now()).toBeGreaterThan(30 * 86_400_000)
    expect(expires - world.now()).toBeLessThan(365 * 86_400_000)
  })

  test('the page of fields says so as long as there is no edition', async () => {
    expect(await text('/docs/fields')).toContain('No edition has been published yet')
    expect(await text('/docs/fields', 'de')).toContain('Es ist noch keine Ausgabe erschienen')
    expect(await text('/docs/fields?q=BT-131')).toMatch(/id="submissionDate"(?![\s\S]*id="mergedInto")/)
  })

  test('the first page shows the three ways in, in both languages', async () => {
    const [english, german] = [await text('/'), await text('/', 'de')]
    for (const href of ['/docs', '/explorer', '/sign-in']) expect(english).toContain(`href="${href}"`)
    expect(german).toContain('Drei Einstiege')
    expect(german).not.toContain('Three ways in')
  })
})
