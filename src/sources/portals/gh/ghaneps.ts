// GHANEPS, the e-procurement platform of Ghana.
import { ePpsMonths } from '../../families/european-dynamics.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'gh-ghaneps',
  title: 'GHANEPS',
  publisher: 'Public Procurement Authority of Ghana',
  homepage: 'https://www.ghaneps.gov.gh',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/ghana.py',
    'https://github.com/whizzonby/Tenders/blob/f37173c55254037a0a497563f3d60d60034adea1/backend/scrapers/ghanaGhaneps.js',
  ],
  channels: [ePpsMonths('https://www.ghaneps.gov.gh', '2019-07-01')],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 45, shape: ['/ocid', '/compiledRelease'] },
  caveats: ['During maintenance, the platform answers HTML with status 200.'],
})
