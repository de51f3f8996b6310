// Hilma: an eForms notice in base64 inside the answer of the reading interface, or an entry of the search index.

import { isProcedureType } from '../../../domain/codes.ts'
import type { FormType, Notice, NoticeReference, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { type JsonObject, member, textAt, textsAt } from '../../ocds/json.ts'
import { parseDocument } from '../../parse-document.ts'
import { type Found, readAnyDocument, readPortalNotice } from '../../read-portal-notice.ts'
import {
  cpvCodesIn,
  deadlineIn,
  instantIn,
  moneyIn,
  nutsCodesIn,
  organizationOf,
  tedNumberIn,
  uuidIn,
  wordIn,
} from '../../read-values.ts'
import { cleanField, cleanLine, cleanText, cleanUrl, isPlaceholder } from '../../text.ts'

const publisher = 'fi-hilma'
const zone = 'Europe/Helsinki'

const formTypes: { readonly [mainType: string]: FormType } = {
  contractnotices: 'competition',
  nationalnotices: 'competition',
  priorinformationnotices: 'planning',
  procurementplan: 'planning',
  contractawardnotices: 'result',
  contractmodificationnotices: 'cont-modif',
  directpurchases: 'dir-awa-pre',
}

/** `titleFi`, `titleSv`, `titleEn`: the languages that are filled. */
function textsIn(entry: JsonObject, base: string, limit: number) {
  const texts: Record<string, string> = {}
  for (const [suffix, language] of [
    ['Fi', 'fi'],
    ['Sv', 'sv'],
    ['En', 'en'],
    ['Other', 'und'],
  ] as const) {
    const raw = textAt(entry, base + suffix)
    const text = limit > 2_000 ? cleanText(raw, limit) : cleanLine(raw, limit)
    if (text !== undefined && !isPlaceholder(text)) texts[language] = text
  }
  return Object.keys(texts).length > 0 ? texts : undefined
}

function readIndexEntry(entry: JsonObject): Notice | Rejection {
  const id = cleanField(textAt(entry, 'noticeId') ?? textAt(entry, 'id'), 100)
  const formType = wordIn(formTypes, textAt(entry, 'mainType')) ?? 'competition'
  const title = textsIn(entry, 'title', 2_000)
  const names = textsIn(entry, 'organisationName', 1_000)
  const buyer = organizationOf(
    {
      name: names && Object.values(names)[0],
      nationalId: textAt(entry, 'organisationNationalRegistrationNumber'),
      nutsCode: textAt(entry, 'organisationNutsCode'),
    },
    'FI',
  )
  const procedure = cleanField(textAt(entry, 'procedureType'), 100)
  const procedureNumber = cleanField(textAt(entry, 'procedureId'), 50)
  const references: NoticeReference[] = textsAt(entry, 'previousNoticeNumber').flatMap((number) => {
    const noticeId = cleanField(number, 50)
    return noticeId
      ? [{ kind: member(entry, 'isCorrigendum') === true ? 'changes' : 'previous', noticeId } as const]
      : []
  })
  return readPortalNotice({
    id,
    publisher,
    profile: 'hilma-eformnotices',
    noticeId: uuidIn(textAt(entry, 'eFormsId')) ?? cleanField(textAt(entry, 'noticeNumber'), 50),
    publicationNumber: tedNumberIn(textAt(entry, 'tedPublicationId')),
    procedureId: uuidIn(textAt(entry, 'contractFolderId')) ?? procedureNumber,
    formType: member(entry, 'isCorrigendum') === true && formType === 'competition' ? 'change' : formType,
    noticeType: cleanField(textAt(entry, 'mainType'), 100) ?? 'notice',
    noticeSubtype: cleanField(textAt(entry, 'type'), 20),
    language: Object.keys(title ?? {})[0] ?? 'fi',
    title,
    description: textsIn(entry, 'description', 20_000),
    publicationDate: instantIn(textAt(entry, 'datePublished'), zone),
    contractingAuthorities: buyer ? [buyer] : [],
    procedureType: procedure && isProcedureType(procedure) ? procedure : undefined,
    procedureTypeNational: procedure && isProcedureType(procedure) ? undefined : procedure,
    contractNature: ['works', 'supplies', 'services'].find((nature) => nature === textAt(entry, 'procurementTypeCode')),
    cpvCodes: cpvCodesIn(member(entry, 'cpvCodes')),
    nutsCodes: nutsCodesIn(member(entry, 'nutsCodes')),
    estimatedValue: moneyIn(member(entry, 'estimatedValue'), textAt(entry, 'currency') ?? 'EUR'),
    submissionDate: formType === 'result' ? undefined : deadlineIn(textAt(entry, 'deadline'), zone),
    documentsUrl: cleanUrl(textAt(entry, 'procurementDocumentsUrl')),
    references,
    isCancelled: member(entry, 'isCancelled') === true ? true : undefined,
    url: pageOf(procedureNumber, cleanField(textAt(entry, 'noticeId'), 50)),
  })
}

function pageOf(procedureId: string | undefined, noticeId: string | undefined): string | undefined {
  return procedureId && noticeId && /^\d+$/.test(procedureId) && /^\d+$/.test(noticeId)
    ? `https://www.hankintailmoitukset.fi/fi/public/procurement/${procedureId}/notice/${noticeId}/overview`
    : undefined
}

function readAnswer(entry: JsonObject): Found {
  const eform = textAt(entry, 'eForm')
  if (eform === undefined) return readIndexEntry(entry)
  const parts = parseDocument(Buffer.from(eform, 'base64'))
  const number = cleanField(textAt(entry, 'id'), 50)
  const url = pageOf(cleanField(textAt(entry, 'procedureId'), 50), number)
  return parts.map((part) => {
    if ('rejection' in part) return part.rejection
    const { notice } = part
    return compact<Notice>({
      ...notice,
      noticeKey: number && notice.publisher !== 'ted' ? `${publisher}:${number}` : notice.noticeKey,
      publisher: notice.publisher === 'ted' ? notice.publisher : publisher,
      publicationDate: notice.publicationDate ?? instantIn(textAt(entry, 'dateCreated'), zone),
      url: notice.url ?? url,
    })
  })
}

/** Never throws. */
export function parseHilma(bytes: Uint8Array): ParsedPart[] {
  return readAnyDocument(bytes, readAnswer)
}
