// Hilma: an eForms notice in base64 inside the answer of the reading interface, or an entry of the search index.
import { isProcedureType } from '../../../domain/codes.ts'
import type { FormType, Notice, ParsedPart } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { type JsonObject, member, textAt, textsAt } from '../../ocds/json.ts'
import { parseDocument } from '../../parse-document.ts'
import { type Found, readAnyDocument, readJsonDocument } from '../../read-portal-notice.ts'
import { instantIn, moneyIn, uuidIn, wordIn } from '../../read-values.ts'
import { cleanField, cleanLine, cleanText, isPlaceholder } from '../../text.ts'
import { homeOf, type PublishedEntry, readPublishedEntry, type TextAt, textsOf } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'fi-hilma', profile: 'hilma-eformnotices', language: 'fi', currency: 'EUR' })

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

function readIndexEntry(entry: JsonObject, text: TextAt): PublishedEntry {
  const id = cleanField(text('noticeId', 'id'), 100)
  const formType = wordIn(formTypes, text('mainType')) ?? 'competition'
  const title = textsIn(entry, 'title', 2_000)
  const names = textsIn(entry, 'organisationName', 1_000)
  const procedure = cleanField(text('procedureType'), 100)
  const procedureNumber = cleanField(text('procedureId'), 50)
  const isCorrigendum = member(entry, 'isCorrigendum') === true
  return {
    id,
    formType: isCorrigendum && formType === 'competition' ? 'change' : formType,
    noticeType: cleanField(text('mainType'), 100) ?? 'notice',
    noticeSubtype: cleanField(text('type'), 20),
    journal: text('tedPublicationId'),
    language: Object.keys(title ?? {})[0] ?? home.language,
    title,
    description: textsIn(entry, 'description', 20_000),
    publishedAt: text('datePublished'),
    deadline: formType === 'result' ? undefined : text('deadline'),
    buyer: {
      name: names && Object.values(names)[0],
      nationalId: text('organisationNationalRegistrationNumber'),
      nutsCode: text('organisationNutsCode'),
    },
    cpv: member(entry, 'cpvCodes'),
    nuts: member(entry, 'nutsCodes'),
    procedureType: procedure && isProcedureType(procedure) ? procedure : undefined,
    nationalProcedure: procedure,
    nature: ['works', 'supplies', 'services'].find((nature) => nature === text('procurementTypeCode')),
    references: textsAt(entry, 'previousNoticeNumber')
      .map((number) => cleanField(number, 50))
      .filter((noticeId) => noticeId !== undefined)
      .map((noticeId) => ({ kind: isCorrigendum ? 'changes' : 'previous', noticeId })),
    isCancelled: member(entry, 'isCancelled') === true,
    documentsUrl: text('procurementDocumentsUrl'),
    url: pageOf(procedureNumber, cleanField(text('noticeId'), 50)),
    also: {
      id,
      noticeId: uuidIn(text('eFormsId')) ?? cleanField(text('noticeNumber'), 50),
      procedureId: uuidIn(text('contractFolderId')) ?? procedureNumber,
      estimatedValue: moneyIn(member(entry, 'estimatedValue'), text('currency') ?? home.currency),
    },
  }
}

function pageOf(procedureId: string | undefined, noticeId: string | undefined): string | undefined {
  return procedureId && noticeId && /^\d+$/.test(procedureId) && /^\d+$/.test(noticeId)
    ? `https://www.hankintailmoitukset.fi/fi/public/procurement/${procedureId}/notice/${noticeId}/overview`
    : undefined
}

function readEform(eform: string, text: TextAt): Found {
  const number = cleanField(text('id'), 50)
  const url = pageOf(cleanField(text('procedureId'), 50), number)
  return parseDocument(Buffer.from(eform, 'base64')).map((part) => {
    if ('rejection' in part) return part.rejection
    const { notice } = part
    return compact<Notice>({
      ...notice,
      noticeKey: number && notice.publisher !== 'ted' ? `${home.publisher}:${number}` : notice.noticeKey,
      publisher: notice.publisher === 'ted' ? notice.publisher : home.publisher,
      publicationDate: notice.publicationDate ?? instantIn(text('dateCreated'), home.zone),
      url: notice.url ?? url,
    })
  })
}

function readAnswer(entry: JsonObject): Found {
  const text = textsOf(entry)
  const eform = text('eForm')
  return eform === undefined ? readPublishedEntry(home, readIndexEntry(entry, text)) : readEform(eform, text)
}

/** Never throws. */
export function parseHilma(bytes: Uint8Array): ParsedPart[] {
  return readAnyDocument(bytes, (json) => readJsonDocument(json, readAnswer))
}
