// The first screen of an organization: what needs attention, figures, the best hits of today, searches, or where to
// begin.
import type { TenderRecord } from '../../domain/tender.ts'
import { dayMs, toInstant } from '../../domain/time.ts'
import type { EditionView } from '../../edition/read/edition-view.ts'
import {
  bestHits,
  type OverviewFigures,
  readOverview,
  type SearchOfWeek,
  searchesOfWeek,
  type TodaysHit,
} from '../../store/screens/overview.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { deadlineMoment, deadlineNote } from '../frame/deadline.ts'
import { formatDay, formatMoment, formatMoney, formatNumber, formatRelative } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import { type OrganizationRequest, organizationPage, type PageAnswer, type PageRoute, page } from '../frame/page.ts'
import { empty, figures, numbers, part, quoted, score, table, wrongList } from '../frame/parts.ts'
import { publishedRecord } from '../frame/published-record.ts'
import { titleOf } from '../frame/record-texts.ts'
import { overviewTexts } from './overview-texts.ts'

const hitsShown = 5
const searchesShown = 8
const soonMs = 30 * dayMs
/** Share of the limit from which the busiest minute is mentioned. */
const nearLimit = 0.9

export const overviewPages = (context: ConsoleContext): PageRoute[] => [
  organizationPage('GET', '/o/:organization', 'member', (request) => showOverview(context, request)),
]

async function showOverview(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language, now, organization } = request
  const { organizationId } = organization
  const { db } = context.store
  const texts = overviewTexts[language]
  const known = await readOverview(db, organizationId, now)
  const hits = await bestHits(db, organizationId, now, hitsShown)
  const searches = await searchesOfWeek(db, organizationId, now, searchesShown)
  const limit = context.directory.organization(organizationId)?.requestsPerMinute ?? 0
  const wrong = attentionOf(request, known, limit)
  const { newest } = context.editions
  const stamp = newest
    ? html`<span class="stamp">
      ${texts.asOf(formatMoment(newest.publishedAt, language))}
      <br>
      ${texts.published(formatNumber(newest.records, language), formatNumber(newest.changes, language))}
    </span>`
    : html`<span class="stamp">${texts.noEdition}</span>`
  return page({
    title: organization.name,
    lead: `${formatDay(now, language)}. ${texts.needs(wrong.length)}`,
    actions: stamp,
    current: `/o/${organizationId}`,
    body: html`
      ${wrong.length > 0 && html`<section><h2 class="hide">${texts.pageNames.wrongNow}</h2>${wrongList(wrong)}</section>`}
      ${known.searches === 0 && ways(request)}
      ${figuresPart(request, known, limit)}
      ${
        known.searches > 0 &&
        html`<div class="split part">${hitsPart(context.editions, request, hits)}${searchesPart(request, searches)}</div>${ways(request)}`
      }
    `,
  })
}

type Attention = Parameters<typeof wrongList>[0][number]

/** The list of what needs attention; what only Owners can change is shown to Owners only. */
function attentionOf(
  { language, now, organization }: OrganizationRequest,
  known: OverviewFigures,
  limit: number,
): Attention[] {
  const texts = overviewTexts[language]
  const at = `/o/${organization.organizationId}`
  const access = `${at}/settings/api-access`
  const relative = (moment: number) => formatRelative(moment, now, language)
  const number = (value: number) => formatNumber(value, language)
  const list: Attention[] = known.endpoints.map(({ name, state, failingSince, waiting }) => ({
    kind: 'bad',
    word: state === 'disabled' ? texts.shared.disabled : texts.failing,
    heading:
      state === 'disabled'
        ? texts.endpointOff(name)
        : texts.endpointFails(name, formatMoment(failingSince ?? now, language)),
    body: texts.endpointWaits(waiting),
    action: [texts.seeWebhooks, `${at}/webhooks`],
  }))
  if (organization.role !== 'owner' || !organization.hasAccessArea) return list
  const { contractEndsAt, contractEndedAt, endingTokens, peakMinute, refused } = known
  const contract = [texts.shared.seeContract, `${at}/contract`] as const
  if (contractEndedAt !== null)
    list.push({
      kind: 'bad',
      word: texts.shared.ended,
      heading: texts.contractOver,
      body: texts.contractOverWhat,
      action: contract,
    })
  else if (contractEndsAt !== null && contractEndsAt - now <= soonMs)
    list.push({
      kind: 'warn',
      word: texts.soon,
      heading: texts.contractEnds(relative(contractEndsAt)),
      body: texts.contractWhat,
      action: contract,
    })
  for (const { name, expiresAt } of endingTokens)
    list.push({
      kind: 'warn',
      word: texts.soon,
      heading: texts.tokenEnds(name, relative(expiresAt)),
      body: texts.tokenWhat,
      action: [texts.rotate, access],
    })
  if (refused > 0 || (limit > 0 && peakMinute >= limit * nearLimit))
    list.push({
      kind: 'warn',
      word: texts.full,
      heading: texts.limitNear(number(peakMinute), number(limit)),
      body: texts.limitWhat(number(refused)),
      action: [texts.seeUse, access],
    })
  return list
}

function figuresPart({ language, organization }: OrganizationRequest, known: OverviewFigures, limit: number): Html {
  const texts = overviewTexts[language]
  const number = (value: number) => formatNumber(value, language)
  return html`<section class="part">${figures([
    {
      name: texts.hitsToday,
      value: number(known.hitsToday),
      note: texts.strongGood(number(known.strongToday), number(known.goodToday)),
    },
    { name: texts.kept, value: number(known.keptHits), note: texts.closing(number(known.keptClosing)) },
    ...(organization.hasAccessArea
      ? [
          {
            name: texts.shared.requests24,
            value: number(known.requests),
            note: texts.peak(number(known.peakMinute), number(limit)),
          },
        ]
      : []),
    { name: texts.shared.delivered24, value: number(known.delivered), note: texts.waiting(number(known.waiting)) },
  ])}</section>`
}

/** For new people: what they can do, with nothing to configure. */
function ways({ language, organization }: OrganizationRequest): Html {
  const texts = overviewTexts[language]
  const at = `/o/${organization.organizationId}`
  const way = (heading: string, detail: string, href: string) =>
    html`<li><h3><a href="${href}">${heading}</a></h3><p>${detail}</p></li>`
  const canConnect = organization.hasAccessArea && organization.role === 'owner'
  return part(
    texts.ways,
    html`<ul class="ways">
      ${way(texts.find, texts.findDetail, '/tenders')}
      ${
        canConnect
          ? way(texts.access, texts.accessDetail, `${at}/settings/api-access`)
          : way(texts.readDocs, organization.hasAccessArea ? texts.accessDetail : texts.noAccessDetail, '/docs')
      }
      ${way(texts.save, texts.saveDetail, `${at}/searches`)}
      ${way(texts.sources, texts.sourcesDetail, '/status')}
    </ul>`,
    texts.waysDetail,
  )
}

function hitsPart(editions: EditionView, request: OrganizationRequest, hits: readonly TodaysHit[]): Html {
  const { language, organization } = request
  const texts = overviewTexts[language]
  const all = html`<a class="small" href="/o/${organization.organizationId}/hits">${texts.all}</a>`
  const list =
    hits.length === 0
      ? empty(texts.noHits, texts.noHitsDetail)
      : table({
          caption: texts.best,
          columns: [texts.tender, texts.score, numbers(texts.shared.deadline), numbers(texts.shared.value)],
          rows: hits.map((hit) => hitRow(publishedRecord(editions, hit.tenderId), hit, request)),
        })
  return html`<section><header class="row spread"><h2>${texts.best}</h2>${all}</header>${list}</section>`
}

/** A row of today's best hits. */
export function hitRow(
  record: TenderRecord | undefined,
  { tenderId, fitScore, isBySearch, deadlineMs, deadlineKind }: TodaysHit,
  { language, now }: OrganizationRequest,
): Content[] {
  const texts = overviewTexts[language]
  const amount = record?.contractAmount
  const authority = record?.contractingAuthority?.name
  const { text, lang } = titleOf(record ?? {})
  return [
    html`
      <a href="/tenders/${tenderId}">${quoted(text || tenderId, text === '' ? undefined : lang)}</a>
      ${authority !== undefined && html`<br><span class="soft">${quoted(authority, record?.language)}</span>`}
    `,
    score(fitScore, isBySearch ? texts.bySearch : texts.fit(fitScore)),
    deadlineMs === null
      ? texts.shared.notKnown
      : html`
        ${deadlineMoment(toInstant(deadlineMs), record?.timeZone, language)}
        <br>
        <span class="soft">${deadlineNote({ at: toInstant(deadlineMs), kind: deadlineKind }, now, language)}</span>
      `,
    amount
      ? html`
        ${formatMoney(amount.value, amount.currency, language, { isShort: true })}
        <br>
        <span class="soft">${amount.estimated ? texts.shared.estimated : texts.publishedValue}</span>
      `
      : texts.shared.notKnown,
  ]
}

function searchesPart({ language, organization }: OrganizationRequest, searches: readonly SearchOfWeek[]): Html {
  const texts = overviewTexts[language]
  const at = `/o/${organization.organizationId}/searches`
  return html`<aside aria-label="${texts.pageNames.searches}">
    <header class="row spread">
      <h2>${texts.pageNames.searches}</h2>
      <a class="small" href="${at}/new">${texts.shared.newSearch}</a>
    </header>
    ${table({
      caption: texts.pageNames.searches,
      kind: 'mini',
      columns: [texts.shared.search, numbers(texts.week)],
      rows: searches.map(({ searchId, name, isActive, hits }) => [
        html`<a href="${at}/${searchId}">${name}</a>${!isActive && html`<br><span class="soft">${texts.paused}</span>`}`,
        isActive ? formatNumber(hits, language) : '–',
      ]),
    })}
  </aside>`
}
