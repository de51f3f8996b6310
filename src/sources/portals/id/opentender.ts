// Tenders of Indonesia's procurement offices (LPSE), collected by opentender.net.
import { zippedReleases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'id-opentender',
  title: 'Opentender.net',
  publisher: 'Indonesia Corruption Watch',
  homepage: 'https://opentender.net',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/indonesia_opentender.py',
  ],
  channels: [
    {
      name: 'offices',
      slots: { kind: 'year', since: '2008-01-01', rereadDays: [30, 90], isOpenRead: true },
      delivery: {
        kind: 'single',
        request: { url: 'https://opentender.net/api/tender/export-ocds-batch/?year={from:yyyy}&lpse={office}' },
        entries: zippedReleases,
        each: {
          name: 'office',
          list: { url: 'https://opentender.net/api/master/lpse/?year={from:yyyy}&format=json' },
          entries: { format: 'json', at: '/results' },
          at: '/code',
        },
        notFound: 'empty',
      },
      timetable: '0 16 * * 6',
    },
  ],
  politeness: { requestsPerMinute: 30, pauseMs: 1000 },
  expects: { silentAfterDays: 60, shape: ['/results/0/code'] },
  caveats: [
    'The portal answers slowly.',
    'The list of offices has duplicates.',
    'Some answers end in the middle of the JSON.',
    'One public client is known. Others read the list of tenders of the same portal (/api/tender/), in which they disagree about paging and members.',
  ],
})
