// Austria: the tender search of the business portal (USP), an index of what the publishers announce.
import { sourceOf } from '../../source.ts'
import { parseUsp } from './parse-usp.ts'

export const source = sourceOf({
  id: 'at-usp',
  title: 'USP Ausschreibungssuche',
  publisher: 'Bundesrechenzentrum / BMF',
  homepage: 'https://ausschreibungen.usp.gv.at',
  clients: [
    'https://github.com/f2025408135-cyber/certus-leadgen/blob/0798f6ed80d5aed6d2a53fdaf5d5fa37d0493251/scripts/usp_leads.py',
    'https://github.com/meccaconsulting/mecca-dashboard/blob/1cf50b06be7b7370f2a136a108384d1135a77bbf/src/weeklyTenderFeed.js',
  ],
  unnamedClients: 1,
  license: { name: 'not stated; the imprint asks for consent to public use' },
  channels: [
    {
      name: 'list',
      slots: { kind: 'day', since: '2022-01-01', rereadDays: [1], isOpenRead: true },
      delivery: {
        kind: 'offset',
        request: {
          url: 'https://ausschreibungen.usp.gv.at/at.gv.bmdw.eproc-p/public/api/tenderlist?draw=1&start={offset}&length={limit}&orderColumn=2&orderDir=desc&fromdate={from:yyyy-MM-dd}&todate={last:yyyy-MM-dd}',
        },
        entries: { format: 'json', at: '/data' },
        total: '/recordsFiltered',
        pageSize: 100,
        end: { when: 'total' },
        dateOf: '/2',
      },
    },
  ],
  parse: parseUsp,
  politeness: { requestsPerMinute: 30, pauseMs: 1_000 },
  expects: { perDay: [20, 600], silentAfterDays: 6, shape: ['/recordsFiltered', '/data/0/0', '/data/0/4'] },
  caveats: [
    'Undocumented, and the imprint says that public use needs consent: the Kerndaten of the publishers are the better source.',
    'The list gives title, buyer, days and an id; CPV, value and winners are only in HTML pages.',
    'A row without a deadline is taken for an award, which is true for most of them.',
  ],
  offBecause: 'terms',
})
