// The government procurement portal of Uganda.
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'
import { readExports } from './read-exports.ts'

const exports = 'https://cdn.ppda.go.ug/api/open-data/v2/ocds/exports'

export const source = sourceOf({
  id: 'ug-ppda',
  title: 'Government Procurement Portal',
  publisher: 'Public Procurement and Disposal of Public Assets Authority',
  homepage: 'https://gpp.ppda.go.ug',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/uganda_releases.py',
    'https://github.com/raheebwa/trustscore-atlas/blob/9848655d80b4be8288e3e687ab4e5da4645fa245/packs/ug/sources/ppda_ocds/adapter.py',
  ],
  channels: [
    {
      name: 'fiscal-years',
      // The fiscal year of a calendar year begins on its 1 July and ends half a year behind it.
      slots: { kind: 'year', since: '2015-01-01', rereadDays: [30, 60, 90, 120, 150, 180, 210, 270], isOpenRead: true },
      delivery: {
        kind: 'own',
        fetch: readExports(exports, releases),
        like: { kind: 'single', request: { url: exports, json: { fy: '{from:yyyy}-{to:yyyy}' } }, entries: releases },
      },
      timetable: '30 22 * * 6',
    },
  ],
  politeness: { requestsPerMinute: 10, pauseMs: 3000 },
  expects: { silentAfterDays: 75, shape: ['/releases/0/ocid'] },
  caveats: [
    'The portal makes a file of a fiscal year on request, which takes minutes: {fy, format} is posted, then the status is asked.',
    'The clients once asked the addresses of single packages, as this card did; they order the export now.',
    'Requests in quick succession are answered with 403.',
  ],
})
