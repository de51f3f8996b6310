// A procurement notice of EJN's open data service, regular with its lots or of the small procedures, to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { NoticeLot } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { asObject, type JsonObject, member, numberAt, objectsOf, textAt } from '../../ocds/json.ts'
import { cpvCodesIn, descriptionIn, moneyIn, wordIn } from '../../read-values.ts'
import { homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'ba-ejn', profile: 'ejn-odata', language: 'bs', currency: 'BAM' })

const procedures: { readonly [name: string]: ProcedureType } = {
  openprocedure: 'open',
  restrictedprocedure: 'restricted',
  negotiatedprocedure: 'neg-w-call',
  negotiatedprocedurewithoutpublication: 'neg-wo-call',
  competitivedialogue: 'comp-dial',
}
const natures = { works: 'works', goods: 'supplies', services: 'services' } as const

/** The document holds the notice and the rows of other sets that belong to it; lists contain the notice alone. */
export const parseEjn = jsonParser(home, (document) => {
  const entry = asObject(member(document, 'notice')) ?? document
  const rows = objectsOf(document, 'lots')
  const lots = rows.map((row) => readLot(row, document))
  const values = rows.map((row) => numberAt(row, 'EstimatedValue') ?? 0)
  const isSmall = member(entry, 'NpsProcurementName') !== undefined
  const id = textAt(entry, 'Id')
  const procedure = textAt(entry, 'ProcedureType')
  return {
    // The two lists have separate ids.
    id: id && (isSmall ? `nps/${id}` : id),
    formType: 'competition',
    noticeType: isSmall ? 'NPS' : (procedure ?? 'notice'),
    procedureId: textAt(entry, 'ProcedureId') ?? (id && `nps/${id}`),
    reference: textAt(entry, 'ProcedureNumber') ?? textAt(entry, 'Number'),
    title: textAt(entry, 'NpsProcurementName') ?? textAt(entry, 'ProcedureName'),
    description:
      textAt(rows.length === 1 ? rows[0] : undefined, 'ShortDescription') ?? textAt(entry, 'AdditionalInformation'),
    cpv: objectsOf(document, 'codes').map((code) => textAt(code, 'Code')),
    // Only the lots of a procedure have values; if one has none, the sum would be too small.
    estimatedValue:
      values.every((value) => value > 0) && values.length > 0 ? values.reduce((sum, value) => sum + value) : undefined,
    lots: lots.length > 1 ? lots : [],
    publishedAt: textAt(entry, 'Announced'),
    deadline: textAt(entry, 'ApplicationDeadlineDateTime'),
    buyer: {
      name: textAt(entry, 'ContractingAuthorityName'),
      nationalId: textAt(entry, 'ContractingAuthorityTaxNumber'),
      city: textAt(entry, 'ContractingAuthorityCityName'),
    },
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: wordIn(natures, textAt(entry, 'ContractType')),
    url: 'https://www.ejn.gov.ba/Announcement/Search',
  }
})

function readLot(row: JsonObject, document: JsonObject): NoticeLot {
  const id = textAt(row, 'Id') ?? ''
  const ownCodes = objectsOf(document, 'links')
    .filter((link) => textAt(link, 'LotId') === id)
    .map((link) => textAt(link, 'CpvCodeId'))
  return compact<NoticeLot>({
    lotId: id,
    description: descriptionIn(textAt(row, 'ShortDescription'), home.language),
    cpvCodes: cpvCodesIn(
      objectsOf(document, 'codes')
        .filter((code) => ownCodes.includes(textAt(code, 'Id')))
        .map((code) => textAt(code, 'Code')),
    ),
    nutsCodes: [],
    estimatedValue: moneyIn(numberAt(row, 'EstimatedValue'), home.currency),
  })
}
