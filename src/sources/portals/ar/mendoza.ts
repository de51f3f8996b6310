// The procurement of the province of Mendoza.
import { licenceNotStated } from '../../families/card-values.ts'
import { linkedFiles } from '../../families/linked-files.ts'
import { releases } from '../../ocds/entries.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'ar-mendoza',
  title: 'Datos abiertos de compras, Mendoza',
  publisher: 'Gobierno de la Provincia de Mendoza',
  country: 'AR',
  homepage: 'https://datosabiertos-compras.mendoza.gov.ar',
  licence: licenceNotStated,
  zone: 'America/Argentina/Mendoza',
  channels: [
    linkedFiles(
      'https://datosabiertos-compras.mendoza.gov.ar/datasets/',
      /href="([^"]+\.json)"/,
      releases,
      '15 5 * * *',
    ),
  ],
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 45, shape: ['html'] },
  caveats: ['The files stand in an HTML page without dates.'],
}
