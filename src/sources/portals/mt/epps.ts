// ePPS, the e-procurement platform of Malta.
import { ePpsMonths } from '../../families/european-dynamics.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'mt-epps',
  title: 'ePPS Malta',
  publisher: 'Department of Contracts',
  homepage: 'https://www.etenders.gov.mt',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/malta.py',
    'https://github.com/spmbiz/tender-engine/blob/0cf73258831089035a795f152013c334f9fac366/pipeline/discover_mt_epps_ocds.py',
  ],
  channels: [
    ePpsMonths('https://www.etenders.gov.mt', '2023-01-01'),
    { ...ePpsMonths('http://demowww.etenders.gov.mt', '2019-10-01'), name: 'demonstration', role: 'spare' },
  ],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 60, shape: ['/ocid', '/compiledRelease'] },
  caveats: [
    'A client read the list of months here on 20 August 2026: January 2023 to August 2026.',
    'The other client asks the demonstration host over http, for the months from October 2019.',
    'During maintenance, the platform answers HTML with status 200.',
  ],
})
