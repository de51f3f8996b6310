// A procurement notice of EJN's open data service, regular or of the small procedures, to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { wordIn } from '../../read-values.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'ba-ejn',
  profile: 'ejn-odata',
  language: 'bs',
  zone: 'Europe/Sarajevo',
  country: 'BA',
  currency: 'BAM',
}

const procedures: { readonly [name: string]: ProcedureType } = {
  openprocedure: 'open',
  restrictedprocedure: 'restricted',
  negotiatedprocedure: 'neg-w-call',
  negotiatedprocedurewithoutpublication: 'neg-wo-call',
  competitivedialogue: 'comp-dial',
}
const natures = { works: 'works', goods: 'supplies', services: 'services' } as const

export function parseEjn(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const isSmall = member(entry, 'NpsProcurementName') !== undefined
  const id = textAt(entry, 'Id')
  const procedure = textAt(entry, 'ProcedureType')
  return readPublishedEntry(home, {
    // The two lists count for themselves.
    id: id && (isSmall ? `nps/${id}` : id),
    formType: 'competition',
    noticeType: isSmall ? 'NPS' : (procedure ?? 'notice'),
    procedureId: textAt(entry, 'ProcedureId') ?? (id && `nps/${id}`),
    reference: textAt(entry, 'ProcedureNumber') ?? textAt(entry, 'Number'),
    title: textAt(entry, 'NpsProcurementName') ?? textAt(entry, 'ProcedureName'),
    description: textAt(entry, 'AdditionalInformation'),
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
  })
}
