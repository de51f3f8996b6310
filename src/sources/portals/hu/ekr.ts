// EKR, the electronic public procurement system of Hungary, by the list of notices of its public site.
import { sourceOf } from '../../source.ts'
import { parseEkr } from './parse-ekr.ts'

const list = 'https://ekr.gov.hu/api/publikus/kozbeszerzesi-hirdetmenyek'

export const source = sourceOf({
  id: 'hu-ekr',
  title: 'EKR',
  publisher: 'Nemzeti Infrastruktúra és Közbeszerzési Szolgáltató',
  homepage: 'https://ekr.gov.hu',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/CodecoolTech/tender-watcher/blob/95fb8031d34f4c16e46635cb0a5647e4bbeeb8dc/ekr_source.py',
  ],
  unnamedClients: 1,
  channels: [
    {
      name: 'notices',
      slots: { kind: 'week', since: '2026-01-05', rereadDays: [3, 14], isOpenRead: true },
      timetable: '17 */2 * * *',
      delivery: {
        kind: 'page',
        request: {
          url:
            `${list}?oldal={page}&elemszam={limit}&rendezes=hirdetmenyKozzetetelDatuma&novekvo=false&hirdetmenyKozzetetelDatumaKezdet={from:utc ` +
            'yyyy-MM-ddTHH:mm:ss}.000%2B0000',
          headers: { accept: 'application/json' },
        },
        entries: { format: 'json', at: '/lista' },
        pageSize: 100,
        end: { when: 'short-page' },
        ordered: { at: '/hirdetmenyKozzetetelDatuma', direction: 'descending' },
        detail: {
          request: { url: `${list}/{id}`, headers: { accept: 'application/json' } },
          id: '/id',
          version: '/hirdetmenyKozzetetelDatuma',
        },
      },
    },
  ],
  parse: parseEkr,
  politeness: { requestsPerMinute: 60, pauseMs: 400 },
  expects: {
    perDay: [20, 400],
    silentAfterDays: 5,
    shape: ['/lista/0/id', '/lista/0/eljarasTargya', '/lista/0/ajanlatkeroNeve', '/lista/0/hirdetmenyKozzetetelDatuma'],
  },
  caveats: [
    'Undocumented interface of the public site; newest first; some users report pages of at most 100, others of at most 10, and no total is announced.',
    'The day that a reading begins with is asked by hirdetmenyKozzetetelDatumaKezdet ' +
      '(2026-09-06T00:00:00.000+0000; any other form is answered with 500). Another user found dates ignored: ' +
      'the order of the list ends the reading either way.',
    'A number of TED (tedAzonosito), or a type that begins with "Uniós", means that the notice is in TED too.',
    'The list of CPV codes is mostly empty; neither list nor detail states values.',
    'Dates are midnight of Budapest, written as an instant of the evening before.',
    'The members of the list and of the detail are known from public code of 2026; no live answer has been seen.',
  ],
})
