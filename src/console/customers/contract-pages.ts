// What was agreed with an organization, for its Owners: dates, limit, and what happens at the end.
import { dayMs } from '../../domain/time.ts'
import { findContract } from '../../store/people/contracts.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatDay, formatMoment, formatNumber, formatRelative } from '../frame/format.ts'
import { html } from '../frame/html.ts'
import { type OrganizationRequest, organizationPage, type PageAnswer, type PageRoute, page } from '../frame/page.ts'
import { empty, facts, noteBox, part, state } from '../frame/parts.ts'
import { stateKinds, stateOf } from './customer-parts.ts'
import { customerTexts } from './customer-texts.ts'

/** How long before its end a contract is shown as ending. */
const soonMs = 30 * dayMs

export const contractPages = (context: ConsoleContext): PageRoute[] => [
  organizationPage('GET', '/o/:organization/contract', 'owner', (request) => showContract(context, request)),
]

async function showContract({ store, directory }: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language, now } = request
  const { organizationId, name } = request.organization
  const texts = customerTexts[language]
  const contract = await findContract(store.db, organizationId)
  const organization = directory.organization(organizationId)!
  const common = {
    title: texts.pageNames.contract,
    crumbs: [[name, `/o/${organizationId}`] as const],
    lead: texts.ownLead,
  }
  if (!contract && !organization.hasApiAccess)
    return page({ ...common, body: empty(texts.ownNone, texts.ownNoneDetail) })
  const { startsAt, endsAt, endedAt } = contract ?? {}
  const kind = stateOf(
    { hasApiAccess: organization.hasApiAccess, startsAt: startsAt ?? null, endedAt: endedAt ?? null },
    now,
  )
  const isEnding = endedAt === undefined && endsAt !== undefined && endsAt - now <= soonMs
  return page({
    ...common,
    body: html`${isEnding && noteBox('warn', texts.inTime(formatRelative(endsAt, now, language)), texts.renew)}${facts([
      [texts.shared.condition, state(stateKinds[kind], texts.states[kind])],
      [texts.starting, formatDay(startsAt ?? organization.createdAt, language)],
      [texts.until, endsAt === undefined ? texts.noEnd : formatDay(endsAt - 1, language)],
      ...(endedAt === undefined ? [] : [[texts.shared.ended, formatMoment(endedAt, language)] as const]),
      [texts.ownLimit, texts.perMinute(formatNumber(organization.requestsPerMinute, language))],
      [texts.bulk, texts.ownBulk(organization.hasBulkFiles)],
    ])}${part(texts.whatHappens, html`<ul>${texts.atEnd.map((each) => html`<li>${each}</li>`)}</ul>`)}`,
  })
}
