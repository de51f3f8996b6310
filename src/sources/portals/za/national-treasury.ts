// eTenders of South Africa's National Treasury.
import { licenceNotStated } from '../../families/card-values.ts'
import { linkedDays } from '../../families/linked-days.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'za-national-treasury',
  title: 'eTenders',
  publisher: 'National Treasury',
  country: 'ZA',
  homepage: 'https://www.etenders.gov.za',
  documentation: 'https://ocds-api.etenders.gov.za/swagger/index.html',
  licence: licenceNotStated,
  zone: 'Africa/Johannesburg',
  channels: [
    linkedDays(
      'days',
      'https://ocds-api.etenders.gov.za/api/OCDSReleases?PageNumber=1&PageSize=1000&dateFrom={from:yyyy-MM-dd}&dateTo={to:yyyy-MM-dd}',
      '2021-04-01',
    ),
  ],
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 30 },
  expects: { silentAfterDays: 5, shape: ['/releases/0/ocid'] },
  caveats: ['More than one request at a time makes it fail.', 'The first release is of the end of April 2021.'],
}
