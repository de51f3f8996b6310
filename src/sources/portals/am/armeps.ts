// ARMEPS, the electronic procurement system of Armenia.
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'am-armeps',
  title: 'ARMEPS',
  publisher: 'Ministry of Finance of the Republic of Armenia',
  homepage: 'https://armeps.am',
  recordings: [
    'https://github.com/open-contracting/sample-data/blob/b8b6cfcf0e67263106b8fae462737e69b4ac3d7e/real-examples/armenia/sample/releases/6.json',
  ],
  clients: ['https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/armenia.py'],
  channels: [
    {
      name: 'days',
      slots: { kind: 'day', since: '2016-01-01', rereadDays: [1, 7], isOpenRead: true },
      delivery: {
        kind: 'link-next',
        request: { url: 'https://armeps.am/ocds/release?offset={from:epochMs}' },
        entries: releases,
        next: '/next_page/uri',
        // The list continues to the present day from any requested offset.
        ordered: { at: '/date', direction: 'ascending' },
      },
      timetable: '25 * * * *',
    },
  ],
  politeness: { requestsPerMinute: 30 },
  expects: { silentAfterDays: 10, shape: ['/releases/0/ocid'] },
  caveats: [
    'Some offsets are answered with errors; each day has its own, so that one of them costs one day until it works again.',
    'Three releases of the recorded list of 2018 were read: two negotiated without announcement, and a plan without title.',
  ],
})
