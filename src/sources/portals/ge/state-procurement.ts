// All tenders of Georgia's State Procurement Agency in one archive.
import { wholeFile } from '../../families/whole-file.ts'
import { zippedReleases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'ge-state-procurement',
  title: 'State Procurement Agency, open data',
  publisher: 'State Procurement Agency of Georgia',
  homepage: 'http://opendata.spa.ge',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/georgia_opendata.py',
  ],
  channels: [wholeFile('http://opendata.spa.ge/json/allTenders.zip', zippedReleases, '5 2 * * 0')],
  politeness: { requestsPerMinute: 5 },
  expects: { silentAfterDays: 60, shape: ['/ocid', '/tag'] },
  caveats: [
    'One archive of about 450 MB with everything.',
    'The host serves http only.',
    'One public client is known. A register of open-government promises says that the updates were incomplete.',
    'In May 2019, most of the 67,784 files in the archive were empty (issue 155 of kingfisher-collect); in August, the archive seemed whole. The newer interface of the agency, odapi.spa.ge, was last updated in 2020.',
  ],
})
