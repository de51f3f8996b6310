// CVP IS, the central public procurement system of Lithuania, by its integration interface.
import { sourceOf } from '../../source.ts'
import { parseCvpis } from './parse-cvpis.ts'

export const source = sourceOf({
  id: 'lt-cvpis',
  title: 'CVP IS',
  publisher: 'Viešųjų pirkimų tarnyba',
  homepage: 'https://viesiejipirkimai.lt',
  clients: [
    'https://github.com/aistasmendeika-max/lietuvos-viesieji-pirkimai-mcp/blob/main/server.py',
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
  ],
  channels: [
    {
      // There is no filter, and states change for years: the whole list, four times a day.
      name: 'all',
      timetable: '40 1,7,13,19 * * *',
      delivery: {
        kind: 'page',
        request: {
          url: 'https://viesiejipirkimai.lt/epps-integration/api/cft-details-export',
          headers: { apikey: '{key}', accept: 'application/json' },
          json: { pageSize: '{limit}', pageNum: '{page}' },
        },
        entries: { format: 'json', at: '' },
        pageSize: 500,
        end: { when: 'short-page' },
      },
    },
  ],
  parse: parseCvpis,
  access: { kind: 'key', setting: 'CVPIS_API_KEY', getItAt: 'https://vpt.lrv.lt' },
  politeness: { requestsPerMinute: 30, pauseMs: 1000 },
  expects: {
    perDay: [20, 1500],
    silentAfterDays: 4,
    shape: ['/0/id', '/0/title', '/0/caName', '/0/datePublished', '/0/status'],
  },
  caveats: [
    'Sorted by date of publication, oldest first, without a filter: the newest are on the last page.',
    'The authority publishes a key for tests; it may be withdrawn without notice, so you need a key of your own (pagalba@vpt.lt).',
    'aboveThreshold or a tedLink means that the procurement is in TED too.',
    'Broken years (0028) occur in dates and are read as no date.',
    'The members of the answer are known from public code of 2026; no live answer has been seen.',
  ],
})
