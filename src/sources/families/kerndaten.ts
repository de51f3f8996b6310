// Austria's Kerndaten: each obliged publisher keeps an index of announcements with their last change, one XML for each.
import { kerndatenParser } from '../portals/at/parse-kerndaten.ts'
import { type Source, sourceOf } from '../source.ts'

/** The card of one publisher. `minute`: when its index is read, five times a day. */
export function kerndatenSource(publisher: {
  readonly id: string
  readonly title: string
  readonly publisher: string
  readonly homepage: string
  readonly minute: number
  readonly index: string
  readonly perDay: readonly [number, number]
  readonly caveats: readonly string[]
}): Source {
  const { id, title, homepage, minute, index, perDay } = publisher
  return sourceOf({
    id,
    title,
    publisher: publisher.publisher,
    homepage,
    documentation: 'https://www.data.gv.at/infos/kerndaten-bundesvergabegesetz/',
    clients: [
      'https://github.com/Forum-Informationsfreiheit/OffeneVergaben-Scraper/blob/0702a280d16773e08bfe1feb50b3ca18d9c6cc85/sql/quellen.sql',
      'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    ],
    license: {
      name: 'CC BY 4.0',
      url: 'https://creativecommons.org/licenses/by/4.0/',
      attribution: publisher.publisher,
    },
    channels: [
      {
        name: 'announcements',
        timetable: `${minute} 5,9,13,17,21 * * *`,
        delivery: {
          kind: 'index',
          index: { url: index },
          entries: { format: 'xml', element: 'item' },
          url: 'url',
          version: '@lastmod',
          files: { format: 'document' },
        },
      },
    ],
    parse: kerndatenParser(id),
    expects: { perDay, silentAfterDays: 14, shape: ['item', 'url'] },
    caveats: [
      'The whole index is read every time (up to 9 MB): a parameter `from` is ignored by the servers.',
      'Announcements above the EU thresholds are marked ABOVETHRESHOLD and are in TED too, without a common number.',
      'eForms are mandatory for announcements below the thresholds since October 2026; both shapes are read.',
      'A document has no id of its own: buyer, reference, form and time of change identify it.',
      ...publisher.caveats,
    ],
  })
}
