// BASE, the portal of public contracts of Portugal: its announcements as yearly files on the national open data portal.
import { sourceOf } from '../../source.ts'
import { parseBase } from './parse-base.ts'

export const source = sourceOf({
  id: 'pt-base',
  title: 'BASE',
  publisher: 'IMPIC',
  homepage: 'https://www.base.gov.pt',
  documentation: 'https://dados.gov.pt/pt/datasets/contratos-publicos-portal-base-impic-anuncios-de-2012-a-2025/',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/geraljdl-cpu/ai-os/blob/a29a97934b7aecf24ecd0feb83bfc36087aea7bf/bin/radar_base.py',
    'https://github.com/spmbiz/tender-engine/blob/5876be5285ea3e7c32bc5045062fd904a1cbe74e/pipeline/discover_pt_base_open.py',
  ],
  license: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  channels: [
    {
      name: 'announcements',
      timetable: '20 */6 * * *',
      delivery: {
        kind: 'index',
        index: {
          url: 'https://dados.gov.pt/api/1/datasets/?q=Contratos%20Publicos%20Portal%20Base%20IMPIC%20Anuncios&page_size=5',
          headers: { accept: 'application/json' },
        },
        entries: { format: 'json', at: '/data/*/resources/*' },
        url: '/url',
        version: '/last_modified',
        where: { at: '/title', fits: /an[uú]ncios?.*\.json$/i, sample: 'anuncios.json' },
        files: { format: 'archive', inside: { format: 'json', at: '' } },
      },
    },
  ],
  parse: parseBase,
  politeness: { requestsPerMinute: 20 },
  expects: {
    silentAfterDays: 14,
    shape: ['/data/0/resources/0/url', '/data/0/resources/0/title'],
  },
  caveats: [
    'The yearly files are some seven days behind and rewritten once a week; their addresses carry a folder of the version.',
    'Announcements of the last days, and contracts, are available only from pt-base-search.',
    'Amounts are written with a point or with a comma for the decimals; "Inexistente" means none.',
    'Deadlines are days without a time.',
    'The members of the files are known from public code of 2026; no live file has been seen.',
  ],
})
