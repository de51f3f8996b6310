// The procurement of the city of Zaragoza.
import { browserLike } from '../../families/card-values.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const processes = 'https://www.zaragoza.es/sede/servicio/contratacion-publica/ocds/contracting-process/'

export const source = sourceOf({
  id: 'es-zaragoza',
  title: 'Contratación pública del Ayuntamiento de Zaragoza',
  publisher: 'Ayuntamiento de Zaragoza',
  homepage: 'https://www.zaragoza.es/sede/servicio/contratacion-publica/',
  documentation: 'https://www.zaragoza.es/docs-api_sede/',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/spain_zaragoza.py',
  ],
  channels: [
    {
      name: 'processes',
      delivery: {
        kind: 'single',
        request: { url: `${processes}?rf=html&rows=100000` },
        entries: { format: 'json', at: '' },
        // The list has no date of its own: whatever changes in an entry counts as a new version.
        detail: { request: { url: `${processes}{id}` }, id: '/ocid', version: '', entries: releases },
      },
      timetable: '15 */6 * * *',
    },
  ],
  politeness: { ...browserLike, requestsPerMinute: 30 },
  expects: { silentAfterDays: 14, shape: ['/0/ocid'] },
  caveats: [
    'The parameters `before` and `after` have no effect; the whole list is requested.',
    'Plain user agents are answered with 500.',
  ],
})
