// Awarded contracts of Anambra State.
import { awardedContracts, bonMaximusPace } from '../../families/bon-maximus.ts'
import { licenceNotStated } from '../../families/card-values.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'ng-anambra',
  title: 'Anambra State e-procurement',
  publisher: 'Anambra State Bureau of Public Procurement',
  country: 'NG',
  homepage: 'https://eprocure.bpp.an.gov.ng',
  licence: licenceNotStated,
  zone: 'Africa/Lagos',
  channels: [awardedContracts('https://eprocure.bpp.an.gov.ng/')],
  access: { kind: 'open' },
  politeness: bonMaximusPace,
  expects: { silentAfterDays: 120, shape: ['html'] },
  caveats: ['Awards alone.', 'Answers 403 for a while and works again.', 'Files were seen that are no valid JSON.'],
}
