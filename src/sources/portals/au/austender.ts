// AusTender, the contracts of the Australian Government.
import { linkedDays } from '../../families/linked-days.ts'
import { sourceOf } from '../../source.ts'

const byDates = (list: string) =>
  `https://api.tenders.gov.au/ocds/findByDates/${list}/{from:isoSeconds}/{to:isoSeconds}`

export const source = sourceOf({
  id: 'au-austender',
  title: 'AusTender contract notices',
  publisher: 'Department of Finance',
  homepage: 'https://www.tenders.gov.au',
  documentation: 'https://github.com/austender/austender-ocds-api',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/australia.py',
    'https://github.com/zerogetsamgow/austendeR/blob/0862f886726970e4f0ad7c529d1ec200542df49b/data-raw/add_new_tenders_from_API.R',
  ],
  license: { name: 'CC-BY-3.0-AU', url: 'https://creativecommons.org/licenses/by/3.0/au/' },
  zone: 'UTC',
  channels: [
    linkedDays('published', byDates('contractPublished'), '2013-01-01'),
    linkedDays('modified', byDates('contractLastModified'), '2013-01-01'),
  ],
  expects: { silentAfterDays: 4, shape: ['/releases/0/ocid', '/releases/0/tag'] },
  caveats: [
    'Awarded contracts only, no calls for tenders.',
    'Users found more than 200,000 contracts missing from the list by modification; the one by publication is read as well.',
    'The list by id stops at ten releases.',
  ],
})
