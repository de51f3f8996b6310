// Ireland: eTenders, calls of the national platform as an export by day of publication.
import { sourceOf } from '../../source.ts'
import { parseEtenders } from './parse-etenders.ts'

export const source = sourceOf({
  id: 'ie-etenders',
  title: 'eTenders',
  publisher: 'Office of Government Procurement',
  homepage: 'https://www.etenders.gov.ie',
  unnamedClients: 1,
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
  ],
  parse: parseEtenders,
  politeness: { requestsPerMinute: 10, pauseMs: 3_000 },
  expects: { perDay: [5, 200], silentAfterDays: 7, shape: ['Title', 'Resource ID', 'CA', 'Date published', 'Status'] },
  caveats: [
    'The export of the search form: the columns come in changing order and are read by name; only some exports have CPV codes.',
    'One user needed a session (the search page first, then the form); without it the answer may be the page itself.',
    'A row is a call in its present state, so days are read again to see awards and cancellations.',
    'Calls above the thresholds are in TED too, without a common number in the export.',
  ],
})
