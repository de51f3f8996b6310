// Procurement notices of projects that the World Bank finances, of all countries.
import { hourMs } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseWorldBank } from './parse-world-bank.ts'

export const source = sourceOf({
  id: 'zz-world-bank',
  title: 'World Bank procurement notices',
  publisher: 'World Bank Group',
  homepage: 'https://projects.worldbank.org/en/projects-operations/procurement',
  documentation: 'https://documents.worldbank.org/en/publication/documents-reports/api',
  license: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  zone: 'America/New_York',
  channels: [
    {
      name: 'notices',
      slots: { kind: 'week', since: '2022-01-03', delayMs: 6 * hourMs, rereadDays: [7, 28], isOpenRead: true },
      timetable: '50 */3 * * *',
      delivery: {
        kind: 'offset',
        request: {
          url: 'https://search.worldbank.org/api/v2/procnotices?format=json&rows={limit}&os={offset}&srt=noticedate&order=asc&strdate={from:yyyy-MM-dd}&enddate={last:yyyy-MM-dd}',
          headers: { accept: 'application/json' },
        },
        entries: { format: 'json', at: '/procnotices', isOptional: true },
        total: '/total',
        pageSize: 100,
        end: { when: 'short-page' },
        dateOf: '/noticedate',
      },
    },
    {
      name: 'newest',
      role: 'spare',
      timetable: '20 5,17 * * *',
      delivery: {
        kind: 'offset',
        request: {
          url: 'https://search.worldbank.org/api/v2/procnotices?format=json&rows={limit}&os={offset}&srt=noticedate&order=desc',
          headers: { accept: 'application/json' },
        },
        entries: { format: 'json', at: '/procnotices', isOptional: true },
        total: '/total',
        pageSize: 100,
        end: { when: 'short-page' },
        ordered: { at: '/noticedate', direction: 'descending', days: 10 },
      },
    },
  ],
  parse: parseWorldBank,
  politeness: { requestsPerMinute: 30, pauseMs: 300 },
  expects: {
    perDay: [20, 600],
    silentAfterDays: 5,
    shape: ['/total', '/procnotices/0/id', '/procnotices/0/notice_type', '/procnotices/0/project_ctry_name'],
  },
  caveats: [
    'Dates are written as 20-Nov-2026; the time of the deadline is that of the country and is read in the zone of its capital where we know it.',
    'The search answers 500 now and then.',
    'The answer has neither CPV codes nor values.',
    'The members of the answer and its order are known from public code of 2026; no live answer has been seen; nor that strdate and enddate bound the day of the notice: where they do not, the reading fails aloud and the newest notices are the spare.',
  ],
})
