// Portal javnih naročil, the public procurement portal of Slovenia, by the list and the forms of its public site.
import { sourceOf } from '../../source.ts'
import { parseEnarocanje } from './parse-enarocanje.ts'

const site = 'https://www.enarocanje.si'

export const source = sourceOf({
  id: 'si-enarocanje',
  title: 'Portal javnih naročil',
  publisher: 'Ministrstvo za javno upravo',
  homepage: site,
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/peter-savron/enarocanje-ai-hub/blob/d56dd8d92990faabde3f41ad634721219916190d/src/main/java/si/savron/enarocanje/hub/clients/enarocanje/EnarocanjeClient.java',
  ],
  channels: [
    {
      name: 'forms',
      slots: { kind: 'week', since: '2026-06-01', rereadDays: [3, 14], isOpenRead: true },
      timetable: '35 */2 * * *',
      delivery: {
        kind: 'page',
        request: {
          url: `${site}/api/obrazec/objava/obrazecGetGrid`,
          headers: { accept: 'application/json' },
          json: {
            page: '{page}',
            idSifCpv: [],
            idSifPostopekFaza: [],
            podrejeniCpv: true,
            datumDd: 3,
            objavaDejanskaDatumOd: '{from:iso}',
            startRow: '{offset}',
            endRow: '{offset+100}',
            sortModel: [{ colId: 'objavaDejanskaDatum', sort: 'desc' }],
            datumPonudbaDo: null,
            datumPonudbaOd: null,
          },
        },
        entries: { format: 'json', at: '/data' },
        pageSize: 100,
        end: { when: 'short-page' },
        ordered: { at: '/objavaDejanskaDatum', direction: 'descending' },
        detail: {
          request: { url: `${site}/api/obrazec/objava/obrazecGet?id={id}`, headers: { accept: 'application/json' } },
          id: '/idObrazec',
          version: '/objavaIdent',
          withEntry: true,
        },
      },
    },
  ],
  parse: parseEnarocanje,
  politeness: { requestsPerMinute: 60, pauseMs: 400 },
  expects: {
    perDay: [10, 300],
    silentAfterDays: 5,
    shape: ['/data/0/idObrazec', '/data/0/objavaIdent', '/data/0/naslov', '/data/0/narocnikNaziv'],
  },
  caveats: [
    'Undocumented interface of the public site; a query without startRow and endRow times out.',
    'Forms EU* are in TED too; SL1 to SL4 are national. A correction has the suffix -P01, -P02 … of the number it corrects.',
    "CPV codes are written as ids of the portal's own list and are therefore not read.",
    'The members of list and form are known from public code of 2026; no live answer has been seen.',
  ],
})
