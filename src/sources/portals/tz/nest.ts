// NeST, the e-procurement system of Tanzania.

import type { Entries } from '../../delivery.ts'
import { records, releases } from '../../ocds/entries.ts'
import { type CardChannel, sourceOf } from '../../source.ts'

const gateway = 'https://nest.go.tz/gateway/nest-data-portal-api'

const packages = (name: string, dataType: string, entries: Entries): CardChannel => ({
  name,
  slots: { kind: 'day', since: '2022-01-01', rereadDays: [1, 3, 14], isOpenRead: true },
  delivery: {
    kind: 'page',
    request: {
      url: `${gateway}/packages?withMetaData=true`,
      json: {
        page: '{page}',
        pageSize: '{limit}',
        fields: [{ fieldName: 'endDate', isSortable: true, orderDirection: 'DESC' }],
        mustHaveFilters: [
          { fieldName: 'periodType', operation: 'EQ', value1: 'daily' },
          { fieldName: 'dataType', operation: 'EQ', value1: dataType },
          {
            fieldName: 'startDate',
            operation: 'BTN',
            value1: '{from:yyyy-MM-ddTHH:mm:ss}',
            value2: '{last:yyyy-MM-ddTHH:mm:ss}',
          },
        ],
      },
    },
    entries: { format: 'json', at: '/data' },
    pageSize: 200,
    total: '/recordsFilteredCount',
    end: { when: 'total' },
    detail: { request: { url: `${gateway}/api/packages/download/{id}` }, id: '/fileName', version: '', entries },
  },
})

const pages = (name: string, entries: Entries): CardChannel => ({
  name: `${name}-api`,
  role: 'spare',
  delivery: { kind: 'link-next', request: { url: `${gateway}/api/${name}` }, entries, next: '/links/next' },
})

export const source = sourceOf({
  id: 'tz-nest',
  title: 'NeST',
  publisher: 'Public Procurement Regulatory Authority',
  homepage: 'https://nest.go.tz',
  documentation: 'https://data.nest.go.tz',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/tanzania_api_base.py',
    'https://github.com/mridu4/tender-edge/blob/98dc9ca4daed3dacbc9fbbbfb2d2e002acc27f4b/post_award_agent.py',
  ],
  channels: [
    packages('releases', 'release', releases),
    { ...packages('records', 'record', records), role: 'spare' },
    pages('releases', releases),
    pages('records', records),
  ],
  politeness: { requestsPerMinute: 40 },
  expects: { silentAfterDays: 5, shape: ['/data/0/fileName', '/recordsFilteredCount'] },
  caveats: [
    'The list of daily packages is what the site itself calls; it is not documented, and no public program reads it. The clients read the spare channels.',
    'A tender has no title; its description is used instead. Many releases are about planning only.',
  ],
})
