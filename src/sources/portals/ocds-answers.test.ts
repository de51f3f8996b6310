// Answers as the OCDS portals write them, made up: what a card reads out of them, and how it goes on. The answers of a
// new card are in a test of its own beside it.
import { gzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import {
  bodyOf,
  type Example,
  headerOf,
  type Portal,
  packageOf,
  query,
  read,
  recordsOf,
  release,
  spans,
  testAnswers,
  zipOf,
} from '../../../test/sources/portal-answers.ts'

/** What each channel reads from answers in its portal's format. */
const portals: readonly Example[] = [
  [
    'al-procurement-commission',
    'years',
    ['1'],
    (_, request) =>
      JSON.stringify(bodyOf(request)['extraConditions']) ===
      '[["decision_date",">=","1/1/2026"],["decision_date","<=","1/1/2027"]]'
        ? { result: packageOf(1) }
        : undefined,
  ],
  [
    'am-armeps',
    'days',
    ['1', '2'],
    ({ searchParams }) => {
      const offset = Number(searchParams.get('offset'))
      const start = spans['day']![0]
      if (offset === start)
        return { ...packageOf(1), next_page: { uri: `https://armeps.am/ocds/release?offset=${start + 1}` } }
      // The list continues into the next day.
      const releases = [release(2), release(3, { date: '2026-11-20T00:00:00Z' })]
      return { releases, next_page: { uri: 'https://armeps.am/ocds/release?offset=9' } }
    },
  ],
  [
    'ar-mendoza',
    'files',
    ['1', '2'],
    (url) =>
      url.pathname.endsWith('.json')
        ? packageOf(url.pathname.includes('2025') ? 1 : 2)
        : '<div><a href="/files/2025.json">x</a> <a href="2026.json">y</a><a href="a.csv">z</a></div>',
  ],
  [
    'br-compras',
    'buyers',
    ['1', '2'],
    (url) => {
      if (url.pathname.includes('2_consultarOrgao'))
        return { resultado: [{ cnpjCpfOrgao: `0${query(url, 'pagina')}` }], totalPaginas: 3, paginasRestantes: 0 }
      if (query(url, 'releaseStartDate') !== '2026-11-01' || query(url, 'releaseEndDate') !== '2026-11-30')
        return undefined
      const buyer = Number(query(url, 'buyerID'))
      return buyer === 3 ? { uri: 'x' } : { ...packageOf(buyer), links: {} }
    },
  ],
  [
    'br-medicamentos-transparentes',
    'files',
    ['1', '2'],
    (url) =>
      url.pathname.endsWith('.zip')
        ? zipOf({ 'a.json': packageOf(url.pathname.includes('one') ? 1 : 2) })
        : {
            response: {
              count: 2,
              records:
                query(url, 'skip') === '0'
                  ? [{ files: ['one', 'two'].map((file) => ({ url: `https://files.example/${file}.zip` })) }]
                  : [],
            },
          },
  ],
  [
    'ca-quebec',
    'files',
    ['1'],
    (url) =>
      url.pathname.includes('package_show')
        ? {
            result: {
              resources: [
                { url: 'https://files.example/hebdo_1.json', format: 'JSON', last_modified: '2026-11-19' },
                { url: 'https://files.example/schema.pdf', format: 'PDF', last_modified: '2026-11-19' },
              ],
            },
          }
        : url.pathname.endsWith('.json')
          ? packageOf(1)
          : undefined,
  ],
  [
    'cl-chilecompra',
    'releases',
    ['1', '1', '1'],
    ({ pathname }) => {
      if (pathname.includes('allrelease'))
        return pathname.endsWith('/allrelease/2359-2-LE19') ? packageOf(1) : undefined
      return pathname.endsWith('/2026/11/0/1000')
        ? { pagination: { total: 1 }, data: [{ ocid: 'ocds-70d2nz-2359-2-LE19', urlTender: pathname }] }
        : undefined
    },
  ],
  [
    'do-dgcp',
    'days',
    ['1', '2'],
    (url) =>
      url.pathname.endsWith('/all')
        ? query(url, 'start_date') === '2026-11-19' && query(url, 'end_date') === '2026-11-19'
          ? { pages: 2, payload: { content: [{ ocid: `o-${query(url, 'page')}` }] } }
          : undefined
        : packageOf(query(url, 'ocid')!.slice(2)),
  ],
  [
    'ec-sercop',
    'months',
    ['1', '2', '3'],
    (url) =>
      query(url, 'type') === 'json' && query(url, 'year') === '2026' && query(url, 'month') === '11'
        ? zipOf({ 'releases_2026_noviembre.json': [packageOf(1), packageOf(2, 3)] })
        : undefined,
  ],
  [
    'ec-sercop',
    'processes',
    ['1', '2'],
    (url) => {
      if (url.pathname.endsWith('/record')) return packageOf(query(url, 'ocid')!.slice(2))
      if (query(url, 'year') !== '2026' || query(url, 'search') !== '') return undefined
      const page = Number(query(url, 'page'))
      return { total: 2, page, pages: 2, data: [{ id: page, ocid: `o/${page}`, amount: '0.000000' }] }
    },
  ],
  ['es-zaragoza', 'processes', ['1'], (url) => (url.search ? [{ ocid: 'ocds-1' }] : packageOf(1))],
  [
    'fr-decp',
    'files',
    ['1'],
    (url) =>
      url.host.includes('data.gouv')
        ? {
            resources: [
              { url: 'https://files.example/decp.ocds.json', description: 'Format OCDS', last_modified: 'a' },
              { url: 'https://files.example/decp.json', description: null, last_modified: 'a' },
            ],
          }
        : url.pathname.includes('ocds')
          ? packageOf(1)
          : undefined,
  ],
  [
    'gb-contracts-finder',
    'releases',
    ['1', '2'],
    (url) =>
      query(url, 'cursor') === 'b'
        ? { ...packageOf(2), links: {} }
        : query(url, 'publishedFrom') === '2026-11-19'
          ? {
              ...packageOf(1),
              links: { next: 'https://www.contractsfinder.service.gov.uk/Published/Notices/OCDS/Search?cursor=b' },
            }
          : undefined,
  ],
  [
    'gb-contracts-finder',
    'records',
    ['1'],
    (url) => (url.pathname.endsWith('/Published/OCDS/Record/ocds-a1b2c3-1') ? recordsOf(1) : packageOf(1)),
  ],
  [
    'ge-state-procurement',
    'pages',
    ['1', '2'],
    (url) => {
      const next = 'https://odapi.spa.ge/api/releases.json?page=2'
      if (url.href === next) return { ...packageOf(2), links: { prev: 'https://odapi.spa.ge/api/releases.json' } }
      return { ...packageOf(1), links: { next } }
    },
  ],
  [
    'gh-ghaneps',
    'months',
    ['1', '2'],
    ({ pathname }) =>
      pathname.endsWith('/getrecordpackage/2026/11') ? zipOf({ 'a.json': recordsOf(1, 2) }) : undefined,
  ],
  [
    'gt-guatecompras',
    'months',
    ['1'],
    ({ pathname }) =>
      pathname === '/files'
        ? { id: 'gc', result: [{ year: '2026', files: { json: 'https://files.example/a.zip' }, timestamp: 't' }] }
        : zipOf({ 'a.json': recordsOf(1) }),
  ],
  [
    'hn-iaip',
    'files',
    ['1', '2'],
    (url) =>
      url.search
        ? {
            covid19: [{ json: 'https://files.example/1.json' }, { json: 'https://files.example/1_compiled.json' }],
            huracanes: [],
            oficio: [{ json: 'https://files.example/2.json' }],
          }
        : packageOf(url.pathname.slice(1, 2)),
  ],
  [
    'hn-oncae',
    'honducompras',
    ['1'],
    ({ pathname }) => (pathname.endsWith('/HC1/HC1_datos_2026.json') ? packageOf(1) : undefined),
  ],
  [
    'hn-oncae',
    'catalogue',
    ['1'],
    ({ pathname }) =>
      pathname.endsWith('/CE/CE_datos_2026_json.zip') ? zipOf({ 'CE.json': packageOf(1) }) : undefined,
  ],
  [
    'hn-contrataciones-abiertas',
    'months',
    ['1'],
    (url) => (url.search ? [{ urls: { json: 'http://files.example/1.json', md5: 'm' } }] : packageOf(1)),
  ],
  [
    'hn-contrataciones-abiertas',
    'releases',
    ['oncae1', 'oncae2', 'sefin1', 'sefin2'],
    (url) => ({
      pages: 2,
      releasePackage: packageOf(`${query(url, 'publisher')}${query(url, 'page')}`),
    }),
  ],
  [
    'hn-contrataciones-abiertas',
    'records',
    ['oncae1', 'sefin1'],
    (url) => ({
      pages: 1,
      recordPackage: recordsOf(`${query(url, 'publisher')}1`),
    }),
  ],
  [
    'hn-sefin',
    'processes',
    ['1'],
    ({ pathname }) =>
      pathname.endsWith('/2026') ? ['https://guancasco.sefin.gob.hn/EDCA_WEBAPI/api/releasePackage/P1'] : packageOf(1),
  ],
  [
    'hn-sefin',
    'years',
    ['1', '2'],
    () => zipOf({ 'a.jsonl': `${JSON.stringify(packageOf(1))}\n${JSON.stringify(packageOf(2))}\n` }),
  ],
  [
    'id-opentender',
    'offices',
    ['7', '8'],
    (url) =>
      url.pathname.includes('lpse')
        ? { results: [{ code: 8 }, { code: 7 }, { code: 7 }] }
        : zipOf({ 'a.json': packageOf(query(url, 'lpse')!) }),
  ],
  ['in-assam', 'all', ['1'], () => zipOf({ 'data.json': packageOf(1), '__MACOSX/._data.json': 'no JSON' })],
  [
    'it-anac',
    'months',
    ['1', '2'],
    (url) =>
      url.search
        ? {
            result: {
              results: ['01', '02'].map((month) => ({
                resources: [
                  { url: `https://files.example/bulk/2026/${month}.json`, format: 'JSON' },
                  { url: `https://files.example/bulk/2026/${month}.csv`, format: 'CSV' },
                ],
              })),
            },
          }
        : packageOf(Number(/(\d+)\.json$/.exec(url.pathname)![1])),
  ],
  ['ke-ppra', 'years', ['1', '2'], (url) => (query(url, 'fy') === '2026-2027' ? packageOf(1, 2) : undefined)],
  [
    'ke-ppra',
    'tenders',
    ['1', '2'],
    (url) =>
      url.pathname.endsWith('/tenders')
        ? packageOf(query(url, 'ocds_id')!)
        : query(url, 'page') === '1'
          ? { data: [{ id: 1 }], next_page_url: 'https://tenders.go.ke/api/ocds/index?page=2', current_page: 1 }
          : { data: [{ id: 2 }], next_page_url: null, current_page: 2 },
  ],
  [
    'lr-ppcc',
    'releases',
    ['1'],
    ({ pathname }, request) =>
      pathname.endsWith('/COMPILED.action')
        ? packageOf(1)
        : bodyOf(request)['page'] === 1
          ? { total: 1, items: [{ id: 5 }] }
          : undefined,
  ],
  [
    'mw-maneps',
    'releases',
    ['1'],
    ({ pathname }, request) =>
      pathname.endsWith('/get-records')
        ? bodyOf(request)['take'] === 1000
          ? { total: 1, items: [{ ocid: 'ocds-1/A' }] }
          : undefined
        : pathname.endsWith('/release-package/ocds-1%2FA')
          ? packageOf(1)
          : undefined,
  ],
  [
    'mx-shcp',
    'releases',
    Array.from({ length: 12 }, (_, index) => String(index)),
    (url, request) => {
      const page = Number(bodyOf(request)['page'])
      const names = Array.from({ length: 12 }, (_, index) => index).slice(page * 10, page * 10 + 10)
      return query(url, 'supplier_id') === 'SHCP'
        ? { pagination: { total: 12, page, pageSize: 10 }, data: names.map((name) => release(name)) }
        : undefined
    },
  ],
  [
    'mx-infocdmx',
    'years',
    ['1', '2'],
    ({ pathname }) =>
      pathname.endsWith('/contractingprocess/2026') ? { arrayReleasePackage: [packageOf(1), packageOf(2)] } : undefined,
  ],
  [
    'mx-aguascalientes-plataforma-estatal',
    'files',
    ['1', '2'],
    (url) =>
      url.host === 'drive.google.com'
        ? [packageOf(1), packageOf(2)]
        : '<a href="#top">a</a><a class="b" href="https://drive.google.com/uc?id=1&amp;export=download">b</a>',
  ],
  [
    'mx-nuevo-leon',
    'files',
    ['1'],
    (url) =>
      url.search
        ? {
            result: {
              resources: [
                { url: 'https://api-ocds.nl.gob.mx/api/releases/1', format: 'URL' },
                { url: 'https://x.example/a.csv', format: 'CSV' },
              ],
            },
          }
        : packageOf(1),
  ],
  [
    'mx-nuevo-leon-infraestructura',
    'releases',
    ['1'],
    (url) =>
      query(url, 'anio') === '[{"value":"2026"}]'
        ? [{ records: [{ ocid: 'o', releases: [{ url: 'https://smpu.nl.gob.mx/r/1' }] }] }]
        : packageOf(1),
  ],
  [
    'ng-osun',
    'contracts',
    ['1'],
    ({ pathname }) =>
      pathname.endsWith('.php')
        ? '<table id="contractTable"><tr><td>1</td><td><a href="existing_award_details.php?id=ocds-xwwr9a-000103-OS/HLT/02">x</a></td></tr></table>'
        : pathname === '/media/ocds-xwwr9a-000103-OS_HLT_02.json'
          ? packageOf(1)
          : undefined,
  ],
  [
    'ng-ekiti',
    'procurements',
    ['77'],
    ({ pathname }) =>
      pathname.startsWith('/Home')
        ? '<table id="datable_3"><tr><td>1</td><td><span class="a"><a target="_blank" href="/Home/Details/77">x</a></span></td></tr></table>'
        : pathname === '/openapi/packagesapi/77'
          ? packageOf(77)
          : undefined,
  ],
  [
    'ng-nocopo',
    'files',
    ['1'],
    (url) =>
      url.search
        ? "<html><head><meta http-equiv='refresh' content=\"0;url='/files/all.zip'\"></head></html>"
        : url.pathname === '/files/all.zip'
          ? zipOf({ 'a.json': packageOf(1), 'b.json': { uri: 'x' } })
          : undefined,
  ],
  ...Object.entries({
    'al-procurement-commission': 134,
    'hr-eojn-contracts': 80,
    'id-opentender': 101,
    'ng-nocopo': 64,
    'ng-osun': 118,
  }).map(
    ([id, publication]): Example => [
      id,
      'registry',
      ['1', '2'],
      ({ pathname, search }) =>
        pathname === `/en/publication/${publication}/download` && search === '?name=2026.jsonl.gz'
          ? gzipSync(Buffer.from(`${JSON.stringify(release(1))}\n${JSON.stringify(release(2))}\n`))
          : undefined,
    ],
  ),
  [
    'nl-tenderned-years',
    'files',
    ['2024', '2025'],
    ({ pathname }) =>
      pathname.endsWith('.json')
        ? packageOf(/\d{4}/.exec(pathname.slice(pathname.lastIndexOf('/')))![0])
        : '<a href="/cms/sites/default/files/2025-04/2024.json">2024</a> <a href="/x/2024.csv">y</a> ' +
          '<a href="/cms/sites/default/files/2026-07/Dataset_Tenderned-2025-01-01-2025-12-31.json">2025</a>',
  ],
  [
    'np-dhangadhi',
    'years',
    ['2079'],
    ({ pathname }) =>
      pathname.startsWith('/api')
        ? { data: { fiscal_years: [{ name: '2079-80' }, { name: '2080-81' }] } }
        : pathname === '/ocds/json/dhangadhi-2079-80.json'
          ? packageOf(2079)
          : undefined,
  ],
  [
    'pe-peru-compras',
    'agreements',
    ['130', '128'],
    (url) =>
      url.pathname.endsWith('obtenerFiltros')
        ? '130-BIENES^IM-CE-2020-9 MATERIAL¬128-BIENES^IM-CE-2020-8 7-X¯5-OTROS^x¬6-OTROS^y'
        : query(url, 'pFechaFin') === '2026-11-30'
          ? JSON.stringify(packageOf(query(url, 'pAcuerdo')!)).replace('Desks ', 'Desks\n')
          : undefined,
  ],
  [
    'pe-peru-compras',
    'months',
    ['1'],
    (url, request) =>
      url.host.startsWith('saeusceprod01')
        ? packageOf(1)
        : request.method === 'POST'
          ? [{ C_Anio: '2026', CodMes: '10', C_FileJson: 'a.json' }]
          : undefined,
  ],
  [
    'pe-oece',
    'releases',
    ['1', '2'],
    (url) => {
      const old = release(3, { date: '2026-11-01T00:00:00-05:00' })
      return query(url, 'searchAfter') === 'b'
        ? {
            releases: [release(2), old],
            links: { next: 'https://contratacionesabiertas.oece.gob.pe/api/v1/releasesAfter?searchAfter=c' },
          }
        : query(url, 'searchAfter') === 'c'
          ? {
              releases: [old],
              links: { next: 'https://contratacionesabiertas.oece.gob.pe/api/v1/releasesAfter?searchAfter=d' },
            }
          : {
              releases: [release(1)],
              links: { next: 'https://contratacionesabiertas.oece.gob.pe/api/v1/releasesAfter?searchAfter=b' },
            }
    },
  ],
  [
    'pe-oece',
    'months',
    ['1'],
    (url) =>
      url.pathname.endsWith('/files')
        ? {
            pagination: { num_pages: 1 },
            results: [{ files: { json: 'https://contratacionesabiertas.osce.gob.pe/f/a.zip' } }],
          }
        : url.host === 'contratacionesabiertas.oece.gob.pe'
          ? zipOf({ 'a.json': recordsOf(1) })
          : undefined,
  ],
  [
    'py-dncp',
    'releases',
    ['1', '2'],
    (url, request) => {
      if (url.pathname.endsWith('/oauth/token'))
        return bodyOf(request)['request_token'] === 'request-token' ? { access_token: 'abc' } : undefined
      if (headerOf(request, 'authorization') !== 'Bearer abc') return 401
      if (url.pathname.includes('/release/')) return packageOf(url.pathname.at(-1)!)
      return query(url, 'fecha_desde')?.startsWith('2026-11-19T00:00:00')
        ? {
            pagination: { current_page: 1, total_pages: 1 },
            records: [
              {
                ocid: 'o',
                releases: [1, 2].map((name) => ({ url: `https://www.contrataciones.gov.py/release/${name}` })),
              },
            ],
          }
        : undefined
    },
  ],
  [
    'rw-umucyo',
    'months',
    ['1'],
    (url) =>
      query(url, 'month_file') === '11-November-json.zip' && query(url, 'year') === '2026'
        ? zipOf({ 'a.json': packageOf(1) })
        : undefined,
  ],
  [
    'th-bangkok',
    'years',
    ['1'],
    ({ pathname }) => (pathname.endsWith('ocds_releases_2569.json') ? packageOf(1) : undefined),
  ],
  [
    'tw-agency-against-corruption',
    'files',
    ['1', '2'],
    (url) =>
      query(url, 'code') === 'list'
        ? query(url, 'page') === '1'
          ? '<div class="main"><li><a href="index.php?code=get&amp;ids=1" title="a (OCDS)">OCDS</a><a title="b ' +
            'OCDS" href="?code=get&amp;ids=2">x</a><a href="c" title="CSV">y</a></li></div>'
          : '<div class="main"></div>'
        : packageOf(query(url, 'ids')!),
  ],
  [
    'tz-nest',
    'releases',
    ['1'],
    ({ pathname }, request) =>
      pathname.includes('/download/')
        ? packageOf(1)
        : request.body?.includes('"value1":"2026-11-19T00:00:00","value2":"2026-11-19T23:59:59"')
          ? { recordsFilteredCount: 1, data: [{ fileName: 'release-2026-11-19.json' }] }
          : undefined,
  ],
  [
    'tz-nest',
    'releases-api',
    ['1', '2'],
    (url) =>
      url.search
        ? { ...packageOf(2), links: {} }
        : { ...packageOf(1), links: { next: 'https://nest.go.tz/gateway/nest-data-portal-api/api/releases?cursor=2' } },
  ],
  [
    'ug-ppda',
    'fiscal-years',
    ['1'],
    (url, request) =>
      url.pathname.endsWith('/exports')
        ? bodyOf(request)['fy'] === '2026-2027'
          ? { success: true, job_id: 'a/b', status_url: `${url}/status?job=1` }
          : undefined
        : url.pathname.endsWith('/exports/status')
          ? { status: 'complete', download_url: `${url.origin}/file.json` }
          : packageOf(1),
  ],
  [
    'uy-arce',
    'months',
    ['1'],
    ({ pathname }) =>
      pathname.endsWith('/rss/2026/11')
        ? '<?xml version="1.0"?><rss version="2.0"><channel><title>x</title><item>' +
          '<title>id_compra:1,release_id:a</title><link>https://comprasestatales.gub.uy/ocds/release/a</link>' +
          '<pubDate>Thu, 19 Nov 2026 10:00:00 GMT</pubDate></item></channel></rss>'
        : packageOf(1),
  ],
]

describe('answers in the form of each portal', () => {
  for (const example of portals) testAnswers(...example)
})

describe('lists without date filters', () => {
  it('are followed again only where an entry changed', async () => {
    const portal =
      (changed: boolean): Portal =>
      (url) =>
        url.search
          ? [
              { ocid: 'o-1', state: 'open' },
              { ocid: 'o-2', state: changed ? 'closed' : 'open' },
            ]
          : packageOf(url.pathname.at(-1)!)
    const first = await read('es-zaragoza', 'processes', portal(false))
    const known = new Map(
      first.steps.flatMap(({ items = [] }) => items.map(({ key, version }) => [key, version] as const)),
    )
    expect(first.ids).toEqual(['1', '2'])
    expect((await read('es-zaragoza', 'processes', portal(false), { known })).ids).toEqual([])
    expect((await read('es-zaragoza', 'processes', portal(true), { known })).ids).toEqual(['2'])
  })
})

describe('Find a Tender', () => {
  /**
   * So many releases, evenly over the window; the page is never longer than 100, and nothing says that there is more.
   */
  const portal =
    (count: number): Portal =>
    (url) => {
      const [from, to] = [query(url, 'updatedFrom'), query(url, 'updatedTo')].map((text) => Date.parse(`${text}Z`))
      if (query(url, 'limit') !== '100' || query(url, 'cursor') !== null) return undefined
      const [start, end] = spans['hours']!
      const all = Array.from({ length: count }, (_, index) => ({
        index,
        at: start + Math.floor(((end - start) * index) / count),
      }))
      const found = all.filter(({ at }) => at >= from! && at < to!).slice(0, 100)
      return { uri: 'x', releases: found.map(({ index, at }) => release(index, { date: new Date(at).toISOString() })) }
    }

  it('is read whole by halving the window: 1,000 releases of six hours, a hundred on a page', async () => {
    const { ids, end, asked } = await read('gb-find-a-tender', 'windows', portal(1000))
    expect(end).toEqual({ kind: 'complete' })
    expect(new Set(ids).size).toBe(1000)
    expect(asked.length).toBeLessThanOrEqual(31)
  })
  it('sends one request if one page suffices', async () => {
    const { ids, asked } = await read('gb-find-a-tender', 'windows', portal(99))
    expect(ids).toHaveLength(99)
    expect(asked).toHaveLength(1)
  })
})

describe('Proactis portals', () => {
  it.each([
    ['gb-public-contracts-scotland', 21],
    ['gb-sell2wales', 23],
  ])('%s is asked for each of %i types of notices, empty ones without releases', async (id, types) => {
    const { ids, asked, end } = await read(id, 'months', (url) => {
      if (query(url, 'dateFrom') !== '11-2026' || query(url, 'outputType') !== '0') return undefined
      const type = Number(query(url, 'noticeType'))
      return type < 3 ? packageOf(type) : { uri: 'https://portal.example', publisher: { name: 'x' } }
    })
    expect(end).toEqual({ kind: 'complete' })
    expect(ids).toEqual(['1', '2'])
    expect(asked).toHaveLength(types)
  })
})

describe('MTender', () => {
  const day = '2026-11-19T'
  const list: { readonly [offset: string]: object } = {
    [`${day}00:00:00Z`]: { data: [{ ocid: 'ocds-b3wdp1-MD-1', date: `${day}08:00:00Z` }], offset: `${day}08:00:00Z` },
    [`${day}08:00:00Z`]: { data: [{ ocid: 'ocds-b3wdp1-MD-2', date: '2026-11-20T01:00:00Z' }], offset: 'x' },
  }
  const records = {
    records: [{ ocid: 'ocds-b3wdp1-MD-1-PN-2', compiledRelease: release('a', { ocid: 'ocds-b3wdp1-MD-1-PN-2' }) }],
  }

  it('is read by days, each process once, until the list runs into the next day', async () => {
    const { ids, end, asked } = await read('md-mtender', 'changes', (url) =>
      url.pathname === '/tenders/' ? list[query(url, 'offset')!] : records,
    )
    expect(end).toEqual({ kind: 'complete' })
    expect(ids).toEqual(['ocds-b3wdp1-MD-1'])
    expect(asked).toHaveLength(3)
  })
  it('recognizes an error under status 200', async () => {
    await expect(
      read('md-mtender', 'changes', () => ({ name: 'Error', message: 'connect EHOSTUNREACH' })),
    ).rejects.toThrow(/error under status 200/)
  })
  it('ends with the empty object after the last page', async () => {
    const { end } = await read('md-mtender', 'changes', () => ({}))
    expect(end).toEqual({ kind: 'complete' })
  })
})

describe('ProZorro', () => {
  const origin = 'https://public-api.prozorro.gov.ua/api/2.5/tenders'
  /** Changes in their order; offsets count them. */
  const portal =
    (changes: readonly string[]): Portal =>
    (url) => {
      const id = /\/tenders\/(.+)$/.exec(url.pathname)?.[1]
      if (id !== undefined) return query(url, 'opt_schema') === 'ocds' ? packageOf(id) : undefined
      const isDescending = query(url, 'descending') === '1'
      const at = Number(query(url, 'offset') ?? changes.length)
      const page = isDescending ? changes.slice(Math.max(0, at - 2), at).reverse() : changes.slice(at, at + 2)
      const older = `${origin}?descending=1&offset=${at - page.length}`
      const newer = `${origin}?offset=${isDescending ? at : at + page.length}`
      return {
        data: page.map((name) => ({ id: name, dateModified: `2026-11-19T10:00:0${changes.indexOf(name)}+02:00` })),
        next_page: { uri: isDescending ? older : newer, offset: 'x' },
        prev_page: { uri: isDescending ? newer : older, offset: 'x' },
      }
    }

  it('is read forward from the newest entry, each time from its last position', async () => {
    const first = await read('ua-prozorro', 'changes', portal(['1', '2', '3']))
    expect(first.ids).toEqual(['3', '2'])
    const checkpoint = first.steps.findLast((step) => step.checkpoint !== undefined)!.checkpoint!
    const nothing = await read('ua-prozorro', 'changes', portal(['1', '2', '3']), { checkpoint })
    expect(nothing.ids).toEqual([])
    const next = await read('ua-prozorro', 'changes', portal(['1', '2', '3', '4', '5', '6']), { checkpoint })
    expect(next.ids).toEqual(['4', '5', '6'])
  })
  it('is read backward to its beginning in the background', async () => {
    const { ids } = await read('ua-prozorro', 'history', portal(['1', '2', '3', '4', '5']))
    expect(ids).toEqual(['5', '4', '3', '2', '1'])
  })
  it('does not fetch a tender again that has not changed', async () => {
    const { asked, steps } = await read('ua-prozorro', 'history', portal(['1', '2']))
    const known = new Map(steps.flatMap(({ items = [] }) => items.map(({ key, version }) => [key, version] as const)))
    expect(known.size).toBe(2)
    const again = await read('ua-prozorro', 'history', portal(['1', '2']), { known })
    expect(again.ids).toEqual([])
    expect(again.asked.length).toBe(asked.length - 2)
  })
})

describe('Kosovo', () => {
  const portal: Portal = (url) => {
    const [from, end] = [query(url, 'endDateFrom'), query(url, 'endDateEnd')]
    if (Date.parse(end!) - Date.parse(from!) !== 86_400_000) return undefined
    return from === '2026-11-20' || from === '2027-01-19' ? packageOf(from) : { releases: [] }
  }
  it('is requested for every day on which open tenders close: today and sixty more', async () => {
    const { ids, asked, end } = await read('xk-krpp', 'open', portal)
    expect(end).toEqual({ kind: 'complete' })
    expect(ids).toEqual(['2026-11-20', '2027-01-19'])
    expect(asked).toHaveLength(61)
  })
  it('continues with the day where a run died', async () => {
    const { steps } = await read('xk-krpp', 'open', portal)
    for (const stopAfter of [1, 7, 30, steps.length]) {
      const before = await read('xk-krpp', 'open', portal, { stopAfter })
      const checkpoint = before.steps.findLast((step) => step.checkpoint !== undefined)?.checkpoint
      const after = await read('xk-krpp', 'open', portal, checkpoint === undefined ? {} : { checkpoint })
      expect(new Set([...before.ids, ...after.ids])).toEqual(new Set(['2026-11-20', '2027-01-19']))
      expect(before.asked.length + after.asked.length).toBeLessThanOrEqual(62)
    }
  })
})

describe('Croatia', () => {
  const page = `<form><input type="hidden" name="__VIEWSTATE" value="a+/=&quot;" /><input type='hidden' name='__EVENTTARGET' value='' />
    <td><a id="ctl00_b_1" href="javascript:__doPostBack('ctl00$b$1','')">1</a></td>
    <td><a id="ctl00_b_2" href="javascript:__doPostBack(&#39;ctl00$b$2&#39;,&#39;&#39;)">2</a></td></form>`
  it('posts the form of the page back for every archive', async () => {
    const { ids, end } = await read('hr-eojn-contracts', 'archives', (_, request) => {
      if (request.body === undefined) return page
      const fields = new URLSearchParams(request.body)
      return fields.get('__VIEWSTATE') === 'a+/="'
        ? zipOf({ 'a.json': packageOf(fields.get('__EVENTTARGET')!.at(-1)!) })
        : undefined
    })
    expect(end).toEqual({ kind: 'complete' })
    expect(ids).toEqual(['2', '1'])
  })
  it('is refused, not taken as empty, where the page shows no archive', async () => {
    await expect(read('hr-eojn-contracts', 'archives', () => '<html>Just a moment</html>')).rejects.toThrow(
      /without archives/,
    )
  })
})

describe('Uganda', () => {
  const portal =
    (states: string[], more: object = {}): Portal =>
    (url) =>
      url.pathname.endsWith('/exports')
        ? { success: true, job_id: 'a/b' }
        : url.pathname.endsWith('/exports/a%2Fb/status')
          ? { status: states.shift() ?? 'processing', ...more }
          : url.pathname.endsWith('/exports/a%2Fb/download')
            ? packageOf(7)
            : undefined
  it('is asked until the export is complete', async () => {
    const { ids, asked } = await read('ug-ppda', 'fiscal-years', portal(['queued', 'processing', 'complete']))
    expect(ids).toEqual(['7'])
    expect(asked.map((url) => new URL(url).pathname.split('/').at(-1))).toEqual([
      ...['exports', 'status', 'status', 'status', 'download'],
    ])
  })
  it('is not taken as empty where the export fails, never ends or is no job', async () => {
    await expect(read('ug-ppda', 'fiscal-years', portal(['failed']))).rejects.toThrow(/ended as failed/)
    await expect(read('ug-ppda', 'fiscal-years', portal([]))).rejects.toThrow(/not complete/)
    await expect(read('ug-ppda', 'fiscal-years', () => '<html>')).rejects.toThrow(/no JSON/)
    await expect(read('ug-ppda', 'fiscal-years', () => ({ success: false }))).rejects.toThrow(/made no job/)
  })
})

describe('Portland', () => {
  it('is read through page, folder and question to the file', async () => {
    const { ids } = await read('us-portland', 'files', (url) => {
      if (url.host === 'www.portland.gov') return '<a href="https://drive.google.com/drive/folders/x">data</a>'
      if (url.pathname.startsWith('/drive/'))
        return '<tr data-id="F1"><td>records.json</td></tr><tr data-id="F2"><td>notes.txt</td></tr>'
      if (url.pathname === '/uc')
        return (
          '<form id="download-form" action="https://drive.usercontent.google.com/download"><input ' +
          `type="hidden" name="id" value="${query(url, 'id')}"><input name="confirm" value="t"></form>`
        )
      return query(url, 'id') === 'F1' && query(url, 'confirm') === 't' ? recordsOf(1) : undefined
    })
    expect(ids).toEqual(['1'])
  })
})
