// France: BOAMP, the official bulletin of procurement notices, through its Opendatasoft dataset.
import { sourceOf } from '../../source.ts'
import { parseBoamp } from './parse-boamp.ts'

const dataset = 'https://www.boamp.fr/api/explore/v2.1/catalog/datasets/boamp'

export const source = sourceOf({
  id: 'fr-boamp',
  title: 'BOAMP',
  publisher: "Direction de l'information légale et administrative (DILA)",
  homepage: 'https://www.boamp.fr',
  documentation: 'https://www.boamp.fr/explore/dataset/boamp/api/',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/JMousqueton/boamp-alert/blob/014addca08a579198099268279c3b29d7bd8dd6e/boamp.py',
  ],
  license: {
    name: 'Licence Ouverte 2.0',
    url: 'https://www.etalab.gouv.fr/licence-ouverte-open-licence',
    attribution: 'DILA, BOAMP',
  },
  channels: [
    {
      name: 'daily',
      slots: { kind: 'day', since: '2026-01-01', rereadDays: [1, 4], isOpenRead: true },
      delivery: {
        kind: 'offset',
        request: {
          url: `${dataset}/records?where=dateparution%3Ddate%27{from:yyyy-MM-dd}%27&order_by=idweb&limit={limit}&offset={offset}`,
        },
        entries: { format: 'json', at: '/results' },
        total: '/total_count',
        pageSize: 100,
        end: { when: 'total' },
        dateOf: '/dateparution',
      },
    },
    {
      name: 'months',
      slots: { kind: 'month', since: '2022-01-01' },
      role: 'backfill',
      delivery: {
        kind: 'single',
        request: {
          url: `${dataset}/exports/json?where=dateparution%3E%3Ddate%27{from:yyyy-MM-dd}%27%20and%20dateparution%3Cdate%27{to:yyyy-MM-dd}%27&limit=-1`,
        },
        entries: { format: 'json', at: '' },
        dateOf: '/dateparution',
      },
    },
  ],
  parse: parseBoamp,
  expects: {
    perDay: [200, 3_000],
    silentAfterDays: 4,
    shape: ['/total_count', '/results/0/idweb', '/results/0/objet', '/results/0/dateparution', '/results/0/donnees'],
  },
  caveats: [
    'A client reported in September 2026 that robots.txt of the host disallows /api/ to all but one robot; ' +
      'if so, nothing is requested. DILA publishes the same notices as files at echanges.dila.gouv.fr.',
    'Records marked famille=JOUE are in the EU journal too; as eForms they carry the same notice id and version.',
    '/records reaches no further than offset + limit = 10,000, which no day comes near; months are read through /exports.',
    '`donnees` is JSON inside a string: an eForms tree, or the forms FNSimple and MAPA; the archive before 2024 has no CPV there.',
    'Deadlines without an hour come as midnight UTC and are read as the end of that day.',
  ],
})
