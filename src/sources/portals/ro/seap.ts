// SEAP/SICAP, the electronic procurement system of Romania, by the lists of its public site.
import { hourMs } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseSeap } from './parse-seap.ts'

const site = 'https://e-licitatie.ro'

/** Both lists take the same requests, and return nothing without the URL of the site's own page. */
const list = (name: string) => ({
  url: `${site}/api-pub/NoticeCommon/${name}/`,
  headers: { referer: `${site}/pub`, accept: 'application/json' },
  json: {
    sysNoticeTypeIds: [],
    sortProperties: [],
    pageIndex: '{page}',
    pageSize: '{limit}',
    startPublicationDate: '{from:iso}',
    endPublicationDate: '{to:iso}',
  },
})

const channel = (name: string, method: string) =>
  ({
    name,
    slots: { kind: 'day', since: '2022-01-01', delayMs: 2 * hourMs, rereadDays: [1, 7], isOpenRead: true },
    delivery: {
      kind: 'page',
      request: list(method),
      entries: { format: 'json', at: '/items' },
      firstPage: 0,
      pageSize: 200,
      end: { when: 'short-page' },
      total: '/total',
      most: 3000,
    },
  }) as const

export const source = sourceOf({
  id: 'ro-seap',
  title: 'SEAP (SICAP)',
  publisher: 'Autoritatea pentru Digitalizarea României',
  homepage: `${site}/pub`,
  channels: [channel('calls', 'GetCNoticeList'), channel('awards', 'GetCANoticeList')],
  parse: parseSeap,
  politeness: { requestsPerMinute: 20, pauseMs: 1000, robots: 'obey' },
  expects: {
    perDay: [50, 1200],
    silentAfterDays: 5,
    shape: ['/items/0/noticeNo', '/items/0/contractTitle', '/items/0/noticeStateDate', '/total'],
  },
  caveats: [
    'Undocumented interface of the public site; it answers nothing without a Referer of the site.',
    'A query returns at most 3,000 entries and then announces 3,000, so days are halved.',
    'Unknown filters are ignored silently; one user saw the list of calls frozen in 2019 while the list of awards respected dates.',
    'Numbers beginning with CN or CAN are notices of the EU level, which are in TED too; SCN, PC, RFQ and RFD are national.',
    'The lists name neither winners nor places; the date is that of the last state of the notice.',
    'The members of both lists are known from public code of 2026; no live answer has been seen.',
  ],
})
