// One form of the Czech bulletin (VVZ): its entry in the search, and its content as a tree of eForms fields (BT-…,
// OPT-…).
import { isProcedureType, toCountry } from '../../../domain/codes.ts'
import {
  type FormType,
  isFormType,
  type LotResult,
  type Money,
  type NoticeLot,
  type NoticeReference,
  type Organization,
  type Place,
} from '../../../domain/notice.ts'
import { joinDateTime } from '../../../domain/time.ts'
import { compact } from '../../compact.ts'
import { asObject, member, objectsOf, textAt } from '../../ocds/json.ts'
import {
  countIn,
  cpvCodesIn,
  dayIn,
  descriptionIn,
  durationIn,
  formTypeOfSubtype,
  jsonAt,
  moneyIn,
  nutsCodesIn,
  organizationOf,
  tedNumberIn,
  titleIn,
  uuidIn,
} from '../../read-values.ts'
import { mergeResults } from '../../results.ts'
import { cleanField, cleanUrl } from '../../text.ts'
import { homeOf, jsonParser, textsOf } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'cz-vvz', profile: 'vvz-search', language: 'cs' })

/** Fields below a node, at any depth; an amount or a text in a language is `{ _value, … }`. */
function* fieldsIn(node: unknown, name: string, depth = 0): Generator<unknown> {
  if (depth > 40 || typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) {
    for (const item of node) yield* fieldsIn(item, name, depth + 1)
    return
  }
  for (const [key, value] of Object.entries(node)) {
    if (key !== name) yield* fieldsIn(value, name, depth + 1)
    else if (Array.isArray(value)) yield* value
    else yield value
  }
}

const plain = (value: unknown): string | undefined => textAt(value) ?? textAt(value, '_value') ?? textAt(value, 'value')

/** The first text of a field below a node. */
function field(node: unknown, ...names: readonly string[]): string | undefined {
  for (const name of names)
    for (const value of fieldsIn(node, name)) if (plain(value) !== undefined) return plain(value)
  return undefined
}

const allFields = (node: unknown, ...names: readonly string[]): string[] =>
  names.flatMap((name) => [...fieldsIn(node, name)].map(plain).filter((text) => text !== undefined))

function amount(node: unknown, ...names: readonly string[]): Money | undefined {
  for (const name of names) {
    for (const value of fieldsIn(node, name)) {
      const money = moneyIn(
        member(value, '_value') ?? member(value, 'value') ?? value,
        textAt(value, '_currencyID') ?? textAt(value, 'currencyID') ?? 'CZK',
      )
      if (money) return money
    }
  }
  return undefined
}

function deadline(node: unknown, name: string) {
  return joinDateTime(field(node, `${name}(d)-Lot`), field(node, `${name}(t)-Lot`), home.zone, 'end-of-day')
}

/** How long the contract of a lot lasts: a measure with its unit, or dates. */
function durationOf(lot: unknown): NoticeLot['duration'] {
  const [measure] = fieldsIn(lot, 'BT-36-Lot')
  const duration = compact<NonNullable<NoticeLot['duration']>>({
    ...durationIn(plain(measure), textAt(measure, '_unitCode') ?? textAt(measure, 'unitCode')),
    start: dayIn(field(lot, 'BT-536-Lot'), home.zone),
    end: dayIn(field(lot, 'BT-537-Lot'), home.zone),
  })
  return Object.keys(duration).length > 0 ? duration : undefined
}

function placeOf(lot: unknown): Place | undefined {
  const place = compact<Place>({
    country: toCountry(field(lot, 'BT-5141-Lot')),
    nutsCode: nutsCodesIn(field(lot, 'BT-5071-Lot'))[0],
    postalCode: cleanField(field(lot, 'BT-5121-Lot'), 50),
    city: cleanField(field(lot, 'BT-5131-Lot')),
  })
  return Object.keys(place).length > 0 ? place : undefined
}

/** How many tenders a lot received, of its statistics that of all tenders. */
function receivedTenders(lotResult: unknown): number | undefined {
  for (const statistic of fieldsIn(lotResult, 'ND-ReceivedSubmissions'))
    if (field(statistic, 'BT-760-LotResult') === 'tenders') return countIn(field(statistic, 'BT-759-LotResult'))
  return undefined
}

type Organizations = ReadonlyMap<string, Organization>

function organizationsOf(root: unknown): Organizations {
  const found = new Map<string, Organization>()
  for (const company of fieldsIn(root, 'ND-Company')) {
    const id = field(company, 'OPT-200-Organization-Company')
    const organization = organizationOf(
      {
        name: field(company, 'BT-500-Organization-Company'),
        nationalId: field(company, 'BT-501-Organization-Company'),
        street: field(company, 'BT-510(a)-Organization-Company'),
        city: field(company, 'BT-513-Organization-Company'),
        postalCode: field(company, 'BT-512-Organization-Company'),
        country: field(company, 'BT-514-Organization-Company'),
        nutsCode: field(company, 'BT-507-Organization-Company'),
        email: field(company, 'BT-506-Organization-Company'),
        phone: field(company, 'BT-503-Organization-Company'),
        url: field(company, 'BT-505-Organization-Company'),
      },
      'CZ',
    )
    if (id && organization) found.set(id, organization)
  }
  return found
}

function resultsOf(root: unknown, organizations: Organizations): ReadonlyMap<string, LotResult> {
  const result = [...fieldsIn(root, 'ND-NoticeResult')][0]
  const parties = new Map<string, Organization[]>()
  for (const party of fieldsIn(result, 'ND-TenderingParty')) {
    const id = field(party, 'OPT-210-Tenderer')
    const members = allFields(party, 'OPT-300-Tenderer').map((org) => organizations.get(org))
    if (id)
      parties.set(
        id,
        members.filter((organization) => organization !== undefined),
      )
  }
  const tenders = new Map<string, unknown>()
  for (const tender of fieldsIn(result, 'ND-LotTender')) {
    const id = field(tender, 'OPT-321-Tender')
    if (id) tenders.set(id, tender)
  }
  const byLot = new Map<string, LotResult[]>()
  for (const lotResult of fieldsIn(result, 'ND-LotResult')) {
    const lotId = field(lotResult, 'BT-13713-LotResult') ?? '1'
    const code = field(lotResult, 'BT-142-LotResult')
    const won = allFields(lotResult, 'OPT-320-LotResult').map((id) => tenders.get(id))
    const winners = won.flatMap((tender) => parties.get(field(tender, 'OPT-310-Tender') ?? '') ?? [])
    const isAwarded = code === 'selec-w' || (code === undefined && winners.length > 0)
    const one = compact<LotResult>({
      outcome: isAwarded ? 'awarded' : code === 'open-nw' ? 'pending' : code === undefined ? 'pending' : 'not-awarded',
      reason: isAwarded ? undefined : field(lotResult, 'BT-144-LotResult'),
      awardedValue: isAwarded && won.length === 1 ? amount(won[0], 'BT-720-Tender') : undefined,
      winners: isAwarded && winners.length > 0 ? winners : undefined,
      receivedTenders: receivedTenders(lotResult),
    })
    byLot.set(lotId, [...(byLot.get(lotId) ?? []), one])
  }
  return new Map([...byLot].map(([lotId, results]) => [lotId, mergeResults(results)] as const))
}

function lotsOf(root: unknown, organizations: Organizations): NoticeLot[] {
  const results = new Map(resultsOf(root, organizations))
  const lots: NoticeLot[] = []
  for (const lot of fieldsIn(root, 'ND-Lot')) {
    const lotId = cleanField(field(lot, 'BT-137-Lot'), 50) ?? String(lots.length + 1)
    const result = results.get(lotId)
    results.delete(lotId)
    lots.push(
      compact<NoticeLot>({
        lotId,
        title: titleIn(field(lot, 'BT-21-Lot'), 'cs'),
        description: descriptionIn(field(lot, 'BT-24-Lot'), 'cs'),
        cpvCodes: cpvCodesIn(allFields(lot, 'BT-262-Lot', 'BT-263-Lot')),
        nutsCodes: nutsCodesIn(allFields(lot, 'BT-5071-Lot')),
        contractNature: cleanField(field(lot, 'BT-23-Lot'), 50),
        place: placeOf(lot),
        duration: durationOf(lot),
        estimatedValue: amount(lot, 'BT-27-Lot'),
        submissionDate: deadline(lot, 'BT-131'),
        participationDate: deadline(lot, 'BT-1311'),
        documentsUrl: cleanUrl(field(lot, 'BT-15-Lot')),
        submissionUrl: cleanUrl(field(lot, 'BT-18-Lot')),
        result,
      }),
    )
  }
  for (const [lotId, result] of results) lots.push({ lotId, cpvCodes: [], nutsCodes: [], result })
  return lots
}

/** Forms before eForms by their number: F02 is a call, F03 an award, F14 a correction. */
function formTypeOf(declared: string | undefined, form: string): FormType {
  if (declared && isFormType(declared)) return declared
  if (!/^F/i.test(form)) return formTypeOfSubtype(form.replace(/^(?:CZ)?0*/i, '')) ?? 'competition'
  const number = Number(/^F0*(\d{1,2})$/i.exec(form)?.[1])
  if (number === 14) return 'change'
  if (number === 20) return 'cont-modif'
  if ([3, 6, 13, 25].includes(number)) return 'result'
  return [1, 4, 8].includes(number) ? 'planning' : number === 15 ? 'dir-awa-pre' : 'competition'
}

/** An entry of the search, alone or with the content of its form. */
export const parseVvz = jsonParser(home, (document) => {
  const entry = asObject(member(document, 'entry')) ?? document
  const children = objectsOf(document, 'detail')
  const data = asObject(member(entry, 'data'))
  const text = textsOf(data)
  const root =
    children.map((child) => jsonAt(child, '/data/ND-Root')).find((tree) => asObject(tree)) ?? member(data, 'ND-Root')
  const organizations = organizationsOf(root)
  const publicId = cleanField(textAt(entry, 'publicId'), 100)
  const form = cleanField(text('druhFormulare'), 20) ?? ''
  const formType = formTypeOf(field(root, 'BT-03-notice'), form)
  const listed = objectsOf(data, 'zadavatele').map((buyer) =>
    organizationOf({ name: textAt(buyer, 'nazev'), nationalId: textAt(buyer, 'ico') }, 'CZ'),
  )
  const buyers = allFields(root, 'OPT-300-Procedure-Buyer').map((org) => organizations.get(org))
  const authorities = (buyers.some((buyer) => buyer) ? buyers : listed).filter((buyer) => buyer !== undefined)
  const lots = lotsOf(root, organizations)
  const procedure = field(root, 'BT-105-Procedure')
  const changed = field(root, 'BT-758-notice')
  const changedId = /^([\da-f-]{36})(?:-\d+)?$/i.exec(changed ?? '')?.[1]?.toLowerCase()
  const changedNumber = changedId ? undefined : tedNumberIn(changed)
  const references: NoticeReference[] =
    changedId || changedNumber
      ? [compact<NoticeReference>({ kind: 'changes', noticeId: changedId, publicationNumber: changedNumber })]
      : []
  const reasons = allFields(root, 'BT-140-notice')
  const isOpenCall = formType !== 'result' && formType !== 'cont-modif'
  const hasDeadlines = lots.some((lot) => lot.submissionDate ?? lot.participationDate)
  return {
    id: undefined,
    formType,
    noticeType: cleanField(field(root, 'BT-02-notice'), 100) ?? (form || 'formular'),
    noticeSubtype: form,
    reference: cleanField(field(root, 'BT-22-Procedure'), 200) ?? cleanField(text('evCisloZakazkyVvz'), 50),
    journal: text('evCisloTed'),
    title: titleIn(field(root, 'BT-21-Procedure') ?? text('nazevZakazky'), home.language),
    description: field(root, 'BT-24-Procedure'),
    publishedAt: text('datumUverejneniVvz'),
    changedAt: text('datumPrijetiVvz'),
    deadline: isOpenCall && !hasDeadlines ? text('lhutaNabidkyZadosti') : undefined,
    cpv: allFields(root, 'BT-262-Procedure', 'BT-263-Procedure'),
    nuts: allFields(root, 'BT-5071-Procedure'),
    procedureType: procedure && isProcedureType(procedure) ? procedure : undefined,
    nationalProcedure: cleanField(procedure, 100),
    nature: cleanField(field(root, 'BT-23-Procedure'), 50),
    lots,
    references,
    changeReasons: reasons.length > 0 ? reasons : references.length > 0 ? [] : undefined,
    isCancelled: member(data, 'zakazkaZrusena') === true,
    url: publicId && `https://vvz.nipez.cz/vyhledat-formular/${encodeURIComponent(publicId)}`,
    also: {
      id: cleanField(textAt(entry, 'variableId') ?? publicId ?? textAt(entry, 'id'), 100),
      profile: root ? 'vvz-eforms-fields' : 'vvz-search',
      noticeId: uuidIn(field(root, 'BT-701-notice')),
      noticeVersion: cleanField(field(root, 'BT-757-notice'), 10),
      procedureId: uuidIn(field(root, 'BT-04-notice')) ?? cleanField(text('evCisloZakazkyVvz'), 50),
      contractingAuthorities: authorities,
      estimatedValue: amount(root, 'BT-27-Procedure'),
      awardedValue: amount(root, 'BT-161-NoticeResult'),
    },
  }
})
