// The audit log of all organizations and of the service, for operators.
import { type ListedAuditEntry, listAuditEntries } from '../../store/people/audit.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber } from '../frame/format.ts'
import { type Content, html } from '../frame/html.ts'
import { operatorPage, type PageAnswer, type PageRoute, type PersonRequest, page } from '../frame/page.ts'
import { empty, moment, pager, quoted, table } from '../frame/parts.ts'
import { actionText, detailText, subjectText } from './audit-list.ts'
import { deskLogTexts } from './desk-log-texts.ts'

const perPage = 100

export const operatorAuditPages = (context: ConsoleContext): PageRoute[] => [
  operatorPage('GET', '/operator/audit', (request) => auditLog(context, request)),
]

async function auditLog({ store, directory }: ConsoleContext, { language, query }: PersonRequest): Promise<PageAnswer> {
  const texts = deskLogTexts[language]
  const wanted = Number(query.get('before'))
  const before = Number.isSafeInteger(wanted) && wanted > 0 ? wanted : undefined
  const entries = await listAuditEntries(store.db, { ...(before !== undefined && { before }), limit: perPage + 1 })
  const shown = entries.slice(0, perPage)
  const organizationOf = ({ organizationId }: ListedAuditEntry): Content => {
    if (organizationId === undefined) return html`<span class="soft">${texts.service}</span>`
    const name = directory.organization(organizationId)?.name ?? organizationId
    return html`<a href="/operator/organizations/${organizationId}">${quoted(name)}</a>`
  }
  return page({
    title: texts.pageNames.audit,
    current: '/operator/audit',
    lead: texts.auditLead,
    body:
      shown.length === 0
        ? empty(texts.auditEmpty, texts.auditEmptyBody)
        : html`${table({
            caption: texts.pageNames.audit,
            kind: 'mini',
            columns: [
              texts.shared.when,
              texts.shared.who,
              texts.shared.what,
              texts.subject,
              texts.shared.organization,
              texts.detail,
              texts.shared.from,
            ],
            rows: shown.map((entry) => [
              moment(entry.at, language),
              quoted(entry.actor),
              actionText(entry.action, language),
              subjectText(entry.subject, language),
              organizationOf(entry),
              detailText(entry, language),
              entry.addressPrefix !== '' && html`<code>${entry.addressPrefix}</code>`,
            ]),
          })}${pager({
            text: texts.range(formatNumber(shown.length, language)),
            previous: before === undefined ? undefined : [texts.shared.newest, '/operator/audit'],
            next:
              entries.length > perPage
                ? [texts.shared.older, `/operator/audit?before=${shown.at(-1)!.entryNo}`]
                : undefined,
          })}`,
  })
}
