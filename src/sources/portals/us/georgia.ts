// Georgia Procurement Registry: bidding events of the State of Georgia, its counties, cities and schools.
import { browserLike } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseGeorgia } from './parse-georgia.ts'

const registry = 'https://ssl.doas.state.ga.us/gpr'

export const source = sourceOf({
  id: 'us-georgia',
  title: 'Georgia Procurement Registry',
  publisher: 'Georgia Department of Administrative Services',
  homepage: `${registry}/`,
  clients: [
    'https://github.com/minetreen-creator/contrax/blob/1529fbc63f423111e9c66898e89e7fa55d4b54e1/src/jobs/sources/ga-gpr.ts',
    'https://github.com/moliveti/BelowTheTrusses/blob/a5a74d4d16f51480142650d42c5a13c79de14cb9/scripts/fetch-ga-opportunities.ts',
    'https://github.com/techmuch/bd_bot/blob/c635a7f2ed22ea38be6bd3c7c7110670881513eb/internal/scraper/sources/georgia/gpr.go',
  ],
  channels: [
    {
      name: 'open',
      timetable: '10 */4 * * *',
      delivery: {
        kind: 'offset',
        request: {
          url: `${registry}/eventSearch`,
          headers: { accept: 'application/json', 'x-requested-with': 'XMLHttpRequest', referer: `${registry}/` },
          form: {
            draw: '1',
            'order[0][column]': '5',
            'order[0][dir]': 'asc',
            start: '{offset}',
            length: '{limit}',
            'search[value]': '',
            'search[regex]': 'false',
            responseType: 'ALL',
            eventStatus: 'OPEN',
            eventIdTitle: '',
            govType: 'ALL',
            govEntity: '',
            catType: 'ALL',
            eventProcessType: 'ALL',
            dateRangeType: '',
            rangeStartDate: '',
            rangeEndDate: '',
            isReset: 'false',
            persisted: 'false',
            refreshSearchData: 'true',
          },
        },
        entries: { format: 'json', at: '/data' },
        total: '/recordsFiltered',
        pageSize: 500,
        end: { when: 'short-page' },
      },
    },
  ],
  parse: parseGeorgia,
  politeness: { ...browserLike, requestsPerMinute: 20 },
  expects: {
    perDay: [5, 300],
    silentAfterDays: 7,
    shape: ['/data/0/esourceNumberKey', '/data/0/title', '/data/0/closingDateSort', '/recordsTotal'],
  },
  caveats: [
    'Undocumented interface of the public search; about 500 events are open at once, and closed ones leave the list.',
    'Sole-source events announce an intention, not a call.',
    'The list has neither classification nor values.',
    'The members of the answer are known from public code of 2026; no live answer has been seen.',
  ],
})
