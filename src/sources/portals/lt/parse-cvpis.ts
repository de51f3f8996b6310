// A procurement of CVP IS's integration interface to a notice.
import type { FormType } from '../../../domain/notice.ts'
import { member } from '../../ocds/json.ts'
import { firstMatch, homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'lt-cvpis', profile: 'cvpis-cft-details', language: 'lt', currency: 'EUR' })

const procedures = {
  'neg-wo-call': /without (?:prior )?publication|unpublished/i,
  open: /^open/i,
  restricted: /^restricted/i,
  'neg-w-call': /negotiat/i,
  'comp-dial': /dialogue/i,
  innovation: /innovation/i,
}

/** The public page differs by kind of procedure; the wrong one leads to the login. */
const pages: { readonly [procedure: string]: string } = {
  'Preliminary Market Consultation': 'pmc/viewPmc.do',
  'DPS Specific Contract': 'dps/prepareViewCfTDPSWS.do',
  'Dynamic Purchasing System': 'dps/prepareViewCfTDPSWS.do',
}

export const parseCvpis = jsonParser(home, (entry, text) => {
  const id = text('id')
  const status = text('status')
  const procedure = text('procedure')
  const formType = formOf(status ?? '', procedure ?? '')
  const isCancelled = /^(?:Cancelled|Terminated)/i.test(status ?? '')
  return {
    // One record that changes its state: call and result are two notices of it.
    id: id && (formType === 'result' ? `${id}/result` : isCancelled ? `${id}/cancelled` : id),
    formType,
    noticeType: status,
    procedureId: text('cftCaUniqueId') ?? id,
    reference: text('cftCaUniqueId'),
    journal: text('tedLink'),
    title: text('title'),
    description: text('description'),
    publishedAt: text('datePublished'),
    deadline: text('tenderSubmissionDeadline'),
    buyer: { name: text('caName') },
    cpv: text('cpvCodes'),
    nuts: text('nutsCode'),
    estimatedValue: member(entry, 'estimatedValue'),
    procedureType: firstMatch(procedures, procedure),
    nationalProcedure: procedure,
    nature: /^(?:works|supplies|services)$/i.exec(text('procurementType')?.trim() ?? '')?.[0].toLowerCase(),
    outcome: formType === 'result' ? (/^(?:Awarded|Concluded)/i.test(status ?? '') ? 'awarded' : undefined) : undefined,
    isCancelled,
    url:
      id &&
      `https://viesiejipirkimai.lt/epps/${pages[procedure ?? ''] ?? 'cft/prepareViewCfTWS.do'}?resourceId=${encodeURIComponent(id)}`,
  }
})

function formOf(status: string, procedure: string): FormType {
  if (procedure === 'Preliminary Market Consultation') return 'consultation'
  return /^(?:Awarded|Concluded|Closed)/i.test(status) ? 'result' : 'competition'
}
