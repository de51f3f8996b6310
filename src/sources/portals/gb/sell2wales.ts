// Sell2Wales.
import { openGovernmentLicence } from '../../families/card-values.ts'
import { proactisMonths } from '../../families/proactis.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'gb-sell2wales',
  title: 'Sell2Wales',
  publisher: 'Welsh Government',
  homepage: 'https://www.sell2wales.gov.wales',
  documentation: 'https://api.sell2wales.gov.wales/v1',
  license: openGovernmentLicence,
  channels: [proactisMonths('api.sell2wales.gov.wales', [51, 52, 53, 54, 55, 56])],
  politeness: { requestsPerMinute: 30 },
  expects: { silentAfterDays: 7, shape: ['/uri'] },
  caveats: [
    'The license is not in the data.',
    'A month without notices of a type comes without `releases`.',
    'HTTP 500 was reported for whole days in July 2026.',
    'Types 51 to 56 are notices of the site itself, all others forms of the Official Journal.',
  ],
})
