// One announcement of the Polish bulletin (BZP): flat members, and the announcement itself as HTML with numbered
// labels.
import type { FormType, LotResult, NoticeLot, NoticeReference } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { asObject, type JsonObject, member, objectsOf, textAt } from '../../ocds/json.ts'
import { dayIn, durationIn, organizationOf, titleIn, uuidIn, wordIn } from '../../read-values.ts'
import { cleanField, cleanLine, descriptionLimit } from '../../text.ts'
import { homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'pl-bzp', profile: 'bzp-notice', language: 'pl', currency: 'PLN' })

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

/** The text after a label (`4.2.2.) Krótki opis …: text`), up to the next label or section. */
function labelled(body: string, number: string): string | undefined {
  const escaped = number.replaceAll('.', '\\.')
  const match = new RegExp(
    `(?<![\\d.])${escaped}\\.\\)\\s?[^:]{0,150}:\\s*(.{1,${descriptionLimit}}?)(?=\\s\\d{1,2}\\.\\d{1,2}(?:\\.\\d{1,2})?\\.\\)|\\sSEKCJA\\s|$)`,
  ).exec(body)
  return match?.[1]?.trim()
}

/**
 * Results by lot number: `procedureResult` and `contractors` count the lots, each separated by a semicolon or one
 * object.
 */
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

/** `12 miesięcy`, `45 dni` or `do 2026-11-30`; announced once for each lot, hence of a single one only. */
function durationOf(body: string): NoticeLot['duration'] {
  if (body.split(' 4.2.10.)').length !== 2) return undefined
  const text = labelled(body, '4.2.10')
  const end = dayIn(/^do\s+(\d{4}-\d{2}-\d{2})$/.exec(text ?? '')?.[1])
  return end === undefined ? durationIn(text) : { end }
}

function referencesOf(entry: JsonObject, formType: FormType): NoticeReference[] {
  const noticeId = uuidIn(textAt(entry, 'baseNoticeMOIdentifier'))
  if (noticeId === undefined || noticeId === uuidIn(textAt(entry, 'moIdentifier'))) return []
  return [{ kind: formType === 'change' ? 'changes' : formType === 'cont-modif' ? 'modifies' : 'previous', noticeId }]
}

/** One entry of `/mo-board/api/v1/notice`. */
export const parseBzp = jsonParser(home, (entry, text) => {
  const id = cleanField(text('objectId', 'bzpNumber', 'noticeNumber'), 100)
  const noticeType = cleanField(text('noticeType'), 100) ?? 'notice'
  const formType = wordIn(formTypes, noticeType) ?? 'competition'
  const body = bodyOf(entry)
  const isResult = formType === 'result'
  const lots = isResult ? lotsOf(entry) : []
  return {
    id,
    formType,
    noticeType,
    procedureId: cleanField(text('tenderId'), 100),
    reference: cleanField(text('noticeNumber', 'bzpNumber'), 100),
    title: titleIn(text('orderObject'), home.language),
    description: labelled(body, '4.2.2'),
    publishedAt: text('publicationDate'),
    deadline: isResult ? undefined : text('submittingOffersDate'),
    buyer: {
      name: text('organizationName'),
      nationalId: text('organizationNationalId'),
      city: text('organizationCity'),
      country: text('organizationCountry'),
      street: labelled(body, '1.5.1'),
      postalCode: labelled(body, '1.5.3'),
      nutsCode: /^PL[A-Z\d]{1,3}(?![A-Z\d])/.exec(labelled(body, '1.5.6') ?? '')?.[0],
      phone: labelled(body, '1.5.7'),
      email: labelled(body, '1.5.9'),
      url: labelled(body, '1.5.10'),
    },
    cpv: text('cpvCode'),
    // Only this amount is net; contracts are announced with VAT, so their amounts are left out.
    estimatedValue: isResult ? labelled(body, '4.3') : undefined,
    duration: durationOf(body),
    nationalProcedure: cleanField(text('tenderType'), 100),
    nature: wordIn(contractNatures, text('orderType')),
    lots,
    references: referencesOf(entry, formType),
    isUnsuccessful: lots.length > 0 && lots.every((lot) => lot.result?.outcome === 'not-awarded'),
    isCancelled: formType === 'change' && /uniewa[żz]nieni/i.test(body),
    documentsUrl: labelled(body, '3.1'),
    also: {
      id,
      noticeId: uuidIn(text('moIdentifier')) ?? uuidIn(id),
      url: id && `https://ezamowienia.gov.pl/mo-client-board/bzp/notice-details/id/${id}`,
    },
  }
})
