// One announcement of the Polish bulletin (BZP): flat members, and the announcement itself as HTML with numbered labels.
import type {
  FormType,
  LotResult,
  Notice,
  NoticeLot,
  NoticeReference,
  ParsedPart,
  Rejection,
} from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { asObject, type JsonObject, member, objectsOf, textAt } from '../../ocds/json.ts'
import { readJsonDocument, readPortalNotice } from '../../read-portal-notice.ts'
import {
  cpvCodesIn,
  deadlineIn,
  descriptionIn,
  instantIn,
  moneyIn,
  organizationOf,
  titleIn,
  uuidIn,
  wordIn,
} from '../../read-values.ts'
import { cleanField, cleanLine, cleanUrl, descriptionLimit } from '../../text.ts'

const publisher = 'pl-bzp'
const zone = 'Europe/Warsaw'

const formTypes: { readonly [noticeType: string]: FormType } = {
  contractnotice: 'competition',
  smallcontractnotice: 'competition',
  competitionnotice: 'competition',
  concessionnotice: 'competition',
  agreementintentionnotice: 'dir-awa-pre',
  concessionintentionagreementnotice: 'dir-awa-pre',
  tenderresultnotice: 'result',
  competitionresultnotice: 'result',
  concessionagreementnotice: 'result',
  noticeupdatenotice: 'change',
  noticeupdateconcession: 'change',
  agreementupdatenotice: 'cont-modif',
  concessionupdateagreementnotice: 'cont-modif',
  contractperformingnotice: 'completion',
  circumstancesfulfillmentnotice: 'completion',
}

const contractNatures: { readonly [type: string]: string } = {
  works: 'works',
  delivery: 'supplies',
  services: 'services',
}

/** The announcement as one line of text. */
function bodyOf(entry: JsonObject): string {
  const html = textAt(entry, 'htmlBody')
  if (html === undefined) return ''
  return cleanLine(html.slice(0, 2_000_000).replace(/<[^>]{0,2000}>/g, ' '), 500_000) ?? ''
}

/** What stands behind a label (`4.2.2.) Krótki opis …: text`), up to the next label or section. */
function labelled(body: string, number: string): string | undefined {
  const escaped = number.replaceAll('.', '\\.')
  const match = new RegExp(
    `(?<![\\d.])${escaped}\\.\\)\\s?[^:]{0,150}:\\s*(.{1,${descriptionLimit}}?)(?=\\s\\d{1,2}\\.\\d{1,2}(?:\\.\\d{1,2})?\\.\\)|\\sSEKCJA\\s|$)`,
  ).exec(body)
  return match?.[1]?.trim()
}

/** Results by lot number: `procedureResult` and `contractors` count the lots, each separated by a semicolon or one object. */
function lotsOf(entry: JsonObject): NoticeLot[] {
  const outcomes = (textAt(entry, 'procedureResult') ?? '').split(';').map((outcome) => outcome.trim())
  const contractors = member(entry, 'contractors')
  const list = Array.isArray(contractors) ? contractors : objectsOf(contractors)
  const lots: NoticeLot[] = []
  for (let index = 0; index < Math.min(Math.max(outcomes.length, list.length), 1_000); index++) {
    const outcome = outcomes[index] ?? ''
    const contractor = asObject(list[index])
    const winner = organizationOf(
      {
        name: textAt(contractor, 'contractorName'),
        nationalId: textAt(contractor, 'contractorNationalId'),
        city: textAt(contractor, 'contractorCity'),
        country: textAt(contractor, 'contractorCountry'),
      },
      'PL',
    )
    const isVoid = /uniewa/i.test(outcome)
    if (!isVoid && !winner && !/umow/i.test(outcome)) continue
    const result = compact<LotResult>({
      outcome: isVoid ? 'not-awarded' : 'awarded',
      winners: winner && !isVoid ? [winner] : undefined,
    })
    lots.push({ lotId: String(index + 1), cpvCodes: [], nutsCodes: [], result })
  }
  return lots
}

function referencesOf(entry: JsonObject, formType: FormType): NoticeReference[] {
  const noticeId = uuidIn(textAt(entry, 'baseNoticeMOIdentifier'))
  if (noticeId === undefined || noticeId === uuidIn(textAt(entry, 'moIdentifier'))) return []
  return [{ kind: formType === 'change' ? 'changes' : formType === 'cont-modif' ? 'modifies' : 'previous', noticeId }]
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const id = cleanField(textAt(entry, 'objectId') ?? textAt(entry, 'bzpNumber') ?? textAt(entry, 'noticeNumber'), 100)
  const noticeType = cleanField(textAt(entry, 'noticeType'), 100) ?? 'notice'
  const formType = wordIn(formTypes, noticeType) ?? 'competition'
  const body = bodyOf(entry)
  const buyer = organizationOf(
    {
      name: textAt(entry, 'organizationName'),
      nationalId: textAt(entry, 'organizationNationalId'),
      city: textAt(entry, 'organizationCity'),
      country: textAt(entry, 'organizationCountry'),
      postalCode: labelled(body, '1.5.3'),
      email: labelled(body, '1.5.9'),
      url: labelled(body, '1.5.10'),
    },
    'PL',
  )
  const isResult = formType === 'result'
  const lots = isResult ? lotsOf(entry) : []
  const procedureId = cleanField(textAt(entry, 'tenderId'), 100)?.toLowerCase()
  return readPortalNotice({
    id,
    publisher,
    profile: 'bzp-notice',
    noticeId: uuidIn(textAt(entry, 'moIdentifier')) ?? uuidIn(id),
    procedureId,
    internalReference: cleanField(textAt(entry, 'noticeNumber') ?? textAt(entry, 'bzpNumber'), 100),
    formType,
    noticeType,
    language: 'pl',
    title: titleIn(textAt(entry, 'orderObject'), 'pl'),
    description: descriptionIn(labelled(body, '4.2.2'), 'pl'),
    publicationDate: instantIn(textAt(entry, 'publicationDate'), zone),
    contractingAuthorities: buyer ? [buyer] : [],
    procedureTypeNational: cleanField(textAt(entry, 'tenderType'), 100),
    contractNature: wordIn(contractNatures, textAt(entry, 'orderType')),
    cpvCodes: cpvCodesIn(textAt(entry, 'cpvCode')),
    // Of the amounts only this one is net; what contracts cost is announced with VAT and left out.
    estimatedValue: isResult ? moneyIn(labelled(body, '4.3'), 'PLN') : undefined,
    submissionDate: isResult ? undefined : deadlineIn(textAt(entry, 'submittingOffersDate'), zone),
    documentsUrl: cleanUrl(labelled(body, '3.1')),
    lots,
    references: referencesOf(entry, formType),
    isUnsuccessful: lots.length > 0 && lots.every((lot) => lot.result?.outcome === 'not-awarded') ? true : undefined,
    isCancelled: formType === 'change' && /uniewa[żz]nieni/i.test(body) ? true : undefined,
    url: id && `https://ezamowienia.gov.pl/mo-client-board/bzp/notice-details/id/${id}`,
  })
}

/** One entry of `/mo-board/api/v1/notice`. Never throws. */
export function parseBzp(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}
