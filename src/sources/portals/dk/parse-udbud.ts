// One hit of the search of udbud.dk: the id and version of an eForms notice, and its summary in Danish and English.
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { asObject, type JsonObject, member, textAt, textsAt } from '../../ocds/json.ts'
import { readJsonDocument, readPortalNotice } from '../../read-portal-notice.ts'
import {
  cpvCodesIn,
  deadlineIn,
  descriptionIn,
  instantIn,
  moneyIn,
  organizationOf,
  tedNumberIn,
  titleIn,
  uuidIn,
} from '../../read-values.ts'
import { cleanField } from '../../text.ts'

const publisher = 'dk-udbud'
const zone = 'Europe/Copenhagen'

/** BT-03 as the hit names it (`competition`, `result` …). */
function formTypeOf(code: string): FormType {
  if (/result|tildeling/.test(code)) return 'result'
  if (/modif|aendring/.test(code)) return 'cont-modif'
  if (/complet|afslut/.test(code)) return 'completion'
  if (/dir-awa|direkte/.test(code)) return 'dir-awa-pre'
  if (/consult|dialog/.test(code)) return 'consultation'
  if (/plan|prior|forhaand/.test(code)) return 'planning'
  return 'competition'
}

function readHit(hit: JsonObject): Notice | Rejection {
  const data = asObject(member(hit, 'dataDa')) ?? asObject(member(hit, 'dataEn'))
  const id = cleanField(textAt(hit, 'noticeId'), 100)?.toLowerCase()
  const version = cleanField(textAt(hit, 'noticeVersion'), 10)
  const formType = formTypeOf((textAt(data, 'formulartypeKode') ?? '').toLowerCase())
  const isChange = member(data, 'erAendring') === true
  const buyer = organizationOf({ name: textAt(data, 'ordregiver'), nationalId: textAt(data, 'ordregiverId') }, 'DK')
  const deadlines = textsAt(data, 'tidsfrister')
    .map((text) => deadlineIn(text, zone))
    .filter((deadline) => deadline !== undefined)
    .sort()
  const number = cleanField(textAt(hit, 'noticePublicationNumber'), 50)
  const query = `noticeId=${encodeURIComponent(id ?? '')}&noticeVersion=${encodeURIComponent(version ?? '01')}`
  return readPortalNotice({
    id: id && `${id}-${(version ?? '01').padStart(2, '0')}`,
    publisher,
    profile: 'udbud-soegeresultat',
    noticeId: uuidIn(id),
    noticeVersion: version,
    publicationNumber: tedNumberIn(number),
    formType: isChange && formType === 'competition' ? 'change' : formType,
    noticeType: cleanField(textAt(data, 'formulartypeKode'), 100) ?? 'udbud',
    noticeSubtype: cleanField(textAt(data, 'bkSubTypeKode'), 20),
    language: 'da',
    title: titleIn(textAt(data, 'titel'), 'da'),
    description: descriptionIn(textAt(data, 'beskrivelse'), 'da'),
    publicationDate: instantIn(textAt(data, 'publiceringsdato'), zone),
    contractingAuthorities: buyer ? [buyer] : [],
    cpvCodes: cpvCodesIn(textAt(data, 'cpvKode')),
    estimatedValue: moneyIn(member(data, 'anslaaetVaerdi'), textAt(data, 'anslaaetVaerdiValuta') ?? 'DKK'),
    submissionDate: formType === 'result' ? undefined : deadlines[0],
    isCancelled: /annul/i.test(textAt(data, 'formulartype') ?? '') ? true : undefined,
    url:
      id &&
      `https://udbud.dk/detaljevisning?${query}${number ? `&noticePublicationNumber=${encodeURIComponent(number)}` : ''}`,
  })
}

/** Never throws. */
export function parseUdbud(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readHit)
}
