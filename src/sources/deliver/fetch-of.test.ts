// Every way of delivering against a portal in memory that follows its protocol: all entries come, once, whatever is
// killed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterAll, describe, expect, test } from 'vitest'
import { daySlot, nothingKept, readSlot, type Script, textsOf } from '../../../test/testing/scripted-portal.ts'
import type { Delivery } from '../delivery.ts'
import type { Slot } from '../fetch.ts'
import { fetchOf } from './fetch-of.ts'

const scratchFolder = mkdtempSync(join(tmpdir(), 'tenderstock-deliver-'))
afterAll(() => rmSync(scratchFolder, { recursive: true, force: true }))

const base = 'https://portal.example/api'
type Entry = { readonly id: number; readonly date: string; readonly title: string }
/** 47 entries over 2026-11-20, several with the same time, escapes and letters of more than one byte in them. */
const entries: readonly Entry[] = Array.from({ length: 47 }, (_, index) => ({
  id: index + 1,
  date: new Date(Date.parse('2026-11-20T00:00:00Z') + Math.floor(index / 3) * 1_800_000).toISOString(),
  title: `Straßenbau "${index}" ]}, \\ Ærø 漢字`,
}))
const texts = entries.map((entry) => JSON.stringify(entry)).sort()
const number = (url: URL, name: string): number => Number(url.searchParams.get(name))
const json = (value: unknown) => ({ body: JSON.stringify(value) })
const within = (url: URL): Entry[] => {
  const [from, to] = [url.searchParams.get('from'), url.searchParams.get('to')]
  return entries.filter(({ date }) => (from === null || date >= from) && (to === null || date < to))
}

type Case = {
  readonly name: string
  readonly delivery: Delivery
  readonly script: Script
  readonly slot?: Slot
  readonly expected?: readonly string[]
  readonly announced?: number
  readonly delivered?: number
  readonly key?: string
}

const at = { format: 'json', at: '/items' } as const
const byPages = (url: URL, size: number, first: number) => {
  const page = number(url, 'page') - first
  return entries.slice(page * size, (page + 1) * size)
}
const tarOf = async (files: { readonly [name: string]: string }): Promise<Buffer> => {
  const archive = pack()
  for (const [name, text] of Object.entries(files)) archive.entry({ name }, text)
  archive.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of archive as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
const tarball = gzipSync(
  await tarOf(Object.fromEntries(entries.map((entry) => [`day/${entry.id}.json`, JSON.stringify(entry)]))),
)

const cases: readonly Case[] = [
  {
    name: 'single, a window of dates in the zone of the source',
    delivery: {
      kind: 'single',
      request: { url: `${base}/day?on={from}&until={last:dd.MM.yyyy HH:mm:ss}` },
      entries: at,
    },
    slot: daySlot('2026-11-20'),
    script: (_, url) => {
      expect(url.search).toBe('?on=2026-11-20&until=20.11.2026%2023%3A59%3A59')
      return json({ items: entries })
    },
  },
  {
    name: 'single, tar.gz',
    delivery: {
      kind: 'single',
      request: { url: `${base}/day.tar.gz` },
      entries: { format: 'archive', members: /\.json$/ },
    },
    script: () => ({ body: tarball }),
  },
  {
    name: 'single, newline-delimited JSON in gzip',
    delivery: {
      kind: 'single',
      request: { url: `${base}/all.jsonl.gz` },
      entries: { format: 'archive', inside: { format: 'json-lines' } },
    },
    script: () => ({ body: gzipSync(entries.map((entry) => `${JSON.stringify(entry)}\r\n`).join('')) }),
  },
  {
    name: 'link-next, with relative links and links to http',
    delivery: { kind: 'link-next', request: { url: `${base}/list?page=0` }, entries: at, next: '/links/next' },
    script: (_, url) => {
      expect(url.protocol).toBe('https:')
      const page = number(url, 'page')
      const items = byPages(url, 10, 0)
      const next = page % 2 === 0 ? `?page=${page + 1}` : `http://portal.example/api/list?page=${page + 1}`
      return json({ items, links: items.length === 10 ? { next } : {} })
    },
  },
  {
    name: 'link-next in the Link header',
    delivery: {
      kind: 'link-next',
      request: { url: `${base}/list?page=0` },
      entries: { format: 'json', at: '' },
      next: 'link[next]',
    },
    script: (_, url) => {
      const next = `<${base}/list?page=0>; rel="first", <${base}/list?page=${number(url, 'page') + 1}>; rel="next"`
      const items = byPages(url, 12, 0)
      return { ...json(items), ...(items.length === 12 && { headers: { link: next } }) }
    },
  },
  ...([0, 1] as const).map(
    (firstPage): Case => ({
      name: `page from ${firstPage}, until a short page`,
      delivery: {
        kind: 'page',
        request: { url: `${base}/list?page={page}&size={limit}` },
        entries: at,
        firstPage,
        pageSize: 10,
        end: { when: 'short-page' },
      },
      script: (_, url) => json({ items: byPages(url, number(url, 'size'), firstPage) }),
    }),
  ),
  {
    name: 'page by POST, until the total',
    delivery: {
      kind: 'page',
      request: {
        url: `${base}/search`,
        json: { page: '{page}', size: '{limit}', from: '{from:iso}', type: 'x{page}' },
      },
      entries: at,
      total: '/meta/total',
      firstPage: 0,
      pageSize: 10,
      end: { when: 'total' },
    },
    slot: daySlot('2026-11-20'),
    script: (request) => {
      const asked = JSON.parse(request.body!) as { page: number; size: number; from: string; type: string }
      expect(request.method).toBe('POST')
      expect(request.headers?.['content-type']).toBe('application/json')
      expect([typeof asked.page, asked.from, asked.type]).toEqual([
        'number',
        '2026-11-20T00:00:00.000Z',
        `x${asked.page}`,
      ])
      const items = entries.slice(asked.page * asked.size, (asked.page + 1) * asked.size)
      return json({ meta: { total: entries.length }, items })
    },
    announced: 47,
  },
  {
    name: 'page, until the number of pages',
    delivery: {
      kind: 'page',
      request: { url: `${base}/list?page={page}` },
      entries: at,
      firstPage: 1,
      pageSize: 10,
      end: { when: 'pages', at: '/pages' },
    },
    script: (_, url) => json({ pages: 5, items: byPages(url, 10, 1) }),
  },
  {
    name: 'page, until a flag',
    delivery: {
      kind: 'page',
      request: { url: `${base}/list?page={page}` },
      entries: at,
      firstPage: 1,
      pageSize: 10,
      end: { when: 'flag', at: '/hasNext', isLast: false },
    },
    script: (_, url) => json({ items: byPages(url, 10, 1), hasNext: number(url, 'page') < 5 }),
  },
  {
    name: 'page, until 404',
    delivery: {
      kind: 'page',
      request: { url: `${base}/list?page={page}` },
      entries: at,
      firstPage: 1,
      pageSize: 10,
      end: { when: 'not-found' },
    },
    script: (_, url) => (number(url, 'page') > 5 ? { status: 404 } : json({ items: byPages(url, 10, 1) })),
  },
  {
    name: 'offset in a form, until an empty page',
    delivery: {
      kind: 'offset',
      request: {
        url: `${base}/grid`,
        form: { start: '{offset}', first: '{offset+1}', last: '{offset+9}', length: '{limit}' },
      },
      entries: at,
      pageSize: 9,
      end: { when: 'empty-page' },
    },
    script: (request) => {
      const form = new URLSearchParams(request.body)
      const [start, first, last, length] = ['start', 'first', 'last', 'length'].map((name) => Number(form.get(name)))
      expect([first, last]).toEqual([start! + 1, start! + length!])
      return json({ items: entries.slice(start, start! + length!) })
    },
  },
  {
    name: 'offset as a segment of the path, total in a header',
    delivery: {
      kind: 'offset',
      request: { url: `${base}/list/{from:yyyy/MM}/{offset}/{limit}` },
      entries: at,
      total: 'header[X-Total-Count]',
      pageSize: 10,
      end: { when: 'total' },
    },
    slot: daySlot('2026-11-01', 30),
    script: (_, url) => {
      const [, year, month, offset, limit] = /list\/(\d+)\/(\d+)\/(\d+)\/(\d+)$/.exec(url.pathname)!
      expect([year, month]).toEqual(['2026', '11'])
      return {
        ...json({ items: entries.slice(Number(offset), Number(offset) + Number(limit)) }),
        headers: { 'x-total-count': '47' },
      }
    },
    announced: 47,
  },
  {
    name: 'cursor that still comes back after the last entry',
    delivery: {
      kind: 'cursor',
      request: { url: `${base}/search`, json: { token: '{cursor}', mode: 'ITERATION' } },
      entries: at,
      cursor: '/next',
      total: '/total',
    },
    script: (request) => {
      const { token = 't0' } = JSON.parse(request.body!) as { token?: string }
      const start = Number(token.slice(1))
      return json({ items: entries.slice(start, start + 10), next: `t${Math.min(start + 10, 47)}`, total: 47 })
    },
    announced: 47,
  },
  {
    name: 'cursor in a query, without a total',
    delivery: { kind: 'cursor', request: { url: `${base}/search?after={cursor}&n=8` }, entries: at, cursor: '/next' },
    script: (_, url) => {
      const start = Number(url.searchParams.get('after') ?? '0|x'.slice(0, 1))
      return json({ items: entries.slice(start, start + 8), ...(start + 8 < 47 && { next: start + 8 }) })
    },
  },
  {
    name: 'keyset by a time that several entries share',
    delivery: {
      kind: 'keyset',
      request: { url: `${base}/notice?from={cursor}&to={to:iso}` },
      entries: { format: 'json', at: '' },
      keyOf: '/date',
      firstKey: '{from:iso}',
      pageSize: 10,
    },
    slot: daySlot('2026-11-20'),
    script: (_, url) => json(within(url).slice(0, 10)),
  },
  {
    name: 'windows that hold more than the portal gives, halved',
    delivery: {
      kind: 'single',
      request: { url: `${base}/window?from={from:iso}&to={to:iso}` },
      entries: at,
      most: 10,
    },
    slot: daySlot('2026-11-20'),
    script: (_, url) => json({ items: within(url).slice(0, 10) }),
  },
  {
    name: 'windows halved by their total, with pages',
    delivery: {
      kind: 'page',
      request: { url: `${base}/window?from={from:iso}&to={to:iso}&page={page}` },
      entries: at,
      total: '/total',
      firstPage: 0,
      pageSize: 4,
      end: { when: 'short-page' },
      most: 12,
    },
    slot: daySlot('2026-11-20'),
    script: (_, url) => {
      const items = within(url)
      const page = number(url, 'page')
      return json({ total: items.length, items: items.slice(page * 4, Math.min(page * 4 + 4, 12)) })
    },
    announced: 47,
  },
  {
    name: 'each notice type on its own, some without entries',
    delivery: {
      kind: 'page',
      request: { url: `${base}/list?type={type}&page={page}` },
      entries: { ...at, isOptional: true },
      firstPage: 1,
      pageSize: 5,
      total: '/total',
      end: { when: 'short-page' },
      each: { name: 'type', values: [0, 1, 2, 9] },
    },
    script: (_, url) => {
      const items = entries.filter(({ id }) => id % 3 === number(url, 'type'))
      const page = number(url, 'page') - 1
      return json(
        items.length === 0 ? { total: 0 } : { total: items.length, items: items.slice(page * 5, page * 5 + 5) },
      )
    },
    announced: 47,
  },
  {
    name: 'each value of a list that the portal gives, in pages',
    delivery: {
      kind: 'single',
      request: { url: `${base}/buyer/{buyer}` },
      entries: at,
      each: { name: 'buyer', list: { url: `${base}/buyers?p={page}` }, entries: at, at: '/code', pages: '/pages' },
    },
    script: (_, url) => {
      if (url.pathname.endsWith('/buyers'))
        return json({ pages: 2, items: [{ code: `b/${number(url, 'p')}` }, { code: 'c' }] })
      const buyer = decodeURIComponent(url.pathname.split('/').at(-1)!)
      return json({ items: entries.filter(({ id }) => ['b/1', 'b/2', 'c'][id % 3] === buyer) })
    },
  },
  {
    name: 'a list with a detail of each entry',
    delivery: {
      kind: 'page',
      request: { url: `${base}/list?page={page}` },
      entries: at,
      firstPage: 1,
      pageSize: 10,
      end: { when: 'short-page' },
      detail: { request: { url: `${base}/notice/{id}?key={key}` }, id: '/id', version: '/date' },
    },
    key: 'secret-key',
    script: (_, url) => {
      const id = /notice\/(\d+)/.exec(url.pathname)?.[1]
      if (id === undefined) return json({ items: byPages(url, 10, 1).map(({ id, date }) => ({ id, date })) })
      expect(url.searchParams.get('key')).toBe('secret-key')
      return json(entries[Number(id) - 1])
    },
  },
  {
    name: 'an index of files with versions (CKAN)',
    delivered: 7,
    delivery: {
      kind: 'index',
      index: { url: `${base}/3/action/package_show?id=notices` },
      entries: { format: 'json', at: '/result/resources' },
      url: '/url',
      version: '/last_modified',
      where: { at: '/format', fits: /^json$/i },
      only: /month-\d+\.json$/,
      files: { format: 'json', at: '/items' },
    },
    script: (_, url) => {
      const month = /month-(\d+)/.exec(url.pathname)?.[1]
      if (month !== undefined) return json({ items: entries.slice(Number(month) * 10, Number(month) * 10 + 10) })
      const resources = [0, 1, 2, 3, 4].map((index) => ({
        url: `/files/month-${index}.json`,
        format: 'JSON',
        last_modified: 'a',
      }))
      return json({
        result: {
          resources: [
            ...resources,
            { url: '/files/month-0.csv', format: 'CSV' },
            { url: '/terms.json', format: 'JSON' },
          ],
        },
      })
    },
  },
  {
    name: 'an index in XML with lastmod',
    delivery: {
      kind: 'index',
      index: { url: `${base}/kdq.xml` },
      entries: { format: 'xml', element: 'item' },
      url: 'url',
      version: 'lastmod',
      files: { format: 'document' },
    },
    script: (_, url) => {
      const id = /item\/(\d+)/.exec(url.pathname)?.[1]
      if (id !== undefined) return json(entries[Number(id) - 1])
      const items = entries.map(
        ({ id }) => `<item><url>${base}/item/${id}?a=1&amp;b=2</url><lastmod>2026-11-20</lastmod></item>`,
      )
      return { body: `<?xml version="1.0"?><kdq xmlns="urn:example">${items.join('\n')}</kdq>` }
    },
  },
  {
    name: 'an index in a page for people',
    delivery: {
      kind: 'index',
      index: { url: `${base}/page.html` },
      entries: { format: 'html', link: /href="([^"]+\.json)"/ },
      files: { format: 'document' },
    },
    script: (_, url) => {
      const id = /n\/(\d+)/.exec(url.pathname)?.[1]
      if (id !== undefined) return json(entries[Number(id) - 1])
      return { body: `<!doctype html><html>${entries.map(({ id }) => `<a href="n/${id}.json">x</a>`).join('')}</html>` }
    },
  },
  {
    name: 'a list behind a token, which the portal forgets',
    delivery: {
      kind: 'page',
      request: { url: `${base}/list?page={page}`, headers: { Authorization: 'Bearer {token}' } },
      entries: at,
      firstPage: 1,
      pageSize: 10,
      end: { when: 'short-page' },
      token: { request: { url: `${base}/token`, form: { secret: '{key}' } }, at: '/access_token' },
    },
    key: 'secret-key',
    script: (() => {
      let issued = 0
      let used = 0
      return (request, url) => {
        if (url.pathname.endsWith('/token')) {
          expect(request.body).toBe('secret=secret-key')
          used = 0
          return json({ access_token: `token-${++issued}` })
        }
        if (request.headers?.['authorization'] !== `Bearer token-${issued}` || ++used > 2) return { status: 401 }
        return json({ items: byPages(url, 10, 1) })
      }
    })(),
  },
]

describe.each(cases)('$name', ({ delivery, script, slot, expected = texts, announced, delivered = 47, key }) => {
  const options = { scratchFolder, ...(slot && { slot }), ...(key && { key }) }

  test('all entries arrive, each byte for byte', async () => {
    const reading = await readSlot(fetchOf(delivery), script, options)
    expect(reading.end).toEqual({ kind: 'complete' })
    expect(textsOf(reading)).toEqual(expected)
    expect(reading.kept.delivered).toBe(delivered)
    if (announced !== undefined) expect(reading.kept.announced).toBe(announced)
    if (key) expect(JSON.stringify(reading.steps)).not.toContain(key)
  })

  test('after a kill at any request, the next run delivers the rest', async () => {
    const whole = await readSlot(fetchOf(delivery), script, options)
    for (let killedAtRequest = 1; killedAtRequest <= whole.requests.length; killedAtRequest++) {
      const first = await readSlot(fetchOf(delivery), script, { ...options, killedAtRequest })
      const second = await readSlot(fetchOf(delivery), script, { ...options, kept: first.kept })
      expect(second.end).toEqual({ kind: 'complete' })
      expect(textsOf(second)).toEqual(expected)
      expect(second.kept.delivered).toBe(delivered)
    }
  })

  test('after a kill before any step is stored, the next run delivers the rest', async () => {
    const whole = await readSlot(fetchOf(delivery), script, options)
    for (let killedAtStep = 1; killedAtStep <= whole.steps.length; killedAtStep++) {
      const first = await readSlot(fetchOf(delivery), script, { ...options, killedAtStep })
      const second = await readSlot(fetchOf(delivery), script, { ...options, kept: first.kept })
      expect(textsOf(second)).toEqual(expected)
      expect(second.kept.delivered).toBe(delivered)
    }
  })

  test('runs of three requests each reach the end', async () => {
    const kept = nothingKept()
    let lives = 0
    for (let end: unknown = 'killed'; end === 'killed'; lives++) {
      ;({ end } = await readSlot(fetchOf(delivery), script, { ...options, kept, killedAtRequest: 4 }))
      expect(lives).toBeLessThan(60)
    }
    expect(textsOf({ kept })).toEqual(expected)
  })
})
