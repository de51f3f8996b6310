// A procurement of CVP IS's integration interface to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'lt-cvpis',
  profile: 'cvpis-cft-details',
  language: 'lt',
  zone: 'Europe/Vilnius',
  country: 'LT',
  currency: 'EUR',
}

/** The public page differs by kind of procedure; the wrong one leads to the login. */
const pages: { readonly [procedure: string]: string } = {
  'Preliminary Market Consultation': 'pmc/viewPmc.do',
  'DPS Specific Contract': 'dps/prepareViewCfTDPSWS.do',
  'Dynamic Purchasing System': 'dps/prepareViewCfTDPSWS.do',
}

export function parseCvpis(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const id = textAt(entry, 'id')
  const status = textAt(entry, 'status')
  const procedure = textAt(entry, 'procedure')
  const formType = formOf(status ?? '', procedure ?? '')
  const isCancelled = /^(?:Cancelled|Terminated)/i.test(status ?? '')
  return readPublishedEntry(home, {
    // One record that changes its state: call and result are two notices of it.
    id: id && (formType === 'result' ? `${id}/result` : isCancelled ? `${id}/cancelled` : id),
    formType,
    noticeType: status,
    procedureId: textAt(entry, 'cftCaUniqueId') ?? id,
    reference: textAt(entry, 'cftCaUniqueId'),
    journal: textAt(entry, 'tedLink'),
    title: textAt(entry, 'title'),
    description: textAt(entry, 'description'),
    publishedAt: textAt(entry, 'datePublished'),
    deadline: textAt(entry, 'tenderSubmissionDeadline'),
    buyer: { name: textAt(entry, 'caName') },
    cpv: textAt(entry, 'cpvCodes'),
    nuts: textAt(entry, 'nutsCode'),
    estimatedValue: member(entry, 'estimatedValue'),
    procedureType: procedureOf(procedure),
    nationalProcedure: procedure,
    nature: /^(?:works|supplies|services)$/i.exec(textAt(entry, 'procurementType')?.trim() ?? '')?.[0].toLowerCase(),
    outcome: formType === 'result' ? (/^(?:Awarded|Concluded)/i.test(status ?? '') ? 'awarded' : undefined) : undefined,
    isCancelled,
    url:
      id &&
      `https://viesiejipirkimai.lt/epps/${pages[procedure ?? ''] ?? 'cft/prepareViewCfTWS.do'}?resourceId=${encodeURIComponent(id)}`,
  })
}

function formOf(status: string, procedure: string): FormType {
  if (procedure === 'Preliminary Market Consultation') return 'consultation'
  return /^(?:Awarded|Concluded|Closed)/i.test(status) ? 'result' : 'competition'
}

function procedureOf(procedure: string | undefined): ProcedureType | undefined {
  if (procedure === undefined) return undefined
  if (/without (?:prior )?publication|unpublished/i.test(procedure)) return 'neg-wo-call'
  if (/^open/i.test(procedure)) return 'open'
  if (/^restricted/i.test(procedure)) return 'restricted'
  if (/negotiat/i.test(procedure)) return 'neg-w-call'
  if (/dialogue/i.test(procedure)) return 'comp-dial'
  return /innovation/i.test(procedure) ? 'innovation' : undefined
}
