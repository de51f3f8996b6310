// The procurement of the city of Zaragoza.
import { browserLike } from '../../families/card-values.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const processes = 'https://www.zaragoza.es/sede/servicio/contratacion-publica/ocds/contracting-process/'

const headers = { accept: 'application/json' }

export const source = sourceOf({
  id: 'es-zaragoza',
  title: 'Contratación pública del Ayuntamiento de Zaragoza',
  publisher: 'Ayuntamiento de Zaragoza',
  homepage: 'https://www.zaragoza.es/sede/servicio/contratacion-publica/',
  documentation: 'https://www.zaragoza.es/docs-api_sede/',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/spain_zaragoza.py',
    'https://github.com/MarioNaya/zaragoza-observatorio/blob/a47d825d3033520faa871c8b52d0f4878ce1434d/src/main/java/es/zaragoza/observatory/spending/infrastructure/zaragoza/OcdsHttpReleaseSource.java',
  ],
  recordings: [
    'https://github.com/MarioNaya/zaragoza-observatorio/blob/1825efbab3d5c675b2b7ca0fe9bd4d955a2fd29e/src/test/resources/fixtures/zaragoza/ocds/contracting-process-ocds-1xraxc-8136-ContractingProcess.json',
  ],
  channels: [
    {
      name: 'processes',
      delivery: {
        kind: 'single',
        // A day in the future opens the processes that the list hides; an address without `.json` needs the header.
        request: { url: `${processes}?rf=html&rows=100000&after=2030-01-01T00:00:00Z`, headers },
        entries: { format: 'json', at: '' },
        // The list has no date of its own: whatever changes in an entry counts as a new version.
        detail: { request: { url: `${processes}{id}`, headers }, id: '/ocid', version: '', entries: releases },
      },
      timetable: '15 */6 * * *',
    },
  ],
  politeness: { ...browserLike, requestsPerMinute: 30 },
  expects: { silentAfterDays: 14, shape: ['/0/ocid'] },
  caveats: [
    'The whole list is requested. Without `after` it lacks 2,271 of 8,001 processes, says a public program ' +
      'that measured it in September 2026; otherwise `before` and `after` have no effect.',
    'The newest processes (2,379 of 8,001) are answered with 404 until their release is published; some packages are empty.',
    'The times end in Z but are those of the clocks there: days end at 00:00:00Z, and calls at 13:00:00Z.',
    'Plain user agents are answered with 500.',
  ],
})
