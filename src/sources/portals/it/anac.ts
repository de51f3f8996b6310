// The OCDS files of ANAC, Italy's anti-corruption authority, from its database of public contracts.
import { browserLike } from '../../families/card-values.ts'
import { ckanFiles } from '../../families/ckan-files.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'it-anac',
  title: 'ANAC Open Data, OCDS',
  publisher: 'Autorità Nazionale Anticorruzione',
  homepage: 'https://dati.anticorruzione.it/opendata',
  documentation: 'https://dati.anticorruzione.it/opendata/about',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/italy_anac.py',
    'https://github.com/spmbiz/tender-engine/blob/4b7a8d65268ee10efd6ba4b09900c08fbe7ad312/pipeline/discover_it_anac_ocds_bulk.py',
  ],
  unnamedClients: 1,
  channels: [
    ckanFiles({
      name: 'months',
      url: 'https://dati.anticorruzione.it/opendata/api/3/action/package_search?q=ocds&rows=1000',
      format: /^json$/i,
      files: releases,
      timetable: '10 3 * * *',
    }),
  ],
  politeness: { ...browserLike, requestsPerMinute: 10 },
  expects: { silentAfterDays: 75, shape: ['/result/results/0/resources/0/url'] },
  caveats: [
    'Plain user agents get a page "Request Rejected" with status 200.',
    'One very large file per month.',
    'Releases without `ocid` occur; it is then the beginning of their `id`. Releases without `date` occur too.',
    'One of the two clients asks for the data set of each year by its name (package_show) and reads the same files.',
  ],
})
