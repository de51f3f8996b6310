// The procurement of the province of Mendoza.
import { linkedFiles } from '../../families/linked-files.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'ar-mendoza',
  title: 'Datos abiertos de compras, Mendoza',
  publisher: 'Gobierno de la Provincia de Mendoza',
  homepage: 'https://datosabiertos-compras.mendoza.gov.ar',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/argentina_mendoza_province_bulk.py',
    'https://github.com/martinsantos/licitometro/blob/02a3759b9952d1860e80f6163f5b8b4cfeda0513/backend/scripts/backfill_adjudicaciones_from_ocds_api.py',
  ],
  zone: 'America/Argentina/Mendoza',
  channels: [
    linkedFiles(
      'https://datosabiertos-compras.mendoza.gov.ar/datasets/',
      /href="([^"]+\.json)"/,
      releases,
      '15 5 * * *',
    ),
  ],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 45, shape: ['html'] },
  caveats: ['The files are in an HTML page without dates.'],
})
