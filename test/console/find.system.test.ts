// Find tenders over real HTTP: from a question to a saved search that finds the same, to a file, and back from whatever
// an address may say.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMs, minuteMs } from '../../src/domain/time.ts'
import { listSearches } from '../../src/store/hits/searches.ts'
import { randomOf } from '../testing/generate/random.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { fieldsOf } from './plain-form.ts'
import { publishRoofTenders, roofTenderId } from './roof-tenders.ts'

const textOf = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()
const linksOf = (page: string) =>
  [...page.matchAll(/<a ([^>]*)>(.*?)<\/a>/gs)].map(([, attributes, inside]) => ({
    href: /href="([^"]*)"/.exec(attributes!)![1]!.replaceAll('&amp;', '&'),
    text: textOf(inside!),
  }))
const totalOf = (page: string) => Number(/<h2>\s*([\d,]+) tenders?\b/.exec(page)?.[1] ?? 0)

describe('tenders are found', () => {
  let world: ConsoleWorld
  let acme: string
  let cookie: string
  beforeAll(async () => {
    world = await openConsoleWorld('embedded')
    acme = await world.organization('Acme', true)
    cookie = (await world.person('anna@example.org', { memberOf: [[acme, 'member']] })).cookie
  }, 120_000)
  afterAll(async () => {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  })
  const read = async (query: string, who?: 'stranger') => {
    // the limit of pages is tested below
    world.wait(2000)
    return (await world.get(`/tenders${query}`, who ? undefined : cookie)).text()
  }

  test('not yet, while there is no edition', async () => {
    expect(await read('')).toContain('The first edition is being made')
    expect((await world.get('/tenders.csv', cookie)).status).toBe(503)
  })

  test('by words, place and status, each counted, by form and link alone', async () => {
    await publishRoofTenders(world)
    expect(totalOf(await read(''))).toBe(40)
    expect(totalOf(await read('?status=any'))).toBe(60)
    const place = await world.get('/tenders?words=dach+schule&place=Saxony', cookie)
    expect([place.status, place.headers.get('location')]).toEqual([303, '/tenders?words=dach+schule&nuts=DED'])
    // "dach" has four letters: it is no beginning of a longer word
    const none = await read('?words=dach+schule&nuts=DED')
    expect(none).toContain('No tender has all of this')
    expect(none).not.toContain('Or everything in the trade')
    const page = await read('?words=dachsanierung+grundschule&nuts=DED')
    expect(totalOf(page)).toBe(7)
    expect(page).toContain('<mark>Dachsanierung</mark> <mark>Grundschule</mark>')
    expect(page).toMatch(/\d\d:\d\d CET</)
    const links = linksOf(page)
    expect(links.map(({ text }) => text)).toContain('Awarded2')
    const planned = links.find(({ text }) => text.startsWith('Announced'))!
    expect(totalOf(await read(planned.href.replace('/tenders', '')))).toBe(8)
    expect(links.find(({ text }) => text === 'Dachsanierung Grundschule 6')!.href).toBe(`/tenders/${roofTenderId(6)}`)
    expect((await world.get(`/tenders/${roofTenderId(6)}`, cookie)).status).toBe(200)
  })

  test.each(['roof', 'Dach', 'roofing'])('%s, which no title has as a word, leads to the trade', async (word) => {
    const page = await read(`?words=${word}&nuts=DED`)
    expect(page).toContain('Words find only what a notice says')
    const offers = linksOf(page).filter(({ href }) => /^\/tenders\?.*cpv=/.test(href))
    expect(offers.map(({ text }) => text)[0]).toMatch(/^Roof works.*: \d+ tenders$/)
    for (const { href, text } of offers) {
      // what is offered is there
      expect(Number(/(\d+) tender/.exec(text)![1])).toBe(totalOf(await read(href.replace('/tenders', ''))))
      expect(href).toContain('nuts=DED')
    }
    expect(await read(`?words=${word}&nuts=DE6`)).not.toMatch(/cpv=/)
  })

  test('what is saved finds what the page showed', async () => {
    const page = await read('?words=grundschule&nuts=DED&min=100000&status=open&status=planned')
    const save = linksOf(page).find(({ text }) => text === 'Save this search')!
    expect(textOf(page)).toContain('A saved search finds exactly these, and each new one.')
    const form = await (await world.get(save.href, cookie)).text()
    const fields = fieldsOf(form, `/o/${acme}/searches/new`)
    // what the page showed is among the hits, too
    expect(fields['deliver-open']).toEqual(['yes'])
    const answer = await world.post(`/o/${acme}/searches/new`, { ...fields, do: 'save' }, cookie)
    expect([answer.status, await answer.text()]).toEqual([303, ''])
    const [saved] = await listSearches(world.store.db, acme)
    expect(saved).toMatchObject({ threshold: 50, profileId: null })
    expect(JSON.parse(saved!.filter)).toEqual({
      allWords: ['grundschule'],
      nuts: ['DED'],
      status: ['open', 'planned'],
      valueMin: 100_000,
    })
    expect(textOf(await read('?words=grundschule&due=14'))).toContain(
      'A saved search leaves out the deadline from today on.',
    )
    expect(linksOf(await read('?min=5')).map(({ text }) => text)).not.toContain('Save this search')
    expect(linksOf(await read('?words=grundschule', 'stranger')).map(({ text }) => text)).toContain(
      'Sign in to save this search',
    )
  })

  test('pages, orders and a file', async () => {
    const first = await read('?status=any&order=newest')
    expect(first).toContain('Page 1 of 3')
    const titles = (page: string) =>
      linksOf(page)
        .filter(({ href }) => /^\/tenders\/0/.test(href))
        .map(({ href }) => href)
    expect(titles(first)[0]).toBe(`/tenders/${roofTenderId(1)}`)
    expect(titles(first)).toHaveLength(20)
    const third = await read('?status=any&order=newest&page=3')
    expect(titles(third).at(-1)).toBe(`/tenders/${roofTenderId(60)}`)
    expect(titles(await read('?order=value'))[0]).toBe(`/tenders/${roofTenderId(48)}`)
    const file = await world.get('/tenders.csv?status=any&words=grundschule', cookie, { 'accept-language': 'de' })
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="tenders-2026-11-23\.csv"$/)
    const rows = Buffer.from(await file.arrayBuffer())
      .toString('utf8')
      .trimEnd()
      .split('\r\n')
    expect(rows).toHaveLength(31)
    expect(rows[0]!.startsWith('\ufeffTitel;')).toBe(true)
    expect(rows.join('\n')).not.toMatch(/b\.example|[Pp]unktzahl/)
  })

  test('any address gets a page with a sentence, and never an error of ours', async () => {
    const random = randomOf(Number(process.env['SEED'] ?? 7))
    const names = [
      'words',
      'cpv',
      'nuts',
      'status',
      'min',
      'max',
      'due',
      'month',
      'buyer',
      'order',
      'page',
      'place',
      'x',
    ]
    const values = [
      '',
      '0',
      '-1',
      '45',
      'DE',
      '%',
      '\0',
      '“',
      '=1',
      "'",
      '<b>',
      'ß',
      '\u{1f600}',
      '9'.repeat(400),
      'a b',
      '2026-11',
    ]
    for (let round = 0; round < 150; round++) {
      const query = new URLSearchParams()
      for (let count = random.integer(1, 4); count > 0; count--) query.append(random.pick(names), random.pick(values))
      for (const path of ['/tenders', '/tenders.csv']) {
        world.wait(dayMs)
        const answer = await world.get(`${path}?${query}`)
        expect([200, 303, 400], `${path}?${query}`).toContain(answer.status)
        await answer.arrayBuffer()
      }
    }
    const bad = await world.get('/tenders?cpv=4x&page=0')
    expect(bad.status).toBe(400)
    expect(textOf(await bad.text())).toContain('“4x” is not a CPV code: it has 2 to 8 digits, such as 45 or 45261000.')
    for (const path of ['/tenders?%zz=%', '/tenders?words=%ff%fe', '/tenders.csv?words=%ff'])
      expect([200, 303, 400]).toContain((await world.get(path)).status)
  })

  test('60 pages a minute, and 20 files a day', async () => {
    world.wait(10 * minuteMs)
    const statuses = []
    for (let count = 0; count < 61; count++) statuses.push((await world.get('/tenders?page=2', cookie)).status)
    expect([statuses.indexOf(429), statuses.length]).toEqual([60, 61])
    expect(textOf(await (await world.get('/tenders', cookie)).text())).toContain('At most 60 pages of tenders a minute')
  })

  test('no link that promises tenders leads to the explorer, and the other way', async () => {
    const operator = (await world.person('op@example.org', { isOperator: true })).cookie
    const paths = [
      '/',
      '/tenders',
      '/stock',
      '/codes/cpv',
      '/codes/nuts',
      '/codes/cpv?q=dach',
      '/docs',
      '/status',
      '/explorer',
    ]
    const own = [`/o/${acme}`, `/o/${acme}/searches`, `/o/${acme}/hits`, `/tenders/${roofTenderId(6)}`, '/me']
    let toTenders = 0
    for (const language of ['en', 'de'])
      for (const [path, who] of [
        ...paths.map((each) => [each, undefined] as const),
        ...own.map((each) => [each, cookie] as const),
        ...['/operator', '/operator/organizations'].map((each) => [each, operator] as const),
      ]) {
        world.wait(2000)
        const page = await (await world.get(path, who, { 'accept-language': language })).text()
        for (const { href, text } of linksOf(page)) {
          if (/^\/explorer(?:$|\?)/.test(href) && path !== '/explorer') expect(text, path).toMatch(/API|Explorer/)
          if (/^\/explorer/.test(href)) expect(text, path).not.toMatch(/\b(?:tenders|records)\b|Ausschreibung|Datens/i)
          if (/^\/tenders(?:$|\?)/.test(href)) toTenders++
        }
      }
    expect(toTenders).toBeGreaterThan(60)
  })
})
