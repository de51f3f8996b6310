// Which winners are companies that people may look up. A person who trades under their own name is none of them: such a
// winner has no page, no link, and no words in the index (docs/privacy.md).

import { identifierOf } from '../organization-identity.ts'
import { hasRedaction } from '../redaction.ts'
import type { TenderOrganization, TenderRecord } from '../tender.ts'
import { saysLegalPerson } from './legal-forms.ts'

/** All winners of the lots, each as it stands there. */
export const winnersOf = ({ lots }: Pick<TenderRecord, 'lots'>): TenderOrganization[] =>
  lots.flatMap(({ winners }) => winners ?? [])

/** Whether its name may be searched: it says a legal form, and nothing says a natural person. */
export const isCompany = ({ name, isNaturalPerson }: TenderOrganization): boolean =>
  isNaturalPerson !== true && !hasRedaction(name) && saysLegalPerson(name)

/** Whether it has a page: it is a company with an identifier in a country. */
export const hasCompanyPage = (winner: TenderOrganization): boolean =>
  winner.country !== undefined && isCompany(winner) && identifierOf(winner) !== undefined
