// The search of MTender, Moldova: competitive procedures alone, with the records that the full list has as well.
import { licenceNotStated } from '../../families/card-values.ts'
import { records } from '../../ocds/entries.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'md-mtender-search',
  title: 'MTender (search)',
  publisher: 'Ministry of Finance of the Republic of Moldova',
  country: 'MD',
  homepage: 'https://mtender.gov.md',
  licence: licenceNotStated,
  zone: 'Europe/Chisinau',
  channels: [
    {
      name: 'open',
      slots: { kind: 'whole' },
      timetable: '5 */4 * * *',
      delivery: {
        kind: 'page',
        request: {
          url: `https://mtender.gov.md/search/tenders?page={page}&pageSize={limit}&proceduresOwnerships=${encodeURIComponent('["government"]')}&proceduresTypes=${encodeURIComponent('["openTender","smallValue","microValue","requestForQuotations","restrictedTender"]')}&proceduresStatuses=${encodeURIComponent('["active","clarification","tendering","auction"]')}`,
          headers: { accept: 'application/json' },
        },
        entries: { format: 'json', at: '/data' },
        firstPage: 1,
        pageSize: 100,
        end: { when: 'pages', at: '/_meta/pageCount' },
        detail: {
          request: { url: 'https://public.mtender.gov.md/tenders/{id}', headers: { accept: 'application/json' } },
          id: '/id',
          version: '/modifiedDate',
          entries: records,
        },
      },
    },
  ],
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 30 },
  expects: { perDay: [5, 500], silentAfterDays: 5, shape: ['/data/0/id', '/data/0/title', '/_meta/pageCount'] },
  caveats: [
    'Nine of ten entries of the full list (md-mtender) are direct awards; this search finds the open procedures with few requests.',
    'The host of the records is out of reach for hours at a time, that of the search seldom.',
  ],
  offBecause: 'the same records as md-mtender; name it where the full list is too slow',
}
