// All pages of the console.

import type { ConsoleContext } from './console-context.ts'
import type { PageRoute } from './page.ts'
import { accessPages } from './pages/access-pages.ts'
import { auditPages } from './pages/audit-pages.ts'
import { codesPages } from './pages/codes-pages.ts'
import { companyPages } from './pages/company-pages.ts'
import { contractPages } from './pages/contract-pages.ts'
import { customerPages } from './pages/customer-pages.ts'
import { digestPages } from './pages/digest-pages.ts'
import { explorerPages } from './pages/explorer-pages.ts'
import { hitPages } from './pages/hit-pages.ts'
import { invitationPages } from './pages/invitation-pages.ts'
import { mePages } from './pages/me-pages.ts'
import { operatorPages } from './pages/operator-pages.ts'
import { overviewPages } from './pages/overview-pages.ts'
import { passkeyPages } from './pages/passkey-pages.ts'
import { peoplePages } from './pages/people-pages.ts'
import { profilePages } from './pages/profile-pages.ts'
import { publicSite } from './pages/public-site.ts'
import { searchPages } from './pages/search-pages.ts'
import { signInPages } from './pages/sign-in-pages.ts'
import { tenderPages } from './pages/tender-pages.ts'
import { webhookPages } from './pages/webhook-pages.ts'

/** Each group makes its pages from what they have to work with. */
const groups: readonly ((context: ConsoleContext) => readonly PageRoute[])[] = [
  accessPages,
  auditPages,
  codesPages,
  companyPages,
  contractPages,
  customerPages,
  digestPages,
  explorerPages,
  hitPages,
  invitationPages,
  mePages,
  operatorPages,
  overviewPages,
  passkeyPages,
  peoplePages,
  profilePages,
  publicSite,
  searchPages,
  signInPages,
  tenderPages,
  webhookPages,
]

export const routesOf = (context: ConsoleContext): PageRoute[] => groups.flatMap((group) => group(context))
