// OECE (formerly OSCE), the procurement of Peru.

import type { Entries } from '../../delivery.ts'
import { records, releases, zippedRecords } from '../../ocds/entries.ts'
import { type CardChannel, sourceOf } from '../../source.ts'

const api = 'https://contratacionesabiertas.oece.gob.pe/api/v1'

const newest = (name: string, list: string, entries: Entries, time: string): CardChannel => ({
  name,
  delivery: {
    kind: 'link-next',
    request: { url: `${api}/${list}?format=json&order=desc` },
    entries,
    next: '/links/next',
    // Newest first; the days before are already stored.
    ordered: { at: time, direction: 'descending', days: 7 },
  },
})

export const source = sourceOf({
  id: 'pe-oece',
  title: 'Contrataciones Abiertas del OECE',
  publisher: 'Organismo Especializado para las Contrataciones Públicas Eficientes',
  homepage: 'https://contratacionesabiertas.oece.gob.pe',
  documentation: 'https://contratacionesabiertas.oece.gob.pe/api',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/peru_oece_api_base.py',
    'https://github.com/francocarazas-sketch/radar-oece/blob/7f12ebdaf70acc40f28de5a715e2336d825e5e5f/fetch_licitaciones.py',
  ],
  license: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  channels: [
    newest('releases', 'releasesAfter', releases, '/date'),
    { ...newest('records', 'recordsAfter', records, '/compiledRelease/date'), role: 'spare' },
    {
      name: 'months',
      role: 'backfill',
      delivery: {
        kind: 'page',
        request: { url: `${api}/files?page={page}&paginateBy={limit}&format=json` },
        entries: { format: 'json', at: '/results' },
        pageSize: 10,
        end: { when: 'pages', at: '/pagination/num_pages' },
        detail: {
          request: { url: '{id}' },
          id: '/files/json',
          version: '',
          // Some URLs still name the former host.
          replace: { what: '.osce.', by: '.oece.' },
          entries: zippedRecords,
        },
      },
      timetable: '40 7 * * *',
    },
  ],
  politeness: { requestsPerMinute: 40 },
  expects: { silentAfterDays: 5, shape: ['/releases/0/ocid', '/links/next'] },
  caveats: [
    'The list of the newest cannot be requested by date; the last week of it is read.',
    'Earlier records come as monthly archives.',
    'Clients in data centers were answered with 403 in September 2026; the license is in each answer.',
  ],
})
