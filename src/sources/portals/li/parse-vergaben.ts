// One entry of vergaben.llv.li, the national publication platform of Liechtenstein.
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
import { readJsonDocument, readPortalNotice } from '../../read-portal-notice.ts'
import {
  cpvCodesIn,
  deadlineIn,
  descriptionIn,
  instantIn,
  nutsCodesIn,
  organizationOf,
  titleIn,
} from '../../read-values.ts'
import { cleanField } from '../../text.ts'

const publisher = 'li-vergaben'
const zone = 'Europe/Vaduz'

const contractNatures: { readonly [id: string]: string } = {
  '1': 'works',
  '2': 'supplies',
  '3': 'services',
  '4': 'services',
}

function formTypeOf(form: string): FormType {
  if (/vergeben|zuschlag|ergebnis/i.test(form)) return 'result'
  if (/vorinformation/i.test(form)) return 'planning'
  if (/berichtigung|änderung/i.test(form)) return 'change'
  return 'competition'
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const id = cleanField(textAt(entry, 'id'), 50)
  const form = cleanField(textAt(entry, 'formName'), 200) ?? ''
  const formType = formTypeOf(form)
  const buyer = organizationOf({ name: textAt(entry, 'contAuthOfficialName') }, 'LI')
  const state = `${form} ${textAt(entry, 'statusName') ?? ''}`
  return readPortalNotice({
    id,
    publisher,
    profile: 'llv-notice-find',
    noticeId: id,
    internalReference: cleanField(textAt(entry, 'documentNumber'), 100),
    formType,
    noticeType: form || 'bekanntmachung',
    language: 'de',
    title: titleIn(textAt(entry, 'name') ?? textAt(entry, 'contractName'), 'de'),
    description: descriptionIn(textAt(entry, 'contractDescription'), 'de'),
    publicationDate: instantIn(textAt(entry, 'publicationDate') ?? textAt(entry, 'publishDate'), zone),
    contractingAuthorities: buyer ? [buyer] : [],
    contractNature: contractNatures[textAt(entry, 'contractTypeId') ?? ''],
    cpvCodes: cpvCodesIn(member(entry, 'cpvCode'), member(entry, 'cpvCodes')),
    nutsCodes: nutsCodesIn(textAt(entry, 'nutsCode')),
    submissionDate: formType === 'result' ? undefined : deadlineIn(textAt(entry, 'submitDeadline'), zone),
    isCancelled: /widerruf|abbruch/i.test(state) ? true : undefined,
    url: id && `https://vergaben.llv.li/Detail/${id}`,
  })
}

/** Never throws. */
export function parseVergaben(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}
