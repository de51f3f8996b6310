// IUB, the procurement monitoring bureau of Latvia: the announcements of a day in one file of open data.
import { hourMs } from '../../families/card-values.ts'
import { withDay } from '../../families/dated-day-file.ts'
import { sourceOf } from '../../source.ts'
import { parseIub } from './parse-iub.ts'

export const source = sourceOf({
  id: 'lv-iub',
  title: 'IUB atvērtie dati',
  publisher: 'Iepirkumu uzraudzības birojs',
  homepage: 'https://www.iub.gov.lv',
  documentation: 'https://open.iub.gov.lv',
  clients: [
    'https://github.com/spmbiz/tender-engine/blob/main/pipeline/discover_lv_iub.py',
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
  ],
  license: { name: 'CC0-1.0', url: 'https://creativecommons.org/publicdomain/zero/1.0/' },
  channels: [
    {
      name: 'days',
      slots: { kind: 'day', since: '2023-10-25', delayMs: 2 * hourMs, rereadDays: [1, 7], isOpenRead: true },
      delivery: withDay({
        kind: 'single',
        request: {
          url: 'https://open.iub.gov.lv/data/notice/{from:yyyy}/{from:MM}/{from:dd-MM-yyyy}.json',
          headers: { accept: 'application/json' },
        },
        entries: { format: 'json', at: '' },
      }),
    },
  ],
  parse: parseIub,
  politeness: { requestsPerMinute: 30, pauseMs: 1000 },
  expects: {
    perDay: [20, 600],
    silentAfterDays: 6,
    shape: ['/0/identifier', '/0/formType', '/0/name', '/0/organizationData'],
  },
  caveats: [
    'Entries do not say when they were published: the day of the file is written to them.',
    'Where there is no file the site shows a page with status 200.',
    'A legal basis that ends in -over means that the notice is in TED too, mostly under the same id.',
    'Organizations, processes and terms are objects in one notice and lists in the next.',
    'The members are known from public code of 2026 that was written against whole files; no live file has been seen.',
  ],
})
