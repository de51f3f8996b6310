// PNCP, the national portal of public procurement of Brazil, by its interface for queries.
import { hourMs } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parsePncp } from './parse-pncp.ts'

/**
 * Electronic reverse auction, waiver, unenforceability, electronic competition, then the rarer ones: a check, which
 * sends six requests at most, meets entries.
 */
const modalities = [6, 8, 9, 4, 5, 12, 7, 1, 2, 3, 10, 11, 13]

const channel = (name: string, resource: string, dateOf: string, rereadDays: readonly number[]) =>
  ({
    name,
    slots: { kind: 'day', since: '2022-01-01', delayMs: 2 * hourMs, rereadDays, isOpenRead: true },
    delivery: {
      kind: 'page',
      each: { name: 'modality', values: modalities },
      request: {
        url: `https://pncp.gov.br/api/consulta/v1/contratacoes/${resource}?dataInicial={from:yyyyMMdd}&dataFinal={last:yyyyMMdd}&codigoModalidadeContratacao={modality}&pagina={page}&tamanhoPagina={limit}`,
        headers: { accept: 'application/json' },
      },
      entries: { format: 'json', at: '/data', isOptional: true },
      total: '/totalRegistros',
      pageSize: 50,
      end: { when: 'pages', at: '/totalPaginas' },
      dateOf,
    },
  }) as const

export const source = sourceOf({
  id: 'br-pncp',
  title: 'PNCP',
  publisher: 'Governo Federal do Brasil',
  homepage: 'https://www.gov.br/pncp',
  documentation: 'https://pncp.gov.br/api/consulta/swagger-ui/index.html',
  channels: [
    channel('published', 'publicacao', '/dataPublicacaoPncp', [3]),
    channel('updated', 'atualizacao', '/dataAtualizacao', []),
  ],
  parse: parsePncp,
  politeness: { requestsPerMinute: 60, pauseMs: 300 },
  expects: {
    perDay: [500, 30_000],
    silentAfterDays: 4,
    shape: ['/data/0/numeroControlePNCP', '/data/0/objetoCompra', '/data/0/orgaoEntidade/razaoSocial', '/totalPaginas'],
  },
  caveats: [
    'The code of the modality is mandatory: every day is requested thirteen times.',
    'A query without results is answered with 204.',
    'At most 365 days between the dates and 50 entries a page.',
    'No CPV codes; items would need a request for each purchase.',
    'The members of the answer are known from public code of 2026; no live answer has been seen.',
  ],
})
