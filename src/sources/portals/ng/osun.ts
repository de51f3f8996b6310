// Awarded contracts of Osun State.
import { awardedContracts, bonMaximusPace } from '../../families/bon-maximus.ts'
import { licenceNotStated } from '../../families/card-values.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'ng-osun',
  title: 'Osun State e-procurement',
  publisher: 'Osun State Public Procurement Agency',
  country: 'NG',
  homepage: 'https://egp.osunstate.gov.ng',
  licence: licenceNotStated,
  zone: 'Africa/Lagos',
  channels: [awardedContracts('https://egp.osunstate.gov.ng/')],
  access: { kind: 'open' },
  politeness: bonMaximusPace,
  expects: { silentAfterDays: 120, shape: ['html'] },
  caveats: ['Awards alone.', 'Answers 403 for a while and works again.', 'Files were seen that are no valid JSON.'],
}
