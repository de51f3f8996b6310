// European Union: calls for tenders of the institutions and agencies on the Funding and Tenders portal.
import { sourceOf } from '../../source.ts'
import { parseFundingTenders } from './parse-funding-tenders.ts'

export const source = sourceOf({
  id: 'eu-funding-tenders',
  title: 'EU Funding and Tenders portal, calls for tenders',
  publisher: 'European Commission',
  homepage: 'https://ec.europa.eu/info/funding-tenders/opportunities/portal/screen/opportunities/calls-for-tenders',
  documentation: 'https://ec.europa.eu/info/funding-tenders/opportunities/portal/screen/support/apis',
  clients: [
    'https://github.com/Silvafox76/FB_test/blob/13e72118b7a334fd787b3ad4d3da25491e7622cf/monitor/connectors/euft.py',
    'https://github.com/angelograceffa77/eu-space-rag/blob/c8d4403e86b4a8b8609b9fd527f44390fb77f9d0/03_PROCUREMENT/EU/DG%20DEFIS/Procurement%20Data/dg-defis-funding-tenders.js',
  ],
  license: {
    name: 'CC BY 4.0 (Commission Decision 2011/833/EU)',
    url: 'https://commission.europa.eu/legal-notice_en',
    attribution: 'European Union',
  },
  channels: [
    {
      name: 'open',
      timetable: '29 */4 * * *',
      delivery: {
        kind: 'page',
        request: {
          url: 'https://api.tech.ec.europa.eu/search-api/prod/rest/search?apiKey=SEDIA&text=***&pageSize={limit}&pageNumber={page}',
          multipart: {
            query: {
              bool: {
                must: [
                  { terms: { type: ['0'] } },
                  { terms: { status: ['31094501', '31094502'] } },
                  { terms: { DATASOURCE: ['SEDIA'] } },
                ],
              },
            },
            languages: ['en'],
            sort: { field: 'identifier', order: 'ASC' },
          },
        },
        entries: { format: 'json', at: '/results' },
        total: '/totalResults',
        pageSize: 100,
        end: { when: 'short-page' },
      },
    },
  ],
  parse: parseFundingTenders,
  politeness: { requestsPerMinute: 20, pauseMs: 1_000 },
  expects: {
    silentAfterDays: 10,
    totalTolerance: null,
    shape: ['/totalResults', '/results/0/metadata/identifier', '/results/0/metadata/title', '/results/0/url'],
  },
  caveats: [
    'apiKey=SEDIA names the index and is public; the query goes as a part of a form, typed application/json.',
    'Forthcoming and open calls only: closed ones would pass the 10,000 results that can be reached.',
    'Without an order by identifier pages repeat some results and skip others; the total is an estimate.',
    'Without a language every result comes once for each translation.',
    'Buyers are codes whose names are in another service (facets); where no name is given the code stands in for it.',
    'Large calls are in TED too; cftContractNoticeLink leads there where it is filled.',
    'The members are known from code of users; no live answer has been seen.',
  ],
})
