// Decisions of Albania's Public Procurement Commission on complaints, with the tenders that they are about.
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'al-procurement-commission',
  title: 'Komisioni i Prokurimit Publik, decisions',
  publisher: 'Komisioni i Prokurimit Publik',
  homepage: 'https://kpp.al',
  documentation: 'https://kpp.al/en/Historiku?nrVendimi=&OperatoriEkonmik=&idOperatori=&autoritetiKotraktues=&id=',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/albania_public_procurement_commission_base.py',
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
  ],
  politeness: { requestsPerMinute: 10 },
  expects: { silentAfterDays: 30, shape: ['/result/releases'] },
  caveats: [
    'Only tenders about which somebody complained.',
    'A year without decisions has an empty list.',
    'One public client is known. It reads the decisions of 2010 to 2020 at getHistoricBulkJsonByYear, which this card does not.',
  ],
})
