// Poland: BZP, the public procurement bulletin below the EU thresholds, through the board of e-Zamówienia.
import { sourceOf } from '../../source.ts'
import { parseBzp } from './parse-bzp.ts'

export const source = sourceOf({
  id: 'pl-bzp',
  title: 'Biuletyn Zamówień Publicznych (e-Zamówienia)',
  publisher: 'Urząd Zamówień Publicznych',
  homepage: 'https://ezamowienia.gov.pl',
  documentation: 'https://ezamowienia.gov.pl/mo-board/swagger/index.html',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/wiktorKycia/BidBot/blob/12b5854758a6954c1d5312486f0d732ca8940552/etl/scrapers/ezamowienia/scraper.py',
  ],
  channels: [
    {
      name: 'notices',
      slots: { kind: 'day', since: '2022-01-01', rereadDays: [1], isOpenRead: true },
      delivery: {
        kind: 'keyset',
        request: {
          url: 'https://ezamowienia.gov.pl/mo-board/api/v1/notice?NoticeType={type}&PublicationDateFrom={cursor}&PublicationDateTo={to:isoSeconds}&PageSize={limit}',
        },
        entries: { format: 'json', at: '' },
        keyOf: '/publicationDate',
        firstKey: '{from:isoSeconds}',
        pageSize: 100,
        dateOf: '/publicationDate',
        each: {
          name: 'type',
          values: [
            'ContractNotice',
            'SmallContractNotice',
            'CompetitionNotice',
            'ConcessionNotice',
            'AgreementIntentionNotice',
            'ConcessionIntentionAgreementNotice',
            'NoticeUpdateNotice',
            'NoticeUpdateConcession',
            'TenderResultNotice',
            'CompetitionResultNotice',
            'ConcessionAgreementNotice',
            'AgreementUpdateNotice',
            'ConcessionUpdateAgreementNotice',
            'ContractPerformingNotice',
            'CircumstancesFulfillmentNotice',
          ],
        },
      },
    },
  ],
  parse: parseBzp,
  politeness: { requestsPerMinute: 60, pauseMs: 500 },
  expects: {
    perDay: [600, 3_500],
    silentAfterDays: 4,
    shape: ['/0/objectId', '/0/noticeType', '/0/orderObject', '/0/publicationDate', '/0/tenderId', '/0/htmlBody'],
  },
  caveats: [
    'Only procurement below the EU thresholds; what lies above is in TED.',
    'The page number is ignored: the list is ascending by publicationDate, so the last date goes into the next request.',
    'The kind of notice is mandatory, so every day is requested once for each of the 15 kinds.',
    'A hundred entries have about 3 MB, because each holds the whole announcement as HTML.',
    'tenderId is an OCID (ocds-148610-…) shared by all announcements of a procedure.',
    'Amounts are only in the HTML; contract values include VAT and are not read, the estimated value (4.3) is net.',
    'organizationProvince is PL and a TERYT code, not a NUTS code.',
  ],
})
