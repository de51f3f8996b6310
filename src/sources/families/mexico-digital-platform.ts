// Mexico's national digital platform (Plataforma Digital Nacional, system 6): one interface for many publishers.
import type { Channel, Politeness } from '../source.ts'

/** All contracts of one publisher, `supplier` being its name there. Ten on a page, in no stated order, so always from the start. */
export function digitalPlatform(supplier: string): Channel {
  return {
    name: 'releases',
    slots: { kind: 'whole' },
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
  }
}

/** The platform is one host for all its publishers. */
export const digitalPlatformPace: Politeness = { requestsPerMinute: 60 }

export const digitalPlatformShape: readonly string[] = ['/data/0/ocid', '/pagination/total']
