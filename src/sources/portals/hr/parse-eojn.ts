// A row of EOJN's tables, of procurements or of award decisions, to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { wordIn } from '../../read-values.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'hr-eojn',
  profile: 'eojn-searchgrid',
  language: 'hr',
  zone: 'Europe/Zagreb',
  country: 'HR',
  currency: 'EUR',
}

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

export function parseEojn(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, (entry) =>
    member(entry, 'TenderDecisionId') === undefined ? readTender(entry) : readDecision(entry),
  )
}

const pageOf = (id: string | undefined): string | undefined =>
  id && `https://eojn.hr/tender-eo/${encodeURIComponent(id)}`

function readTender(entry: JsonObject): Notice | Rejection {
  const id = textAt(entry, 'Id')
  const procedure = textAt(entry, 'ProcedureType')
  return readPublishedEntry(home, {
    id,
    formType: /savjetovanj/i.test(procedure ?? '') ? 'consultation' : 'competition',
    noticeType: procedure ?? 'tender',
    procedureId: id,
    reference: textAt(entry, 'ReferenceNumber'),
    title: textAt(entry, 'Name'),
    publishedAt: textAt(entry, 'NoticePublishDate'),
    deadline: textAt(entry, 'SubmissionDeadline'),
    buyer: { name: textAt(entry, 'ContractingBody') },
    cpv: textAt(entry, 'CPVExtended'),
    nuts: /^HR[A-Z0-9]{1,3}/.exec(textAt(entry, 'Nuts') ?? '')?.[0],
    estimatedValue: member(entry, 'EstimatedValue'),
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: wordIn(natures, textAt(entry, 'TypeContract')),
    url: pageOf(id),
  })
}

function readDecision(entry: JsonObject): Notice | Rejection {
  const id = textAt(entry, 'TenderDecisionId')
  const tenderId = textAt(entry, 'MainTenderId') ?? textAt(entry, 'TenderId')
  const winners = (textAt(entry, 'ContractorsNames') ?? '').split(/\s*[;|]\s*/).filter((name) => name.trim() !== '')
  return readPublishedEntry(home, {
    id: id && `decision/${id}`,
    formType: 'result',
    noticeType: 'decision',
    procedureId: tenderId,
    title: textAt(entry, 'TenderName'),
    description: textAt(entry, 'LotTitle'),
    publishedAt: textAt(entry, 'PublishDate') ?? textAt(entry, 'DecisionDate'),
    buyer: { name: textAt(entry, 'OfficialName') },
    outcome: winners.length > 0 ? 'awarded' : 'not-awarded',
    winners: winners.map((name) => ({ name })),
    contractDate: textAt(entry, 'DecisionDate'),
    url: pageOf(tenderId),
  })
}
