// Contracts of the transparency institute of Mexico City.
import { browserLike } from '../../families/card-values.ts'
import { inaiYears } from '../../families/inai-years.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'mx-infocdmx',
  title: 'Contrataciones Abiertas INFO CDMX',
  publisher: 'Instituto de Transparencia de la Ciudad de México',
  homepage: 'https://contratacionesabiertas.infocdmx.org.mx',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/mexico_inai_base.py',
  ],
  channels: [inaiYears('https://contratacionesabiertas.infocdmx.org.mx:3000', '2019-01-01')],
  politeness: { ...browserLike, requestsPerMinute: 20 },
  expects: { silentAfterDays: 120, shape: ['/arrayReleasePackage/0/releases/0/ocid'] },
  caveats: ['Plain user agents are answered with 500.', 'The interface is on port 3000.'],
})
