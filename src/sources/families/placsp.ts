// Spain's PLACSP syndications: Atom feeds of CODICE, newest first, and zips of the feed's pages by months and years.
import { placspParser } from '../portals/es/parse-placsp.ts'
import { type Source, sourceOf } from '../source.ts'

/** What came before is read from archives of whole years. */
const monthsSince = '2022-01-01'

const entries = { format: 'xml', element: 'entry', root: 'feed' } as const

/** The card of one syndication. `file`: name of its feed, without an ending. `minutes`: when it is read. */
export function placspSource(syndication: {
  readonly id: string
  readonly title: string
  readonly number: number
  readonly file: string
  readonly minutes: { readonly newest: number; readonly months: number }
  /** First year that has an archive. */
  readonly firstYear: number
  readonly perDay: readonly [number, number]
  readonly clients?: readonly string[]
  readonly caveats: readonly string[]
}): Source {
  const { id, title, minutes, perDay, clients } = syndication
  const feed = `https://contrataciondelsectorpublico.gob.es/sindicacion/sindicacion_${syndication.number}/${syndication.file}`
  return sourceOf({
    id,
    title,
    publisher: 'Dirección General del Patrimonio del Estado, Ministerio de Hacienda',
    homepage: 'https://contrataciondelsectorpublico.gob.es',
    documentation: 'https://contrataciondelsectorpublico.gob.es/wps/portal/DatosAbiertos',
    ...(clients && { clients }),
    license: {
      name: 'Reuse of public sector information (Ley 37/2007), attribution',
      attribution: 'Plataforma de Contratación del Sector Público',
    },
    channels: [
      {
        name: 'newest',
        timetable: `${minutes.newest} */2 * * *`,
        delivery: {
          kind: 'link-next',
          request: { url: `${feed}.atom` },
          entries,
          next: 'link[next]',
          ordered: { at: 'updated', direction: 'descending', days: 1 },
        },
      },
      {
        name: 'months',
        slots: { kind: 'month', since: monthsSince, rereadDays: [3, 20], isOpenRead: true },
        timetable: `${minutes.months} 4 * * *`,
        delivery: {
          kind: 'single',
          request: { url: `${feed}_{from:yyyyMM}.zip` },
          entries: { format: 'archive', members: /\w+\.atom$/, inside: entries },
          notFound: 'notYet',
        },
      },
      {
        name: 'years',
        role: 'backfill',
        slots: { kind: 'year', since: `${syndication.firstYear}-01-01`, until: monthsSince },
        delivery: {
          kind: 'single',
          request: { url: `${feed}_{from:yyyy}.zip` },
          entries: { format: 'archive', members: /\w+\.atom$/, inside: entries },
          notFound: 'notYet',
        },
      },
    ],
    parse: placspParser(id),
    politeness: { requestsPerMinute: 20, pauseMs: 2_000 },
    expects: {
      perDay,
      silentAfterDays: 5,
      shape: ['feed', 'entry', 'updated', 'ContractFolderStatus', 'ContractFolderStatusCode'],
    },
    caveats: [
      'robots.txt disallows the whole host although the feeds are published for reuse; ask the platform ' +
        'before running it (docs/sources/README.md has the text).',
      'A page of the feed holds some 260 entries, newest first; pages are followed a day back, and the zips ' +
        'of the months, read again daily, fill what was missed.',
      'A client reads only the zips (of September 2026: 300 MB, 1044: 19 MB): it saw the first page of 643 lag 18 to 21 days behind.',
      'Years before 2022 come from one zip each (643 since 2012, 1044 since 2016, as a client names them): a client says that one of 643 has 1.6 GB.',
      'In the first days of a month its zip may not be there, and the answer, whatever its status, is not a zip.',
      'The feed gives states of contract folders, not notices: every state of a folder becomes a notice of its own.',
      'Deleted entries (tombstones) are outside the entries and are not read: the feed does not say why they were removed.',
      'EstimatedOverallContractAmount includes extensions; amounts without tax are read, those with tax are not.',
      'The shape was seen in made-up samples and in code of users; real entries were not available.',
      ...syndication.caveats,
    ],
    offBecause: 'robots',
  })
}
