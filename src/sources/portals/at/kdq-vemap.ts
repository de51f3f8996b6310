// Austria: Kerndaten of vemap, an index of announcements with their last change, one XML for each.
import type { Source } from '../../source.ts'
import { kerndatenReader } from './parse-kerndaten.ts'
import { writeKerndaten } from './write-kerndaten.ts'

export const source: Source = {
  id: 'at-kdq-vemap',
  title: 'Kerndatenquelle vemap',
  publisher: 'vemap Einkaufsmanagement GmbH',
  country: 'AT',
  homepage: 'https://www.vemap.com',
  documentation: 'https://www.data.gv.at/infos/kerndaten-bundesvergabegesetz/',
  licence: {
    name: 'CC BY 4.0',
    url: 'https://creativecommons.org/licenses/by/4.0/',
    attribution: 'vemap Einkaufsmanagement GmbH',
  },
  zone: 'Europe/Vienna',
  channels: [
    {
      name: 'announcements',
      slots: { kind: 'whole' },
      timetable: '31 5,9,13,17,21 * * *',
      delivery: {
        kind: 'index',
        index: { url: 'https://bekanntmachungen.vemap.com/vemap-kdq-01.xml' },
        entries: { format: 'xml', element: 'item' },
        url: 'url',
        version: '@lastmod',
        files: { format: 'document' },
      },
    },
  ],
  parse: kerndatenReader('at-kdq-vemap'),
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 60 },
  expects: { perDay: [1, 200], silentAfterDays: 14, shape: ['item', 'url'] },
  caveats: [
    'The whole index is read every time (up to 9 MB): a parameter `from` is ignored by the servers.',
    'Announcements above the EU thresholds are marked ABOVETHRESHOLD and are in TED too, without a common number.',
    'eForms are mandatory for announcements below the thresholds since October 2026; both shapes are read.',
    'A document has no id of its own: buyer, reference, form and time of change identify it.',
    'Deadlines stand in DATETIME_RECEIPT_TENDERS.',
  ],
  writeSample: writeKerndaten,
}
