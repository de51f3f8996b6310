// The OCDS files of ANAC, Italy's anti-corruption authority, from its database of public contracts.
import { browserLike } from '../../families/card-values.ts'
import { ckanFiles } from '../../families/ckan-files.ts'
import { releases } from '../../ocds/entries.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'it-anac',
  title: 'ANAC Open Data, OCDS',
  publisher: 'Autorità Nazionale Anticorruzione',
  country: 'IT',
  homepage: 'https://dati.anticorruzione.it/opendata',
  documentation: 'https://dati.anticorruzione.it/opendata/about',
  licence: { name: 'not stated' },
  zone: 'Europe/Rome',
  channels: [
    ckanFiles({
      name: 'months',
      url: 'https://dati.anticorruzione.it/opendata/api/3/action/package_search?q=ocds&rows=1000',
      format: /^json$/i,
      files: releases,
      timetable: '10 3 * * *',
    }),
  ],
  access: { kind: 'open' },
  politeness: { ...browserLike, requestsPerMinute: 10 },
  expects: { silentAfterDays: 75, shape: ['/result/results/0/resources/0/url'] },
  caveats: [
    'Plain user agents get a page "Request Rejected" with status 200.',
    'One very large file for every month.',
    'Releases without `ocid` occur; it stands at the beginning of their `id`. Releases without `date` occur too.',
  ],
}
