// Open bids of the State of Delaware, by the state's open data platform (Socrata).
import { socrata } from '../../deliver/socrata.ts'
import { sourceOf } from '../../source.ts'
import { parseDelaware } from './parse-delaware.ts'

export const source = sourceOf({
  id: 'us-delaware',
  title: 'Delaware Open Bids',
  publisher: 'State of Delaware, Government Support Services',
  homepage: 'https://mmp.delaware.gov/Bids',
  documentation: 'https://data.delaware.gov/d/2hnj-zwix',
  clients: [
    'https://github.com/talkerstein/pmrfp/blob/0325494dc5ad7bb3b0541a8c5942c2b9338edbe1/src/lib/tenders/delaware.ts',
    'https://github.com/mobleysoft/weylandai.com/blob/2961473d0eab014a3d56400b09b4db9f72a1bb79/weyland-huntx-worker/src/lib/ingest.js',
  ],
  channels: [
    {
      name: 'open',
      timetable: '25 */6 * * *',
      delivery: socrata({ domain: 'data.delaware.gov', dataset: '2hnj-zwix' }),
    },
  ],
  parse: parseDelaware,
  politeness: { requestsPerMinute: 30 },
  expects: {
    perDay: [0, 100],
    silentAfterDays: 21,
    shape: ['/0/contractnumber', '/0/contracttitle', '/0/deadlinedate'],
  },
  caveats: [
    'Only open bids: one that closes leaves the list.',
    'Classified by UNSPSC, not by CPV; agencies are codes; there is no description, no value, no contact.',
    'The columns are known from public code of 2026; no live answer has been seen.',
  ],
})
