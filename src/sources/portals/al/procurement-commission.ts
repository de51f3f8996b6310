// Decisions of Albania's Public Procurement Commission on complaints, with the tenders that they are about.
import { registryYears } from '../../families/registry-years.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'al-procurement-commission',
  title: 'Komisioni i Prokurimit Publik, decisions',
  publisher: 'Komisioni i Prokurimit Publik',
  homepage: 'https://kpp.al',
  documentation: 'https://kpp.al/en/Historiku?nrVendimi=&OperatoriEkonmik=&idOperatori=&autoritetiKotraktues=&id=',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/albania_public_procurement_commission_base.py',
    'https://github.com/roldao04/SOD_HW2/blob/c20c05d50ae9c36bb80357cb795179840a42ecf6/src/extractors/open_contracting_partnership/extractor.py',
  ],
  channels: [
    {
      name: 'years',
      slots: { kind: 'year', since: '2021-01-01', rereadDays: [7, 30], isOpenRead: true },
      delivery: {
        kind: 'single',
        request: {
          url: 'https://kpp.al/api/public/Decision/getBulkJsonByYear',
          headers: { Accept: 'application/json' },
          json: {
            extraConditions: [
              ['decision_date', '>=', '{from:d/M/yyyy}'],
              ['decision_date', '<=', '{to:d/M/yyyy}'],
            ],
          },
        },
        entries: { format: 'json', at: '/result/releases' },
      },
      timetable: '50 5 * * *',
    },
    registryYears(134, '2020-01-01'),
  ],
  politeness: { requestsPerMinute: 10 },
  expects: { silentAfterDays: 30, shape: ['/result/releases'] },
  caveats: [
    'Only tenders about which somebody complained.',
    'A year without decisions has an empty list.',
    'Since May 2026, the lists of all years were empty, as the operators of the first client noted in July 2026 (issue 1302 of kingfisher-collect).',
    'The channel `registry` reads the copy in the OCP Data Registry, which has decisions since November ' +
      '2020, and failed to copy new ones since May 2026. The second client reads this copy only, the year 2025.',
    'The first client also reads the decisions of 2010 to 2020 at getHistoricBulkJsonByYear, which answered 500 in January 2026; this card does not.',
  ],
})
