// Ireland: eTenders, calls of the national platform as an export by day of publication, and its open data set.
import { browserLike } from '../../families/card-values.ts'
import { ckanFiles } from '../../families/ckan-files.ts'
import { sourceOf } from '../../source.ts'
import { parseEtenders } from './parse-etenders.ts'

export const source = sourceOf({
  id: 'ie-etenders',
  title: 'eTenders',
  publisher: 'Office of Government Procurement',
  homepage: 'https://www.etenders.gov.ie',
  documentation: 'https://data.gov.ie/dataset/contract-notices-published-on-etenders',
  clients: [
    'https://github.com/peweet/dail_tracker/blob/00ca6f1faf7858c39c519bd2ca05110286c977fe/extractors/procurement_etenders_extract.py',
    'https://github.com/CivantTechnologies/civantapp/blob/4aae66c495371d6c74405edb9e92af8e08742f9d/scripts/import-etenders-ireland.mjs',
  ],
  unnamedClients: 1,
  license: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  channels: [
    {
      name: 'export',
      slots: { kind: 'day', since: '2023-06-01', rereadDays: [1, 14, 40, 90], isOpenRead: true },
      delivery: {
        kind: 'single',
        request: {
          url: 'https://www.etenders.gov.ie/epps/viewCFTSAction.do',
          form: {
            mode: 'search',
            isFTS: 'true',
            type: 'cftFTS',
            isPopup: 'false',
            isExport: 'true',
            publicationFromDate: '{from:dd/MM/yyyy}',
            publicationUntilDate: '{last:dd/MM/yyyy}',
          },
        },
        entries: { format: 'csv' },
        dateOf: 'Date published',
      },
    },
    {
      // With awards, but a quarter of a year late.
      ...ckanFiles({
        name: 'data-set',
        url: 'https://data.gov.ie/api/3/action/package_show?id=contract-notices-published-on-etenders',
        format: /csv/i,
        files: { format: 'csv' },
        timetable: '20 4 * * 0',
      }),
      role: 'backfill',
    },
  ],
  parse: parseEtenders,
  politeness: { ...browserLike, requestsPerMinute: 10, pauseMs: 3_000 },
  expects: { perDay: [5, 200], silentAfterDays: 7, shape: ['Title', 'Resource ID', 'CA', 'Date published', 'Status'] },
  caveats: [
    'The export of the search form: the columns come in changing order and are read by name; only some exports have CPV codes.',
    'Two readers of September 2026 found the export open, one without a session, one with (the search page ' +
      'first, then the form); without it the answer may be the page itself. They name SUBMISSION_DEADLINE and ' +
      'ESTIMATED_VALUE.',
    'A row is a call in its present state, so days are read again to see awards and cancellations.',
    'The open data set has the awards with their suppliers since 2013, some three months late; its Tender ID ' +
      'is the number of the call in the export. The license is that of the data set; eTenders states none.',
    'Both named clients read the data set, the second from a copy on disk. Its table is Windows-1252, and some of its names lack their first letter.',
    'The server of the data set refuses plain agents: the first client sends the agent of a browser and a Referer of gov.ie, the card the agent alone.',
    'Calls above the thresholds are in TED too, without a common number in the export.',
  ],
})
