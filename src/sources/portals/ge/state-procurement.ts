// All tenders of Georgia's State Procurement Agency in one archive.
import { wholeFile } from '../../families/whole-file.ts'
import { releases, zippedReleases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'ge-state-procurement',
  title: 'State Procurement Agency, open data',
  publisher: 'State Procurement Agency of Georgia',
  homepage: 'http://opendata.spa.ge',
  documentation: 'https://odapi.spa.ge/publication-policy',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/georgia_opendata.py',
  ],
  channels: [
    wholeFile('http://opendata.spa.ge/json/allTenders.zip', zippedReleases, '5 2 * * 0'),
    {
      name: 'pages',
      role: 'spare',
      delivery: {
        kind: 'link-next',
        request: { url: 'https://odapi.spa.ge/api/releases.json' },
        entries: releases,
        next: '/links/next',
      },
    },
  ],
  politeness: { requestsPerMinute: 5 },
  expects: { silentAfterDays: 60, shape: ['/ocid', '/tag'] },
  caveats: [
    'One archive of about 450 MB with everything.',
    'The host of the archive serves http only.',
    'The client has a second file for the pages, georgia_releases.py. A register of open-government promises says that the updates were incomplete.',
    'In May 2019, most of the 67,784 files in the archive were empty (issue 155 of kingfisher-collect); in August, the archive seemed whole.',
    'The channel `pages` reads the newer interface of the agency, which the documentation describes and puts ' +
      'under CC0. On 12 June 2026, the author of another program (mixa35/procurement-ge-api) found all of it ' +
      'answering, with 275,641 releases, none of them newer than 25 June 2019.',
    'The host of the pages leaves out an intermediate certificate, says the same author; until it sends it, ' +
      'they can be read only where NODE_EXTRA_CA_CERTS names that certificate.',
  ],
  offBecause: 'nothing in it is newer than June 2019; name it for what was before',
})
