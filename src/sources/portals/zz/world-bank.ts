// Procurement notices of projects that the World Bank finances, of all countries.
import { hourMs } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseWorldBank } from './parse-world-bank.ts'

/** Newest first: the search knows no day from or to, and answers a parameter that it does not know with everything. */
const pages = {
  kind: 'offset',
  request: {
    url: 'https://search.worldbank.org/api/v2/procnotices?format=json&rows={limit}&os={offset}&srt=noticedate&order=desc',
    headers: { accept: 'application/json' },
  },
  entries: { format: 'json', at: '/procnotices', isOptional: true },
  total: '/total',
  pageSize: 500,
  end: { when: 'short-page' },
} as const

export const source = sourceOf({
  id: 'zz-world-bank',
  title: 'World Bank procurement notices',
  publisher: 'World Bank Group',
  homepage: 'https://projects.worldbank.org/en/projects-operations/procurement',
  documentation: 'https://documents.worldbank.org/en/publication/documents-reports/api',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/Silvafox76/FB_test/blob/4e978a83bfac0e0509c50568033622b272f1e531/monitor/connectors/worldbank.py',
  ],
  license: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  zone: 'America/New_York',
  channels: [
    {
      name: 'notices',
      slots: { kind: 'week', since: '2026-09-07', delayMs: 6 * hourMs, rereadDays: [7], isOpenRead: true },
      timetable: '50 */3 * * *',
      delivery: { ...pages, ordered: { at: '/noticedate', direction: 'descending' } },
    },
    { name: 'all', role: 'spare', timetable: '20 5 * * 6', delivery: pages },
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
    'The search cannot be limited to days: a client measured in September 2026 that it ignores strdate, ' +
      'enddate and every other name. So the newest notices are read back to the week; the whole list (420,000 ' +
      'notices, a thousand at most for a request) is the spare.',
    'The members of the answer and its order are known from public code of 2026; no live answer has been seen.',
  ],
})
