// CAIS EOP, the central electronic procurement platform of Bulgaria, by the lists of its public page.
import { sourceOf } from '../../source.ts'
import { parseEop } from './parse-eop.ts'

/** Rows are counted from 1, both ends included; `property` is the name that the page shows for the state. */
const list = (property: string, status: string) => ({
  url: 'https://service.eop.bg/NX1Service.svc/GetPublishedTendersBySpecified',
  headers: { accept: 'application/json', origin: 'https://app.eop.bg', referer: 'https://app.eop.bg/today' },
  json: {
    searchParameters: {
      StartIndex: '{offset+1}',
      EndIndex: '{offset+100}',
      PropertyFilters: [],
      SearchText: '',
      Keywords: [],
      SearchProperty: { PropertyDisplayName: property, PropertyName: 'Status', PropertyValue: status },
      OrderAscending: false,
      OrderColumn: 'PublicationDate',
    },
  },
})

const pages = {
  kind: 'page',
  entries: { format: 'json', at: '/CurrentPageResults' },
  total: '/ResultsCount',
  firstPage: 0,
  pageSize: 100,
  end: { when: 'short-page' },
} as const

export const source = sourceOf({
  id: 'bg-eop',
  title: 'CAIS EOP',
  publisher: 'Агенция по обществени поръчки',
  homepage: 'https://app.eop.bg/today',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
  ],
  unnamedClients: 2,
  channels: [
    {
      name: 'open',
      timetable: '50 */2 * * *',
      delivery: { ...pages, request: list('str_Today_opened', '1') },
    },
    {
      name: 'closed',
      slots: { kind: 'week', since: '2026-09-07', rereadDays: [7], isOpenRead: true },
      timetable: '10 5 * * *',
      delivery: {
        ...pages,
        request: list('str_Today_closed', '2'),
        ordered: { at: '/PublicationDate', direction: 'descending' },
      },
    },
  ],
  parse: parseEop,
  politeness: { requestsPerMinute: 30, pauseMs: 1000 },
  expects: {
    perDay: [10, 400],
    silentAfterDays: 4,
    shape: ['/CurrentPageResults/0/TenderId', '/CurrentPageResults/0/TenderName', '/ResultsCount'],
  },
  caveats: [
    'Undocumented interface of the public page; dates are /Date(milliseconds)/.',
    'The list of open procedures (about 1,400) is read wholly; closed ones newest first.',
    'Types 2, 4, 5, 8, 9 and 21 are of the EU level; 3, 11 to 15, 17, 18 and 22 are national; 19 is a market consultation; a closed 0 is a contract.',
    'The lists have neither CPV codes nor winners.',
    'The members of the answer are known from public code of 2026, most of them also from the beginning of a real answer of October 2026 (DimitarMarenov33/NessebarBudgetChecker, docs/sources/eop_api_capture.jsonl), which ends before the title.',
  ],
})
