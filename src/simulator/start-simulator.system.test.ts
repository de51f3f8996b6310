// The portals seen by an ordinary client: their protocols, their caps, their faults.
import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { afterEach, describe, expect, test } from 'vitest'
import { dayMs, hourMs } from '../domain/time.ts'
import { parseDocument } from '../sources/parse-document.ts'
import { loadSources } from '../sources/registry.ts'
import type { Channel, Source } from '../sources/source.ts'
import { type FaultName, type Faults, faultNames, faultTable } from './faults.ts'
import { sampleShelf } from './shelf.ts'
import type { SimulatedSource } from './simulated-source.ts'
import { type Simulator, startSimulator } from './start-simulator.ts'

/** A Wednesday noon. */
const start = Date.UTC(2026, 10, 18, 12)
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

type Listed = { readonly id: string; readonly at: string }
type Page = { readonly data: Listed[]; readonly [member: string]: unknown }

type World = {
  readonly simulator: Simulator
  readonly advance: (ms: number) => void
  readonly get: (url: string, init?: RequestInit) => Promise<Response>
  readonly json: <T = Page>(url: string, init?: RequestInit) => Promise<T>
}

async function world(
  sources: readonly Source[],
  options: { seed?: string; faults?: Faults; base?: number } = {},
): Promise<World> {
  const seed = options.seed ?? 'tests'
  let now = start
  const simulator = await startSimulator({
    sources,
    shelf: sampleShelf({ seed, epoch: start, base: options.base ?? 40 }),
    clock: () => now,
    seed,
    epoch: start,
    dripMs: 1,
    ...(options.faults && { faults: options.faults }),
  })
  closers.push(simulator.close)
  const get = (url: string, init?: RequestInit) => fetch(simulator.route(new URL(url)), { redirect: 'manual', ...init })
  return {
    simulator,
    advance: (ms) => {
      now += ms
    },
    get,
    json: async <T>(url: string, init?: RequestInit) => (await (await get(url, init)).json()) as T,
  }
}

function card(
  delivery: Channel['delivery'],
  slots: Channel['slots'] = { kind: 'day', since: '2026-01-01' },
  more: Partial<Source> = {},
): SimulatedSource {
  return {
    id: 'xx-portal',
    title: 'Portal',
    publisher: 'Portal',
    country: 'PL',
    homepage: 'https://portal.example/',
    license: { name: 'not stated' },
    zone: 'Europe/Warsaw',
    channels: [{ name: 'notices', slots, delivery }],
    access: { kind: 'open' },
    politeness: {},
    expects: { silentAfterDays: 3, shape: ['/data/0/id'] },
    caveats: [],
    writeSample: ({ id, version, publishedAt, title }) =>
      JSON.stringify({ id: `${id}-${version}`, at: publishedAt, title }),
    ...more,
  }
}

const api = 'https://portal.example/api/notices'
const entries = { format: 'json', at: '/data' } as const
const idsOf = (published: ReturnType<Simulator['published']>) => published.map(({ id }) => id).sort()
const idsIn = (pages: readonly (readonly Listed[])[]) =>
  pages
    .flat()
    .map(({ id }) => withPadding(id))
    .sort()
/** Entries write their version without the zero of the shelf. */
const withPadding = (id: string) => id.replace(/-(\d)$/, '-0$1')

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

describe('lists', () => {
  test('by page: every entry once, the announced total and pages are true, there is nothing after the last', async () => {
    const { simulator, json } = await world([
      card({
        kind: 'page',
        request: { url: `${api}?page={page}&size={limit}` },
        entries,
        total: '/meta/total',
        firstPage: 0,
        pageSize: 10,
        end: { when: 'pages', at: '/meta/pages' },
      }),
    ])
    const truth = simulator.published('xx-portal')
    const first = await json(`${api}?page=0&size=7`)
    expect(first['meta']).toEqual({ total: truth.length, pages: Math.ceil(truth.length / 7) })
    const pages: Listed[][] = []
    for (let page = 0; page < Math.ceil(truth.length / 7); page++)
      pages.push((await json(`${api}?page=${page}&size=7`)).data)
    expect(pages.every((page, index) => page.length === 7 || index === pages.length - 1)).toBe(true)
    expect(idsIn(pages)).toEqual(idsOf(truth))
    expect((await json(`${api}?page=99&size=7`)).data).toEqual([])
  })

  test('by offset, in a window of the days that the request names, in the zone of the portal', async () => {
    const { simulator, json } = await world([
      card({
        kind: 'offset',
        request: { url: `${api}?from={from:yyyy-MM-dd}&to={last:yyyy-MM-dd}&skip={offset}&take={limit}` },
        entries,
        pageSize: 10,
        end: { when: 'short-page' },
      }),
    ])
    const day = (at: number) => new Date(at).toLocaleDateString('sv-SE', { timeZone: 'Europe/Warsaw' })
    const truth = simulator.published('xx-portal')
    const days = new Set(truth.map(({ publishedAt }) => day(publishedAt)))
    for (const each of days) {
      const wanted = truth.filter(({ publishedAt }) => day(publishedAt) === each)
      const pages: Listed[][] = []
      for (let skip = 0; skip < wanted.length + 2; skip += 2)
        pages.push((await json(`${api}?from=${each}&to=${each}&skip=${skip}&take=2`)).data)
      expect(idsIn(pages), each).toEqual(idsOf(wanted))
    }
    expect(days.size).toBeGreaterThan(10)
  })

  test('by link: the chain of next links ends and holds everything, including entries that arrived during the walk', async () => {
    const { simulator, json, advance } = await world([
      card(
        { kind: 'link-next', request: { url: `${api}?since=all` }, entries, next: '/links/next' },
        { kind: 'whole' },
      ),
    ])
    const pages: Listed[][] = []
    let url: string | undefined = `${api}?since=all`
    while (url) {
      const page: Page & { links?: { next?: string } } = await json(url)
      pages.push(page.data)
      url = page.links?.next
      if (pages.length === 2) advance(2 * dayMs)
    }
    expect(pages.length).toBeGreaterThan(3)
    expect(idsIn(pages)).toEqual(idsOf(simulator.published('xx-portal')))
  })

  test('a feed never ends: an empty page when caught up, later more from the same address', async () => {
    const { simulator, json, advance } = await world([
      card({ kind: 'link-next', request: { url: api }, entries, next: '/next_page/uri' }, { kind: 'feed' }),
    ])
    const seen: Listed[][] = []
    let url = api
    const drain = async () => {
      for (;;) {
        const page: { data: Listed[]; next_page: { uri: string } } = await json(url)
        if (page.data.length === 0) return
        seen.push(page.data)
        url = page.next_page.uri
      }
    }
    await drain()
    const before = seen.flat().length
    advance(3 * dayMs)
    await drain()
    expect(seen.flat().length).toBeGreaterThan(before)
    expect(idsIn(seen)).toEqual(idsOf(simulator.published('xx-portal')))
  })

  test('by cursor and by key, in requests with a body', async () => {
    const byCursor = card({
      kind: 'cursor',
      request: { url: api, json: { size: '{limit}', after: '{cursor}' } },
      entries,
      cursor: '/token',
    })
    const cursors = await world([byCursor])
    const walked: Listed[][] = []
    let after: string | undefined
    do {
      const page: { data: Listed[]; token?: string } = await cursors.json(
        api,
        post({ size: 5, ...(after && { after }) }),
      )
      walked.push(page.data)
      after = page.token
    } while (after)
    expect(idsIn(walked)).toEqual(idsOf(cursors.simulator.published('xx-portal')))

    const byKey = card({
      kind: 'keyset',
      request: { url: api, json: { last: '{cursor}' } },
      entries,
      keyOf: '/at',
      pageSize: 6,
    })
    const keys = await world([byKey])
    const found = new Map<string, Listed>()
    let last: string | undefined
    for (;;) {
      const page: { data: Listed[] } = await keys.json<Page>(api, post(last ? { last } : {}))
      for (const each of page.data) found.set(each.id, each)
      if (page.data.length < 6) break
      last = page.data.at(-1)!.at
    }
    expect(idsIn([[...found.values()]])).toEqual(idsOf(keys.simulator.published('xx-portal')))
    expect((await keys.get(api, post({ lost: 1 }))).status).toBe(200)
    expect((await keys.get(api, { method: 'GET' })).status).toBe(400)
  })

  test('a list with details shows the newest version of each announcement, and the detail is that version', async () => {
    const { simulator, json } = await world([
      card({
        kind: 'page',
        request: { url: `${api}?page={page}` },
        entries,
        firstPage: 1,
        pageSize: 500,
        end: { when: 'short-page' },
        detail: {
          request: { url: `${api}/{id}` },
          id: '/uuid',
          version: '/changed',
          entries: { format: 'json', at: '/notice' },
        },
      }),
    ])
    const truth = simulator.published('xx-portal')
    const page = await json<{ data: { uuid: string; changed: string }[] }>(`${api}?page=1`)
    expect(new Set(page.data.map(({ uuid }) => uuid)).size).toBe(page.data.length)
    expect(page.data.length).toBe(truth.length)
    for (const { uuid } of page.data.slice(0, 10)) {
      const { notice } = await json<{ notice: Listed }>(`${api}/${uuid}`)
      expect(truth.map(({ id }) => id)).toContain(withPadding(notice.id))
    }
    expect((await fetch(simulator.route(new URL(`${api}/none`)))).status).toBe(404)
  })

  test('a missing key is 401, another host or path is 404, robots.txt exists', async () => {
    const { get } = await world([
      card(
        { kind: 'single', request: { url: `${api}?day={from}`, headers: { 'x-key': '{key}' } }, entries },
        undefined,
        {
          access: { kind: 'key', setting: 'PORTAL_KEY', getItAt: 'https://portal.example/' },
        },
      ),
    ])
    expect((await get(`${api}?day=2026-11-17`)).status).toBe(401)
    expect((await get(`${api}?day=2026-11-17`, { headers: { 'x-key': 'mine' } })).status).toBe(200)
    expect((await get('https://portal.example/elsewhere')).status).toBe(404)
    expect((await get('https://stranger.example/api')).status).toBe(404)
    expect(await (await get('https://portal.example/robots.txt')).text()).toContain('User-agent: *')
  })

  test('an ETag gives 304 until something changes; the same seed gives the same bytes, another seed others', async () => {
    const source = card({ kind: 'single', request: { url: `${api}?all=1` }, entries }, { kind: 'whole' })
    const { get, advance } = await world([source])
    const first = await get(`${api}?all=1`)
    const body = await first.text()
    const etag = first.headers.get('etag')!
    expect((await get(`${api}?all=1`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    advance(2 * dayMs)
    const changed = await get(`${api}?all=1`, { headers: { 'if-none-match': etag } })
    expect(changed.status).toBe(200)
    expect((await changed.text()).length).toBeGreaterThan(body.length)
    const [again, other] = [await world([source]), await world([source], { seed: 'another' })]
    expect(await (await again.get(`${api}?all=1`)).text()).toBe(body)
    expect(await (await other.get(`${api}?all=1`)).text()).not.toBe(body)
  })
})

describe('portals of their own kind', () => {
  const load = async (id: string) => (await loadSources()).get(id)!

  test('TED: packages by issue, 404 until they are out, a challenge for plain agents', async () => {
    const { simulator, get, advance } = await world([await load('ted')])
    const calendar = await (await get('https://ted.europa.eu/en/release-calendar/-/download/file/CSV/2026')).text()
    const issues = calendar
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(';') as [string, string])
    const number = (date: string) => issues.find(([, each]) => each === date)?.[0].split('/')[0]
    const today = Number(number('18/11/2026'))
    const url = (issue: number) => `https://ted.europa.eu/packages/daily/2026${String(issue).padStart(5, '0')}`
    const agent = { headers: { 'user-agent': 'Mozilla/5.0 (compatible; test/1; +https://portal.example)' } }
    const challenged = await get(url(today), { headers: { 'user-agent': 'curl/8' } })
    expect([challenged.status, challenged.headers.get('x-amzn-waf-action'), await challenged.text()]).toEqual([
      202,
      'challenge',
      '',
    ])
    expect((await get(url(today + 1), agent)).status).toBe(404)
    const tar = gunzipSync(Buffer.from(await (await get(url(today), agent)).arrayBuffer())).toString('latin1')
    const wanted = simulator.published('ted').filter(({ publishedAt }) => publishedAt >= Date.UTC(2026, 10, 18))
    expect(wanted.length).toBeGreaterThan(0)
    expect(tar.match(/\d{8}_\d{4}\.xml/g) ?? [], 'files of the package').toHaveLength(wanted.length)
    advance(dayMs)
    expect((await get(url(today + 1), agent)).status).toBe(200)
  })

  test('TED: the search counts as the package does, its tokens never end, its errors have their codes', async () => {
    const { simulator, get, json } = await world([await load('ted')])
    const search = 'https://api.ted.europa.eu/v3/notices/search'
    const ask = (body: object) => get(search, post({ fields: ['publication-number', 'publication-date'], ...body }))
    const code = async (body: object) => {
      const reply = await ask(body)
      const { error, message } = (await reply.json()) as { error?: { type: string }; message?: string }
      return [reply.status, error?.type ?? message]
    }
    const day = { query: 'publication-date=20261118', limit: 2, paginationMode: 'ITERATION' }
    const wanted = simulator.published('ted').filter(({ publishedAt }) => publishedAt >= Date.UTC(2026, 10, 18))
    let token: string | undefined
    const found: string[] = []
    for (let turn = 0; turn < wanted.length + 2; turn++) {
      const page = (await json(
        search,
        post({ fields: ['publication-number'], ...day, ...(token && { iterationNextToken: token }) }),
      )) as unknown as {
        notices: { 'publication-number': string; links: object }[]
        totalNoticeCount: number
        iterationNextToken: string
      }
      expect(page.totalNoticeCount).toBe(wanted.length)
      expect(page.iterationNextToken).toBeTruthy()
      found.push(...page.notices.map((notice) => notice['publication-number']))
      token = page.iterationNextToken
    }
    expect(new Set(found).size).toBe(wanted.length)
    expect(found).toHaveLength(wanted.length)
    expect(await code({ query: 'PD=2026-99-99' })).toEqual([200, undefined])
    expect(await code({ query: 'nonsense=1' })).toEqual([400, 'QUERY_UNKNOWN_FIELD'])
    expect(await code({ query: 'PD>=20261101 SORT BY publication-date ASC' })).toEqual([400, 'QUERY_SYNTAX_ERROR'])
    expect(await code({ query: 'PD=20261118', limit: 251 })).toEqual([400, 'SEARCH_EXCEEDS_MAX_LIMIT'])
    expect(await code({ query: 'PD=20261118', limit: 250, page: 61 })).toEqual([400, 'SEARCH_WINDOW_TOO_WIDE'])
    expect((await ask({ query: 'PD=20261118', extra: 1 })).status).toBe(400)
    expect((await ask({ ...day, iterationNextToken: 'bad' })).status).toBe(500)
    const oldest = (await json(
      search,
      post({ query: 'PD=(20261101 <> 20261118) AND NOT OJ = 1/2026', fields: ['publication-date'], limit: 250 }),
    )) as unknown as {
      notices: { 'publication-date': string }[]
    }
    const dates = oldest.notices.map((notice) => notice['publication-date'])
    expect(dates).toEqual([...dates].sort())
    expect(dates[0]).toMatch(/^2026-11-\d\d\+01:00$/)
  })

  test('the federal portal: days of the past alone, in Berlin, with what appeared on them', async () => {
    const { simulator, get } = await world([await load('doe')])
    const exports = 'https://oeffentlichevergabe.de/api/notice-exports'
    const status = async (query: string) => (await get(`${exports}?${query}`)).status
    expect(await status('pubDay=2026-11-18&format=eforms.zip')).toBe(400)
    expect(await status('pubDay=2022-11-30&format=eforms.zip')).toBe(400)
    expect(await status('pubMonth=2026-12&format=eforms.zip')).toBe(400)
    expect(await status('pubDay=2026-11-17&pubMonth=2026-11&format=eforms.zip')).toBe(400)
    expect(await status('pubDay=2026-11-17')).toBe(406)
    const reply = await get(`${exports}?pubDay=2026-11-17&format=eforms.zip`)
    expect(reply.headers.get('etag')).toMatch(/^"version-\d+"$/)
    const members = Object.entries(unzipSync(new Uint8Array(await reply.arrayBuffer())))
    const from = Date.UTC(2026, 10, 16, 23)
    const wanted = simulator
      .published('doe')
      .filter(({ publishedAt }) => publishedAt >= from && publishedAt < from + dayMs)
    expect(members.map(([name]) => name).sort()).toEqual(wanted.map(({ id }) => `${id}.xml`).sort())
    const month = unzipSync(
      new Uint8Array(await (await get(`${exports}?pubMonth=2026-11&format=eforms.zip`)).arrayBuffer()),
    )
    expect(Object.keys(month)).toEqual(expect.arrayContaining(members.map(([name]) => name)))
    const tables = unzipSync(
      new Uint8Array(await (await get(`${exports}?pubDay=2026-11-17&format=csv.zip`)).arrayBuffer()),
    )
    expect(Object.keys(tables)).toHaveLength(19)
    expect(Buffer.from(tables['notice.csv']!).toString().trim().split('\n')).toHaveLength(wanted.length + 1)
  })

  test('caps and clamps: unknown parameters of Find a Tender, its cursor that loses entries, TenderNed’s reach', async () => {
    const fts = await world([await load('gb-find-a-tender')], { base: 2000 })
    const url =
      'https://www.find-tender.service.gov.uk/api/1.0/ocdsReleasePackages?limit=100&updatedFrom=2026-07-01T00:00:00&updatedTo=2026-11-18T12:00:00'
    expect((await fts.get(`${url}&colour=red`)).status).toBe(400)
    const truth = fts.simulator.published('gb-find-a-tender')
    // the common world has one size: its own portal may hold fewer than a page
    const page = (await fts.json(url)) as unknown as { releases: unknown[]; links?: { next: string } }
    expect(page.releases).toHaveLength(Math.min(100, truth.length))
    expect(page.links === undefined).toBe(truth.length <= 100)
    const clamped = card({ kind: 'single', request: { url: `${api}?from={from}&to={last}` }, entries }, undefined, {
      id: 'gr-kimdis',
    })
    const kimdis = await world([clamped])
    const year = (await kimdis.json(`${api}?from=2026-01-01&to=2026-11-18`)) as unknown as { data: Listed[] }
    expect(year.data.every(({ at }) => Date.parse(at) >= Date.UTC(2026, 4, 20))).toBe(true)
  })
})

describe('faults', () => {
  const source = card(
    { kind: 'single', request: { url: `${api}?day={from}` }, entries },
    { kind: 'day', since: '2026-01-01' },
  )
  const days = Array.from({ length: 300 }, (_, index) =>
    new Date(Date.UTC(2026, 0, 1) + index * dayMs).toISOString().slice(0, 10),
  )

  test('occur at their share, the same ones with the same seed, and none if none is enabled', async () => {
    const faults = { 'rate-limit': 0.2 }
    const [one, two, none] = [
      await world([source], { faults }),
      await world([source], { faults }),
      await world([source]),
    ]
    const statuses = async ({ get }: World) => {
      const found: number[] = []
      for (const day of days) found.push((await get(`${api}?day=${day}`)).status)
      return found
    }
    const first = await statuses(one)
    expect(await statuses(two)).toEqual(first)
    const limited = first.filter((status) => status === 429).length
    expect(limited).toBeGreaterThan(300 * 0.13)
    expect(limited).toBeLessThan(300 * 0.27)
    expect(one.simulator.faultCounts()).toEqual({ 'rate-limit': limited })
    expect(new Set(await statuses(none))).toEqual(new Set([200]))
  })

  test('a client that retries receives the true answer from every address, with any faults, after at most three spoiled ones', async () => {
    const names = faultNames.filter((name) => faultTable[name].kind === 'answer' && name !== 'redirect')
    const faults = Object.fromEntries(names.map((name) => [name, 0.2])) as Faults
    const spoiled = await world([source], { faults })
    const plain = await world([source])
    let tries = 0
    for (const day of days.slice(150, 300)) {
      const truth = await (await plain.get(`${api}?day=${day}`)).text()
      let isTrue = false
      for (let turn = 0; turn < 4 && !isTrue; turn++) {
        tries += 1
        const body = await spoiled
          .get(`${api}?day=${day}`)
          .then((reply) => reply.text())
          .catch(() => '')
        isTrue = body === truth
      }
      expect(isTrue, day).toBe(true)
    }
    expect(tries).toBeGreaterThan(220)
    const seen = Object.keys(spoiled.simulator.faultCounts())
    expect(seen.length).toBeGreaterThan(10)
  })

  test.each<[FaultName, (reply: Response) => Promise<unknown>, unknown]>([
    [
      'waf-challenge',
      async (reply) => [reply.status, reply.headers.get('x-amzn-waf-action'), await reply.text()],
      [202, 'challenge', ''],
    ],
    ['rate-limit', async (reply) => [reply.status, reply.headers.get('retry-after')], [429, '1']],
    ['rate-limit-bare', async (reply) => [reply.status, reply.headers.get('retry-after')], [429, null]],
    ['forbidden', async (reply) => reply.status, 403],
    ['maintenance', async (reply) => [reply.status, (await reply.text()).includes('maintenance')], [200, true]],
    [
      'error-body',
      async (reply) => [reply.status, await reply.json()],
      [200, { status: 500, detail: 'Internal error' }],
    ],
    ['empty-body', async (reply) => [reply.status, await reply.text()], [200, '']],
    ['gzip', async (reply) => [reply.headers.get('content-encoding'), typeof (await reply.json())], ['gzip', 'object']],
    [
      'redirect',
      async (reply) => [reply.status >= 302, reply.headers.get('location')],
      [true, `https://portal.example/moved/api/notices?day=2026-11-17`],
    ],
  ])('%s', async (name, read, expected) => {
    const { get } = await world([source], { faults: { [name]: 1 } as Faults })
    expect(await read(await get(`${api}?day=2026-11-17`, { headers: { 'accept-encoding': 'gzip' } }))).toEqual(expected)
  })

  test('a moved address answers; a body cut short breaks off; a portal that is gone refuses; a silent one shows nothing new', async () => {
    const moved = await world([source], { faults: { redirect: 1 } })
    expect((await moved.get('https://portal.example/moved/api/notices?day=2026-11-17')).status).toBe(200)
    const cut = await world([source], { faults: { 'cut-short': 1 } })
    await expect(cut.get(`${api}?day=2026-11-17`).then((reply) => reply.text())).rejects.toThrow()
    const gone = await world([source], { faults: { gone: 1 } })
    await expect(gone.get(`${api}?day=2026-11-17`)).rejects.toThrow()
    const silent = await world([source], { faults: { silent: 1 } })
    const before = silent.simulator.published('xx-portal').length
    silent.advance(10 * dayMs)
    expect(silent.simulator.published('xx-portal')).toHaveLength(before)
  })

  test('late entries carry their old date, appear within the days that are read again, and are never lost', async () => {
    const late = card(
      { kind: 'single', request: { url: `${api}?day={from}` }, entries },
      { kind: 'day', since: '2026-01-01', rereadDays: [1] },
    )
    const [world1, world2] = [await world([late], { faults: { late: 1 } }), await world([late])]
    const missing = (now: number) =>
      world2.simulator.published('xx-portal', now).length - world1.simulator.published('xx-portal', now).length
    let most = 0
    for (let hour = 0; hour < 240; hour++) most = Math.max(most, missing(start + hour * hourMs))
    expect(most).toBeGreaterThan(0)
    const old = start + 5 * dayMs
    const ids = (simulator: Simulator, now: number) =>
      simulator
        .published('xx-portal', now)
        .filter(({ publishedAt }) => publishedAt < old)
        .map(({ id }) => id)
    expect(ids(world1.simulator, old + 20 * hourMs)).toEqual(ids(world2.simulator, old + 20 * hourMs))
  })

  test('lying totals and moving pages happen once for an address', async () => {
    const paged = card({
      kind: 'page',
      request: { url: `${api}?page={page}&size={limit}` },
      entries,
      total: '/total',
      firstPage: 1,
      pageSize: 5,
      end: { when: 'total' },
    })
    const { simulator, json } = await world([paged], { faults: { 'total-less': 1, 'moving-pages': 1 } })
    const truth = simulator.published('xx-portal').length
    const first = await json(`${api}?page=1&size=5`)
    expect([first['total'], (await json(`${api}?page=1&size=5`))['total']]).toEqual([truth - 1, truth])
    const [moved, right] = [await json(`${api}?page=2&size=5`), await json(`${api}?page=2&size=5`)]
    const last = first.data.at(-1)
    expect(moved.data[0]).toEqual(last)
    expect(right.data[0]).not.toEqual(last)
  })
})

describe('every card', () => {
  test('can be served: its portal has entries, and each of them is read as notices', async () => {
    const sources = [...(await loadSources()).values()]
    const { simulator } = await world(sources, { base: 6 })
    const unread: string[] = []
    for (const source of sources) {
      const isRead = source.channels.some(({ role }) => role !== 'control' && role !== 'spare')
      const published = simulator.published(source.id)
      if (isRead && published.length === 0) unread.push(`${source.id} shows nothing`)
      for (const { id, bytes } of published.slice(0, 5)) {
        const parts = source.parse ? source.parse(bytes) : parseDocument(bytes)
        for (const part of parts)
          if ('rejection' in part) unread.push(`${source.id} ${id}: ${part.rejection.reason} ${part.rejection.detail}`)
      }
    }
    expect(unread).toEqual([])
    expect(sources.length).toBeGreaterThan(100)
  })
})
