// Tenders of Indonesia's procurement offices (LPSE), collected by opentender.net.
import { registryYears } from '../../families/registry-years.ts'
import { zippedReleases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'id-opentender',
  title: 'Opentender.net',
  publisher: 'Indonesia Corruption Watch',
  homepage: 'https://opentender.net',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/indonesia_opentender.py',
    'https://github.com/vaskoyudha/Phase3_LPSE-x/blob/b6f775c541f48583d03b3c132ccd4664593f305b/src/data.py',
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
    registryYears(101, '2008-01-01'),
  ],
  politeness: { requestsPerMinute: 30, pauseMs: 1000 },
  expects: { silentAfterDays: 60, shape: ['/results/0/code'] },
  caveats: [
    'The portal answers slowly.',
    'The list of offices has duplicates.',
    'Some answers end in the middle of the JSON.',
    'In July 2026, the portal answered 502, and its makers expected nothing new for months, until it is ' +
      'rebuilt on the new data of the national agency LKPP (issue 1295 of kingfisher-collect).',
    'The channel `registry` reads the copy in the OCP Data Registry. The second client reads this copy only, the years 2014 to 2023.',
    'The author of the second client counts 465,184 rows of 2021 to 2023, in which `tender.value` often has ' +
      'no amount, and takes `tender.minValue` as the estimate instead; it is read so here too. In such ' +
      'tenders, the buyer may be named as the procuring entity only.',
    'Some dates have mistyped years like 3020. Years after 2200 are not read.',
    'Others read the list of tenders of the same portal (/api/tender/), in which they disagree about paging and members.',
  ],
})
