// MANEPS, the e-procurement system of Malawi.

import type { Entries } from '../../delivery.ts'
import { records, releases } from '../../ocds/entries.ts'
import { type CardChannel, sourceOf } from '../../source.ts'

const api = 'https://maneps.mw/rms/api/ocds'

const list = (name: string, address: string, entries: Entries): CardChannel => ({
  name,
  delivery: {
    kind: 'offset',
    request: { url: `${api}/get-records`, json: { skip: '{offset}', take: '{limit}' } },
    entries: { format: 'json', at: '/items' },
    pageSize: 1000,
    total: '/total',
    end: { when: 'total' },
    detail: { request: { url: `${api}/${address}/{id}` }, id: '/ocid', version: '', entries },
  },
  timetable: '45 */6 * * *',
})

export const source = sourceOf({
  id: 'mw-maneps',
  title: 'MANEPS',
  publisher: 'Public Procurement and Disposal of Assets Authority',
  homepage: 'https://maneps.mw',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/malawi_base.py',
    'https://github.com/DizzyLamar/BidWatch/blob/282a6bc3c253e263d41fbde4c94766c6db5de79f/backend/opportunity-discovery.ts',
  ],
  channels: [
    list('releases', 'release-package', releases),
    { ...list('records', 'record-package', records), role: 'spare' },
  ],
  politeness: { requestsPerMinute: 30 },
  expects: { silentAfterDays: 30, shape: ['/items/0/ocid', '/total'] },
  caveats: ['An OCID may hold a slash.'],
})
