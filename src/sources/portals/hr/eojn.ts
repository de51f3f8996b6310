// EOJN RH, the electronic public procurement bulletin of Croatia, by the tables of its public site.
import { type PageSession, withPageSession } from '../../families/page-session.ts'
import { sourceOf } from '../../source.ts'
import { parseEojn } from './parse-eojn.ts'

const session: PageSession = {
  page: 'https://eojn.hr/procurements-public',
  token: /id="uiUserToken"[^>]*value="([^"]+)"/,
  header: 'usertoken',
}

/** Newest first; filters and sorting are ignored by the portal. */
const channel = (name: string, grid: string, dateAt: string) =>
  ({
    name,
    slots: { kind: 'week', since: '2026-09-07', rereadDays: [3, 14], isOpenRead: true },
    timetable: '5 */4 * * *',
    delivery: withPageSession(session, {
      kind: 'offset',
      request: {
        url: `https://eojn.hr/api/searchgrid/${grid}/get?skip={offset}&take={limit}&requireTotalCount=true`,
        headers: { accept: 'application/json' },
      },
      entries: { format: 'json', at: '/data' },
      total: '/totalCount',
      pageSize: 100,
      end: { when: 'short-page' },
      ordered: { at: dateAt, direction: 'descending' },
    }),
  }) as const

export const source = sourceOf({
  id: 'hr-eojn',
  title: 'EOJN RH',
  publisher: 'Narodne novine',
  homepage: 'https://eojn.hr',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/dakson2/ImportJSON/blob/010f96a23995a95def72f23d80e4d8595e88bf2f/adx/crawl/tools/eojn_monitor.py',
  ],
  unnamedClients: 1,
  channels: [
    channel('public', 'TendersPublic', '/NoticePublishDate'),
    channel('simple', 'TendersSimple', '/NoticePublishDate'),
    channel('decisions', 'VAwardDecisions', '/PublishDate'),
  ],
  parse: parseEojn,
  politeness: { requestsPerMinute: 15, pauseMs: 3000, restMs: 30 * 60_000 },
  expects: { perDay: [10, 600], silentAfterDays: 5, shape: ['/data/0/Id', '/data/0/Name', '/data/0/ContractingBody'] },
  caveats: [
    'Undocumented interface of the public site, within a session that its page opens (cookie and token).',
    'Too many requests one after the other are answered with 429.',
    'The tables hold the whole archive (more than 50,000 rows), newest first, at most 200 a page.',
    'One public program found filters ignored, another one filters and sorts (DevExtreme expressions); ' +
      'sorted by a date, rows repeat and are skipped, says the latter.',
    'The total is sent only on request, as two public programs do.',
    'AboveThreshold says that a procurement is in TED too.',
    'The members of the tables are known from public code of 2026; no live answer has been seen.',
  ],
})
