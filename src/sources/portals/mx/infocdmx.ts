// Contracts of the transparency institute of Mexico City.
import { browserLike } from '../../families/card-values.ts'
import { inaiYears } from '../../families/inai-years.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'mx-infocdmx',
  title: 'Contrataciones Abiertas INFO CDMX',
  publisher: 'Instituto de Transparencia de la Ciudad de México',
  homepage: 'https://contratacionesabiertas.infocdmx.org.mx',
  documentation: 'https://dashboard.infocdmx.org.mx/contratacionesabiertas/datosabiertos',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/mexico_inai_base.py',
    'https://github.com/javiercamarapp/Atiende-Agencia-AI/blob/3b2e01ecb09721104a3c1d1744079f90515bcdf2/packages/domain-licitaciones/src/connectors/ocds/contratacionesabiertas-connector.ts',
  ],
  channels: [inaiYears('https://contratacionesabiertas.infocdmx.org.mx:3000', '2019-01-01')],
  politeness: { ...browserLike, requestsPerMinute: 20 },
  expects: { silentAfterDays: 120, shape: ['/arrayReleasePackage/0/releases/0/ocid'] },
  caveats: [
    'Plain user agents are answered with 500.',
    'The interface is on port 3000.',
    'The second client reads the same software in Yucatán and Guadalajara, and found 404 for a year without contracts.',
    'In public code of this software, the year is that of the signature of the contract, and of each process there is the newest release only.',
  ],
})
