// BASE, the portal of public contracts of Portugal, by its search: announcements of the last days, and contracts.
import { sourceOf } from '../../source.ts'
import { parseBase } from './parse-base.ts'

const results = 'https://www.base.gov.pt/Base4/pt/resultados/'
const headers = { 'x-requested-with': 'XMLHttpRequest', referer: 'https://www.base.gov.pt/Base4/pt/pesquisa/' }

/** The site returns twenty rows per page whatever the request says. */
const search = (type: string, sort: string) => ({
  url: results,
  headers,
  form: { type, version: '91.0', query: 'texto=&tipo=0&tipocontrato=0', sort, page: '{page}', size: '{limit}' },
})

const pages = {
  kind: 'page',
  entries: { format: 'json', at: '/items' },
  total: '/total',
  firstPage: 0,
  pageSize: 20,
  end: { when: 'short-page' },
} as const

export const source = sourceOf({
  id: 'pt-base-search',
  title: 'BASE (search)',
  publisher: 'IMPIC',
  homepage: 'https://www.base.gov.pt',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/RLealz/poodlescrappy/blob/28cde8d608a9973a7120b074924eff62d2b19fe4/src/services/baseGovService.ts',
  ],
  channels: [
    {
      name: 'newest',
      slots: { kind: 'week', since: '2026-11-02', rereadDays: [3], isOpenRead: true },
      timetable: '5 7,19 * * *',
      delivery: {
        ...pages,
        request: search('search_anuncios', '-drPublicationDate'),
        ordered: { at: '/drPublicationDate', direction: 'descending' },
        detail: {
          request: {
            url: results,
            headers,
            form: { type: 'detail_anuncios', version: '91.0', id: '{id}' },
          },
          id: '/id',
          withEntry: true,
        },
      },
    },
    {
      name: 'contracts',
      slots: { kind: 'week', since: '2026-11-02', rereadDays: [7], isOpenRead: true },
      timetable: '35 8 * * *',
      delivery: {
        ...pages,
        request: search('search_contratos', '-publicationDate'),
        ordered: { at: '/publicationDate', direction: 'descending' },
      },
    },
  ],
  parse: parseBase,
  politeness: { requestsPerMinute: 12, pauseMs: 4000, restMs: 6 * 3_600_000 },
  expects: { perDay: [20, 3000], silentAfterDays: 5, shape: ['/items/0/id'] },
  caveats: [
    'The firewall of the site answers 999 and then blocks the whole domain for hours.',
    'Twenty rows per page, whatever number is requested; after many quick pages the answer is empty.',
    'Four of five contracts are direct awards.',
    'Announcements carry the number under which the yearly files of pt-base list them.',
    'The members of the search and of its details are known from public code of 2026; no live answer has been seen.',
  ],
  offBecause: 'its firewall blocks readers; the announcements come from the yearly files of pt-base',
})
