// DNCP, the procurement of Paraguay.

import type { Detail } from '../../delivery.ts'
import { records, releases } from '../../ocds/entries.ts'
import { type Channel, sourceOf } from '../../source.ts'

const api = 'https://www.contrataciones.gov.py/datos/api/v3/doc'
const headers = { Authorization: 'Bearer {token}', Accept: 'application/json' }

const days = (name: string, query: string, at: string, detail: Detail): Channel => ({
  name,
  slots: { kind: 'day', since: '2010-01-01', rereadDays: [1, 7, 30], isOpenRead: true },
  delivery: {
    kind: 'page',
    token: { request: { url: `${api}/oauth/token`, json: { request_token: '{key}' } }, at: '/access_token' },
    request: {
      url: `${api}/search/processes?tipo_fecha=fecha_release${query}&fecha_desde={from:yyyy-MM-ddTHH:mm:ssXXX}&fecha_hasta={to:yyyy-MM-ddTHH:mm:ssXXX}&items_per_page={limit}&page={page}`,
      headers,
    },
    entries: { format: 'json', at },
    pageSize: 1000,
    end: { when: 'pages', at: '/pagination/total_pages' },
    detail,
  },
})

// A release never changes at its URL.
const release: Detail = { request: { url: '{id}', headers }, id: '/url', entries: releases }

export const source = sourceOf({
  id: 'py-dncp',
  title: 'DNCP, datos abiertos',
  publisher: 'Dirección Nacional de Contrataciones Públicas',
  homepage: 'https://www.contrataciones.gov.py',
  documentation: 'https://www.contrataciones.gov.py/datos/api/v3/doc/',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/paraguay_dncp_base.py',
  ],
  channels: [
    days('releases', '', '/records/*/releases', release),
    days('planned', '&tender.id=planned', '/records/*/releases', release),
    {
      ...days('records', '', '/records', {
        request: { url: `${api}/ocds/record/{id}`, headers },
        id: '/ocid',
        version: '',
        entries: records,
      }),
      role: 'spare',
    },
  ],
  access: { kind: 'key', setting: 'DNCP_REQUEST_TOKEN', getItAt: 'https://www.contrataciones.gov.py/datos/adm/login' },
  expects: { silentAfterDays: 5, shape: ['/records/0/releases/0/url', '/pagination/total_pages'] },
  caveats: [
    'A token is good for fifteen minutes.',
    'A query shows at most 10,000 processes; single days stay below that.',
    'Planned tenders need a query of their own.',
  ],
})
