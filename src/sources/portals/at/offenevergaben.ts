// Austria: OffeneVergaben.at, the daily dump that gathers the Kerndaten of all publishers.
import { sourceOf } from '../../source.ts'
import { parseOffenevergaben } from './parse-offenevergaben.ts'

export const source = sourceOf({
  id: 'at-offenevergaben',
  title: 'OffeneVergaben.at',
  publisher: 'Forum Informationsfreiheit',
  homepage: 'https://offenevergaben.at',
  documentation: 'https://offenevergaben.at/downloads',
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
        kind: 'single',
        request: { url: 'https://offenevergaben.at/downloads/kerndaten_dump_daily?format=csv' },
        entries: { format: 'archive', members: /\.csv$/, inside: { format: 'csv', delimiter: ';' } },
      },
    },
  ],
  parse: parseOffenevergaben,
  politeness: { requestsPerMinute: 6 },
  expects: { silentAfterDays: 14, shape: ['id', 'art', 'titel', 'auftraggeber', 'cpv'] },
  caveats: [
    'The dump is a zip with one table of about 240,000 rows since 2019; only rows that changed become new documents.',
    'A copy of the Kerndaten of the other Austrian sources, under ids of its own: it joins them by buyer and reference only.',
    'Deadlines are days without a time. The columns follow the program that writes the dump, which is public.',
    'Rows marked OSB are above the EU thresholds and in TED too.',
  ],
})
