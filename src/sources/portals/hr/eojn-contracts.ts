// The register of contracts of Croatia's former procurement site, as archives in OCDS.
import { browserLike } from '../../families/card-values.ts'
import { registryYears } from '../../families/registry-years.ts'
import { sourceOf } from '../../source.ts'
import { readPostbackArchives } from './read-postback-archives.ts'

const page = 'https://eojn.nn.hr/SPIN/application/ipn/Oglasnik/PreuzimanjeUgovoraOCD.aspx'

export const source = sourceOf({
  id: 'hr-eojn-contracts',
  title: 'Elektronički oglasnik javne nabave, contracts',
  publisher: 'Narodne novine d.d.',
  homepage: page,
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/croatia.py',
    'https://github.com/dominik644/pht-mastertool/blob/f24153c6fdc4c85b467555ad2ae62b66cfef3717/scripts/bulk-ingest-eojn.mjs',
    'https://github.com/roldao04/SOD_HW2/blob/c20c05d50ae9c36bb80357cb795179840a42ecf6/src/extractors/open_contracting_partnership/extractor.py',
  ],
  channels: [
    {
      name: 'archives',
      delivery: { kind: 'own', fetch: readPostbackArchives(page) },
      timetable: '20 4 * * 0',
    },
    registryYears(80, '2010-01-01'),
  ],
  politeness: { ...browserLike, requestsPerMinute: 6 },
  expects: { silentAfterDays: 400, shape: ['html'] },
  caveats: [
    'Signed contracts only, no calls for tenders.',
    'The archives have no addresses of their own: the page sends them after a form is posted back.',
    'Plain user agents are refused.',
    'Some members, about one in nine, are not valid JSON.',
    'The first client reads the archives of the portal. The others read the copy that it makes for the OCP ' +
      'Data Registry, as the channel `registry` does: one its newest year, the other 2025.',
    'In July 2026, the file of 2026 in the registry had 118 processes. The first year that has a file there is not known; a year without one counts as empty.',
  ],
})
