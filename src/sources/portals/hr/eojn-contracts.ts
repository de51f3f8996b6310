// The register of contracts of Croatia's former procurement site, as archives in OCDS.
import { browserLike } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { readPostbackArchives } from './read-postback-archives.ts'

const page = 'https://eojn.nn.hr/SPIN/application/ipn/Oglasnik/PreuzimanjeUgovoraOCD.aspx'

export const source = sourceOf({
  id: 'hr-eojn-contracts',
  title: 'Elektronički oglasnik javne nabave, contracts',
  publisher: 'Narodne novine d.d.',
  homepage: page,
  clients: ['https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/croatia.py'],
  channels: [
    {
      name: 'archives',
      delivery: { kind: 'own', fetch: readPostbackArchives(page) },
      timetable: '20 4 * * 0',
    },
  ],
  politeness: { ...browserLike, requestsPerMinute: 6 },
  expects: { silentAfterDays: 400, shape: ['html'] },
  caveats: [
    'Signed contracts only, no calls for tenders.',
    'The archives have no addresses of their own: the page sends them after a form is posted back.',
    'Plain user agents are refused.',
    'Some members, about one in nine, are not valid JSON.',
    'One public client is known; another program reads a copy that this client made.',
  ],
})
