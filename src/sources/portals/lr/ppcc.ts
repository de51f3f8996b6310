// The e-procurement platform of Liberia's Public Procurement and Concessions Commission.
import { ePpsMonths } from '../../families/european-dynamics.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const host = 'https://eprocurement.ppcc.gov.lr'

export const source = sourceOf({
  id: 'lr-ppcc',
  title: 'PPCC e-procurement',
  publisher: 'Public Procurement and Concessions Commission',
  homepage: host,
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/liberia_records.py',
    'https://github.com/Silvafox76/FB_test/blob/33bffb2b38d441e30d3d84740948405178aff5a4/monitor/connectors/liberia.py',
  ],
  channels: [
    ePpsMonths(host, '2024-11-01'),
    {
      name: 'releases',
      role: 'spare',
      delivery: {
        kind: 'page',
        request: {
          url: `${host}/ocds/record/searchRecords.action`,
          headers: { Accept: 'application/json' },
          json: { page: '{page}', pagesize: '{limit}', sortField: 'ocid', sortDir: 'asc' },
        },
        entries: { format: 'json', at: '/items' },
        pageSize: 10,
        total: '/total',
        end: { when: 'total' },
        detail: {
          request: { url: `${host}/ocds/record/downloadRecord/{id}/COMPILED.action` },
          id: '/id',
          version: '',
          entries: releases,
        },
      },
    },
  ],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 45, shape: ['/ocid', '/compiledRelease'] },
  caveats: [
    'During maintenance, the platform answers HTML with status 200.',
    'The channel `releases` is what the site itself calls; it is not documented.',
  ],
})
