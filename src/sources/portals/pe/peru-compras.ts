// Orders under the framework agreements of Perú Compras.
import { releasesIfAny } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const site = 'https://www.catalogos.perucompras.gob.pe/ConsultaOrdenesPub'

export const source = sourceOf({
  id: 'pe-peru-compras',
  title: 'Perú Compras, órdenes públicas',
  publisher: 'Central de Compras Públicas - Perú Compras',
  homepage: 'https://www.catalogos.perucompras.gob.pe/ConsultaOrdenesPub',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/peru_compras_api.py',
    'https://github.com/ANTDOR9/PROYECTO-TRACKER-LICITACIONES/blob/299785cc71e9fbae7c77399c9279953b1a4b6d45/src/perucompras.py',
  ],
  channels: [
    {
      name: 'agreements',
      slots: { kind: 'month', since: '2017-01-01', rereadDays: [3, 20], isOpenRead: true },
      delivery: {
        kind: 'single',
        request: {
          url: `${site}/DescargaJsonOCDS?pAcuerdo={agreement}&pFechaIni={from:yyyy-MM-dd}&pFechaFin={last:yyyy-MM-dd}`,
        },
        entries: releasesIfAny,
        each: {
          name: 'agreement',
          // Text in lists with ¯ between them; in the first, agreements with ¬ between them: `130-BIENES^IM-CE-2020-9`
          // …
          list: { url: `${site}/obtenerFiltros` },
          entries: { format: 'html', link: /(?<![\s\S]*¯[\s\S]*)(?:^|¬)(\d+)-/, sample: '¬{key}-' },
          at: '/0',
        },
      },
      timetable: '20 6 * * *',
    },
    {
      name: 'months',
      role: 'spare',
      delivery: {
        kind: 'single',
        request: { url: `${site}/getListaDescargaMasiva?Anio=&Mes=`, method: 'POST' },
        entries: { format: 'json', at: '' },
        detail: {
          request: { url: 'https://saeusceprod01.blob.core.windows.net/contproveedor/DescargaMasiva/{id}' },
          id: '/C_FileJson',
          version: '',
          entries: releasesIfAny,
        },
      },
    },
  ],
  politeness: { requestsPerMinute: 30 },
  expects: { silentAfterDays: 30, shape: ['/releases/0/ocid'] },
  caveats: [
    'Strings contain plain line breaks, which JSON forbids.',
    'The monthly files are older than the answers.',
    'One of the two clients reads only the monthly files; it found in August 2026 that their list answers 500.',
  ],
})
