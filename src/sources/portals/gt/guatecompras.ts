// Guatecompras, the procurement of Guatemala, as monthly archives.
import { zippedRecords } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'gt-guatecompras',
  title: 'Guatecompras',
  publisher: 'Ministerio de Finanzas Públicas, Dirección General de Adquisiciones del Estado',
  homepage: 'https://ocds.guatecompras.gt/descarga-datos',
  documentation: 'https://ocds.guatecompras.gt/api-ocds',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/guatemala_bulk.py',
    'https://github.com/derekurizar/hackathon-corrupcion/blob/217a2daf448c301a96893640c043595e348f3218/backend/src/ingest/fetch.ts',
  ],
  channels: [
    {
      name: 'months',
      delivery: {
        kind: 'index',
        index: { url: 'https://ocds.guatecompras.gt/files' },
        entries: { format: 'json', at: '/result' },
        url: '/files/json',
        version: '/timestamp',
        files: zippedRecords,
      },
      timetable: '50 */4 * * *',
    },
  ],
  politeness: { requestsPerMinute: 10 },
  expects: { silentAfterDays: 10, shape: ['/result/0/files/json', '/result/0/timestamp'] },
  caveats: ['The portal sometimes answers 400 for a while, then works again; nothing is wrong with the request.'],
})
