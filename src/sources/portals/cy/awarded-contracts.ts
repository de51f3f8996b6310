// Contracts awarded in Cyprus: half-yearly tables of the Treasury on the national open data portal.
import { sourceOf } from '../../source.ts'
import { parseAwardedContracts } from './parse-awarded-contracts.ts'

const dataset = 'https://www.data.gov.cy/el/dataset/katalogos-dimosion-symbaseon-poy-katakyrothikan'

export const source = sourceOf({
  id: 'cy-awarded-contracts',
  title: 'Κατάλογος δημοσίων συμβάσεων που κατακυρώθηκαν',
  publisher: 'Γενικό Λογιστήριο της Δημοκρατίας',
  homepage: dataset,
  recordings: [
    'https://github.com/sCuz12/promitheies.cy/blob/ad5735ac3df82870cef5b28968c05673918609a3/internal/datagovcy/testdata/sample_current.csv',
  ],
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/sCuz12/promitheies.cy/blob/6f38ed1841853fc8e6aba85584bac73a0e1706e9/internal/datagovcy/csv.go',
  ],
  license: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  channels: [
    {
      name: 'half-years',
      timetable: '45 4 * * *',
      delivery: {
        kind: 'index',
        index: { url: dataset, headers: { accept: 'text/html' } },
        entries: {
          format: 'html',
          link: /href="(\/sites\/default\/files\/[^"]*CfTsAwarded[^"]*\.csv)"/gi,
          sample: '<a href="/sites/default/files/{key}_CfTsAwarded.csv">',
        },
        files: { format: 'csv' },
      },
    },
  ],
  parse: parseAwardedContracts,
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 240, shape: ['CFTID', 'CFTTITLE', 'ORGANIZATIONNAME', 'AWARDEDCONTRVALUE', 'AWARDDATE'] },
  caveats: [
    'Awards only: the search for tenders of eprocurement.gov.cy is behind a CAPTCHA.',
    'The names of the files change with every half-year and are found on the page of the data set.',
    'One tender has a row for every contract; "Κάτω" and "Πάνω" say whether it is below or above the threshold.',
    'A client counts 15 tables of 2009 to 2026 on the page; only those with CfTsAwarded in their name are read.',
  ],
})
