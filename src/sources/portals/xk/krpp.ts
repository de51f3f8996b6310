// The Public Procurement Regulatory Commission of Kosovo.

import type { Delivery } from '../../delivery.ts'
import { daysAhead } from '../../families/days-ahead.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const closing: Delivery = {
  kind: 'single',
  request: {
    url: 'https://ocdskrpp.rks-gov.net/krppapi/tenderrelease?endDateFrom={from:yyyy-MM-dd}&endDateEnd={to:yyyy-MM-dd}',
  },
  entries: releases,
}

export const source = sourceOf({
  id: 'xk-krpp',
  title: 'e-Prokurimi, OCDS',
  publisher: 'Public Procurement Regulatory Commission',
  homepage: 'https://e-prokurimi.rks-gov.net',
  documentation: 'https://ocdskrpp.rks-gov.net/Help',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/kosovo.py',
    'https://github.com/fullvedo-del/tender-radar/blob/3e8dabe0d47214e7804578e263ddd7eb862d8d55/collectors/kosovo.py',
  ],
  channels: [
    {
      // The interface knows only the day on which a tender closes: open tenders close on a future day.
      name: 'open',
      delivery: { kind: 'own', fetch: daysAhead(60, closing), like: closing },
      timetable: '10 */6 * * *',
    },
    { name: 'closed', slots: { kind: 'day', since: '2000-01-01', rereadDays: [7, 30, 90] }, delivery: closing },
  ],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 7, shape: ['/releases'] },
  caveats: [
    'Tenders are found by the day on which they close, the end of the window being exclusive.',
    'Slow even for a single day.',
    'A tender that stays open for more than 60 days is seen when 60 days are left.',
  ],
})
