// Who has access, and what was changed by whom.
import type { ListedAuditEntry } from '../../store/people/audit.ts'
import type { Customer } from '../../store/people/customers.ts'
import type { ApiToken, Organization } from '../../store/people/organizations.ts'
import type { Quote, QuoteOutcome } from '../../store/people/quotes.ts'
import type { MonthUse } from '../../store/screens/month-use.ts'

export type AccessEvents = {
  organization: Organization
  customer: Customer
  /** By organization and month. */
  organizationUse: { months: MonthUse[] }
  /** `hadContract`: false if only its access was closed. */
  organizationEnded: { organizationId: string; name: string; hadContract: boolean }
  /** `token`: the plaintext of a token that was just created. */
  token: ApiToken & { isExpired: boolean; token?: string }
  revoked: { tokenId: string }
  /** A company's request for a quote. */
  quote: Quote
  quoteClosed: { quoteId: string; state: QuoteOutcome }
  quoteErased: { quoteId: string }
  /** `link` signs in once, until `until`; `mail`: the person, null for the first one. */
  consoleLink: { link: string; mail: string | null; until: number }
  /** `organization`: its name, or its ID if it no longer exists; null: the whole service. */
  auditEntry: Omit<ListedAuditEntry, 'organizationId' | 'causes'> & { organization: string | null }
}
