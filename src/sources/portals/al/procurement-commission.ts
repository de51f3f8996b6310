// Decisions of Albania's Public Procurement Commission on complaints, with the tenders that they are about.
import { licenceNotStated } from '../../families/card-values.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'al-procurement-commission',
  title: 'Komisioni i Prokurimit Publik, decisions',
  publisher: 'Komisioni i Prokurimit Publik',
  country: 'AL',
  homepage: 'https://kpp.al',
  documentation: 'https://kpp.al/en/Historiku?nrVendimi=&OperatoriEkonmik=&idOperatori=&autoritetiKotraktues=&id=',
  licence: licenceNotStated,
  zone: 'Europe/Tirane',
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
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 10 },
  expects: { silentAfterDays: 30, shape: ['/result/releases'] },
  caveats: ['Only tenders about which somebody complained.', 'A year without decisions has an empty list.'],
}
