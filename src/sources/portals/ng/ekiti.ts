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
    'https://github.com/Hepteract-Group/naijaledger/blob/0fb5668f80436a175ed92c5683a879e7b5211f47/engine/src/naijaledger/finance/html_portal.py',
  ],
  channels: [
    {
      name: 'procurements',
      delivery: {
        kind: 'single',
        request: { url: 'https://ocds.bpp.ekitistate.gov.ng/Home/Procurements/' },
        entries: {
          format: 'html',
          link: /<span[^>]*>\s*<a[^>]+href="[^"\d]*(\d+)[^"]*"/,
          sample: '<span><a href="/Home/Details/{digits}">',
        },
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
  caveats: [
    'Every procurement of the HTML table is fetched once: its dates of award and publication do not tell of changes.',
    'The second client reads the table alone, at another host of the same portal (ocdsportal.azurewebsites.net), which had 2,680 procurements in July 2026.',
  ],
})
