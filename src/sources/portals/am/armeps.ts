// ARMEPS, the electronic procurement system of Armenia.
import { licenceNotStated } from '../../families/card-values.ts'
import { releases } from '../../ocds/entries.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'am-armeps',
  title: 'ARMEPS',
  publisher: 'Ministry of Finance of the Republic of Armenia',
  country: 'AM',
  homepage: 'https://armeps.am',
  licence: licenceNotStated,
  zone: 'Asia/Yerevan',
  channels: [
    {
      name: 'days',
      slots: { kind: 'day', since: '2016-01-01', rereadDays: [1, 7], isOpenRead: true },
      delivery: {
        kind: 'link-next',
        request: { url: 'https://armeps.am/ocds/release?offset={from:epochMs}' },
        entries: releases,
        next: '/next_page/uri',
        // The list runs on to the present day from whatever offset it is asked.
        ordered: { at: '/date', direction: 'ascending' },
      },
      timetable: '25 * * * *',
    },
  ],
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 30 },
  expects: { silentAfterDays: 10, shape: ['/releases/0/ocid'] },
  caveats: [
    'Some offsets are answered with errors; each day has its own, so that one of them costs one day until it works again.',
  ],
}
