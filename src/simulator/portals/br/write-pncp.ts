// Made-up purchases of PNCP.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = {
  lacks: ['planning', 'change', 'cpv', 'nature', 'winner'],
  procedures: ['open', 'open', 'open'],
}

const zone = 'America/Sao_Paulo'
const pattern = 'yyyy-MM-ddTHH:mm:ss'

export function write(sample: PortalSample): string {
  const year = Number(localTime(sample.publishedAt, zone, 'yyyy'))
  const cnpj = sample.buyer.nationalId.replace(/\D/g, '').padStart(14, '0').slice(-14)
  return JSON.stringify({
    numeroControlePNCP: `${cnpj}-1-${String(sample.number).padStart(6, '0')}/${year}`,
    anoCompra: year,
    sequencialCompra: sample.number,
    processo: sample.reference,
    objetoCompra: sample.title,
    informacaoComplementar: sample.description,
    orgaoEntidade: { cnpj, razaoSocial: sample.buyer.name },
    unidadeOrgao: { ufSigla: 'SP', municipioNome: sample.buyer.town },
    modalidadeId: 6,
    modalidadeNome: 'Pregão - Eletrônico',
    situacaoCompraId: sample.kind === 'cancellation' ? 2 : 1,
    situacaoCompraNome: sample.kind === 'cancellation' ? 'Revogada' : 'Divulgada no PNCP',
    valorTotalEstimado: sample.value?.amount ?? null,
    valorTotalHomologado: sample.kind === 'award' ? (sample.value?.amount ?? null) : null,
    dataPublicacaoPncp: localTime(sample.publishedAt, zone, pattern),
    dataAtualizacaoGlobal: localTime(sample.publishedAt, zone, pattern),
    dataEncerramentoProposta: localTimeOf(sample.deadline, zone, pattern) ?? null,
    srp: false,
    linkSistemaOrigem: sample.url,
  })
}
