// A row of Serbia's tables, of notices or of procedures, to a notice.
import type { FormType } from '../../../domain/notice.ts'
import { type JsonObject, member } from '../../ocds/json.ts'
import { firstMatch, homeOf, jsonParser, type PublishedEntry, type TextAt } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'rs-jnportal', profile: 'jnportal-searchgrid', language: 'sr', currency: 'RSD' })

/** Forms that are not calls; all others in the table announce something that can be bid for. */
const forms: { readonly [form: string]: FormType } = {
  Ф01: 'planning',
  Ф04: 'planning',
  Ф03: 'result',
  Ф06: 'result',
  Ф13: 'result',
  Ф15: 'dir-awa-pre',
  Ф20: 'cont-modif',
}

const natures = { works: /радови/i, supplies: /добра/i, services: /услуге/i }
const procedures = {
  'neg-wo-call': /без објављивања/i,
  'neg-w-call': /преговарањем|са објављивањем/i,
  'comp-dial': /дијалог/i,
  innovation: /партнерство/i,
  restricted: /рестриктивни/i,
  open: /отворени/i,
}

const pageOf = (tenderId: string | undefined): string | undefined =>
  tenderId && `https://jnportal.ujn.gov.rs/tender-eo/${encodeURIComponent(tenderId)}`

/** The buyer, with its tax number behind the name. */
function buyerOf(text: TextAt): NonNullable<PublishedEntry['buyer']> {
  const [, name, nationalId] = /^(.*?)(?:,?\s*ПИБ:\s*(\d+)\s*)?$/s.exec(text('ContractingBody') ?? '') ?? []
  return { name, nationalId }
}

function readProcedure(entry: JsonObject, text: TextAt): PublishedEntry {
  const id = text('Id')
  const procedure = text('ProcedureType')
  return {
    id: id && `tender/${id}`,
    formType: 'competition',
    noticeType: procedure ?? 'tender',
    procedureId: id,
    reference: text('ReferenceNumber'),
    title: text('Name'),
    publishedAt: text('NoticePublishDate'),
    deadline: text('SubmissionDeadline'),
    buyer: buyerOf(text),
    cpv: text('CPVExtended'),
    nuts: text('Nuts'),
    estimatedValue: member(entry, 'EstimatedValue'),
    procedureType: firstMatch(procedures, procedure),
    nationalProcedure: procedure,
    nature: firstMatch(natures, text('TypeContract')),
    url: pageOf(id),
  }
}

export const parseJnportal = jsonParser(home, (entry, text) => {
  if (member(entry, 'TenderName') === undefined && member(entry, 'Name') !== undefined)
    return readProcedure(entry, text)
  const form = /Ф\d{2}/.exec(text('DocumentTypeShortName') ?? '')?.[0]
  const type = text('DocumentTypeName')
  const tenderId = text('TenderId')
  // Ф27 and its like: complaints of bidders and decisions about them.
  if (/жалб|захтев за заштиту|zahtev za zaštitu/i.test(type ?? ''))
    return { reason: 'not-procurement', path: '/DocumentTypeName', detail: 'a document of a complaint' }
  const isCancelled = /обустав|поништ|obustav|poništ/i.test(type ?? '')
  return {
    id: text('Id', 'NoticeNumber'),
    formType: isCancelled ? 'result' : (forms[form ?? ''] ?? 'competition'),
    noticeType: form ?? type,
    procedureId: tenderId,
    reference: text('NoticeNumber'),
    title: text('TenderName'),
    publishedAt: text('PublishDate'),
    buyer: buyerOf(text),
    outcome: isCancelled ? 'not-awarded' : form === 'Ф03' || form === 'Ф06' ? 'awarded' : undefined,
    changeReasons: form === 'Ф14' ? ['update-add'] : undefined,
    isCancelled,
    url: pageOf(tenderId),
  }
})
