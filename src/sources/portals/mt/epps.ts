// ePPS, the e-procurement platform of Malta.
import { licenceNotStated } from '../../families/card-values.ts'
import { ePpsMonths } from '../../families/european-dynamics.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'mt-epps',
  title: 'ePPS Malta',
  publisher: 'Department of Contracts',
  country: 'MT',
  homepage: 'https://www.etenders.gov.mt',
  licence: licenceNotStated,
  zone: 'Europe/Malta',
  channels: [ePpsMonths('http://demowww.etenders.gov.mt', '2019-10-01')],
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 60, shape: ['/ocid', '/compiledRelease'] },
  caveats: [
    'Only the demonstration host serves the records, and only over http.',
    'While the platform is maintained, it answers HTML with status 200.',
  ],
}
