// Codes of TED_EXPORT's coded section and forms in terms of eForms (ted-legacy-codes.csv; eForms SDK form-type,
// notice-type).
import type { FormType } from '../../domain/notice.ts'

/** The kind of a notice: BT-03 and BT-02. */
export type Kind = { readonly formType: FormType; readonly noticeType: string }

const kind = (formType: FormType, noticeType: string): Kind => ({ formType, noticeType })
const planning = kind('planning', 'pin-only')
const shortened = kind('planning', 'pin-rtl')
const call = kind('competition', 'pin-cfc-standard')
const contract = kind('competition', 'cn-standard')
const contest = kind('competition', 'cn-desg')
const qualification = kind('competition', 'qu-sy')
const award = kind('result', 'can-standard')
const contestResult = kind('result', 'can-desg')
const exAnte = kind('dir-awa-pre', 'veat')
const modification = kind('cont-modif', 'can-modif')
const corrigendum = kind('change', 'corr')
const buyerProfile = kind('planning', 'pin-buyer')

/** TD_DOCUMENT_TYPE. Letters not listed (general information, EEIG …) announce no procurement that we could place. */
const byDocumentType: { readonly [code: string]: Kind } = {
  '0': planning,
  '1': planning,
  '2': corrigendum,
  '3': contract,
  '4': contract,
  '5': contract,
  '7': award,
  A: call,
  B: buyerProfile,
  C: contract,
  D: contest,
  E: contract,
  F: contract,
  H: contract,
  I: call,
  J: award,
  K: modification,
  L: award,
  M: call,
  O: qualification,
  P: planning,
  Q: qualification,
  R: contestResult,
  V: exAnte,
  Y: contract,
}

/**
 * Forms that are always the same kind, R2.0.9 (`F02`) and R2.0.8 (`2`); for others NOTICE/@TYPE or the header decides.
 */
const byForm: { readonly [form: string]: Kind } = {
  F02: contract,
  F03: award,
  F05: contract,
  F06: award,
  F08: buyerProfile,
  F12: contest,
  F13: contestResult,
  F14: corrigendum,
  F15: exAnte,
  F16: planning,
  F17: contract,
  F18: award,
  F19: contract,
  F20: modification,
  F24: contract,
  F25: award,
  T01: kind('planning', 'pin-tran'),
  T02: kind('result', 'can-tran'),
  '1': planning,
  '2': contract,
  '3': award,
  '5': contract,
  '6': award,
  '8': buyerProfile,
  '9': contract,
  '10': contract,
  '11': contract,
  '12': contest,
  '13': contestResult,
  '14': corrigendum,
  '15': exAnte,
  '16': planning,
  '17': contract,
  '18': award,
  '19': contract,
}

const byNoticeType: { readonly [type: string]: Kind } = {
  PRI_ONLY: planning,
  PRI_REDUCING_TIME_LIMITS: shortened,
  PRI_CALL_COMPETITION: call,
  PRI: contract,
  PER_ONLY: planning,
  PER_REDUCING_TIME_LIMITS: shortened,
  PER_CALL_COMPETITION: call,
  CONTRACT: contract,
  AWARD_CONTRACT: award,
  CONCESSION_AWARD_CONTRACT: award,
  QSU_ONLY: qualification,
  QSU_CALL_COMPETITION: qualification,
}

/** Forms of the light regime: their notice types end in `-social`. */
const socialForms = new Set(['F21', 'F22', 'F23'])
const socialTypes: { readonly [noticeType: string]: string } = {
  'cn-standard': 'cn-social',
  'can-standard': 'can-social',
  'pin-cfc-standard': 'pin-cfc-social',
}

/**
 * The kind of the notice. The form decides if it can be only one thing, else NOTICE/@TYPE, else the header's document
 * type. F23's `PRI` (a social concession announced in advance) is a call, as the header's H says. Undefined if
 * unknown.
 */
export function kindOf(
  form: string,
  noticeType: string | undefined,
  documentType: string | undefined,
): Kind | undefined {
  const found =
    byForm[form] ??
    (noticeType === undefined ? undefined : byNoticeType[noticeType]) ??
    (documentType === undefined ? undefined : byDocumentType[documentType])
  if (!found || !socialForms.has(form)) return found
  return { formType: found.formType, noticeType: socialTypes[found.noticeType] ?? found.noticeType }
}

/** NC_CONTRACT_NATURE and CTYPE/VALUE attributes to BT-23. */
export function contractNatureOf(code: string | undefined): string | undefined {
  switch (code?.trim().toUpperCase()) {
    case '1':
    case 'WORKS':
      return 'works'
    case '2':
    case 'SUPPLIES':
      return 'supplies'
    case '4':
    case 'SERVICES':
      return 'services'
    default:
      return undefined
  }
}

/** PR_PROC to BT-105. A (direct award), E (concession award), 8, 9, N and Z have no clear counterpart. */
const byProcedureCode: { readonly [code: string]: string } = {
  '1': 'open',
  '2': 'restricted',
  '3': 'restricted',
  '4': 'neg-w-call',
  '6': 'neg-w-call',
  B: 'neg-w-call',
  C: 'comp-dial',
  F: 'neg-wo-call',
  G: 'innovation',
  T: 'neg-wo-call',
  V: 'neg-wo-call',
}

/** The header's procedure code as an eForms one. */
export function procedureTypeOfHeader(code: string | undefined): string | undefined {
  return code === undefined ? undefined : byProcedureCode[code]
}

/** True for header codes that name a procedure without an eForms counterpart. */
export function isNationalProcedureCode(code: string | undefined): boolean {
  return code === 'A' || code === 'E'
}

/**
 * The name of a PT_* element (both schema generations) as a BT-105 code. Order matters: `without` before `negotiated`.
 * PT_AWARD_CONTRACT_WITH_PRIOR_PUBLICATION (concessions) has no counterpart.
 */
export function procedureTypeOfElement(name: string): string | undefined {
  if (/WITHOUT/.test(name)) return 'neg-wo-call'
  if (/INNOVATION/.test(name)) return 'innovation'
  if (/DIALOGUE/.test(name)) return 'comp-dial'
  if (/NEGOTIAT/.test(name)) return 'neg-w-call'
  if (/RESTRICTED/.test(name)) return 'restricted'
  if (/OPEN/.test(name)) return 'open'
  return undefined
}

/** Procedures in which the first deadline is for requests to participate, not for tenders. */
export function startsWithParticipation(procedureType: string | undefined): boolean {
  return (
    procedureType === 'restricted' ||
    procedureType === 'neg-w-call' ||
    procedureType === 'comp-dial' ||
    procedureType === 'innovation'
  )
}

/** `2014/24/EU`, `2004/18/EC`, `32014L0024` or `1370/2007` as a CELEX number; other texts as `other`. */
export function legalBasisOf(text: string | undefined): string | undefined {
  const value = text?.trim()
  if (!value) return undefined
  if (/^3\d{4}[A-Z]\d{4}$/.test(value)) return value
  const directive = /^(\d{4})\/(\d{1,4})\/(?:EU|EC|EEC)$/.exec(value)
  if (directive) return `3${directive[1]}L${directive[2]!.padStart(4, '0')}`
  const regulation = /^(?:\((?:EU|EC)\)\s*)?(?:No\s*)?(\d{1,4})\/(\d{4})$/.exec(value)
  return regulation ? `3${regulation[2]}R${regulation[1]!.padStart(4, '0')}` : 'other'
}
