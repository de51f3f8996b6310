// Umucyo, the e-procurement system of Rwanda.
import { releases, zippedReleases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const api = 'https://ocds.umucyo.gov.rw/opendata/api/v1'

export const source = sourceOf({
  id: 'rw-umucyo',
  title: 'Umucyo',
  publisher: 'Rwanda Public Procurement Authority',
  homepage: 'https://ocds.umucyo.gov.rw/OpenData',
  documentation: 'https://ocds.umucyo.gov.rw/opendata/api/docs',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/rwanda_api.py',
    'https://github.com/PRIEST099/TenderAlertPro/blob/fe5f8ce6c31503de463d9a7197ba9bb8c591ae4a/backend/poller.py',
  ],
  channels: [
    {
      name: 'days',
      slots: { kind: 'day', since: '2024-01-01', rereadDays: [1, 7], isOpenRead: true },
      delivery: {
        kind: 'link-next',
        request: {
          url: `${api}/releases/all?sort_field=date&sort_direction=asc&offset=0&limit=50&date_from={from:yyyy-MM-dd}&date_to={last:yyyy-MM-dd}`,
        },
        entries: releases,
        next: '/links/next',
      },
    },
    {
      name: 'months',
      role: 'backfill',
      slots: { kind: 'month', since: '2013-12-01', rereadDays: [30] },
      delivery: {
        kind: 'single',
        request: { url: `${api}/ui/data_set/download?year={from:yyyy}&month_file={from:MM}-{from:MMMM}-json.zip` },
        entries: zippedReleases,
        notFound: 'empty',
      },
    },
  ],
  politeness: { requestsPerMinute: 40 },
  expects: { silentAfterDays: 7, shape: ['/releases/0/ocid'] },
  caveats: ['Everything before 2024 comes as monthly archives.'],
})
