// CanadaBuys: tender notices of the Government of Canada, as tables of open data.
import { browserLike } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseCanadabuys } from './parse-canadabuys.ts'

const table = (name: string) =>
  ({
    kind: 'single',
    request: { url: `https://canadabuys.canada.ca/opendata/pub/${name}.csv` },
    entries: { format: 'csv' },
  }) as const

export const source = sourceOf({
  id: 'ca-canadabuys',
  title: 'CanadaBuys',
  publisher: 'Public Services and Procurement Canada',
  homepage: 'https://canadabuys.canada.ca',
  documentation: 'https://open.canada.ca/data/en/dataset/6abd20d4-7a1c-4b38-baa2-9525d0bb2fd2',
  clients: [
    'https://github.com/dhriajvarma4158/canadabuys-it-monitor/blob/42cf59b61ae45559f269b5b84cd8c6e3ac483492/canadabuys_monitor.py',
    'https://github.com/Haskz13/can/blob/b20ce5d1a73b544a21dc2f10c3986321ed4b728a/leadgen/sources/canadabuys.py',
  ],
  license: {
    name: 'OGL-Canada-2.0',
    url: 'https://open.canada.ca/en/open-government-licence-canada',
    attribution: 'Contains information licensed under the Open Government Licence – Canada.',
  },
  channels: [
    {
      name: 'open',
      timetable: '40 6-22/2 * * *',
      delivery: table('openTenderNotice-ouvertAvisAppelOffres'),
    },
    { name: 'new', role: 'spare', delivery: table('newTenderNotice-nouvelAvisAppelOffres') },
  ],
  parse: parseCanadabuys,
  politeness: { ...browserLike, requestsPerMinute: 10 },
  expects: {
    perDay: [20, 1500],
    silentAfterDays: 5,
    shape: [
      'title-titre-eng',
      'referenceNumber-numeroReference',
      'publicationDate-datePublication',
      'noticeType-avisType-eng',
    ],
  },
  caveats: [
    'Written every two hours by day; titles and descriptions in English and French.',
    'Classified by UNSPSC and GSIN, not by CPV: no CPV codes are read. Tender notices state no values.',
    'Closed notices leave the table.',
    'The columns are known from public code of 2026; no live table has been seen.',
  ],
})
