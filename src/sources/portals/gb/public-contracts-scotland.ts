// Public Contracts Scotland.
import { openGovernmentLicence } from '../../families/card-values.ts'
import { proactisMonths } from '../../families/proactis.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'gb-public-contracts-scotland',
  title: 'Public Contracts Scotland',
  publisher: 'Scottish Government',
  homepage: 'https://www.publiccontractsscotland.gov.uk',
  documentation: 'https://api.publiccontractsscotland.gov.uk/v1',
  license: openGovernmentLicence,
  channels: [proactisMonths('api.publiccontractsscotland.gov.uk', [101, 102, 103, 104])],
  politeness: { requestsPerMinute: 30 },
  expects: { silentAfterDays: 5, shape: ['/uri'] },
  caveats: [
    'The license is not in the data.',
    'A month without notices of a type comes without `releases`.',
    'Types 101 to 104 are notices of the site itself, all others forms of the Official Journal.',
  ],
})
