// SEAO, the tenders of Quebec, as weekly and monthly files.
import { ckanFiles } from '../../families/ckan-files.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'ca-quebec',
  title: "Système électronique d'appel d'offres (SEAO)",
  publisher: 'Secrétariat du Conseil du trésor du Québec',
  homepage: 'https://www.donneesquebec.ca/recherche/dataset/systeme-electronique-dappel-doffres-seao',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/canada_quebec.py',
    'https://github.com/Haskz13/can/blob/2252c5f467108d184da74e12a7b4a95217ea7781/leadgen/sources/seao.py',
  ],
  license: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  channels: [
    ckanFiles({
      name: 'files',
      url: 'https://www.donneesquebec.ca/api/3/action/package_show?id=d23b2e02-085d-43e5-9e6e-e1d558ebfdd5',
      format: /^json$/i,
      files: releases,
      timetable: '35 */4 * * *',
    }),
  ],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 14, shape: ['/result/resources/0/url', '/result/resources/0/format'] },
  caveats: [
    'A file of the same name comes again under another address with other content; both are read.',
    'Some answers end in the middle of the JSON.',
  ],
})
