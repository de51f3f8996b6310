// The government procurement portal of Uganda.
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'ug-ppda',
  title: 'Government Procurement Portal',
  publisher: 'Public Procurement and Disposal of Public Assets Authority',
  homepage: 'https://gpp.ppda.go.ug',
  channels: [
    {
      name: 'fiscal-years',
      // The fiscal year of a calendar year begins on its 1 July and ends half a year behind it.
      slots: { kind: 'year', since: '2019-01-01', rereadDays: [30, 60, 90, 120, 150, 180, 210, 270], isOpenRead: true },
      delivery: {
        kind: 'page',
        request: {
          url: 'https://cdn.ppda.go.ug/api/open-data/v2/ocds/download?fy={from:yyyy}-{to:yyyy}&format=json&code={page}',
        },
        entries: releases,
        pageSize: 1,
        end: { when: 'not-found' },
      },
      timetable: '30 22 * * 6',
    },
  ],
  politeness: { requestsPerMinute: 20, pauseMs: 2000 },
  expects: { silentAfterDays: 75, shape: ['/releases/0/ocid'] },
  offBecause: 'public clients ask for export jobs at a new address, which this card does not do',
  caveats: [
    'Two clients of 2026 post {fy, format} to /ocds/exports, poll the status_url and load the download_url of a job.',
    'Packages are numbered from 1; the first that is not found ends the year.',
    'Requests in quick succession are answered with 403.',
  ],
})
