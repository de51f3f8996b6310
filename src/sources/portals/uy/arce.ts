// ARCE, the procurement of Uruguay's state.
import { browserLike } from '../../families/card-values.ts'
import { releases, zippedReleases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'uy-arce',
  title: 'Compras Estatales',
  publisher: 'Agencia Reguladora de Compras Estatales',
  homepage: 'https://www.comprasestatales.gub.uy',
  documentation: 'https://www.gub.uy/agencia-compras-contrataciones-estado/datos-y-estadisticas/datos/open-contracting',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/uruguay_base.py',
    'https://github.com/eduair94/gastos-gub-uy/blob/b6dca766d4464d8f96db6ad749a6c51c1cd0996f/src/services/release-rss-fetcher.ts',
  ],
  channels: [
    {
      name: 'months',
      slots: { kind: 'month', since: '2017-11-01', rereadDays: [2, 15], isOpenRead: true },
      delivery: {
        kind: 'index',
        index: { url: 'https://comprasestatales.gub.uy/ocds/rss/{from:yyyy}/{from:MM}' },
        entries: { format: 'xml', element: 'item', root: 'rss' },
        url: 'link',
        version: 'pubDate',
        files: releases,
      },
    },
    {
      name: 'years',
      role: 'backfill',
      delivery: {
        kind: 'index',
        index: {
          url: 'https://catalogodatos.gub.uy/api/3/action/package_show?id=arce-datos-historicos-de-compras',
        },
        entries: { format: 'json', at: '/result/resources' },
        url: '/url',
        version: '/last_modified',
        only: /ocds-?\d{4}\.zip$/i,
        sample: '/files/{key}/ocds-2024.zip',
        files: zippedReleases,
      },
      timetable: '10 7 * * 0',
    },
  ],
  politeness: { ...browserLike, requestsPerMinute: 40 },
  expects: { silentAfterDays: 5, shape: ['rss', 'item'] },
  caveats: [
    'One RSS feed per month, with one release per item.',
    'The records of the same processes (/ocds/record/{id_compra}) are not read as well.',
  ],
})
