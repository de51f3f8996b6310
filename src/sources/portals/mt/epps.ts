// ePPS, the e-procurement platform of Malta.
import { ePpsMonths } from '../../families/european-dynamics.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'mt-epps',
  title: 'ePPS Malta',
  publisher: 'Department of Contracts',
  homepage: 'https://www.etenders.gov.mt',
  clients: ['https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/malta.py'],
  channels: [ePpsMonths('http://demowww.etenders.gov.mt', '2019-10-01')],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 60, shape: ['/ocid', '/compiledRelease'] },
  caveats: [
    'Only the demonstration host serves the records, and only over http.',
    'During maintenance, the platform answers HTML with status 200.',
  ],
})
