// Procedures and contracts of CAIS EOP to notices: rows of the daily open data, and entries of the public list.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType, NoticeLot } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { type JsonObject, member, numberAt } from '../../ocds/json.ts'
import { cpvCodesIn, moneyIn, type PublishedOrganization, titleIn, wordIn } from '../../read-values.ts'
import { firstMatch, homeOf, jsonParser, type PublishedEntry, type TextAt, wordsOf } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'bg-eop', profile: 'eop-published-tenders', language: 'bg', currency: 'EUR' })

/** Names as the platform shows them; of the numbers of the EU level only that they are. */
const procedures: { readonly [type: number]: { readonly name: string; readonly type?: ProcedureType } } = {
  11: { name: 'Конкурс за проект' },
  12: { name: 'Публично състезание', type: 'open' },
  13: { name: 'Пряко договаряне', type: 'neg-wo-call' },
  14: { name: 'Събиране на оферти с обява', type: 'open' },
  15: { name: 'Покана до определени лица', type: 'neg-wo-call' },
  17: { name: 'Квалификационна система' },
  18: { name: 'Динамична система за покупки', type: 'restricted' },
  19: { name: 'Пазарни консултации' },
}

/** Names of procedures in the open data. */
const procedureTypes = {
  'neg-wo-call': /пряко договаряне|договаряне без|покана до определени/i,
  'neg-w-call': /с договаряне|договаряне с/i,
  restricted: /ограничена|динамична система/i,
  'comp-dial': /диалог/i,
  innovation: /иновации/i,
  open: /открита|публично състезание|събиране на оферти/i,
}

const natures = { строителство: 'works', доставки: 'supplies', услуги: 'services' } as const

export const parseEop = jsonParser(home, (entry, text) => {
  if (Object.hasOwn(entry, 'contractNumber')) return contractOf(entry, text)
  return Object.hasOwn(entry, 'noticeId') ? procedureOf(entry, text) : listedOf(entry, text)
})

/** A row of the procedures of a day: a procedure, or one of its lots, which has a tender id of its own. */
function procedureOf(entry: JsonObject, text: TextAt): PublishedEntry {
  const tenderId = text('tenderId')
  const isLot = isYes(text('isLot')) || text('lotIdentifier') !== undefined
  const cpvCodes = cpvCodesIn(text('mainCpvCode'))
  const estimatedValue = member(entry, 'estimatedValue')
  return {
    ...sharedOf(text),
    id: idOf(text('noticeId'), tenderId),
    formType: firstMatch(phases, text('noticeType')) ?? 'competition',
    title: text('subject', 'lotTenderName'),
    deadline: member(entry, 'submissionDeadline'),
    cpv: cpvCodes,
    nuts: text('executionPlaceNuts'),
    estimatedValue: isLot ? undefined : estimatedValue,
    currency: text('currency'),
    lot: isLot
      ? compact<Partial<NoticeLot>>({
          lotId: lotIdOf(text('lotIdentifier')),
          title: titleIn(text('lotTenderName'), home.language),
          cpvCodes,
          estimatedValue: moneyIn(estimatedValue, text('currency')),
        })
      : undefined,
    isCancelled: isYes(text('isCancelled')),
    url: isLot || tenderId === undefined ? undefined : `https://app.eop.bg/today/${encodeURIComponent(tenderId)}`,
  }
}

const phases = {
  consultation: /пазарн/i,
  planning: /предварителна информация|профил на купувача/i,
}

/** A row of the contracts of a day: a contract, or a lot that was not awarded. */
function contractOf(entry: JsonObject, text: TextAt): PublishedEntry {
  return {
    ...sharedOf(text),
    id: idOf(text('noticeId'), text('contractNumber'), text('lotIdentifier')),
    formType: 'result',
    title: text('tenderName', 'contractSubject'),
    cpv: text('tenderMainCpv'),
    awardedValue: member(entry, 'contractValue'),
    currency: text('contractCurrency', 'currency'),
    outcome: isYes(text('noAwarding')) ? 'not-awarded' : 'awarded',
    winners: organizationsOf(text('supplierName'), text('supplierRegisterNumber')),
    receivedTenders: member(entry, 'offersCount'),
    contractDate: text('contractDate'),
    lot: compact<Partial<NoticeLot>>({
      lotId: lotIdOf(text('lotIdentifier')),
      title: titleIn(text('contractSubject'), home.language),
    }),
  }
}

/** What both kinds of rows say of the procedure. */
function sharedOf(text: TextAt) {
  const procedure = text('procedureType')
  const number = text('uniqueProcurementNumber')
  return {
    noticeType: text('noticeType'),
    procedureId: number ?? text('tenderId'),
    reference: number,
    journal: text('linkToOjEu'),
    publishedAt: text('publicationDate'),
    buyer: organizationsOf(text('buyerName'), text('buyerRegistryNumber'))[0]!,
    procedureType: firstMatch(procedureTypes, procedure),
    nationalProcedure: procedure,
    nature: wordIn(natures, text('typeOfContract')),
    isFramework: isYes(text('isFrameworkAgreement')) || undefined,
  }
}

function idOf(notice: string | undefined, ...parts: readonly (string | undefined)[]): string | undefined {
  return notice && [notice, ...parts.filter((part) => part !== undefined)].join('/')
}

const isYes = (word: string | undefined): boolean => word === 'Да'

/** `LOT-0003` and `3` are the same lot. */
const lotIdOf = (identifier: string | undefined): string => /[1-9]\d*$/.exec(identifier ?? '')?.[0] ?? '1'

/** Organizations of one contract are separated by semicolons, and their numbers likewise. */
function organizationsOf(names = '', numbers = ''): PublishedOrganization[] {
  const each = names.split(';')
  const ids = numbers.split(';')
  return each.map((name, index) => ({ name, ...(ids.length === each.length && numberOf(ids[index]!)) }))
}

/** A number of the Bulgarian register, or a foreign one that begins with its country; never that of a person. */
function numberOf(text: string): Pick<PublishedOrganization, 'nationalId' | 'country'> {
  const number = text.replace(/ЕИК|\s/g, '')
  if (/^\d{9}(?:\d{4})?$/.test(number)) return { nationalId: number }
  return /^[A-Z]{2}\d{5,}$/.test(number) ? { nationalId: number, country: number.slice(0, 2) } : {}
}

/** An entry of the public list. */
function listedOf(entry: JsonObject, text: TextAt): PublishedEntry {
  const id = text('TenderId')
  const type = numberAt(entry, 'ProcedureType') ?? 0
  const isClosed = numberAt(entry, 'Status') === 2
  const formType = formOf(type, isClosed)
  const special = wordsOf(member(entry, 'SpecialNumber'))
  return {
    id: id && (formType === 'result' ? `${id}/closed` : id),
    formType,
    noticeType: `type ${type}`,
    procedureId: special ?? id,
    // The number of the register.
    reference: special,
    title: text('TenderName'),
    description: text('TenderDescription'),
    publishedAt: member(entry, 'PublicationDate'),
    deadline: member(entry, 'Deadline'),
    buyer: { name: text('OrganizationName') },
    estimatedValue: member(entry, 'EstimatedValue'),
    procedureType: procedures[type]?.type,
    nationalProcedure: procedures[type]?.name ?? `type ${type}`,
    isFramework: member(entry, 'IsFrameworkAgreement') === true || undefined,
    url: id && `https://app.eop.bg/today/${encodeURIComponent(id)}`,
  }
}

function formOf(type: number, isClosed: boolean): FormType {
  if (type === 19) return 'consultation'
  return isClosed ? 'result' : 'competition'
}
