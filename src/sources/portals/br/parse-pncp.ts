// A purchase of PNCP to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, numberAt, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { type PhaseTable, phaseIn } from '../read-phase.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'br-pncp',
  profile: 'pncp-consulta-v1',
  language: 'pt',
  zone: 'America/Sao_Paulo',
  country: 'BR',
  currency: 'BRL',
}

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

/** Modality 9 (inexigibilidade) and instrument 3, the act that authorizes a direct contract: there is no call. */
function isDirect(entry: JsonObject): boolean {
  return (
    numberAt(entry, 'modalidadeId') === 9 ||
    numberAt(entry, 'tipoInstrumentoConvocatorioCodigo') === 3 ||
    /autoriza a contrata[cç][aã]o direta/i.test(textAt(entry, 'tipoInstrumentoConvocatorioNome') ?? '')
  )
}

export function parsePncp(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const number = textAt(entry, 'numeroControlePNCP')
  const modality = numberAt(entry, 'modalidadeId') ?? 0
  const situation = textAt(entry, 'situacaoCompraNome') ?? ''
  const phase = phaseIn(pncpPhases, situation)
  const isCancelled = phase === 'cancelled'
  // Confirmed by the authority: the outcome of all items together.
  const awarded = numberAt(entry, 'valorTotalHomologado')
  const isConfirmed = awarded !== undefined && awarded > 0
  const isResult = isConfirmed || (isDirect(entry) && phase !== 'cancelled' && phase !== 'suspended')
  const changedAt = textAt(entry, 'dataAtualizacaoGlobal') ?? textAt(entry, 'dataAtualizacao')
  const [cnpj, year, sequence] = [
    textAt(entry, 'orgaoEntidade', 'cnpj'),
    textAt(entry, 'anoCompra'),
    textAt(entry, 'sequencialCompra'),
  ]
  return readPublishedEntry(home, {
    id: number && (isResult ? `${number}/result` : number),
    version: changedAt?.replace(/\D/g, '').slice(0, 14) || undefined,
    formType: isResult ? 'result' : 'competition',
    noticeType: textAt(entry, 'modalidadeNome') ?? 'contratação',
    noticeSubtype: textAt(entry, 'tipoInstrumentoConvocatorioNome'),
    procedureId: number,
    reference: textAt(entry, 'processo') ?? textAt(entry, 'numeroCompra'),
    title: textAt(entry, 'objetoCompra'),
    description: textAt(entry, 'informacaoComplementar'),
    publishedAt: textAt(entry, 'dataPublicacaoPncp') ?? textAt(entry, 'dataInclusao'),
    changedAt,
    deadline: isResult ? undefined : textAt(entry, 'dataEncerramentoProposta'),
    buyer: {
      name: textAt(entry, 'orgaoEntidade', 'razaoSocial'),
      nationalId: cnpj,
      city: textAt(entry, 'unidadeOrgao', 'municipioNome'),
    },
    estimatedValue: member(entry, 'valorTotalEstimado'),
    awardedValue: isConfirmed ? awarded : undefined,
    outcome: isResult ? 'awarded' : undefined,
    procedureType: procedures[modality],
    nationalProcedure: textAt(entry, 'modalidadeNome'),
    isFramework: member(entry, 'srp') === true || undefined,
    changeReasons: phase === 'suspended' ? ['susp-review'] : undefined,
    isCancelled,
    documentsUrl: textAt(entry, 'linkSistemaOrigem'),
    url:
      cnpj !== undefined && year !== undefined && sequence !== undefined
        ? `https://pncp.gov.br/app/editais/${encodeURIComponent(cnpj)}/${encodeURIComponent(year)}/${encodeURIComponent(sequence)}`
        : undefined,
  })
}
