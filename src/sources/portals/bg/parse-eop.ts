// A procedure of CAIS EOP's public lists to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType } from '../../../domain/notice.ts'
import { member, numberAt } from '../../ocds/json.ts'
import { homeOf, jsonParser, wordsOf } from '../read-published-entry.ts'

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

export const parseEop = jsonParser(home, (entry, text) => {
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
})

function formOf(type: number, isClosed: boolean): FormType {
  if (type === 19) return 'consultation'
  return isClosed ? 'result' : 'competition'
}
