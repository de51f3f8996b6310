// Awarded contracts of Osun State.
import { awardedContracts, bonMaximusPace } from '../../families/bon-maximus.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'ng-osun',
  title: 'Osun State e-procurement',
  publisher: 'Osun State Public Procurement Agency',
  homepage: 'https://egp.osunstate.gov.ng',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/nigeria_osun_state.py',
  ],
  unnamedClients: 1,
  channels: [awardedContracts('https://egp.osunstate.gov.ng/')],
  politeness: bonMaximusPace,
  expects: { silentAfterDays: 120, shape: ['html'] },
  caveats: [
    'Awards only.',
    'The unnamed client reads the table of awarded contracts, but not the files that it links.',
    'The portal sometimes answers 403 for a while, then works again.',
    'Some files are not valid JSON.',
  ],
})
