// Mexico's national digital platform (Plataforma Digital Nacional, system 6): one interface for many publishers.
import { type Source, sourceOf } from '../source.ts'

/**
 * The card of one publisher; `supplier` is its name on the platform. Contracts come ten on a page, so always from the
 * start.
 */
export function digitalPlatformSource(publisher: {
  readonly id: string
  readonly supplier: string
  readonly publisher: string
  readonly zone?: string
}): Source {
  const { supplier, ...card } = publisher
  return sourceOf({
    ...card,
    title: `Plataforma Digital Nacional, ${supplier}`,
    homepage: 'https://www.plataformadigitalnacional.org/contrataciones',
    clients: [
      'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/mexico_plataforma_digital_nacional_base.py',
      // The platform's own search; `suppliers.jsx` beside it has the names of all publishers.
      'https://github.com/PDNMX/pdn/blob/34c6195f8bc47b7fb08aad0bab3c59fe5c13ccb6/src/components/Sistema6/BusquedaV2.jsx',
    ],
    channels: [
      {
        name: 'releases',
        delivery: {
          kind: 'page',
          request: {
            url: `https://api.plataformadigitalnacional.org/s6/api/v1/search?supplier_id=${supplier}`,
            headers: { Accept: 'application/json' },
            json: { page: '{page}', pageSize: 10 },
          },
          entries: { format: 'json', at: '/data' },
          firstPage: 0,
          pageSize: 10,
          total: '/pagination/total',
          end: { when: 'total' },
        },
        timetable: '30 7 * * *',
      },
    ],
    // The platform is one host for all its publishers.
    politeness: { requestsPerMinute: 60 },
    expects: { silentAfterDays: 120, shape: ['/data/0/ocid', '/pagination/total'] },
    caveats: ['Bare releases, ten on a page and in no stated order: everything is read every time.'],
  })
}
