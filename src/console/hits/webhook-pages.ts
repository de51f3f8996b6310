// Webhook endpoints of an organization: list, one endpoint, one delivery. Members read, Owners write.
import { gunzipSync } from 'node:zlib'
import type { TenderRecord } from '../../domain/tender.ts'
import { dayMs, hourMs } from '../../domain/time.ts'
import { listSearches, type StoredSearch } from '../../store/hits/searches.ts'
import {
  type AttemptHour,
  attemptHours,
  type EndpointOverview,
  endpointOverviews,
  findDelivery,
  type ListedDelivery,
  listDeliveryPage,
  maxWaiting,
} from '../../store/hits/webhook-lists.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatClock, formatDay, formatMoment, formatNumber, formatRelative, formatShare } from '../frame/format.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import {
  type OrganizationRequest,
  organizationPage,
  orNotFound,
  type PageAnswer,
  PageError,
  type PageRoute,
  page,
} from '../frame/page.ts'
import {
  bars,
  code,
  empty,
  facts,
  figures,
  moment,
  more,
  noteBox,
  numbers,
  pager,
  part,
  quoted,
  state,
  table,
  unseen,
} from '../frame/parts.ts'
import { titleOf } from '../frame/record-texts.ts'
import { webhookChangePages } from './webhook-changes.ts'
import { failureWords, webhooksTexts } from './webhooks-texts.ts'

const pageSize = 25
const deliveryStates = ['due', 'delivered', 'given-up', 'held'] as const

export const webhookPages = (context: ConsoleContext): PageRoute[] => [
  organizationPage('GET', '/o/:organization/webhooks', 'member', (request) => listPage(context, request)),
  ...webhookChangePages(context),
  organizationPage('GET', '/o/:organization/webhooks/:endpoint', 'member', (request) => endpointPage(context, request)),
  organizationPage('GET', '/o/:organization/webhooks/:endpoint/messages/:message', 'member', (request) =>
    messagePage(context, request),
  ),
]

const addressOf = ({ organization }: OrganizationRequest): string => `/o/${organization.organizationId}/webhooks`
const isOwner = ({ organization }: OrganizationRequest): boolean => organization.role === 'owner'
const nameOf = ({ description, address }: EndpointOverview): string => description || address

async function endpointOf({ store }: ConsoleContext, request: OrganizationRequest): Promise<EndpointOverview> {
  const { organization, params, now, language } = request
  const all = await endpointOverviews(store.db, organization.organizationId, now)
  return orNotFound(
    all.find(({ endpointId }) => endpointId === params['endpoint']),
    webhooksTexts[language].noEndpoint,
  )
}

function waitingText(count: number, language: OrganizationRequest['language']): string {
  const number = formatNumber(count, language)
  return count < maxWaiting ? number : webhooksTexts[language].shared.orMore(number)
}

function endpointState(
  { state: kind, failingSince }: EndpointOverview,
  language: OrganizationRequest['language'],
): Html {
  const texts = webhooksTexts[language]
  if (kind === 'disabled') return state('held', texts.shared.disabled)
  return failingSince === null ? state('good', texts.shared.active) : state('bad', texts.failingWord)
}

async function listPage({ store }: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { organization, language, now } = request
  const texts = webhooksTexts[language]
  const at = addressOf(request)
  const endpoints = await endpointOverviews(store.db, organization.organizationId, now)
  const create = isOwner(request) && html`<a class="btn go" href="${at}/new">${texts.create}</a>`
  return page({
    title: texts.pageNames.webhooks,
    lead: texts.lead,
    ...(create && endpoints.length > 0 && { actions: create }),
    body:
      endpoints.length === 0
        ? empty(texts.none, texts.noneDetail, create)
        : html`${table({
            caption: texts.pageNames.webhooks,
            columns: [
              texts.endpoint,
              texts.shared.state,
              texts.failing,
              numbers(texts.shared.waiting),
              numbers(texts.states.held),
            ],
            rows: endpoints.map((endpoint) => [
              html`
                <a href="${at}/${endpoint.endpointId}"><bdi>${nameOf(endpoint)}</bdi></a>
                ${endpoint.description !== '' && html` <span class="soft small"><bdi>${endpoint.address}</bdi></span>`}
              `,
              endpointState(endpoint, language),
              endpoint.failingSince !== null && moment(endpoint.failingSince, language),
              waitingText(endpoint.due, language),
              waitingText(endpoint.held, language),
            ]),
          })}${!create && html`<p class="soft small">${texts.ownersWrite}</p>`}`,
  })
}

async function endpointPage(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language, now, query, organization } = request
  const texts = webhooksTexts[language]
  const endpoint = await endpointOf(context, request)
  const at = `${addressOf(request)}/${endpoint.endpointId}`
  const { db } = context.store
  const firstHour = Math.floor(now / hourMs) * hourMs - 23 * hourMs
  const hours = await attemptHours(db, endpoint.endpointNo, firstHour)
  const wanted = deliveryStates.find((each) => each === query.get('state'))
  const deliveries = await listDeliveryPage(db, endpoint.endpointNo, {
    state: wanted,
    after: afterOf(query.get('after')),
    limit: pageSize + 1,
  })
  const searches = endpoint.searches === null ? [] : await listSearches(db, organization.organizationId)
  return page({
    title: nameOf(endpoint),
    lead: html`<code>${endpoint.address}</code>`,
    crumbs: [[texts.pageNames.webhooks, addressOf(request)]],
    current: addressOf(request),
    ...(isOwner(request) && { actions: headActions(request, endpoint, at) }),
    body: html`
      ${stateNotes(request, endpoint, at)}
      ${summary(request, endpoint, hours)}
      ${hoursPart(request, hours, firstHour)}
      ${deliveriesPart(request, deliveries, at, wanted)}
      ${isOwner(request) && replayForm(request, at)}
      ${setupPart(request, endpoint, at, searches)}
    `,
  })
}

function headActions({ language }: OrganizationRequest, endpoint: EndpointOverview, at: string): Html {
  const texts = webhooksTexts[language]
  const isActive = endpoint.state === 'active'
  return html`
    <form method="post" action="${at}/test"><button>${texts.test}</button></form>
    <form method="post" action="${at}/${isActive ? 'disable' : 'enable'}">
      <button>${isActive ? texts.disable : texts.enable}</button>
    </form>
    <a class="btn stop" href="${at}/remove">${texts.shared.remove}</a>
  `
}

function stateNotes(request: OrganizationRequest, endpoint: EndpointOverview, at: string): Html {
  const { language, now } = request
  const texts = webhooksTexts[language]
  const next = endpoint.nextAt === null || endpoint.nextAt <= now ? '' : formatRelative(endpoint.nextAt, now, language)
  const why = texts.why[endpoint.disabledWhy as keyof typeof texts.why] ?? ''
  return html`${endpoint.state === 'disabled' && noteBox('bad', texts.disabledNote, `${why} ${texts.disabledDetail}`)}${
    endpoint.state === 'active' &&
    endpoint.failingSince !== null &&
    noteBox('bad', texts.failingNote(formatMoment(endpoint.failingSince, language)), texts.failingDetail(next))
  }${
    endpoint.held > 0 &&
    html`
      ${noteBox('warn', texts.heldNote(waitingText(endpoint.held, language)), texts.heldDetail)}
      ${
        isOwner(request) &&
        endpoint.state === 'active' &&
        html`<form method="post" action="${at}/release"><button>${texts.deliverHeld}</button></form>`
      }
    `
  }`
}

function summary(
  { language, now }: OrganizationRequest,
  endpoint: EndpointOverview,
  hours: readonly AttemptHour[],
): Html {
  const texts = webhooksTexts[language]
  const { delivered, failed } = sumOf(hours)
  const attempts = delivered + failed
  const p95 = hours[0]?.p95 ?? null
  return figures([
    {
      name: texts.shared.delivered24,
      value: formatNumber(delivered, language),
      ...(attempts > 0 && { note: texts.ofAttempts(formatShare(delivered / attempts, language)) }),
    },
    {
      name: texts.shared.waiting,
      value: waitingText(endpoint.due, language),
      ...(endpoint.nextAt !== null && { note: formatRelative(endpoint.nextAt, now, language) }),
    },
    { name: texts.p95, value: p95 === null ? texts.noAnswer : html`${formatNumber(p95, language)} <small>ms</small>` },
    {
      name: texts.kinds,
      value: endpoint.kinds.length,
      note: endpoint.kinds.map((kind) => kindText(kind, language)).join(', '),
    },
  ])
}

/** What an event is called; its type itself if this version does not know it. */
const kindText = (kind: string, language: Language): string =>
  (webhooksTexts[language].kindNames as { readonly [kind: string]: string })[kind] ?? kind

const sumOf = (hours: readonly AttemptHour[]) => ({
  delivered: hours.reduce((sum, { delivered }) => sum + delivered, 0),
  failed: hours.reduce((sum, { failed }) => sum + failed, 0),
})

function hoursPart({ language }: OrganizationRequest, hours: readonly AttemptHour[], firstHour: number): Html {
  const texts = webhooksTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const byHour = new Map(hours.map((each) => [each.hour, each]))
  const list = Array.from({ length: 24 }, (_, index) => {
    const hour = firstHour + index * hourMs
    const { delivered = 0, failed = 0 } = byHour.get(hour) ?? {}
    return { hour, delivered, failed }
  })
  const sum = sumOf(hours)
  const clockOf = (hour: number) => formatClock(hour, language)
  return part(
    texts.attempts24,
    html`<ul class="key"><li>${texts.delivered}</li><li class="kx">${texts.failed}</li></ul>${bars({
      finding: texts.finding(number(sum.delivered), number(sum.failed)),
      list: list.map(({ hour, delivered, failed }, index) => ({
        label: index % 6 === 0 ? clockOf(hour) : '',
        value: delivered,
        failed,
        title: texts.hourTitle(clockOf(hour), number(delivered), number(failed)),
      })),
      format: number,
    })}${more(
      texts.shared.asTable,
      table({
        caption: texts.attempts24,
        kind: 'mini keep',
        columns: [texts.shared.hour, numbers(texts.delivered), numbers(texts.failed)],
        rows: list.map(({ hour, delivered, failed }) => [
          `${formatDay(hour, language)} ${clockOf(hour)}`,
          number(delivered),
          number(failed),
        ]),
      }),
    )}`,
  )
}

function afterOf(text: string | null): { readonly createdAt: number; readonly messageId: string } | undefined {
  const match = /^(\d{1,15})\.(msg_[\w-]{1,80})$/.exec(text ?? '')
  return match ? { createdAt: Number(match[1]), messageId: match[2]! } : undefined
}

function deliveriesPart(
  request: OrganizationRequest,
  found: readonly ListedDelivery[],
  at: string,
  wanted: (typeof deliveryStates)[number] | undefined,
): Html {
  const { language, query } = request
  const texts = webhooksTexts[language]
  const deliveries = found.slice(0, pageSize)
  const last = deliveries.at(-1)
  const withState = wanted === undefined ? '' : `state=${wanted}&`
  const tabs = html`<nav class="tabs line" aria-label="${texts.shared.outcome}">
    <a href="${at}"${wanted === undefined && html` aria-current="page"`}>${texts.shared.all}</a>
    ${deliveryStates.map(
      (each) =>
        html`<a href="${at}?state=${each}"${each === wanted && html` aria-current="page"`}>${texts.states[each]}</a>`,
    )}
  </nav>`
  if (deliveries.length === 0)
    return part(texts.deliveries, html`${tabs}${empty(texts.noDeliveries, texts.noDeliveriesDetail)}`)
  return part(
    texts.deliveries,
    html`${tabs}${table({
      caption: texts.deliveries,
      kind: 'mid',
      columns: [
        texts.message,
        texts.hit,
        texts.shared.state,
        texts.shared.lastAnswer,
        numbers(texts.attemptCount),
        texts.shared.when,
        ...(isOwner(request) ? [unseen(texts.shared.action)] : []),
      ],
      rows: deliveries.map((delivery) => deliveryRow(request, delivery, at)),
    })}${pager({
      text: texts.shown(formatNumber(deliveries.length, language)),
      previous: query.has('after') ? [texts.shared.newest, `${at}?${withState}`] : undefined,
      next:
        found.length > pageSize && last
          ? [texts.shared.older, `${at}?${withState}after=${last.createdAt}.${last.messageId}`]
          : undefined,
    })}`,
  )
}

const stateKinds = { due: 'planned', delivered: 'good', 'given-up': 'bad', held: 'held' } as const

function deliveryRow(request: OrganizationRequest, delivery: ListedDelivery, at: string) {
  const { language } = request
  const texts = webhooksTexts[language]
  const { messageId, body, tenderId, lastMs } = delivery
  const title = body === null ? undefined : titleOf(JSON.parse(body) as TenderRecord)
  return [
    html`<a href="${at}/messages/${messageId}"><code>${shortId(messageId)}</code></a>`,
    title && tenderId !== null
      ? html`<a href="/tenders/${tenderId}">${quoted(title.text || tenderId, title.lang)}</a>`
      : kindText(delivery.kind, language),
    state(stateKinds[delivery.state], texts.states[delivery.state]),
    html`
      ${answerOf(delivery.lastStatus, delivery.lastError, language)}
      ${lastMs !== null && html` <span class="soft">${formatNumber(lastMs, language)}\u00a0ms</span>`}
    `,
    delivery.attempts,
    moment(delivery.endedAt ?? delivery.createdAt, language),
    ...(isOwner(request)
      ? [
          canReplay(delivery, request.now) &&
            html`<form method="post" action="${at}/replay">
              <input type="hidden" name="message" value="${messageId}">
              <button class="tiny">${texts.replay}<span class="hide"> ${messageId}</span></button>
            </form>`,
        ]
      : []),
  ]
}

const shortId = (messageId: string): string =>
  messageId.length > 16 ? `${messageId.slice(0, 8)}…${messageId.slice(-4)}` : messageId

function answerOf(
  status: number | null,
  error: string | null,
  language: OrganizationRequest['language'],
): Html | false {
  if (status !== null) return state(status >= 200 && status < 300 ? 'good' : 'bad', String(status))
  return error !== null && state('bad', failureWords(error, language))
}

function replayForm({ language, now }: OrganizationRequest, at: string): Html {
  const texts = webhooksTexts[language]
  const day = new Date(now - dayMs).toISOString().slice(0, 10)
  const earliest = new Date(now - 30 * dayMs).toISOString().slice(0, 10)
  return more(
    texts.replayTitle,
    html`<form class="row" method="post" action="${at}/replay">
      <div class="field">
        <label for="since">${texts.replaySince}</label>
        <input id="since" name="since" type="date" value="${day}" min="${earliest}" required
          aria-describedby="since-hint">
        <p class="hint" id="since-hint">${texts.replayHint}</p>
      </div>
      <div class="field">
        <label for="which">${texts.replayWhich}</label>
        <select id="which" name="which">
          <option value="failed">${texts.replayFailed}</option>
          <option value="all">${texts.shared.all}</option>
        </select>
      </div>
      <button>${texts.replay}</button>
    </form>`,
  )
}

function setupPart(
  request: OrganizationRequest,
  endpoint: EndpointOverview,
  at: string,
  searches: readonly StoredSearch[],
): Html {
  const { language } = request
  const texts = webhooksTexts[language]
  const lines = endpoint.secrets.map(
    ({ createdAt, endsAt }) =>
      html`<li>${texts.secretLine(formatMoment(createdAt, language))}${endsAt !== null && `, ${texts.secretEnds(formatMoment(endsAt, language))}`}</li>`,
  )
  const named = searches.filter(({ searchId }) => endpoint.searches?.includes(searchId)).map(({ name }) => name)
  return html`<section class="part split even gap">
    <div class="stack">
      <h2>${endpoint.chat === null ? texts.secret : ((texts.chats as { readonly [kind: string]: string })[endpoint.chat] ?? endpoint.chat)}</h2>
      <p class="soft small">${endpoint.chat === null ? texts.secretDetail : texts.noSecret}</p>
      ${endpoint.chat === null && html`<ul>${lines}</ul>`}
      ${isOwner(request) && endpoint.chat !== null && html`<p><a class="btn tiny" href="${at}/secret">${texts.channelAgain}</a></p>`}
      ${
        isOwner(request) &&
        endpoint.chat === null &&
        html`<div class="row">
          <a class="btn tiny" href="${at}/secret">${texts.roll}</a>
          <form method="post" action="${at}/test">
            <input type="hidden" name="wrong" value="yes">
            <button class="tiny">${texts.testWrong}</button>
          </form>
        </div>`
      }
    </div>
    <div class="stack">
      <h2>${texts.gets}</h2>
      ${facts([
        [texts.searches, endpoint.searches === null ? texts.allOfThem : html`<bdi>${named.join(', ')}</bdi>`],
        [texts.rate, texts.rateLine(formatNumber(endpoint.requestsPerSecond, language))],
        [texts.createdAt, moment(endpoint.createdAt, language)],
      ])}
      ${isOwner(request) && html`<p><a class="btn tiny" href="${at}/edit">${texts.edit}</a></p>`}
    </div>
  </section>`
}

/** Whether a delivery can be sent now: not if its next attempt is due anyway. */
const canReplay = ({ state: kind, dueAt }: Pick<ListedDelivery, 'state' | 'dueAt'>, now: number): boolean =>
  kind !== 'due' || dueAt > now

async function messagePage(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language, params, now } = request
  const texts = webhooksTexts[language]
  const endpoint = await endpointOf(context, request)
  const messageId = params['message'] ?? ''
  const detail = /^msg_[\w-]{1,80}$/.test(messageId)
    ? await findDelivery(context.store.db, endpoint.endpointNo, messageId)
    : undefined
  if (!detail) throw new PageError(404, texts.noMessage)
  const at = `${addressOf(request)}/${endpoint.endpointId}`
  const body =
    detail.packed === null
      ? undefined
      : JSON.stringify(JSON.parse(gunzipSync(detail.packed).toString('utf8')), undefined, 2)
  const attempts = table({
    caption: texts.attemptCount,
    kind: 'mini',
    columns: [texts.time, texts.shared.answer, numbers(texts.shared.took), texts.body],
    rows: detail.attempts.map(({ at: when, status, error, milliseconds, answer }) => [
      moment(when, language),
      answerOf(status, error, language),
      `${formatNumber(milliseconds, language)}\u00a0ms`,
      html`<bdi>${answer}</bdi>`,
    ]),
  })
  return page({
    title: shortId(messageId),
    lead: html`<code>${messageId}</code> ${state(stateKinds[detail.state], texts.states[detail.state])}`,
    crumbs: [
      [texts.pageNames.webhooks, addressOf(request)],
      [nameOf(endpoint), at],
    ],
    current: addressOf(request),
    ...(isOwner(request) &&
      canReplay(detail, now) && {
        actions: html`<form method="post" action="${at}/replay">
          <input type="hidden" name="message" value="${messageId}">
          <button>${texts.replay}</button>
        </form>`,
      }),
    body: html`<div class="split even gap">
      <div class="stack">
        <h2>${texts.attemptCount}</h2>
        ${attempts}
        ${
          detail.state === 'due' &&
          html`<p class="soft small">${texts.nextAt(formatRelative(detail.dueAt, now, language))}</p>`
        }
      </div>
      <div>
        ${
          body === undefined
            ? html`<h2>${texts.body}</h2><p>${texts.noBody}</p>`
            : code({ id: 'body', text: body, caption: texts.body, copy: [texts.shared.copy, texts.shared.copied] })
        }
      </div>
    </div>`,
  })
}
