// Finland: Hilma, eForms notices through the search index and the reading interface.
import type { Delivery } from '../../delivery.ts'
import { sourceOf } from '../../source.ts'
import { parseHilma } from './parse-hilma.ts'

const key = { 'Ocp-Apim-Subscription-Key': '{key}' }

const search = {
  kind: 'offset',
  request: {
    url: 'https://api.hankintailmoitukset.fi/avp/eformnotices/docs/search',
    headers: key,
    json: {
      filter: 'datePublished ge {from:isoSeconds} and datePublished lt {to:isoSeconds}',
      orderby: 'datePublished asc',
      top: '{limit}',
      skip: '{offset}',
      count: true,
    },
  },
  entries: { format: 'json', at: '/value' },
  total: '/@odata.count',
  pageSize: 100,
  end: { when: 'total' },
  dateOf: '/datePublished',
} as const satisfies Delivery

export const source = sourceOf({
  id: 'fi-hilma',
  title: 'Hilma (hankintailmoitukset.fi)',
  publisher: 'Hansel Oy, valtiovarainministeriö',
  homepage: 'https://www.hankintailmoitukset.fi',
  documentation: 'https://github.com/Hankintailmoitukset/hilma-api',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/Aimiten/hilma-mcp/blob/71dba369ffa36af88f50b31c8008bc9dedcf8bb9/src/index.ts',
  ],
  license: {
    name: 'Terms of the Hilma AVP interface: free use, content must not be altered, no direct marketing',
    url: 'https://hns-hilma-prod-apim.developer.azure-api.net/',
  },
  channels: [
    {
      name: 'notices',
      slots: { kind: 'day', since: '2023-09-01', rereadDays: [1, 7], isOpenRead: true },
      delivery: {
        ...search,
        detail: {
          request: {
            url: 'https://api.hankintailmoitukset.fi/avp-eforms/external-read/v1/notice/{id}',
            headers: key,
          },
          id: '/noticeId',
          version: '/dateModified',
        },
      },
    },
    {
      name: 'index',
      slots: { kind: 'day', since: '2023-09-01', isOpenRead: true },
      role: 'spare',
      delivery: {
        ...search,
      },
    },
  ],
  parse: parseHilma,
  access: {
    kind: 'key',
    setting: 'HILMA_API_KEY',
    getItAt: 'https://hns-hilma-prod-apim.developer.azure-api.net/ (product avp-read, free, on request)',
  },
  politeness: { requestsPerMinute: 30 },
  expects: {
    perDay: [20, 400],
    silentAfterDays: 5,
    shape: ['/@odata.count', '/value/0/id', '/value/0/noticeId', '/value/0/datePublished'],
  },
  caveats: [
    'Notices with more than 200 lots once fell out of the index and are silently missing.',
    'isNationalProcurement tells what is not in TED; the eForms of the others carry the same id and version as in TED.',
    'The terms forbid altering the content and using it for direct marketing.',
    'The index before September 2023 is a different one and is not read.',
    'The members of the reading interface (id, procedureId, eForm in base64, dateCreated) are those that its users document.',
  ],
})
