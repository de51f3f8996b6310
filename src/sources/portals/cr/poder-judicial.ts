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
  caveats: [
    'One file per year.',
    'Some members of the archive are not valid JSON.',
    'One public client is known. In July 2026, its operators noted that the site answered 503 since May, and ' +
      'that they found these files nowhere else (issue 1304 of kingfisher-collect).',
    'Programs of 2026 read other data of the judiciary in a catalog of the same kind at ' +
      'https://datosabiertospj.poder-judicial.go.cr; whether these files are there is not known.',
    'The OCP Data Registry has a copy, publication 16, which no other public program is known to read.',
  ],
  offBecause: 'one public program alone is known to read it: check it, then name it',
})
