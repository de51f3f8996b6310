// Riigihangete register, the public procurement register of Estonia: eForms of a month in one file.
import { dayMs } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseRhr } from './parse-rhr.ts'

const opendata = 'https://riigihanked.riik.ee/rhr/api/public/v1/opendata'

const channel = (name: string, resource: string) =>
  ({
    name,
    slots: { kind: 'month', since: '2022-01-01', delayMs: dayMs, rereadDays: [5, 30], isOpenRead: true },
    timetable: '25 */3 * * *',
    delivery: {
      kind: 'single',
      request: {
        url: `${opendata}/${resource}/{from:yyyy}/month/{from:M}/xml`,
        headers: { accept: 'application/xml' },
      },
      entries: { format: 'xml', element: '*' },
      notFound: 'notYet',
    },
  }) as const

export const source = sourceOf({
  id: 'ee-rhr',
  title: 'Riigihangete register',
  publisher: 'Rahandusministeerium',
  homepage: 'https://riigihanked.riik.ee',
  documentation: 'https://riigihanked.riik.ee/rhr-web/#/open-data',
  clients: [
    'https://github.com/spmbiz/tender-engine/blob/main/pipeline/discover_ee_rhr.py',
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
  ],
  channels: [channel('notices', 'notice'), channel('awards', 'notice_award')],
  parse: parseRhr,
  politeness: { requestsPerMinute: 10 },
  expects: { perDay: [10, 400], silentAfterDays: 10, shape: ['ContractNotice'] },
  caveats: [
    'The file of the current month grows and is read again every three hours; the month is not padded with a zero.',
    'Notices above the thresholds have the same ids as in TED.',
    'Other endpoints answer 500 to a plain "Accept: application/json".',
    'The name of the root is not known; each of its children is a notice in eForms.',
  ],
})
