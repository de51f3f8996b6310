// CeJN, the electronic public procurement system of Montenegro, by the interface of its public site.
import { sourceOf } from '../../source.ts'
import { parseCejn } from './parse-cejn.ts'

const site = 'https://cejn.gov.me/api'
const statuses = '1,512,64,4,8'

export const source = sourceOf({
  id: 'me-cejn',
  title: 'CeJN',
  publisher: 'Ministarstvo finansija Crne Gore',
  homepage: 'https://cejn.gov.me',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/fullvedo-del/tender-radar/blob/82040c61ad8cd7c71faf47a3fb8f1dfef3d30a4f/collectors/cejn_me.py',
  ],
  unnamedClients: 1,
  channels: [
    {
      // Some 4,500 tenders; the rounds of one are requested again when its state changes.
      name: 'tenders',
      timetable: '15 */6 * * *',
      delivery: {
        kind: 'page',
        request: {
          url: `${site}/cadocuments/GetTenders`,
          headers: { accept: 'application/json' },
          json: {
            pageSize: '{limit}',
            tenderStatuses: statuses.split(','),
            skip: '{offset}',
            top: '{limit}',
            procedureType: 0,
            subjectType: 0,
            justCanApply: false,
            sort: null,
            myTenders: false,
            useAdditionalCaSearch: false,
            caType: 0,
            caStateId: 0,
            pageIndex: '{page}',
            shouldCheckPageIsExist: false,
            statuses,
          },
        },
        entries: { format: 'json', at: '/value' },
        total: '/totalCount',
        firstPage: 0,
        pageSize: 100,
        end: { when: 'short-page' },
        detail: {
          request: {
            url: `${site}/caDocuments/getTenderRounds?tenderId={id}&isPublic=true&isIncludePrice=false`,
            headers: { accept: 'application/json' },
          },
          id: '/id',
          version: '/lifecycleCaption',
          withEntry: true,
        },
      },
    },
  ],
  parse: parseCejn,
  politeness: { requestsPerMinute: 60, pauseMs: 300 },
  expects: {
    perDay: [3, 500],
    silentAfterDays: 7,
    shape: ['/value/0/id', '/value/0/title', '/value/0/contractAuthority'],
  },
  caveats: [
    'Undocumented interface of the public site.',
    'The deadline is only in the rounds of a tender; small procurements have none.',
    'The answers have neither CPV codes nor values.',
    'The members of list and rounds are known from public code of 2026; no live answer has been seen.',
  ],
})
