// Compras.gov.br, the procurement of the Brazilian federation, by its OCDS module.
import { releasesIfAny } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const host = 'https://dadosabertos.compras.gov.br'

export const source = sourceOf({
  id: 'br-compras',
  title: 'Compras.gov.br',
  publisher: 'Ministério da Gestão e da Inovação em Serviços Públicos',
  homepage: 'https://www.gov.br/compras',
  documentation: `${host}/swagger-ui/index.html`,
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/brazil_compras.py',
    'https://github.com/mpraes/open-gov-supply-chain-data/blob/012e0e92d47788d60da707eefbbe943774453de1/src/clients/compras_api.py',
  ],
  channels: [
    {
      name: 'buyers',
      // A window of more than one calendar month is refused.
      slots: { kind: 'month', since: '2021-08-01', rereadDays: [3, 20], isOpenRead: true },
      delivery: {
        kind: 'link-next',
        request: {
          url: `${host}/modulo-ocds/1_releases?page=1&offSet=100&buyerID={buyer}&releaseStartDate={from:yyyy-MM-dd}&releaseEndDate={last:yyyy-MM-dd}`,
        },
        entries: releasesIfAny,
        next: '/links/next',
        each: {
          name: 'buyer',
          list: { url: `${host}/modulo-uasg/2_consultarOrgao?statusOrgao=true&pagina={page}` },
          entries: { format: 'json', at: '/resultado' },
          at: '/cnpjCpfOrgao',
          pages: '/totalPaginas',
        },
      },
      timetable: '0 1 * * *',
    },
  ],
  politeness: { requestsPerMinute: 90 },
  expects: { silentAfterDays: 7, shape: ['/resultado/0/cnpjCpfOrgao'] },
  caveats: [
    'Every buyer is requested separately: reading one month takes thousands of requests.',
    'About 100 requests per minute are accepted, which is not documented.',
    'An answer without releases has no `releases`.',
  ],
})
