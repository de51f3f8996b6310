// A row of EOJN's tables, of procurements or of award decisions, to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import { type JsonObject, member } from '../../ocds/json.ts'
import { wordIn } from '../../read-values.ts'
import { homeOf, jsonParser, type PublishedEntry, type TextAt } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'hr-eojn', profile: 'eojn-searchgrid', language: 'hr', currency: 'EUR' })

const natures = { robe: 'supplies', roba: 'supplies', usluge: 'services', radovi: 'works' } as const
const procedures: { readonly [word: string]: ProcedureType } = {
  'otvoreni postupak': 'open',
  'ograniceni postupak': 'restricted',
  'natjecateljski postupak uz pregovore': 'neg-w-call',
  'pregovaracki postupak s prethodnom objavom poziva na nadmetanje': 'neg-w-call',
  'pregovaracki postupak bez prethodne objave poziva na nadmetanje': 'neg-wo-call',
  'pregovaracki postupak bez prethodne objave': 'neg-wo-call',
  'natjecateljski dijalog': 'comp-dial',
  'partnerstvo za inovacije': 'innovation',
}

export const parseEojn = jsonParser(home, (entry, text) =>
  member(entry, 'TenderDecisionId') === undefined ? readTender(entry, text) : readDecision(text),
)

const pageOf = (id: string | undefined): string | undefined =>
  id && `https://eojn.hr/tender-eo/${encodeURIComponent(id)}`

function readTender(entry: JsonObject, text: TextAt): PublishedEntry {
  const id = text('Id')
  const procedure = text('ProcedureType')
  return {
    id,
    formType: /savjetovanj/i.test(procedure ?? '') ? 'consultation' : 'competition',
    noticeType: procedure ?? 'tender',
    procedureId: id,
    reference: text('ReferenceNumber'),
    title: text('Name'),
    publishedAt: text('NoticePublishDate'),
    deadline: text('SubmissionDeadline'),
    buyer: { name: text('ContractingBody') },
    cpv: text('CPVExtended'),
    nuts: /^HR[A-Z0-9]{1,3}/.exec(text('Nuts') ?? '')?.[0],
    estimatedValue: member(entry, 'EstimatedValue'),
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: wordIn(natures, text('TypeContract')),
    url: pageOf(id),
  }
}

function readDecision(text: TextAt): PublishedEntry {
  const id = text('TenderDecisionId')
  const tenderId = text('MainTenderId', 'TenderId')
  const winners = (text('ContractorsNames') ?? '').split(/\s*[;|]\s*/).filter((name) => name.trim() !== '')
  return {
    id: id && `decision/${id}`,
    formType: 'result',
    noticeType: 'decision',
    procedureId: tenderId,
    title: text('TenderName'),
    description: text('LotTitle'),
    publishedAt: text('PublishDate', 'DecisionDate'),
    buyer: { name: text('OfficialName') },
    outcome: winners.length > 0 ? 'awarded' : 'not-awarded',
    winners: winners.map((name) => ({ name })),
    contractDate: text('DecisionDate'),
    url: pageOf(tenderId),
  }
}
