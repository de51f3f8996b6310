// Doffin: eForms XML as downloaded, or a hit of the web search.
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, objectsOf, textAt, textsAt } from '../../ocds/json.ts'
import { readAnyDocument, readPortalNotice } from '../../read-portal-notice.ts'
import {
  cpvCodesIn,
  deadlineIn,
  descriptionIn,
  instantIn,
  moneyIn,
  nutsCodesIn,
  organizationOf,
  tedNumberIn,
  titleIn,
} from '../../read-values.ts'
import { cleanField, cleanLine } from '../../text.ts'

const publisher = 'doffin'
const zone = 'Europe/Oslo'

/** The kind of a hit; the leading type decides before the list of all its types. */
function formTypeOf(hit: JsonObject): FormType {
  for (const text of [textAt(hit, 'type') ?? '', textsAt(hit, 'allTypes').join(' ')]) {
    if (/RESULT|AWARD|CONCLUSION/.test(text)) return 'result'
    if (/COMPETITION/.test(text)) return 'competition'
    if (/CONSULT/.test(text)) return 'consultation'
    if (/PLAN|PRE_ANNOUNCEMENT|BUYER_PROFILE/.test(text)) return 'planning'
  }
  return 'competition'
}

function readHit(hit: JsonObject): Notice | Rejection {
  const id = cleanField(textAt(hit, 'id'), 50)
  const formType = formTypeOf(hit)
  const types = `${textAt(hit, 'type') ?? ''} ${textsAt(hit, 'allTypes').join(' ')} ${textAt(hit, 'status') ?? ''}`
  const buyers = objectsOf(hit, 'buyer')
    .map((buyer) => organizationOf({ name: textAt(buyer, 'name'), nationalId: textAt(buyer, 'organizationId') }, 'NO'))
    .filter((buyer) => buyer !== undefined)
  const value = member(hit, 'estimatedValue')
  return readPortalNotice({
    id,
    publisher,
    profile: 'doffin-search-v2',
    publicationNumber: tedNumberIn(textAt(hit, 'tedId')),
    formType,
    noticeType: cleanLine(textAt(hit, 'type'), 100) ?? 'notice',
    language: 'no',
    title: titleIn(textAt(hit, 'heading'), 'no'),
    description: descriptionIn(textAt(hit, 'description'), 'no'),
    publicationDate: instantIn(textAt(hit, 'publicationDate') ?? textAt(hit, 'issueDate'), zone),
    contractingAuthorities: buyers,
    cpvCodes: cpvCodesIn(member(hit, 'cpvCodes'), member(hit, 'allCpvCodes')),
    nutsCodes: nutsCodesIn(member(hit, 'locationId')),
    estimatedValue: moneyIn(
      member(value, 'amount') ?? value,
      textAt(value, 'code') ?? textAt(value, 'currency') ?? 'NOK',
    ),
    submissionDate: formType === 'result' ? undefined : deadlineIn(textAt(hit, 'deadline'), zone),
    isCancelled: /CANCEL/.test(types) ? true : undefined,
    url: id && `https://www.doffin.no/notices/${id}`,
  })
}

/** Never throws. */
export function parseDoffin(bytes: Uint8Array): ParsedPart[] {
  return readAnyDocument(bytes, readHit)
}
