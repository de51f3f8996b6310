// Portal javnih nabavki, the public procurement portal of Serbia, by the tables of its public site.
import { withPageSession } from '../../families/page-session.ts'
import { sourceOf } from '../../source.ts'
import { parseJnportal } from './parse-jnportal.ts'

const site = 'https://jnportal.ujn.gov.rs'

/** One table, by the date of publication in its rows. */
const channel = (name: string, page: string, grid: string, date: string) =>
  ({
    name,
    slots: { kind: 'day', since: '2026-01-01', rereadDays: [2], isOpenRead: true },
    timetable: '45 */3 * * *',
    delivery: withPageSession(
      { page: `${site}/${page}`, token: /uiUserToken[^>]*value="([^"]+)"/, header: 'usertoken' },
      {
        kind: 'offset',
        request: {
          url: `${site}/api/searchgrid/${grid}/get?sort=%5B%7B%22selector%22%3A%22${date}%22%2C%22desc%22%3Afalse%7D%5D&filter=%5B%22${date}%22%2C%22%3E%3D%22%2C%22{from:yyyy-MM-ddTHH:mm:ss}.000%22%5D&skip={offset}&take={limit}&requireTotalCount=true`,
          headers: { accept: 'application/json' },
        },
        entries: { format: 'json', at: '/data' },
        total: '/totalCount',
        pageSize: 100,
        end: { when: 'short-page' },
        ordered: { at: `/${date}`, direction: 'ascending' },
      },
    ),
  }) as const

export const source = sourceOf({
  id: 'rs-jnportal',
  title: 'Портал јавних набавки',
  publisher: 'Канцеларија за јавне набавке',
  homepage: site,
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/fullvedo-del/tender-radar/blob/2a6758f5d54bb911ebba36980857a673eb47dd41/collectors/srbija.py',
  ],
  channels: [
    channel('notices', 'oglasi-svi', 'TenderNotices', 'PublishDate'),
    channel('procedures', 'postupci-svi', 'TendersAll', 'NoticePublishDate'),
  ],
  parse: parseJnportal,
  offBecause: 'robots',
  politeness: { requestsPerMinute: 30, pauseMs: 1500 },
  expects: {
    perDay: [50, 1500],
    silentAfterDays: 5,
    shape: ['/data/0/Id', '/data/0/ContractingBody'],
  },
  caveats: [
    'Two programs read in 2026 that robots.txt allows the home page alone, so that nothing would be requested.',
    'Undocumented interface of the public site, within a session that its page opens (cookie and token).',
    'Each client reads one table: the first one the notices, the second one the procedures, filtered by their deadline.',
    'The notices tell their form by a short name (Ф02 call, Ф03 award, Ф14 change), with no-break spaces ' +
      'behind it; they have neither deadlines nor values nor CPV codes.',
    'The procedures have these; a procedure that changes later is read again only with its notices, which is why its deadline may be an old one.',
    'The tax number of the buyer (ПИБ) may follow its name.',
    'A page holds at most 100 rows, whatever number is requested; the total is sent only on request.',
    'The members of the tables are known from public code of 2026; no live answer has been seen.',
  ],
})
