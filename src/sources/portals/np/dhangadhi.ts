// Procurement of the sub-metropolitan city of Dhangadhi.
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'np-dhangadhi',
  title: 'Dhangadhi infrastructure management system',
  publisher: 'Dhangadhi Sub-Metropolitan City',
  homepage: 'https://ims.susasan.org/dhangadhi/about',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/nepal_dhangadhi.py',
  ],
  channels: [
    {
      name: 'years',
      delivery: {
        kind: 'single',
        request: { url: 'https://admin.ims.susasan.org/api/static-data/dhangadhi' },
        entries: { format: 'json', at: '/data/fiscal_years' },
        // Years from 2080 of the Nepalese calendar on lead to a login.
        where: { at: '/name', fits: /^20[67]\d/, sample: '207{key}' },
        detail: {
          request: { url: 'https://admin.ims.susasan.org/ocds/json/dhangadhi-{id}.json' },
          id: '/name',
          version: '',
          entries: releases,
        },
      },
      timetable: '30 4 * * 1',
    },
  ],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 400, shape: ['/data/fiscal_years/0/name'] },
  caveats: [
    'Nothing newer than the fiscal year 2079 of the Nepalese calendar (2022/23) is open.',
    'No public repository is known to keep an answer.',
    'The OCP Data Registry has a copy, publication 35, which no other public program is known to read; in ' +
      'April 2024 it had 3,525 tenders, the newest of August 2023.',
  ],
  offBecause: 'one public program alone is known to read it: check it, then name it',
})
