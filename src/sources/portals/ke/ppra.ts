// Tenders of Kenya's Public Procurement Regulatory Authority.
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const api = 'https://tenders.go.ke/api/ocds'

export const source = sourceOf({
  id: 'ke-ppra',
  title: 'Public Procurement Information Portal',
  publisher: 'Public Procurement Regulatory Authority',
  homepage: 'https://tenders.go.ke/ocds',
  clients: ['https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/kenya_ppra.py'],
  channels: [
    {
      name: 'tenders',
      delivery: {
        kind: 'link-next',
        request: { url: `${api}/index?search=&perpage=10&sortby=&order=asc&page=1` },
        entries: { format: 'json', at: '/data' },
        next: '/next_page_url',
        detail: {
          request: { url: `${api}/tenders?download=true&ocds_id={id}` },
          id: '/id',
          version: '',
          entries: releases,
        },
      },
      timetable: '15 */6 * * *',
    },
  ],
  politeness: { requestsPerMinute: 40 },
  expects: { silentAfterDays: 14, shape: ['/data/0/id', '/next_page_url'] },
  caveats: [
    'The list cannot be requested by date: it is walked from its start, and only what changed in it is fetched.',
  ],
})
