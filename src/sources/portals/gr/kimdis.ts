// KIMDIS, the central register of public contracts of Greece, by its open data service.
import { hourMs } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseKimdis } from './parse-kimdis.ts'

const service = 'https://cerpp.eprocurement.gov.gr/khmdhs-opendata'

const channel = (name: string, resource: string) =>
  ({
    name,
    slots: { kind: 'day', since: '2022-01-01', delayMs: 4 * hourMs, rereadDays: [2, 14], isOpenRead: true },
    delivery: {
      kind: 'page',
      request: {
        url: `${service}/${resource}?page={page}`,
        headers: { accept: 'application/json' },
        json: { dateFrom: '{from:yyyy-MM-dd}', dateTo: '{last:yyyy-MM-dd}' },
      },
      entries: { format: 'json', at: '/content' },
      firstPage: 0,
      pageSize: 50,
      end: { when: 'flag', at: '/last', isLast: true },
      total: '/totalElements',
    },
  }) as const

export const source = sourceOf({
  id: 'gr-kimdis',
  title: 'KIMDIS',
  publisher: 'Ministry of Digital Governance, Greece',
  homepage: 'https://cerpp.eprocurement.gov.gr',
  documentation: `${service}/swagger-ui/index.html`,
  clients: [
    'https://github.com/DimitrisTsak/kimdis_analytics/blob/da35a1c825381b3b99049d700bbece9f20a9a7b0/bulk_harvester_notices.py',
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
  ],
  license: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  channels: [channel('notices', 'notice'), channel('contracts', 'contract')],
  parse: parseKimdis,
  politeness: { requestsPerMinute: 120 },
  expects: {
    perDay: [100, 6000],
    silentAfterDays: 5,
    shape: ['/content/0/referenceNumber', '/content/0/title', '/last'],
  },
  caveats: [
    'At most 350 requests a minute are allowed; windows of more than 180 days are shortened silently.',
    'About nine of ten contracts are direct awards.',
    'Refreshed once a day.',
    'The member `aaht` is a code of the authority, not of the procedure; amendments name the number that they amend.',
    'The members of both answers are known from public code of 2026; no live answer has been seen.',
  ],
})
