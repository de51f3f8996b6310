// NOCOPO, the contracts of Nigeria's federation.
import { linkedFiles } from '../../families/linked-files.ts'
import { zippedReleases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'ng-nocopo',
  title: 'Nigeria Open Contracting Portal (NOCOPO)',
  publisher: 'Bureau of Public Procurement',
  homepage: 'https://nocopo.bpp.gov.ng',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/nigeria_portal.py',
  ],
  channels: [
    // The answer is a page that sends the reader on to an archive made for it.
    linkedFiles(
      'https://nocopo.bpp.gov.ng/ocdsjson.ashx?ocid=all',
      /http-equiv=["']?refresh["']?[^>]*url=["']?([^"'>\s]+)/i,
      zippedReleases,
      '0 1 * * 6',
    ),
  ],
  politeness: { requestsPerMinute: 5 },
  expects: { silentAfterDays: 60, shape: ['meta'] },
  caveats: [
    'Everything in one archive, whose making and reading takes up to an hour.',
    'Members without releases occur.',
    'In October 2026, a reader found that the address leads to a zip made at that moment.',
    'In an archive of 2021, every release is dated with the making of the archive, and most are plans.',
  ],
})
