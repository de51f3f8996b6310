// An announcement of IUB's daily files to a notice; its members follow eForms under names of their own.
import { isProcedureType } from '../../../domain/codes.ts'
import { sumOfMoney } from '../../../domain/money.ts'
import type { FormType, LotResult, NoticeLot } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { asObject, type JsonObject, member, numberAt, objectsOf, textAt, textsAt } from '../../ocds/json.ts'
import { countIn, dayIn, deadlineIn, descriptionIn, moneyIn, nutsCodesIn, titleIn } from '../../read-values.ts'
import { homeOf, jsonParser, winnersOf, wordsOf } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'lv-iub', profile: 'iub-open-data', language: 'lv', currency: 'EUR' })

const formTypes: { readonly [type: string]: FormType } = {
  planning: 'planning',
  competition: 'competition',
  result: 'result',
  execution: 'completion',
  'cont-modif': 'cont-modif',
  'dir-awa-pre': 'dir-awa-pre',
  consultation: 'consultation',
  change: 'change',
}

export const parseIub = jsonParser(home, (document, text) => {
  const entry = asObject(document['notice']) ?? document
  const formType = formTypes[textAt(entry, 'formType') ?? ''] ?? 'competition'
  const organizations = objectsOf(entry, 'organizationData')
  const buyer =
    organizations.find((each) => textAt(each, 'role') === 'buyer') ??
    organizations.find((each) => textAt(each, 'role')?.startsWith('cpb')) ??
    organizations[0]
  const contact = member(buyer, 'defaultContactPoint')
  const process = objectsOf(entry, 'tenderingProcess')
  const project = objectsOf(entry, 'procurementProject')[0]
  const procedure = textIn(process, 'procedureType')
  const cpv = [member(entry, 'cpvType'), member(entry, 'additionalCpvType')]
  const lots = objectsOf(entry, 'lots').map((lot, index) => lotOf(lot, index, formType))
  const stated = objectsOf(entry, 'automaticallyCalculated').map((each) => member(each, 'statementValue'))
  const contractValue = stated.map((each) => member(each, 'noticeContractValue')).find((each) => each !== undefined)
  const estimate = stated.map((each) => member(each, 'estimatedValue')).find((each) => each !== undefined)
  const sum = sumOfMoney(lots.map((lot) => lot.estimatedValue))
  return {
    id: textAt(entry, 'identifier') ?? textAt(entry, 'contactPoint', 'noticeId'),
    formType,
    noticeType: textAt(entry, 'noticeType'),
    procedureId: textAt(entry, 'procurementProcedureIdentifier'),
    reference: textAt(project, 'procurementIdentifier'),
    title: textAt(entry, 'name') ?? textAt(project, 'name'),
    description: textAt(project, 'description'),
    publishedAt: text('day'),
    buyer: {
      name: textAt(buyer, 'name'),
      nationalId: textAt(buyer, 'identifier'),
      street: textAt(buyer, 'street'),
      city: textAt(buyer, 'city'),
      postalCode: textAt(buyer, 'postCode'),
      country: textAt(buyer, 'countryCode'),
      nutsCode: textAt(buyer, 'nutsCode'),
      email: textAt(contact, 'electronicMail'),
      phone: textAt(contact, 'telephone'),
      url: textAt(buyer, 'internetAddress'),
    },
    cpv,
    nuts: lots.flatMap((lot) => lot.nutsCodes),
    estimatedValue: member(estimate, 'sum') ?? (formType === 'result' ? undefined : sum?.value),
    awardedValue: formType === 'result' ? member(contractValue, 'sum') : undefined,
    currency: textAt(contractValue, 'currency') ?? textAt(estimate, 'currency'),
    procedureType: procedure !== undefined && isProcedureType(procedure) ? procedure : undefined,
    nationalProcedure: procedure,
    nature: textAt(project, 'mainNatureType'),
    lots,
    changes: formType === 'result' ? undefined : textAt(entry, 'previousIdentifier'),
    documentsUrl: textIn(process, 'documentsURL')?.replace(editPage, '$1/EKEIS/Supplier/Procurement/$2'),
    isCancelled: /cancel/i.test(textAt(entry, 'changeReasonCode') ?? ''),
  }
})

/** Some buyers publish the URL of their editing page; the same number opens the public one. */
const editPage = /^(https?:\/\/(?:www\.)?eis\.gov\.lv)\/EKEIS\/Procurement\/Edit\/(\d+).*$/i

/** The first text under this name in any of the objects. */
function textIn(objects: readonly JsonObject[], name: string): string | undefined {
  return objects.map((each) => wordsOf(member(each, name))).find((text) => text !== undefined)
}

function lotOf(lot: JsonObject, index: number, formType: FormType): NoticeLot {
  const process = objectsOf(lot, 'tenderingProcess')
  const information = objectsOf(lot, 'additionalInformation')[0]
  const deadlineDay = dayIn(textIn(process, 'deadlineReceiptTendersEndDate'))
  const time = /^\d{1,2}:\d{2}/.exec(textIn(process, 'deadlineReceiptTendersEndTime') ?? '')?.[0]
  const amount = ['estimatedValue', 'maximumValue', 'value']
    .map((name) => member(information, name))
    .find((value) => numberAt(value))
  return compact<NoticeLot>({
    lotId: wordsOf(member(lot, 'id')) ?? String(index + 1),
    title: titleIn(textAt(lot, 'name'), home.language),
    description: descriptionIn(textAt(lot, 'description'), home.language),
    cpvCodes: [],
    nutsCodes: nutsCodesIn(textsAt(objectsOf(lot, 'place')[0], 'placePerformanceCountrySubCode')),
    estimatedValue: moneyIn(amount, 'EUR'),
    submissionDate:
      formType === 'competition' && deadlineDay !== undefined
        ? deadlineIn(time === undefined ? deadlineDay : `${deadlineDay}T${time.padStart(5, '0')}:00`, home.zone)
        : undefined,
    result: formType === 'result' ? resultOf(lot, process) : undefined,
  })
}

function resultOf(lot: JsonObject, process: readonly JsonObject[]): LotResult {
  const contracts = objectsOf(lot, 'contracts')
  const tenders = contracts.flatMap((contract) => objectsOf(contract, 'winners'))
  const values = tenders.map((tender) =>
    moneyIn(
      member(tender, 'tenderValue', 'amount') ?? member(tender, 'tenderValue'),
      textAt(tender, 'tenderValue', 'currency') ?? 'EUR',
    ),
  )
  const winners = winnersOf(
    home,
    tenders.flatMap((tender) =>
      objectsOf(tender, 'winnerBusinessParties').map((party) => ({
        name: textAt(party, 'name'),
        nationalId: textAt(party, 'companyId'),
        country: textAt(party, 'countryCode'),
      })),
    ),
  )
  const status = textAt(objectsOf(lot, 'result')[0], 'winnerSelectionStatus')
  const outcome = status === 'clos-nw' ? 'not-awarded' : status === 'open-nw' ? 'pending' : 'awarded'
  return compact<LotResult>({
    outcome,
    awardedValue: outcome === 'awarded' ? sumOfMoney(values) : undefined,
    winners: outcome === 'awarded' ? winners : undefined,
    contractDate: dayIn(textAt(objectsOf(lot, 'result')[0], 'decisionDate'), home.zone),
    receivedTenders: countIn(
      process
        .map((each) => member(each, 'receivedSubmissionsStatistics', 'receivedNumberOfOffers'))
        .find((count) => count !== undefined),
    ),
  })
}
