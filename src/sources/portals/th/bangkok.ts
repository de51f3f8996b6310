// Contracts of the Bangkok Metropolitan Administration.
import { licenceNotStated } from '../../families/card-values.ts'
import { releases } from '../../ocds/entries.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'th-bangkok',
  title: 'Bangkok Open Contracting',
  publisher: 'Bangkok Metropolitan Administration',
  country: 'TH',
  homepage: 'https://opencontract.bangkok.go.th/ocds.html',
  licence: licenceNotStated,
  zone: 'Asia/Bangkok',
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
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 10 },
  expects: { silentAfterDays: 45, shape: ['/releases/0/ocid'] },
  caveats: ['Years are of the Buddhist calendar (2569 is 2026).', 'Cloudflare may answer with a challenge instead.'],
}
