// One result of the search of the EU Funding and Tenders portal: a call for tenders of an EU body, all members lists of
// texts.
import { member, textsAt } from '../../ocds/json.ts'
import { descriptionIn, titleIn } from '../../read-values.ts'
import { cleanField, cleanUrl } from '../../text.ts'
import { firstMatch, homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({
  publisher: 'eu-funding-tenders',
  profile: 'sedia-search',
  language: 'en',
  zone: 'Europe/Brussels',
  currency: 'EUR',
})

/** What the end of an identifier says: contract notice, ex-ante publicity, prior information, contract award. */
const forms = { result: /-CAN$/i, planning: /-PIN$/i, 'dir-awa-pre': /-EXA$/i }

/** The name in a member that holds a list of names, or of objects with one, as JSON; any other text as it is. */
function nameIn(text: string | undefined): string | undefined {
  if (!text?.trim().startsWith('[')) return text
  try {
    const [first] = JSON.parse(text) as unknown[]
    return typeof first === 'string' ? first : textsAt(first, 'name')[0]
  } catch {
    return text
  }
}

export const parseFundingTenders = jsonParser(home, (entry, text) => {
  const metadata = member(entry, 'metadata')
  /** The first text of the first of the members that has one. */
  const first = (...names: readonly string[]): string | undefined =>
    names.map((name) => textsAt(metadata, name)[0]).find((value) => value !== undefined)
  const identifier = cleanField(first('identifier') ?? text('reference'), 200)
  const formType = firstMatch(forms, identifier) ?? 'competition'
  const changed = first('updateDate', 'es_SortDate')
  const language = cleanField(first('language') ?? text('language'), 10)
    ?.slice(0, 2)
    .toLowerCase()
  const nature = first('contractType')?.trim().toLowerCase()
  const title = first('title') ?? text('summary')
  const description = first('description', 'descriptionByte')
  return {
    id: identifier,
    formType,
    noticeType: /-([A-Z]{2,4})$/.exec(identifier ?? '')?.[1] ?? 'CN',
    reference: cleanField(first('callIdentifier', 'cftId'), 200),
    journal: first('cftContractNoticeLink'),
    language: language && /^[a-z]{2}$/.test(language) ? language : 'en',
    title: titleIn(title, 'en'),
    description: descriptionIn(description, 'en'),
    publishedAt: first('startDate', 'cftPublicationDateEForm'),
    changedAt: changed,
    deadline: formType === 'competition' ? first('deadlineDate', 'closingDate') : undefined,
    buyer: {
      name: nameIn(first('cftLeadContractingAuthority', 'cftPartyLegalEntityName', 'cftLeadContractingAuthorityCode')),
    },
    cpv: [first('mainCpvCode'), first('mainCpv'), ...textsAt(metadata, 'additionalCpvs')],
    estimatedValue: first('cftEstimatedTotalProcedureValue', 'cftEstimatedOverallContractAmount'),
    currency: first('cftEstimatedOverallContractCurrency'),
    nationalProcedure: cleanField(first('procedureType'), 100),
    nature: ['services', 'supplies', 'works'].find((known) => known === nature),
    isCancelled: /cancel/i.test(first('statusLabel') ?? ''),
    url:
      cleanUrl(text('url')) ??
      (identifier &&
        `https://ec.europa.eu/info/funding-tenders/opportunities/portal/screen/opportunities/tender-details/${encodeURIComponent(identifier)}`),
    also: {
      id: identifier && `${identifier}@${changed ?? first('deadlineDate') ?? ''}`,
      noticeId: identifier,
      // The parts of one procedure share what stands before the kind.
      procedureId: identifier?.replace(/-(?:CN|CAN|PIN|EXA)$/i, ''),
    },
  }
})
