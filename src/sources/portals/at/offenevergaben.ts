// Austria: OffeneVergaben.at, the daily dump that gathers the Kerndaten of all publishers.
import { sourceOf } from '../../source.ts'
import { offenevergabenDelimiters, parseOffenevergaben } from './parse-offenevergaben.ts'

export const source = sourceOf({
  id: 'at-offenevergaben',
  title: 'OffeneVergaben.at',
  publisher: 'Forum Informationsfreiheit',
  homepage: 'https://offenevergaben.at',
  documentation: 'https://offenevergaben.at/downloads',
  clients: [
    'https://github.com/Forum-Informationsfreiheit/OffeneVergaben/blob/0b1f2c082d6f190afaeb07483b7a3f8dac3f9ed9/app/Jobs/MakeDatasetsCsvDumpJob.php',
    'https://github.com/skot-de/goVisor-engine/blob/aab0467c216b10c5a6a39c37fb46a13ec1541d02/govisor/atverg.py',
  ],
  license: {
    name: 'CC BY 4.0 (of the Kerndaten)',
    url: 'https://creativecommons.org/licenses/by/4.0/',
    attribution: 'OffeneVergaben.at, publishers of the Kerndaten',
  },
  channels: [
    {
      name: 'dump',
      timetable: '23 6 * * *',
      delivery: {
        kind: 'index',
        index: { url: 'https://offenevergaben.at/downloads/kerndaten_dump_daily?format=csv' },
        entries: {
          format: 'html',
          link: /href="([^"]*\/tmp\/kerndaten_dailydump_[^"]+\.zip)"/,
          sample: '<a href="/tmp/kerndaten_dailydump_{key}.zip">',
        },
        files: {
          format: 'archive',
          members: /\.csv$/,
          inside: { format: 'csv', delimiter: offenevergabenDelimiters },
        },
      },
    },
  ],
  parse: parseOffenevergaben,
  politeness: { requestsPerMinute: 6 },
  expects: { silentAfterDays: 14, shape: ['id', 'art', 'titel', 'auftraggeber', 'cpv'] },
  caveats: [
    'The address of the download answers with a page; the link in it is made for each visitor and valid for an hour.',
    'The dump is a zip with one table of about 240,000 rows since 2019; only rows that changed become new documents.',
    'A copy of the Kerndaten of the other Austrian sources, under ids of its own: it joins them by buyer and reference only.',
    'The program that writes the dump puts semicolons between the cells, the page that offers it says commas: both are read.',
    'The first client is the program of the portal itself; an earlier version of it writes ten columns, and `cpv_code`.',
    'The other client says commas too. In September 2026, it needed 16 minutes for the dump on ' +
      'one day, and failed after 22 on another; before each new try it asks the page again.',
    'Deadlines are days without a time. The columns follow the program that writes the dump, which is public.',
    'Rows marked OSB are above the EU thresholds and in TED too.',
  ],
  offBecause: 'which columns it has today is not known: check it, then name it',
})
