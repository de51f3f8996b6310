// GHANEPS, the e-procurement platform of Ghana.
import { licenceNotStated } from '../../families/card-values.ts'
import { ePpsMonths } from '../../families/european-dynamics.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'gh-ghaneps',
  title: 'GHANEPS',
  publisher: 'Public Procurement Authority of Ghana',
  country: 'GH',
  homepage: 'https://www.ghaneps.gov.gh',
  licence: licenceNotStated,
  zone: 'Africa/Accra',
  channels: [ePpsMonths('https://www.ghaneps.gov.gh', '2019-07-01')],
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 45, shape: ['/ocid', '/compiledRelease'] },
  caveats: ['While the platform is maintained, it answers HTML with status 200.'],
}
