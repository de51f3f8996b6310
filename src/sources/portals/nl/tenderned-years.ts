// TenderNed's yearly files in OCDS: the past of the Dutch portal, whose current notices come through its own interface.
import { linkedFiles } from '../../families/linked-files.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'nl-tenderned-years',
  title: 'TenderNed, yearly OCDS files',
  publisher: 'PIANOo',
  homepage: 'https://www.tenderned.nl/cms/nl/aanbesteden-in-cijfers/datasets-aanbestedingen',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/netherlands.py',
    'https://github.com/jakobvongehlen/tendertransparency/blob/a3c68bd332833b30ba0476fa694aca6a6cce01a8/etl/download.py',
  ],
  channels: [
    linkedFiles(
      'https://www.tenderned.nl/cms/nl/aanbesteden-in-cijfers/datasets-aanbestedingen',
      /href="([^"]+\/(?:Dataset_Tenderned-[\d-]+|\d{4})\.json)"/,
      releases,
      '25 4 * * 1',
      '<a href="/files/{key}/2026.json">',
    ),
  ],
  politeness: { requestsPerMinute: 10 },
  expects: { silentAfterDays: 400, shape: ['html'] },
  caveats: [
    'The addresses change with every new file; they are only in an HTML page. Two clients of 2026 read names ' +
      'with both days of the span (`Dataset_Tenderned-…`).',
    'The same notices come earlier and with more content through TenderNed itself.',
  ],
})
