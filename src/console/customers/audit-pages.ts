// The audit log of an organization.
import { listAuditEntries } from '../../store/people/audit.ts'
import { auditList, beforeOf, entriesOnPage } from '../desk/audit-list.ts'
import { auditTexts } from '../desk/audit-texts.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { organizationPage, type PageRoute, page } from '../frame/page.ts'

export const auditPages = ({ store }: ConsoleContext): PageRoute[] => [
  organizationPage('GET', '/o/:organization/audit', 'member', async ({ organization, language, query, url }) => {
    const { organizationId } = organization
    const before = beforeOf(query)
    const wanted = { organizationId, limit: entriesOnPage + 1, ...(before !== undefined && { before }) }
    const entries = await listAuditEntries(store.db, wanted)
    const texts = auditTexts[language]
    return page({
      title: texts.pageNames.audit,
      lead: texts.lead,
      body: auditList(entries, { language, path: url.pathname, isNewest: before === undefined }),
    })
  }),
]
