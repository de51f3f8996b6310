// MTender, the electronic procurement system of Moldova.
import { records } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'md-mtender',
  title: 'MTender',
  publisher: 'Ministry of Finance of the Republic of Moldova',
  homepage: 'https://mtender.gov.md',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/moldova_multi_record.py',
    'https://github.com/yoda-digital/mcp-mtender-server/blob/main/src/handlers/tools.ts',
  ],
  zone: 'UTC',
  channels: [
    {
      name: 'changes',
      slots: { kind: 'day', since: '2018-10-01', rereadDays: [1], isOpenRead: true },
      delivery: {
        kind: 'cursor',
        request: { url: 'https://public.mtender.gov.md/tenders/?offset={cursor}' },
        // The last page is an empty object.
        entries: { format: 'json', at: '/data', isOptional: true },
        cursor: '/offset',
        firstCursor: '{from:isoSeconds}',
        ordered: { at: '/date', direction: 'ascending' },
        detail: {
          request: { url: 'https://public.mtender.gov.md/tenders/{id}' },
          id: '/ocid',
          version: '/date',
          entries: records,
        },
        fault: { at: '/name', is: 'Error' },
      },
    },
  ],
  expects: { silentAfterDays: 4, shape: ['/data/0/ocid', '/data/0/date', '/offset'] },
  caveats: [
    'Errors come with status 200 and a body {name: "Error"}, or with an empty body.',
    'The records of one process carry different OCIDs: that of the process with the stage behind it.',
    'The host is unreachable for hours at a time.',
  ],
})
