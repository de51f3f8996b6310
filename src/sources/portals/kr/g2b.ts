// G2B, the procurement service of the Republic of Korea, by the national data portal.
import { hourMs } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseG2b } from './parse-g2b.ts'

export const source = sourceOf({
  id: 'kr-g2b',
  title: 'G2B (나라장터)',
  publisher: 'Public Procurement Service',
  homepage: 'https://www.g2b.go.kr',
  documentation: 'https://www.data.go.kr/data/15129394/openapi.do',
  clients: [
    'https://github.com/no9001333-cyber/bid-mdnitor/blob/08b8e450aab891ed9f26d90913fc8ed6fad7c8fb/scrapers/g2b.py',
    'https://github.com/roqkfwk1/bidsignal/blob/1813f1889854b4c310ea9d3e8b384a0ca6f04aad/backend/src/main/java/com/bidsignal/api/notice/external/nara/NaraBidNoticeClient.java',
  ],
  channels: [
    {
      name: 'bids',
      slots: { kind: 'day', since: '2025-01-01', delayMs: hourMs, rereadDays: [2], isOpenRead: true },
      delivery: {
        kind: 'page',
        // Works, services, goods, purchases abroad, others.
        each: { name: 'kind', values: ['Cnstwk', 'Servc', 'Thng', 'Frgcpt', 'Etc'] },
        request: {
          url: 'https://apis.data.go.kr/1230000/ad/BidPublicInfoService/getBidPblancListInfo{kind}?serviceKey={key}&pageNo={page}&numOfRows={limit}&type=json&inqryDiv=1&inqryBgnDt={from:yyyyMMddHHmm}&inqryEndDt={last:yyyyMMddHHmm}',
          headers: { accept: 'application/json' },
        },
        entries: { format: 'json', at: '/response/body/items', isOptional: true },
        total: '/response/body/totalCount',
        pageSize: 500,
        end: { when: 'total' },
      },
    },
  ],
  parse: parseG2b,
  access: { kind: 'key', setting: 'DATA_GO_KR_KEY', getItAt: 'https://www.data.go.kr/data/15129394/openapi.do' },
  politeness: { requestsPerMinute: 30 },
  expects: {
    perDay: [200, 6000],
    silentAfterDays: 5,
    shape: ['/response/body/totalCount', '/response/body/items/0/bidNtceNo', '/response/body/items/0/bidNtceNm'],
  },
  caveats: [
    'inqryDiv=1 selects by the time of registration; at most 999 rows per page.',
    'The key is given in its decoded form; errors of the gateway come as XML with status 200.',
    'An order (bidNtceOrd) counts the versions of one notice; changes and cancellations are notices with a higher one.',
    'Classified by a national list, not by CPV: no CPV codes are read.',
    'The members of the answer are known from public code of 2026; no live answer has been seen.',
  ],
})
