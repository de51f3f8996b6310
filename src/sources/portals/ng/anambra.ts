// Awarded contracts of Anambra State.
import { awardedContracts, bonMaximusPace } from '../../families/bon-maximus.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'ng-anambra',
  title: 'Anambra State e-procurement',
  publisher: 'Anambra State Bureau of Public Procurement',
  homepage: 'https://eprocure.bpp.an.gov.ng',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/nigeria_anambra_state.py',
  ],
  channels: [awardedContracts('https://eprocure.bpp.an.gov.ng/')],
  politeness: bonMaximusPace,
  expects: { silentAfterDays: 120, shape: ['html'] },
  caveats: [
    'Awards only.',
    'The portal sometimes answers 403 for a while, then works again.',
    'Some files are not valid JSON.',
  ],
})
