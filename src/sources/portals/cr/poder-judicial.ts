// The procurement of Costa Rica's judiciary.
import { ckanFiles } from '../../families/ckan-files.ts'
import { records, releasesIfAny } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const url =
  'https://ckanpj.azurewebsites.net/api/3/action/package_show?id=estandar-de-datos-de-contrataciones-abiertas-ocds'
const timetable = '5 6 * * *'

export const source = sourceOf({
  id: 'cr-poder-judicial',
  title: 'Poder Judicial, contrataciones abiertas',
  publisher: 'Poder Judicial de Costa Rica',
  homepage: 'https://ckanpj.azurewebsites.net/dataset/estandar-de-datos-de-contrataciones-abiertas-ocds',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/costa_rica_poder_judicial_records.py',
  ],
  channels: [
    ckanFiles({ name: 'records', url, format: /^json$/i, files: records, timetable }),
    {
      // Release packages are the members whose names hold a hyphen.
      ...ckanFiles({
        name: 'releases',
        url,
        format: /^zip$/i,
        files: { format: 'archive', members: /-[^/]*\.json$/i, inside: releasesIfAny },
        timetable,
      }),
      role: 'spare',
    },
  ],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 400, shape: ['/result/resources/0/url', '/result/resources/0/format'] },
  caveats: ['One file per year.', 'Some members of the archive are not valid JSON.', 'One public client is known.'],
})
