// Purchases of medicines in Brazil, collected by Transparência Brasil.
import { zippedReleases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'br-medicamentos-transparentes',
  title: 'Medicamentos Transparentes',
  publisher: 'Transparência Brasil',
  homepage: 'https://medicamentos.transparencia.org.br/dados-abertos',
  documentation: 'https://medicamentos-api.transparencia.org.br/docs',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/brazil_medicamentos_transparentes.py',
    'https://github.com/Transparencia-Brasil/cesta-de-precos-pncp/blob/4d3a0fa86892d46e7d715db37a007d01156879a8/tasks/mapeamento-ocds/src/lista-url-dados-abertos.py',
  ],
  channels: [
    {
      name: 'files',
      delivery: {
        kind: 'offset',
        request: { url: 'https://medicamentos-api.transparencia.org.br/dados-abertos?skip={offset}&take={limit}' },
        entries: { format: 'json', at: '/response/records/*/files' },
        pageSize: 100,
        end: { when: 'empty-page' },
        detail: { request: { url: '{id}' }, id: '/url', version: '', entries: zippedReleases },
      },
      timetable: '40 6 * * *',
    },
  ],
  politeness: { requestsPerMinute: 30 },
  expects: { silentAfterDays: 90, shape: ['/response/records/0/files/0/url'] },
  caveats: ['Only purchases of medicines, from several portals of Brazil: they may be in other sources too.'],
})
