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
    'https://github.com/Hepteract-Group/naijaledger/blob/HEAD/engine/src/naijaledger/seeds/run.py',
  ],
  recordings: [
    'https://github.com/Jeremiaheth/business-trust-registry-main/blob/0c3afd1d2f845404c1519f54ffe47d55d06bbbcd/data_sources/public_seed_sources/anambra_state_ocds.source.json',
  ],
  channels: [awardedContracts('https://eprocure.bpp.an.gov.ng/')],
  politeness: bonMaximusPace,
  expects: { silentAfterDays: 120, shape: ['html'] },
  caveats: [
    'Awards only.',
    'The recording is of a copy of these files in the OCP Data Registry: releases of 2022, compiled by process.',
    'The second client keeps the page of awarded contracts (about 960 in July 2026), but not the files that it links.',
    'The portal sometimes answers 403 for a while, then works again.',
    'Some files are not valid JSON.',
  ],
})
