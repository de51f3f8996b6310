// Austria: Kerndaten of Ausschreibung.at, an index of announcements with their last change, one XML for each.
import type { Source } from '../../source.ts'
import { kerndatenReader } from './parse-kerndaten.ts'
import { writeKerndaten } from './write-kerndaten.ts'

export const source: Source = {
  id: 'at-kdq-aus',
  title: 'Kerndatenquelle Ausschreibung.at',
  publisher: 'AUSTRIX / ausschreibung.at',
  country: 'AT',
  homepage: 'https://www.ausschreibung.at',
  documentation: 'https://www.data.gv.at/infos/kerndaten-bundesvergabegesetz/',
  licence: {
    name: 'CC BY 4.0',
    url: 'https://creativecommons.org/licenses/by/4.0/',
    attribution: 'AUSTRIX / ausschreibung.at',
  },
  zone: 'Europe/Vienna',
  channels: [
    {
      name: 'announcements',
      slots: { kind: 'whole' },
      timetable: '11 5,9,13,17,21 * * *',
      delivery: {
        kind: 'index',
        index: { url: 'https://www.ausschreibung.at/OpenData/kdq?id=87BA5ED1' },
        entries: { format: 'xml', element: 'item' },
        url: 'url',
        version: '@lastmod',
        files: { format: 'document' },
      },
    },
  ],
  parse: kerndatenReader('at-kdq-aus'),
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 60 },
  expects: { perDay: [1, 200], silentAfterDays: 14, shape: ['item', 'url'] },
  caveats: [
    'The whole index is read every time (up to 9 MB): a parameter `from` is ignored by the servers.',
    'Announcements above the EU thresholds are marked ABOVETHRESHOLD and are in TED too, without a common number.',
    'eForms are mandatory for announcements below the thresholds since October 2026; both shapes are read.',
    'A document has no id of its own: buyer, reference, form and time of change identify it.',
    'Documents of this publisher carry no deadline, as users report.',
  ],
  writeSample: writeKerndaten,
}
