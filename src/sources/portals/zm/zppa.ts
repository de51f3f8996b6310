// ZPPA, the public procurement authority of Zambia.
import { ePpsMonths } from '../../families/european-dynamics.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'zm-zppa',
  title: 'ZPPA e-GP',
  publisher: 'Zambia Public Procurement Authority',
  homepage: 'https://www.zppa.org.zm',
  clients: ['https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/zambia.py'],
  unnamedClients: 1,
  channels: [ePpsMonths('https://www.zppa.org.zm', '2016-07-01')],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 45, shape: ['/ocid', '/compiledRelease'] },
  caveats: [
    'OCDS 1.0: buyers and suppliers are inline.',
    'During maintenance, the platform answers HTML with status 200.',
  ],
})
