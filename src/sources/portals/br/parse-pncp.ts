// A purchase of PNCP to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import { type JsonObject, member, numberAt, textAt } from '../../ocds/json.ts'
import { type PhaseTable, phaseIn } from '../read-phase.ts'
import { homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'br-pncp', profile: 'pncp-consulta-v1', language: 'pt', currency: 'BRL' })

const procedures: { readonly [modality: number]: ProcedureType } = {
  2: 'comp-dial',
  4: 'open',
  5: 'open',
  6: 'open',
  7: 'open',
  9: 'neg-wo-call',
}

/** `situacaoCompraNome`. */
export const pncpPhases: PhaseTable = {
  'divulgada no pncp': 'open',
  divulgada: 'open',
  suspensa: 'suspended',
  revogada: 'cancelled',
  anulada: 'cancelled',
}

/**
 * Modality 9 (inexigibilidade) and instrument 3, the act that authorizes a direct contract: there is no call for
 * tenders.
 */
function isDirect(entry: JsonObject): boolean {
  return (
    numberAt(entry, 'modalidadeId') === 9 ||
    numberAt(entry, 'tipoInstrumentoConvocatorioCodigo') === 3 ||
    /autoriza a contrata[cç][aã]o direta/i.test(textAt(entry, 'tipoInstrumentoConvocatorioNome') ?? '')
  )
}

export const parsePncp = jsonParser(home, (entry, text) => {
  const number = text('numeroControlePNCP')
  const modality = numberAt(entry, 'modalidadeId') ?? 0
  // Modalities 1 and 13: the authority sells.
  if (modality === 1 || modality === 13)
    return { reason: 'not-procurement', path: '/modalidadeId', detail: 'an auction of property' }
  const situation = text('situacaoCompraNome') ?? ''
  const phase = phaseIn(pncpPhases, situation)
  const isCancelled = phase === 'cancelled'
  // Confirmed by the authority: the outcome of all items together.
  const awarded = numberAt(entry, 'valorTotalHomologado')
  const isConfirmed = awarded !== undefined && awarded > 0
  const isResult = isConfirmed || (isDirect(entry) && phase !== 'cancelled' && phase !== 'suspended')
  const changedAt = text('dataAtualizacaoGlobal', 'dataAtualizacao')
  // `12345678000100-1-000001/2025`: buyer, kind, sequence, year.
  const [, owner, count, ofYear] = /^(\d{14})-\d+-0*(\d+)\/(\d{4})$/.exec(number?.trim() ?? '') ?? []
  const cnpj = text('orgaoEntidade/cnpj') ?? owner
  const [year, sequence] = [text('anoCompra') ?? ofYear, text('sequencialCompra') ?? count]
  return {
    id: number && (isResult ? `${number}/result` : number),
    version: changedAt?.replace(/\D/g, '').slice(0, 14) || undefined,
    formType: isResult ? 'result' : 'competition',
    noticeType: text('modalidadeNome') ?? 'contratação',
    noticeSubtype: text('tipoInstrumentoConvocatorioNome'),
    procedureId: number,
    reference: text('processo', 'numeroCompra'),
    title: text('objetoCompra'),
    description: text('informacaoComplementar'),
    publishedAt: text('dataPublicacaoPncp', 'dataInclusao'),
    changedAt,
    deadline: isResult ? undefined : text('dataEncerramentoProposta'),
    buyer: {
      name: text('orgaoEntidade/razaoSocial'),
      nationalId: cnpj,
      city: text('unidadeOrgao/municipioNome'),
    },
    estimatedValue: member(entry, 'valorTotalEstimado'),
    awardedValue: isConfirmed ? awarded : undefined,
    outcome: isResult ? 'awarded' : undefined,
    procedureType: procedures[modality],
    nationalProcedure: text('modalidadeNome'),
    isFramework: member(entry, 'srp') === true || undefined,
    changeReasons: phase === 'suspended' ? ['susp-review'] : undefined,
    isCancelled,
    documentsUrl: text('linkSistemaOrigem'),
    url:
      cnpj !== undefined && year !== undefined && sequence !== undefined
        ? `https://pncp.gov.br/app/editais/${encodeURIComponent(cnpj)}/${encodeURIComponent(year)}/${encodeURIComponent(sequence)}`
        : undefined,
  }
})
