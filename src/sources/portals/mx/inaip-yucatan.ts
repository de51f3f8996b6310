// Contracts of the transparency institute of Yucatán.
import { licenceNotStated } from '../../families/card-values.ts'
import { inaiYears } from '../../families/inai-years.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'mx-inaip-yucatan',
  title: 'Contrataciones Abiertas INAIP Yucatán',
  publisher: 'INAIP Yucatán',
  country: 'MX',
  homepage: 'https://contratacionesabiertas.inaipyucatan.org.mx',
  licence: licenceNotStated,
  zone: 'America/Merida',
  channels: [inaiYears('https://captura.contratacionesabiertas.inaipyucatan.org.mx', '2020-01-01')],
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 120, shape: ['/arrayReleasePackage/0/releases/0/ocid'] },
  caveats: ['One document for every fiscal year.'],
}
