// Contracts that Honduras' institute for access to information collects.
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'hn-iaip',
  title: 'Portal Único de Transparencia, contrataciones',
  publisher: 'Instituto de Acceso a la Información Pública',
  homepage: 'https://portalunico.iaip.gob.hn/datosabierto/',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/honduras_iaip.py',
  ],
  channels: [
    {
      name: 'files',
      delivery: {
        kind: 'index',
        index: { url: 'https://www.contratacionesabiertas.gob.hn/api/v1/iaip_datosabiertos/?format=json' },
        // Lists under `covid19`, `huracanes` and `oficio`.
        entries: { format: 'json', at: '/*' },
        url: '/json',
        only: /^(?!.*compiled)/i,
        files: releases,
      },
      timetable: '25 6 * * *',
    },
  ],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 90, shape: ['/*/0/json'] },
  caveats: [
    'Files whose name holds `compiled` repeat the others and are not read.',
    'One public client is known. Its operators note that the list answered them with 522, for days in ' +
      'January 2025 with 502, and that it failed in July 2026 (issues 1135 and 1296 of kingfisher-collect).',
    'The OCP Data Registry has a copy, publication 113, which no other public program is known to read.',
  ],
  offBecause: 'one public program alone is known to read it: check it, then name it',
})
