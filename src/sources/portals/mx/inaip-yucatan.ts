// Contracts of the transparency institute of Yucatán.
import { inaiYears } from '../../families/inai-years.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'mx-inaip-yucatan',
  title: 'Contrataciones Abiertas INAIP Yucatán',
  publisher: 'INAIP Yucatán',
  homepage: 'https://contratacionesabiertas.inaipyucatan.org.mx',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/mexico_yucatan_inaip.py',
    'https://github.com/javiercamarapp/Atiende-Agencia-AI/blob/45d95bc49015d39cf6021148b564d353da684678/packages/domain-licitaciones/src/connectors/ocds/contratacionesabiertas-connector.ts',
  ],
  zone: 'America/Merida',
  channels: [inaiYears('https://captura.contratacionesabiertas.inaipyucatan.org.mx', '2020-01-01')],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 120, shape: ['/arrayReleasePackage/0/releases/0/ocid'] },
  caveats: ['One document per fiscal year.'],
})
