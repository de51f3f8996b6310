// Austria: Kerndaten of ANKÖ, an index of announcements with their last change, one XML for each.
import { kerndatenSource } from '../../families/kerndaten.ts'

export const source = kerndatenSource({
  id: 'at-kdq-ankoe',
  title: 'Kerndatenquelle ANKÖ',
  publisher: 'Auftragnehmerkataster Österreich',
  homepage: 'https://www.ankoe.at',
  minute: 41,
  index: 'http://ogd.ankoe.at/api/v1/notices',
  perDay: [10, 400],
  caveats: [
    'About 42,000 announcements since March 2019, most of them awards; documents carry no deadline, users report.',
    'The host serves http only.',
    'robots.txt of the host excludes crawlers that gather data for language models; this one does not.',
  ],
})
