// A procedure of CAIS EOP's public lists to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, numberAt, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { type PortalHome, readPublishedEntry, wordsOf } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'bg-eop',
  profile: 'eop-published-tenders',
  language: 'bg',
  zone: 'Europe/Sofia',
  country: 'BG',
  currency: 'EUR',
}

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

export function parseEop(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const id = textAt(entry, 'TenderId')
  const type = numberAt(entry, 'ProcedureType') ?? 0
  const isClosed = numberAt(entry, 'Status') === 2
  const formType = formOf(type, isClosed)
  const special = wordsOf(member(entry, 'SpecialNumber'))
  return readPublishedEntry(home, {
    id: id && (formType === 'result' ? `${id}/closed` : id),
    formType,
    noticeType: `type ${type}`,
    procedureId: special ?? id,
    // The number of the register; only procedures that go to the EU's journal have one.
    reference: special,
    title: textAt(entry, 'TenderName'),
    description: textAt(entry, 'TenderDescription'),
    publishedAt: member(entry, 'PublicationDate'),
    deadline: member(entry, 'Deadline'),
    buyer: { name: textAt(entry, 'OrganizationName') },
    estimatedValue: member(entry, 'EstimatedValue'),
    procedureType: procedures[type]?.type,
    nationalProcedure: procedures[type]?.name ?? `type ${type}`,
    isFramework: member(entry, 'IsFrameworkAgreement') === true || undefined,
    url: id && `https://app.eop.bg/today/${encodeURIComponent(id)}`,
  })
}

function formOf(type: number, isClosed: boolean): FormType {
  if (type === 19) return 'consultation'
  return isClosed ? 'result' : 'competition'
}
