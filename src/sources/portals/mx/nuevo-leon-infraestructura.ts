// Public works of Nuevo León.
import { browserLike } from '../../families/card-values.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const request = {
  // `anio=[{"value":"2026"}]`
  url: 'https://smpu.nl.gob.mx/siasi_ws/api/ocds/ListarProduccionXAnio?anio=%5B%7B%22value%22%3A%22{from:yyyy}%22%7D%5D',
}

export const source = sourceOf({
  id: 'mx-nuevo-leon-infraestructura',
  title: 'Nuevo León, Infraestructura Abierta',
  publisher: 'Secretaría de Movilidad y Planeación Urbana de Nuevo León',
  homepage: 'https://smpu.nl.gob.mx/transparencia/acerca-del-proyecto',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/mexico_nuevo_leon_infra_abierta_base.py',
  ],
  zone: 'America/Monterrey',
  channels: [
    {
      name: 'releases',
      slots: { kind: 'year', since: '2013-01-01', rereadDays: [15, 60, 180], isOpenRead: true },
      delivery: {
        kind: 'single',
        request,
        entries: { format: 'json', at: '/*/records/*/releases', isOptional: true },
        // Records link their releases; a release never changes at its URL.
        detail: { request: { url: '{id}' }, id: '/url', entries: releases },
      },
      timetable: '25 8 * * *',
    },
    {
      name: 'records',
      role: 'spare',
      slots: { kind: 'year', since: '2013-01-01', rereadDays: [15, 60, 180], isOpenRead: true },
      delivery: { kind: 'single', request, entries: { format: 'json', at: '/*/records', isOptional: true } },
    },
  ],
  politeness: { ...browserLike, requestsPerMinute: 30 },
  expects: { silentAfterDays: 200, shape: ['/0/records/0/releases/0/url'] },
  caveats: [
    'Plain user agents are answered with 403.',
    'One list of record packages per year.',
    'No public repository is known to keep an answer.',
    'Since June 2026, the portal let the requests of that program time out from a data center, but answered ' +
      'the same requests elsewhere (issue 1305 of kingfisher-collect).',
    'The OCP Data Registry has a copy, publication 32, which no other public program is known to read.',
  ],
  offBecause: 'one public program alone is known to read it: check it, then name it',
})
