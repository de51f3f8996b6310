// Contracts of the Bangkok Metropolitan Administration.
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'th-bangkok',
  title: 'Bangkok Open Contracting',
  publisher: 'Bangkok Metropolitan Administration',
  homepage: 'https://opencontract.bangkok.go.th/ocds.html',
  clients: [
    'https://github.com/PHIMNADA024/tor_insight/blob/e6b20ee2ad1210aba288c3f5f7dde88668f1e7aa/backend/src/services/bmaFetcher.ts',
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/thailand_bangkok.py',
  ],
  channels: [
    {
      name: 'years',
      slots: { kind: 'year', since: '2023-01-01', rereadDays: [7, 30, 90], isOpenRead: true },
      delivery: {
        kind: 'single',
        request: {
          url: 'https://opencontract.bangkok.go.th/assets/data/output/yearly/ocds_releases_{from:bbbb}.json',
        },
        entries: releases,
        notFound: 'empty',
      },
      timetable: '10 3 * * *',
    },
  ],
  politeness: { requestsPerMinute: 10 },
  expects: { silentAfterDays: 45, shape: ['/releases/0/ocid'] },
  caveats: [
    'Years are of the Buddhist calendar (2569 is 2026), in the names of the files and in some dates.',
    'Cloudflare may answer with a challenge instead; a file that is not there yet is answered with 403.',
    'A file is that of a fiscal year, from October on, says a client: its first three months are read in January.',
    'All releases get a new date every night, so each file is read again; the date is not that of publication.',
    'The id of a supplier may be the identity number of a person.',
  ],
})
