// ZPPA, the public procurement authority of Zambia.
import { ePpsMonths } from '../../families/european-dynamics.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'zm-zppa',
  title: 'ZPPA e-GP',
  publisher: 'Zambia Public Procurement Authority',
  homepage: 'https://www.zppa.org.zm',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/zambia.py',
    'https://github.com/Kapambwe/procurement-analysis/blob/30e0dd33b6c07972e2a965133a5ef1a5050ba383/zppa-ocid-data-download.Notebook/notebook-content.py',
  ],
  channels: [ePpsMonths('https://www.zppa.org.zm', '2016-07-01')],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 45, shape: ['/ocid', '/compiledRelease'] },
  caveats: [
    'OCDS 1.0: buyers and suppliers are inline.',
    'During maintenance, the platform answers HTML with status 200.',
    'A client finds plain text in place of the archive of a month without records; such a month is empty if the list of months lacks it.',
  ],
})
