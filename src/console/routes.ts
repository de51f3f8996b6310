// All pages of the console.

import { codesPages } from './codes/codes-pages.ts'
import { accessPages } from './customers/access-pages.ts'
import { auditPages } from './customers/audit-pages.ts'
import { contractPages } from './customers/contract-pages.ts'
import { customerPages } from './customers/customer-pages.ts'
import { overviewPages } from './customers/overview-pages.ts'
import { quotePages } from './customers/quote-pages.ts'
import { operatorPages } from './desk/operator-pages.ts'
import { findPages } from './find/find-pages.ts'
import { letterPages } from './find/letter-page.ts'
import { partyPages } from './find/party-pages.ts'
import { startPages } from './find/start-pages.ts'
import { brandFiles } from './frame/brand.ts'
import type { ConsoleContext } from './frame/console-context.ts'
import type { PageRoute } from './frame/page.ts'
import { helpPages } from './help/help-pages.ts'
import { digestPages } from './hits/digest-pages.ts'
import { hitPages } from './hits/hit-pages.ts'
import { profilePages } from './hits/profile-pages.ts'
import { searchPages } from './hits/search-pages.ts'
import { webhookPages } from './hits/webhook-pages.ts'
import { companyPages } from './people/company-pages.ts'
import { invitationPages } from './people/invitation-pages.ts'
import { mePages } from './people/me-pages.ts'
import { passkeyPages } from './people/passkey-pages.ts'
import { peoplePages } from './people/people-pages.ts'
import { signInPages } from './people/sign-in-pages.ts'
import { statusMailPages } from './people/status-mail-pages.ts'
import { explorerPages } from './public/explorer-pages.ts'
import { publicSite } from './public/public-site.ts'
import { calendarPages } from './tenders/calendar-pages.ts'
import { tenderPages } from './tenders/tender-pages.ts'

/** Each group makes its pages from what they have to work with. */
const groups: readonly ((context: ConsoleContext) => readonly PageRoute[])[] = [
  accessPages,
  auditPages,
  brandFiles,
  calendarPages,
  codesPages,
  companyPages,
  contractPages,
  customerPages,
  digestPages,
  explorerPages,
  findPages,
  helpPages,
  hitPages,
  invitationPages,
  letterPages,
  mePages,
  operatorPages,
  overviewPages,
  partyPages,
  passkeyPages,
  peoplePages,
  profilePages,
  publicSite,
  quotePages,
  searchPages,
  signInPages,
  startPages,
  statusMailPages,
  tenderPages,
  webhookPages,
]

export const routesOf = (context: ConsoleContext): PageRoute[] => groups.flatMap((group) => group(context))
