// BASE, the portal of public contracts of Portugal: announcements as yearly files, newer ones and contracts by its search.
import type { Source } from '../../source.ts'
import { parseBase } from './parse-base.ts'
import { writeBase } from './write-base.ts'

const results = 'https://www.base.gov.pt/Base4/pt/resultados/'
const headers = { 'x-requested-with': 'XMLHttpRequest', referer: 'https://www.base.gov.pt/Base4/pt/pesquisa/' }

/** The site gives twenty rows a page whatever it is asked for. */
const search = (type: string, sort: string) => ({
  url: results,
  method: 'POST' as const,
  headers,
  form: { type, version: '91.0', query: 'texto=&tipo=0&tipocontrato=0', sort, page: '{page}', size: '{limit}' },
})

const pages = {
  kind: 'page',
  entries: { format: 'json', at: '/items' },
  firstPage: 0,
  pageSize: 20,
  end: { when: 'short-page' },
} as const

export const source: Source = {
  id: 'pt-base',
  title: 'BASE',
  publisher: 'IMPIC',
  country: 'PT',
  homepage: 'https://www.base.gov.pt',
  documentation: 'https://dados.gov.pt/pt/datasets/contratos-publicos-portal-base-impic-anuncios-de-2012-a-2025/',
  licence: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  zone: 'Europe/Lisbon',
  channels: [
    {
      name: 'announcements',
      slots: { kind: 'whole' },
      timetable: '20 */6 * * *',
      delivery: {
        kind: 'index',
        index: {
          url: 'https://dados.gov.pt/api/1/datasets/?q=Contratos%20Publicos%20Portal%20Base%20IMPIC%20Anuncios&page_size=5',
          headers: { accept: 'application/json' },
        },
        entries: { format: 'json', at: '/data/*/resources/*' },
        url: '/url',
        version: '/last_modified',
        where: { at: '/title', fits: /an[uú]ncios?.*\.json$/i },
        files: { format: 'archive', inside: { format: 'json', at: '' } },
      },
    },
    {
      name: 'newest',
      role: 'spare',
      slots: { kind: 'week', since: '2026-11-02', rereadDays: [3], isOpenRead: true },
      timetable: '5 7,19 * * *',
      delivery: {
        ...pages,
        request: search('search_anuncios', '-drPublicationDate'),
        ordered: { at: '/drPublicationDate', direction: 'descending' },
        detail: {
          request: {
            url: results,
            method: 'POST',
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
      role: 'spare',
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
  writeSample: writeBase,
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 12, pauseMs: 4000, restMs: 6 * 3_600_000 },
  expects: {
    silentAfterDays: 14,
    shape: ['/data/0/title', '/data/0/resources/0/url', '/data/0/resources/0/title'],
  },
  caveats: [
    'The yearly files are some seven days behind and rewritten once a week; their addresses carry a folder of the version.',
    'The firewall of base.gov.pt answers 999 and then blocks the whole domain: its two channels run only when they are named.',
    'Amounts are written with a point or with a comma for the decimals; "Inexistente" means none.',
    'Deadlines are days without a time.',
    'Members of the files, of the search and of its details seen in public code of 2026, the answers themselves not seen live.',
  ],
}
