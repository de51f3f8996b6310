// Germany: service.bund.de, the newest calls and awards of the federal portal as RSS.
import type { Delivery } from '../../delivery.ts'
import { sourceOf } from '../../source.ts'
import { parseServiceBund } from './parse-service-bund.ts'

const feeds = 'https://www.service.bund.de/Content/Globals/Functions/RSSFeed'

const feed = (name: string): Delivery => ({
  kind: 'index',
  index: { url: `${feeds}/RSSGenerator_${name}.xml` },
  entries: { format: 'xml', element: 'item', root: 'rss' },
})

export const source = sourceOf({
  id: 'de-service-bund',
  title: 'service.bund.de',
  publisher: 'Bundesverwaltungsamt / ITZBund',
  homepage: 'https://www.service.bund.de',
  documentation: 'https://www.service.bund.de/Content/DE/Service/RSS/RSS_node.html',
  clients: [
    'https://github.com/KWB-R/kwb.tenders/blob/e63d34a012f097b4464cc2b868875d455bdeb14d/R/servicebund.R',
    'https://github.com/VOGADMINRGF/ruwe-bid-os/blob/94a5e7452667fafe2d77ea79aee3abae554c2c9b/lib/connectors/serviceBund.ts',
  ],
  channels: [
    { name: 'tenders', delivery: feed('Ausschreibungen') },
    { name: 'awards', delivery: feed('Vergebene_Auftraege') },
  ],
  parse: parseServiceBund,
  politeness: { pauseMs: 30_000 },
  expects: { perDay: [50, 600], silentAfterDays: 4, shape: ['rss', 'item', 'title', 'link', 'description', 'pubDate'] },
  caveats: [
    'Each feed always holds 500 items: about 49 hours of calls, about 4 days of awards; what is not read in time is gone.',
    'No conditional requests (ttl 60 minutes); robots.txt asks for 30 seconds between requests and disallows the search.',
    'No CPV, no value, no numbers: almost every item is in the federal data service (DÖE) as well, fully.',
    'Whether an item is an award is told by its address and its description; the labels of awards are inferred.',
  ],
})
