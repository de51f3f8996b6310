// ANAC's open data of lot numbers (CIG): every lot of Italy, direct awards included, as one table a month.
import { dayMs } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseAnacCig } from './parse-anac-cig.ts'

export const source = sourceOf({
  id: 'it-anac-cig',
  title: 'ANAC – CIG',
  publisher: 'Autorità Nazionale Anticorruzione',
  homepage: 'https://dati.anticorruzione.it/opendata/dataset/cig',
  clients: [
    'https://github.com/colazeta/Lamezia-Trasparente-Monitor/blob/d5f2ab9bab2e4287823a1e334675866a80a1c7fc/scripts/contracts/anacBdncpSyncCore.ts',
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
  ],
  license: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  channels: [
    {
      name: 'months',
      slots: { kind: 'month', since: '2022-01-01', delayMs: dayMs, rereadDays: [10, 40] },
      timetable: '15 3 * * *',
      delivery: {
        kind: 'single',
        request: {
          url: 'https://dati.anticorruzione.it/opendata/download/dataset/cig/filesystem/{from:yyyyMM}01-cig_csv.zip',
        },
        entries: { format: 'archive', members: /\.csv$/i, inside: { format: 'csv', delimiter: ';' } },
        notFound: 'notYet',
      },
    },
  ],
  parse: parseAnacCig,
  politeness: {
    requestsPerMinute: 20,
    pauseMs: 3000,
    userAgent: 'Mozilla/5.0 (compatible; Tenderstock; +{contact})',
  },
  expects: { silentAfterDays: 60, shape: ['cig', 'numero_gara', 'oggetto_gara', 'tipo_scelta_contraente'] },
  caveats: [
    'A row is a lot; the rows of one tender share numero_gara. Three out of four rows are direct awards (AFFIDAMENTO).',
    'The table of a month unpacks to some 200 MB and is rewritten when earlier months change.',
    'Plain user agents get a page "Request Rejected".',
    'The column names are known from public code of 2026; no live table has been seen.',
  ],
  offBecause:
    "hundreds of thousands of rows a month, most of them direct awards; Italy's calls and results come from it-anac-pvl and ANAC's OCDS",
})
