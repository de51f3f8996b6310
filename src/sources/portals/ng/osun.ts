// Awarded contracts of Osun State.
import { awardedContracts, bonMaximusPace } from '../../families/bon-maximus.ts'
import { registryYears } from '../../families/registry-years.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'ng-osun',
  title: 'Osun State e-procurement',
  publisher: 'Osun State Public Procurement Agency',
  homepage: 'https://egp.osunstate.gov.ng',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/nigeria_osun_state.py',
    'https://github.com/Drys-CRS/CRS-Lead-Gen/blob/141744bd841f5e00bd03c97180adc391f500833a/app/ingest_core.py',
  ],
  unnamedClients: 1,
  channels: [awardedContracts('https://egp.osunstate.gov.ng/'), registryYears(118, '2019-01-01')],
  politeness: bonMaximusPace,
  expects: { silentAfterDays: 120, shape: ['html'] },
  caveats: [
    'Awards only.',
    'The unnamed client reads the table of awarded contracts, but not the files that it links.',
    'The second client reads the copy in the OCP Data Registry, as the channel `registry` does: the last ' +
      'three years, of which it keeps what has to do with computers or training. In April 2025, that copy had ' +
      '170 processes since June 2019.',
    'The portal sometimes answers 403 for a while, then works again.',
    'Some files are not valid JSON.',
  ],
})
