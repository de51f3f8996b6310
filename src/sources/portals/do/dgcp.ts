// DGCP, the procurement of the Dominican Republic.
import { minuteMs } from '../../families/card-values.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const api = 'https://datosabiertos.dgcp.gob.do/api-dgcp/v1/ocds/releases'

export const source = sourceOf({
  id: 'do-dgcp',
  title: 'Datos abiertos de la DGCP',
  publisher: 'Dirección General de Contrataciones Públicas',
  homepage: 'https://datosabiertos.dgcp.gob.do',
  documentation: 'https://datosabiertos.dgcp.gob.do/api-dgcp/docs/index.html',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/dominican_republic_api.py',
    'https://github.com/QuagKhai003/TradePulse/blob/d7e3ed5be2ba7cf0a7fa99fa235413a278c6dc28/etl/tradepulse_etl/sources/dgcp.py',
  ],
  channels: [
    {
      name: 'days',
      slots: { kind: 'day', since: '2015-01-01', rereadDays: [1, 7, 30], isOpenRead: true },
      delivery: {
        kind: 'page',
        request: {
          url: `${api}/all?limit={limit}&page={page}&start_date={from:yyyy-MM-dd}&end_date={last:yyyy-MM-dd}`,
        },
        entries: { format: 'json', at: '/payload/content', isOptional: true },
        pageSize: 1000,
        end: { when: 'pages', at: '/pages' },
        detail: { request: { url: `${api}?ocid={id}` }, id: '/ocid', version: '', entries: releases },
      },
      timetable: '20 */2 * * *',
    },
  ],
  politeness: { requestsPerMinute: 50, restMs: minuteMs },
  expects: { silentAfterDays: 5, shape: ['/payload/content/0/ocid', '/pages'] },
  caveats: ['60 requests a minute, one after the other, are allowed.', 'After the last page, `content` is null.'],
})
