// SAM.gov contract opportunities of the United States, as the table of all active notices that is written every day.
import { sourceOf } from '../../source.ts'
import { parseSamRow } from './parse-sam.ts'

export const source = sourceOf({
  id: 'us-sam-bulk',
  title: 'SAM.gov Contract Opportunities (daily table)',
  publisher: 'General Services Administration',
  homepage: 'https://sam.gov/data-services/Contract%20Opportunities/datagov',
  clients: [
    'https://github.com/JWKSOA/SAM.gov-Africa-Dashboard/blob/3a724d9ea30a9a49f0b155e6c6177731b2f7b79d/bootstrap_historical.py',
    'https://github.com/TheGerberBaby/SW_Sam.gov_Auto_Searcher/blob/1fb96e9deab9c5dcfd17f7a1fabf64d7b736cd89/scripts/sync_bulk.py',
  ],
  unnamedClients: 1,
  license: { name: 'US public domain', url: 'https://www.usa.gov/government-copyright' },
  channels: [
    {
      name: 'all',
      timetable: '15 10 * * *',
      delivery: {
        kind: 'single',
        request: {
          url: 'https://falextracts.s3.amazonaws.com/Contract%20Opportunities/datagov/ContractOpportunitiesFullCSV.csv',
        },
        entries: { format: 'csv' },
      },
    },
  ],
  parse: parseSamRow,
  politeness: { requestsPerMinute: 6 },
  expects: {
    perDay: [300, 20_000],
    silentAfterDays: 4,
    shape: ['NoticeId', 'Title', 'Sol#', 'PostedDate', 'Type', 'ResponseDeadLine'],
  },
  caveats: [
    'Newer clients ask sam.gov/api/prod/fileextractservices for the same file, which forwards to this store.',
    'One file of some 250 MB, rewritten daily, newest first; rows that did not change are known by their bytes.',
    'Only the newest version of active notices is available.',
    'Written in Windows-1252 for years; UTF-8 is told by its bytes.',
    'Classified by NAICS and PSC, not by CPV: no CPV codes are read.',
  ],
})
