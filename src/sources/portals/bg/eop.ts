// CAIS EOP, the central electronic procurement platform of Bulgaria, by its daily open data and the list of its page.
import { type Channel, sourceOf } from '../../source.ts'
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

/** One file for each day and kind; its name is a sentence with the date. */
const rows = (name: string, kind: string): Channel => ({
  name,
  slots: { kind: 'day', since: '2020-01-01', delayMs: 6 * 3_600_000, rereadDays: [2, 9] },
  timetable: '40 7,12 * * *',
  delivery: {
    kind: 'single',
    request: {
      url:
        'https://storage.eop.bg/open-data-{from:yyyy-MM-dd}/' +
        encodeURIComponent(`Автоматично генерирани данни за ${kind}, публикувани в ЦАИС ЕОП на `) +
        '{from:dd.MM.yyyy}.json',
    },
    entries: { format: 'json', at: '' },
    notFound: 'notYet',
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
  documentation: 'https://www2.aop.bg/e-uslugi/otvoreni-danni-ot-rop/',
  license: { name: 'CC0-1.0', url: 'https://creativecommons.org/publicdomain/zero/1.0/' },
  clients: [
    'https://github.com/atanasster/electionsbg/blob/597a746bcb76182158058f8a11a5f3c6e8c00dde/scripts/procurement/ingest_tenders.ts',
    'https://github.com/midt-bg/sigma/blob/aa01ad1f9f3bbc1eddfc9d7dc5a87daa59c07056/apps/etl/src/eop.ts',
    'https://github.com/alexbgodd/eu-monitor-bg/blob/66360a1af5813c27278f9f5cf616a66a731e7c8e/scraper/scraper.py',
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
  ],
  unnamedClients: 2,
  channels: [
    rows('procedures', 'поръчки'),
    rows('contracts', 'договори'),
    {
      name: 'open',
      timetable: '50 */2 * * *',
      delivery: { ...pages, request: list('str_Today_opened', '1') },
    },
    {
      name: 'closed',
      role: 'spare',
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
    perDay: [10, 1_500],
    silentAfterDays: 4,
    shape: ['/0/noticeId', '/0/uniqueProcurementNumber', '/0/buyerName', '/0/publicationDate'],
  },
  caveats: [
    'Every day has a file of procedures and one of contracts since 2020; the annexes and the OCDS package beside them are not read.',
    'A lot is a row of its own with a tender id of its own; the rows of a procedure share the number of the register.',
    'The times have no offset and are read as those of the clocks in Bulgaria: most deadlines are at 23:59:59.',
    'Addresses outside Bulgaria may be answered with 403.',
    'The list of open procedures (about 1,400) is an undocumented interface of the public page. It is read ' +
      'wholly, is a day fresher, and has no CPV codes. Its dates are /Date(milliseconds)/.',
    'In the list, types 2, 4, 5, 8, 9 and 21 are of the EU level; 3, 11 to 15, 17, 18 and 22 are national; 19 is a market consultation.',
    'Of a sample in eu-monitor-bg (scraper/testdata) five rows of September 2026 are real, with a part of ' +
      'their members: title, authority, deadline, value and CPV agree with what a person reads.',
    'The members of the contracts are known from public code only. Three of the clients read the open data, one the list.',
  ],
})
