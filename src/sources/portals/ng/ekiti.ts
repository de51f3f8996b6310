// Procurements of Ekiti State.
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'ng-ekiti',
  title: 'Ekiti State Open Contracting Portal',
  publisher: 'Ekiti State Bureau of Public Procurement',
  homepage: 'https://ocds.bpp.ekitistate.gov.ng',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/nigeria_ekiti_state.py',
  ],
  channels: [
    {
      name: 'procurements',
      delivery: {
        kind: 'single',
        request: { url: 'https://ocds.bpp.ekitistate.gov.ng/Home/Procurements/' },
        entries: { format: 'html', link: /<span[^>]*>\s*<a[^>]+href="[^"\d]*(\d+)[^"]*"/ },
        detail: {
          request: { url: 'https://ocds.bpp.ekitistate.gov.ng/openapi/packagesapi/{id}' },
          id: '/0',
          entries: releases,
        },
      },
      timetable: '50 5 * * *',
    },
  ],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 120, shape: ['html'] },
  caveats: ['The list is an HTML table without dates: every procurement is fetched once.'],
})
