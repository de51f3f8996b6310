// ChileCompra (Mercado Público), the procurement of Chile.

import type { Entries } from '../../delivery.ts'
import { records, releases } from '../../ocds/entries.ts'
import { type Channel, sourceOf } from '../../source.ts'

const api = 'https://api.mercadopublico.cl/APISOCDS'

const months = (name: string, address: string, entries: Entries): Channel => ({
  name,
  slots: { kind: 'month', since: '2022-01-01', rereadDays: [3, 15, 45], isOpenRead: true },
  delivery: {
    kind: 'offset',
    request: { url: `${api}/OCDS/{system}/{from:yyyy}/{from:MM}/{offset}/{limit}` },
    entries: { format: 'json', at: '/data' },
    pageSize: 1000,
    total: '/pagination/total',
    end: { when: 'total' },
    each: {
      name: 'system',
      values: ['listaOCDSAgnoMes', 'listaOCDSAgnoMesConvenio', 'listaOCDSAgnoMesTratoDirecto'],
    },
    detail: {
      request: { url: `${api}/${address}/{id}` },
      id: '/ocid',
      replace: { what: 'ocds-70d2nz-', by: '' },
      // A process gains a URL with every stage; there is no date.
      version: '',
      entries,
    },
    fault: { at: '/detail' },
  },
  timetable: '10 */6 * * *',
})

export const source = sourceOf({
  id: 'cl-chilecompra',
  title: 'ChileCompra',
  publisher: 'Dirección de Compras y Contratación Pública',
  homepage: 'https://www.chilecompra.cl',
  documentation: 'https://desarrolladores.mercadopublico.cl',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/chile_compra_api_base.py',
    'https://github.com/JosElias23/licitaciones-unspsc/blob/5f82b3b3c3f8ae9775e417b16e4dd23a62ea4509/src/licitaciones/data.py',
  ],
  channels: [
    months('releases', 'OCDS/allrelease', releases),
    { ...months('records', 'ocds/record', records), role: 'spare' },
  ],
  politeness: { requestsPerMinute: 40 },
  expects: { silentAfterDays: 5, shape: ['/data/0/ocid', '/pagination/total'] },
  caveats: [
    'Slow: everything since 2009 would take months, so the reading begins with 2022.',
    'Errors come with status 200 as {status, detail}.',
    'Some texts contain NUL characters.',
  ],
})
