// Procurement notices of the United Nations Development Programme, as RSS by region.
import { sourceOf } from '../../source.ts'
import { parseUndp } from './parse-undp.ts'

export const source = sourceOf({
  id: 'zz-undp',
  title: 'UNDP procurement notices (Europe and Central Asia)',
  publisher: 'United Nations Development Programme',
  homepage: 'https://procurement-notices.undp.org',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/fullvedo-del/tender-radar/blob/46296d0cb8a90fd3cd57830e1aabe436d7a07516/collectors/undp.py',
    'https://github.com/Peak-Nine/Pidgi/blob/8148b5159b2a6bdedeaeb1c53faeaba371fdacfb/tendi/scout/sources/undp.ts',
  ],
  zone: 'America/New_York',
  channels: [
    {
      name: 'europe',
      timetable: '20 */3 * * *',
      delivery: {
        kind: 'single',
        // The firewall answers 406 to a request that accepts XML.
        request: { url: 'https://procurement-notices.undp.org/rss_feeds/RER.xml', headers: { accept: '*/*' } },
        entries: { format: 'xml', element: 'item', root: 'RDF' },
      },
    },
  ],
  parse: parseUndp,
  offBecause: 'robots',
  politeness: { requestsPerMinute: 6 },
  expects: { perDay: [1, 200], silentAfterDays: 14, shape: ['item', 'title', 'link', 'description'] },
  caveats: [
    'Two programs read in 2026 that robots.txt forbids every path, the feeds too, so that nothing would be requested.',
    'The feed says ISO-8859-1 and holds characters of Windows-1252, and `?` for those of other alphabets.',
    'RSS 1.0; one file per region, of which the one of Europe and the Commonwealth of Independent States is read.',
    'The country is at the end of the title, and the deadline, a day, in the description.',
    'The elements are known from public code of 2026; no live feed has been seen.',
  ],
})
