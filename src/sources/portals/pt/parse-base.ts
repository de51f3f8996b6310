// An announcement of BASE (from the yearly files or from the search) or one of its contracts to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { asObject, type JsonObject, member, objectsOf, textAt, textsAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { wordIn } from '../../read-values.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'pt-base',
  profile: 'base-anuncios',
  language: 'pt',
  zone: 'Europe/Lisbon',
  country: 'PT',
  currency: 'EUR',
}

const procedures: { readonly [word: string]: ProcedureType } = {
  'concurso publico': 'open',
  'concurso publico urgente': 'open',
  'concurso publico simplificado': 'open',
  'concurso limitado por previa qualificacao': 'restricted',
  'concurso limitado por previa qualificacao simplificado': 'restricted',
  'procedimento de negociacao': 'neg-w-call',
  'dialogo concorrencial': 'comp-dial',
  'parceria para a inovacao': 'innovation',
  'ajuste direto': 'neg-wo-call',
  'ajuste direto regime geral': 'neg-wo-call',
  'consulta previa': 'neg-wo-call',
}

export function parseBase(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, (document) => {
    const row = asObject(document['entry']) ?? document
    if (member(row, 'objectBriefDescription') !== undefined) return readContract(row)
    if (member(row, 'contractDesignation') !== undefined) return readFound(row, asObject(document['detail']))
    return readAnnouncement(document)
  })
}

/** A row of the yearly file. */
function readAnnouncement(row: JsonObject): Notice | Rejection {
  const act = textAt(row, 'tipoActo')
  const procedure = textAt(row, 'modeloAnuncio')
  const { formType, changeReasons, isCancelled } = kindOf(act ?? '')
  return readPublishedEntry(home, {
    id: textAt(row, 'nAnuncio')?.trim(),
    formType,
    noticeType: act,
    title: textAt(row, 'descricaoAnuncio'),
    publishedAt: textAt(row, 'dataPublicacao'),
    deadline: textAt(row, 'DataLimitePropostas'),
    buyer: { name: textAt(row, 'designacaoEntidade'), nationalId: textAt(row, 'nifEntidade') },
    cpv: member(row, 'CPVs'),
    estimatedValue: member(row, 'PrecoBase'),
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: natureOf(textsAt(row, 'tiposContrato').join(' ')),
    changeReasons,
    isCancelled,
    url: textAt(row, 'url'),
  })
}

/** A row of the search with its detail. Both carry the number under which the yearly file lists the announcement. */
function readFound(row: JsonObject, detail: JsonObject | undefined): Notice | Rejection {
  const id = textAt(row, 'id')
  const act = textAt(row, 'type')
  const procedure = textAt(row, 'contractingProcedureType')
  const { formType, changeReasons, isCancelled } = kindOf(act ?? '')
  return readPublishedEntry(home, {
    id: textAt(detail, 'announcementNumber')?.trim() || (id && `id/${id}`),
    formType,
    noticeType: act,
    procedureId: textAt(detail, 'contractingProcedureId'),
    title: textAt(row, 'contractDesignation'),
    publishedAt: textAt(row, 'drPublicationDate'),
    deadline: textAt(row, 'proposalDeadline'),
    buyer: {
      name: textAt(row, 'contractingEntity'),
      nationalId: textAt(objectsOf(detail, 'contractingEntities')[0], 'nif'),
    },
    cpv: textAt(detail, 'cpvs'),
    estimatedValue: member(row, 'basePrice'),
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: natureOf(textAt(detail, 'contractType') ?? ''),
    changeReasons,
    isCancelled,
    documentsUrl: textAt(detail, 'reference'),
    url: id && `https://www.base.gov.pt/Base4/pt/detalhe/?type=anuncios&id=${encodeURIComponent(id)}`,
  })
}

function readContract(row: JsonObject): Notice | Rejection {
  const id = textAt(row, 'id')
  const procedure = textAt(row, 'contractingProcedureType')
  return readPublishedEntry(home, {
    id: id && `contract/${id}`,
    formType: 'result',
    noticeType: 'contrato',
    title: textAt(row, 'objectBriefDescription'),
    publishedAt: textAt(row, 'publicationDate'),
    buyer: { name: textAt(row, 'contracting') },
    awardedValue: member(row, 'initialContractualPrice'),
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    outcome: 'awarded',
    winners: (textAt(row, 'contracted') ?? '').split(/\s*[;|]\s*/).map((name) => ({ name })),
    contractDate: textAt(row, 'signingDate'),
    url: id && `https://www.base.gov.pt/Base4/pt/detalhe/?type=contratos&id=${encodeURIComponent(id)}`,
  })
}

type Kind = {
  readonly formType: FormType
  readonly changeReasons: readonly string[] | undefined
  readonly isCancelled: boolean
}

/** By the words of the act: announcement, prolongation, correction, revocation. */
function kindOf(act: string): Kind {
  const isCancelled = /revoga|anula[çc]/i.test(act)
  const isChange = /prorroga|retifica|rectifica|altera/i.test(act)
  return {
    formType: /pré-informa|informação prévia/i.test(act) ? 'planning' : 'competition',
    changeReasons: isCancelled ? ['cancel'] : isChange ? ['update-add'] : undefined,
    isCancelled,
  }
}

function natureOf(types: string): string | undefined {
  if (/empreitada|obras/i.test(types)) return 'works'
  if (/aquisição de bens|locação/i.test(types)) return 'supplies'
  return /serviços/i.test(types) ? 'services' : undefined
}
