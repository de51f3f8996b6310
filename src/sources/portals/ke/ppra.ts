// Tenders of Kenya's Public Procurement Regulatory Authority.
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const api = 'https://tenders.go.ke/api/ocds'

export const source = sourceOf({
  id: 'ke-ppra',
  title: 'Public Procurement Information Portal',
  publisher: 'Public Procurement Regulatory Authority',
  homepage: 'https://tenders.go.ke/ocds',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/kenya_ppra.py',
    'https://github.com/kodalegit/sentinel/blob/853f2a18d6486c6d8425d2a8301997c2551fb427/backend/connectors/ppip.py',
  ],
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
    {
      name: 'years',
      role: 'spare',
      // Fiscal years, July to June: that of 2025 is `2025-2026`.
      slots: { kind: 'year', since: '2018-01-01', rereadDays: [60, 120, 180], isOpenRead: true },
      delivery: {
        kind: 'single',
        request: { url: `${api}/tenders?fy={from:yyyy}-{to:yyyy}` },
        entries: releases,
      },
      timetable: '40 3 * * 0',
    },
  ],
  politeness: { requestsPerMinute: 40 },
  expects: { silentAfterDays: 14, shape: ['/data/0/id', '/next_page_url'] },
  caveats: [
    'One public program reads the list and each tender, several others all releases of a fiscal year in one ' +
      'answer: that is a channel to name where the list fails.',
    'The list cannot be requested by date: it is walked from its start, and only what changed in it is fetched.',
  ],
})
