// An entry of SEAP's list of notices, or of its list of award notices, to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType } from '../../../domain/notice.ts'
import { member } from '../../ocds/json.ts'
import { wordIn } from '../../read-values.ts'
import { homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'ro-seap', profile: 'seap-list', language: 'ro', currency: 'RON' })

const natures = { lucrari: 'works', servicii: 'services', furnizare: 'supplies' } as const

const procedures: { readonly [word: string]: ProcedureType } = {
  'licitatie deschisa': 'open',
  'licitatie restransa': 'restricted',
  'negociere competitiva': 'neg-w-call',
  'negociere fara publicare prealabila': 'neg-wo-call',
  'negociere fara invitatie/anunt prealabil de participare': 'neg-wo-call',
  'dialog competitiv': 'comp-dial',
  'parteneriat pentru inovare': 'innovation',
}

/** The site has a page of its own for every type, and an empty page for the wrong one. */
const pages: { readonly [prefix: string]: string } = {
  CN: 'c-notice/v2/view',
  SCN: 'simplified-notice/v2/view',
  PC: 'pc-notice/v2/view',
  RFQ: 'rfq-invitation/v2/view',
}

export const parseSeap = jsonParser(home, (entry, text) => {
  const number = text('noticeNo')
  const prefix = /^[A-Z]+/.exec(number ?? '')?.[0] ?? ''
  const awardId = text('caNoticeId')
  const isAward = awardId !== undefined || prefix === 'CAN'
  const state = text('sysProcedureState/text') ?? ''
  const isCancelled = /anulat/i.test(state)
  // A call whose tenders are evaluated, or that led to a contract, which another notice reports.
  const isClosed = !isAward && !isCancelled && /evaluare|deliberare|atribui|finaliz|incheiat/i.test(state)
  const procedure = text('sysProcedureType/text')
  // `RO 7179966 - Name`, `10874881 - Name`
  const [, fiscalNumber, name] = /^(?:RO\s*)?(\d+)\s+-\s+(.+)$/s.exec(
    text('contractingAuthorityNameAndFN')?.trim() ?? '',
  ) ?? [undefined, undefined, text('contractingAuthorityNameAndFN')]
  const value = member(entry, isAward ? 'ronContractValue' : 'estimatedValueRon')
  return {
    id: number,
    formType: formOf(prefix, isAward),
    noticeType: prefix || undefined,
    procedureId: text('procedureId'),
    title: text('contractTitle'),
    publishedAt: text('noticeStateDate'),
    // The earliest and latest of the lots: a tender is open until the latest.
    deadline: isAward ? undefined : text('maxTenderReceiptDeadline', 'minTenderReceiptDeadline'),
    buyer: { name, nationalId: fiscalNumber },
    cpv: text('cpvCodeAndName'),
    estimatedValue: isAward ? undefined : value,
    awardedValue: isAward ? value : undefined,
    outcome: !isAward ? undefined : isCancelled ? 'not-awarded' : value === undefined ? undefined : 'awarded',
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: wordIn(natures, text('sysAcquisitionContractType/text')),
    changeReasons: !isAward && /suspend/i.test(state) ? ['susp-review'] : undefined,
    isClosed,
    isCancelled,
    url: pageOf(prefix, isAward ? awardId : text('cNoticeId'), isAward),
  }
})

function formOf(prefix: string, isAward: boolean): FormType {
  if (isAward) return 'result'
  return prefix === 'PI' || prefix === 'PIN' ? 'planning' : 'competition'
}

function pageOf(prefix: string, id: string | undefined, isAward: boolean): string | undefined {
  if (id === undefined) return undefined
  if (isAward) return `https://e-licitatie.ro/pub/notices/ca-notices/${prefix === 'SCNA' ? 'view-rfq' : 'view-c'}/${id}`
  if (prefix === 'RFD') return `https://e-licitatie.ro/pub/rfqInvitationSad/view/${id}`
  return pages[prefix] === undefined ? undefined : `https://e-licitatie.ro/pub/notices/${pages[prefix]}/${id}`
}
