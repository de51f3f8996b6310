// eTenders of South Africa's National Treasury.
import { linkedDays } from '../../families/linked-days.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'za-national-treasury',
  title: 'eTenders',
  publisher: 'National Treasury',
  homepage: 'https://www.etenders.gov.za',
  documentation: 'https://ocds-api.etenders.gov.za/swagger/index.html',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/south_africa_national_treasury_api.py',
    'https://github.com/keezo2026-afk/TenderZA/blob/293fa99c9c1cc5c6e05026c5bad91225c8a33e35/src/tenderza/adapters/ocds_api.py',
  ],
  channels: [
    linkedDays(
      'days',
      'https://ocds-api.etenders.gov.za/api/OCDSReleases?PageNumber=1&PageSize=1000&dateFrom={from:yyyy-MM-dd}&dateTo={to:yyyy-MM-dd}',
      '2021-04-01',
    ),
  ],
  politeness: { requestsPerMinute: 30 },
  expects: { silentAfterDays: 5, shape: ['/releases/0/ocid'] },
  caveats: [
    'More than one request at a time makes it fail. The first release is of the end of April 2021.',
    'The times end in Z but are those of the clocks there, and are read so. The title is the number of the tender.',
  ],
})
