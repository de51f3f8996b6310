// An announcement of BASE (from the yearly files or from the search) or one of its contracts to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import { asObject, type JsonObject, member, objectsOf, textAt, textsAt } from '../../ocds/json.ts'
import { wordIn } from '../../read-values.ts'
import { firstMatch, homeOf, jsonParser, type PublishedEntry } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'pt-base', profile: 'base-anuncios', language: 'pt', currency: 'EUR' })

const natures = {
  works: /empreitada|obras/i,
  supplies: /aquisição de bens|locação/i,
  services: /serviços/i,
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

export const parseBase = jsonParser(home, (document) => {
  const row = asObject(document['entry']) ?? document
  if (member(row, 'objectBriefDescription') !== undefined) return readContract(row)
  if (member(row, 'contractDesignation') !== undefined) return readFound(row, asObject(document['detail']))
  return readAnnouncement(document)
})

/** A row of the yearly file. */
function readAnnouncement(row: JsonObject): PublishedEntry {
  const act = textAt(row, 'tipoActo')
  const procedure = textAt(row, 'modeloAnuncio')
  return {
    id: textAt(row, 'nAnuncio')?.trim(),
    ...kindOf(act ?? ''),
    noticeType: act,
    title: textAt(row, 'descricaoAnuncio'),
    publishedAt: textAt(row, 'dataPublicacao'),
    deadline: textAt(row, 'DataLimitePropostas'),
    buyer: { name: textAt(row, 'designacaoEntidade'), nationalId: textAt(row, 'nifEntidade') },
    cpv: member(row, 'CPVs'),
    estimatedValue: member(row, 'PrecoBase'),
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: firstMatch(natures, textsAt(row, 'tiposContrato').join(' ')),
    url: textAt(row, 'url'),
  }
}

/** A row of the search with its detail. Both carry the number under which the yearly file lists the announcement. */
function readFound(row: JsonObject, detail: JsonObject | undefined): PublishedEntry {
  const id = textAt(row, 'id')
  const act = textAt(row, 'type')
  const procedure = textAt(row, 'contractingProcedureType')
  return {
    id: textAt(detail, 'announcementNumber')?.trim() || (id && `id/${id}`),
    ...kindOf(act ?? ''),
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
    nature: firstMatch(natures, textAt(detail, 'contractType')),
    documentsUrl: textAt(detail, 'reference'),
    url: id && `https://www.base.gov.pt/Base4/pt/detalhe/?type=anuncios&id=${encodeURIComponent(id)}`,
  }
}

function readContract(row: JsonObject): PublishedEntry {
  const id = textAt(row, 'id')
  const procedure = textAt(row, 'contractingProcedureType')
  return {
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
  }
}

/** By the words of the act: announcement, prolongation, correction, revocation. */
function kindOf(act: string): Pick<PublishedEntry, 'formType' | 'changeReasons' | 'isCancelled'> {
  const isCancelled = /revoga|anula[çc]/i.test(act)
  const isChange = /prorroga|retifica|rectifica|altera/i.test(act)
  return {
    formType: /pré-informa|informação prévia/i.test(act) ? 'planning' : 'competition',
    changeReasons: isCancelled ? ['cancel'] : isChange ? ['update-add'] : undefined,
    isCancelled,
  }
}
