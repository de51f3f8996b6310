// One result of the search of the EU Funding and Tenders portal: a call for tenders of an EU body, all members lists of texts.
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt, textsAt } from '../../ocds/json.ts'
import { readJsonDocument, readPortalNotice } from '../../read-portal-notice.ts'
import {
  cpvCodesIn,
  deadlineIn,
  descriptionIn,
  instantIn,
  moneyIn,
  organizationOf,
  tedNumberIn,
  titleIn,
} from '../../read-values.ts'
import { cleanField, cleanUrl } from '../../text.ts'

const publisher = 'eu-funding-tenders'
const zone = 'Europe/Brussels'

/** What the end of an identifier says: contract notice, ex-ante publicity, prior information, contract award. */
function formTypeOf(identifier: string): FormType {
  if (/-CAN$/i.test(identifier)) return 'result'
  if (/-PIN$/i.test(identifier)) return 'planning'
  return /-EXA$/i.test(identifier) ? 'dir-awa-pre' : 'competition'
}

function natureOf(label: string | undefined): string | undefined {
  const word = label?.trim().toLowerCase()
  return word === 'services' || word === 'supplies' || word === 'works' ? word : undefined
}

function readResult(entry: JsonObject): Notice | Rejection {
  const metadata = member(entry, 'metadata')
  const first = (name: string): string | undefined => textsAt(metadata, name)[0]
  const identifier = cleanField(first('identifier') ?? textAt(entry, 'reference'), 200)
  const formType = formTypeOf(identifier ?? '')
  const buyer = organizationOf({
    name:
      first('cftLeadContractingAuthority') ??
      first('cftPartyLegalEntityName') ??
      first('cftLeadContractingAuthorityCode'),
  })
  const changed = first('updateDate') ?? first('es_SortDate')
  const language =
    cleanField(first('language') ?? textAt(entry, 'language'), 10)
      ?.slice(0, 2)
      .toLowerCase() ?? 'en'
  return readPortalNotice({
    id: identifier && `${identifier}@${changed ?? first('deadlineDate') ?? ''}`,
    publisher,
    profile: 'sedia-search',
    noticeId: identifier,
    publicationNumber: tedNumberIn(first('cftContractNoticeLink')),
    // The parts of one procedure share what stands before the kind.
    procedureId: identifier?.replace(/-(?:CN|CAN|PIN|EXA)$/i, ''),
    internalReference: cleanField(first('callIdentifier') ?? first('cftId'), 200),
    formType,
    noticeType: /-([A-Z]{2,4})$/.exec(identifier ?? '')?.[1] ?? 'CN',
    language: /^[a-z]{2}$/.test(language) ? language : 'en',
    title: titleIn(first('title') ?? textAt(entry, 'summary'), 'en'),
    description: descriptionIn(first('description') ?? first('descriptionByte'), 'en'),
    publicationDate: instantIn(first('startDate') ?? first('cftPublicationDateEForm'), zone),
    dispatchDate: instantIn(changed, zone),
    contractingAuthorities: buyer ? [buyer] : [],
    procedureTypeNational: cleanField(first('procedureType'), 100),
    contractNature: natureOf(first('contractType')),
    cpvCodes: cpvCodesIn(first('mainCpvCode'), first('mainCpv')),
    estimatedValue: moneyIn(
      first('cftEstimatedTotalProcedureValue') ?? first('cftEstimatedOverallContractAmount'),
      first('cftEstimatedOverallContractCurrency') ?? 'EUR',
    ),
    submissionDate:
      formType === 'competition' ? deadlineIn(first('deadlineDate') ?? first('closingDate'), zone) : undefined,
    isCancelled: /cancel/i.test(first('statusLabel') ?? '') ? true : undefined,
    url:
      cleanUrl(textAt(entry, 'url')) ??
      (identifier &&
        `https://ec.europa.eu/info/funding-tenders/opportunities/portal/screen/opportunities/tender-details/${encodeURIComponent(identifier)}`),
  })
}

/** Never throws. */
export function parseFundingTenders(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readResult)
}
