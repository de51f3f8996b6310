// ZPPA, the public procurement authority of Zambia.
import { licenceNotStated } from '../../families/card-values.ts'
import { ePpsMonths } from '../../families/european-dynamics.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'zm-zppa',
  title: 'ZPPA e-GP',
  publisher: 'Zambia Public Procurement Authority',
  country: 'ZM',
  homepage: 'https://www.zppa.org.zm',
  licence: licenceNotStated,
  zone: 'Africa/Lusaka',
  channels: [ePpsMonths('https://www.zppa.org.zm', '2016-07-01')],
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 45, shape: ['/ocid', '/compiledRelease'] },
  caveats: [
    'OCDS 1.0: buyers and suppliers stand inline.',
    'While the platform is maintained, it answers HTML with status 200.',
  ],
}
