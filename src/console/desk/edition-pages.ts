// The operator's pages about editions: what each changed, why one is held back, and publishing anyway.

import { sumsOfDigest } from '../../domain/stock-digest.ts'
import {
  changesBySource,
  type EditionFacts,
  findEdition,
  listEditions,
  type SourceChanges,
} from '../../store/editions/edition-history.ts'
import { nextEditionNumber } from '../../store/editions/older-database.ts'
import { type ListedHold, listHolds } from '../../store/stock/status.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatMoment, formatNumber, formatRelative } from '../frame/format.ts'
import { actorOf, fieldOf } from '../frame/forms.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import {
  operatorPage,
  type PageAnswer,
  PageError,
  type PageRoute,
  type PersonRequest,
  page,
  redirect,
} from '../frame/page.ts'
import { empty, facts, field, moment, noteBox, numbers, pager, part, table } from '../frame/parts.ts'
import { runBriefly } from '../frame/run-briefly.ts'
import { editionTexts } from './edition-texts.ts'
import { holdReasons } from './hold-reasons.ts'

const perPage = 50
/** Maximum holds to read: the newest has the reasons, the others show since when. */
const maxHolds = 1000
const shortestReason = 10

export const editionPages = (context: ConsoleContext): PageRoute[] => [
  operatorPage('GET', '/operator/editions', (request) => editionList(context, request)),
  operatorPage('GET', '/operator/editions/hold', (request) => holdPage(context, request)),
  operatorPage('POST', '/operator/editions/hold/publish', (request) => publishAnyway(context, request), {
    isSensitive: true,
  }),
  operatorPage('GET', '/operator/editions/:edition', (request) => oneEdition(context, request)),
]

const crumbsOf = (language: Language) =>
  [
    [editionTexts[language].shared.operator, '/operator'],
    [editionTexts[language].pageNames.editions, '/operator/editions'],
  ] as const

async function editionList({ store }: ConsoleContext, { language, query, now }: PersonRequest): Promise<PageAnswer> {
  const texts = editionTexts[language]
  const wanted = Number(query.get('before'))
  const before = Number.isSafeInteger(wanted) && wanted > 0 && wanted < 2 ** 31 ? wanted : undefined
  const list = await listEditions(store.db, { ...(before !== undefined && { before }), limit: perPage + 1 })
  const shown = list.slice(0, perPage)
  const hold = before === undefined ? (await listHolds(store.db, shown[0]?.publishedAt ?? 0, 1))[0] : undefined
  const next = hold && (await nextEditionNumber(store, now))
  const number = (value: number) => formatNumber(value, language)
  return page({
    title: texts.pageNames.editions,
    lead: texts.lead,
    body: html`${next !== undefined && heldNote(hold!, next, language)}
${
  shown.length === 0
    ? empty(texts.empty, texts.emptyBody)
    : html`${table({
        caption: texts.pageNames.editions,
        kind: 'mini',
        columns: [
          texts.edition,
          texts.shared.published,
          numbers(texts.shared.records),
          numbers(texts.changes),
          numbers(texts.tries),
        ],
        rows: shown.map((each) => [
          html`<a href="/operator/editions/${each.edition}">${number(each.edition)}</a>`,
          html`${moment(each.publishedAt, language)} <span class="soft">${formatRelative(each.publishedAt, now, language)}</span>`,
          number(each.records),
          number(each.changes),
          number(each.holds),
        ]),
      })}${pager({
        text: texts.page(number(shown.at(-1)!.edition), number(shown[0]!.edition)),
        previous: before === undefined ? undefined : [texts.shared.newest, '/operator/editions'],
        next:
          list.length > perPage
            ? [texts.shared.older, `/operator/editions?before=${shown.at(-1)!.edition}`]
            : undefined,
      })}`
}`,
  })
}

const heldNote = ({ heldAt }: ListedHold, edition: number, language: Language): Html => {
  const texts = editionTexts[language]
  return noteBox(
    'warn',
    texts.hold(formatNumber(edition, language)),
    html`${texts.heldNowBody} ${moment(heldAt, language)} UTC. <a href="/operator/editions/hold">${texts.shared.seeReasons}</a>`,
  )
}

async function oneEdition(
  { store, reads }: ConsoleContext,
  { language, params, now }: PersonRequest,
): Promise<PageAnswer> {
  const texts = editionTexts[language]
  const wanted = params['edition'] ?? ''
  const edition = /^[1-9]\d{0,8}$/.test(wanted) ? await findEdition(store.db, Number(wanted)) : undefined
  if (!edition) throw new PageError(404, frameTexts[language].noPage)
  const groups = edition.changes === 0 ? [] : await changesBySource(store.db, edition)
  const number = (value: number) => formatNumber(value, language)
  const titles = await reads.titles()
  return page({
    title: texts.shared.edition(number(edition.edition)),
    crumbs: crumbsOf(language),
    current: '/operator/editions',
    lead: texts.oneLead(
      formatMoment(edition.publishedAt, language),
      formatRelative(edition.publishedAt, now, language),
    ),
    body: html`${facts([
      [texts.shared.records, number(edition.records)],
      [texts.changes, number(edition.changes)],
      [texts.since, edition.previousAt === null ? '–' : moment(edition.previousAt, language)],
      [
        texts.checksum,
        edition.checksum === null ? '–' : html`<code>${sumsOfDigest(edition.checksum)?.all.slice(0, 16)}…</code>`,
      ],
    ])}
${edition.rules.length > 0 && html`<p>${texts.corrected(edition.rules.join(', '))}</p>`}
${edition.holds.length > 0 && part(texts.heldBefore, reasonTable(edition.holds.at(-1)!, language), texts.heldBeforeNote)}
${part(
  texts.bySource,
  edition.changes === 0 ? html`<p>${texts.noChange}</p>` : changeTable(edition, groups, titles, language),
  texts.bySourceNote,
)}`,
  })
}

function changeTable(
  edition: EditionFacts,
  groups: readonly SourceChanges[],
  titles: ReadonlyMap<string, string>,
  language: Language,
): Html {
  const texts = editionTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const bySource = new Map<string, { added: number; changed: number; archived: number }>()
  const all = { added: 0, changed: 0, archived: 0 }
  const add = (sum: typeof all, group: SourceChanges) => {
    sum.added += group.added
    sum.changed += group.changed
    sum.archived += group.archived
  }
  for (const group of groups) {
    add(all, group)
    for (const source of group.sources) {
      const sum = bySource.get(source) ?? { added: 0, changed: 0, archived: 0 }
      add(sum, group)
      bySource.set(source, sum)
    }
  }
  const sizeOf = (sum: typeof all) => sum.added + sum.changed + sum.archived
  const row = (name: Content, sum: typeof all): Content[] => [
    name,
    number(sum.added),
    number(sum.changed),
    number(sum.archived),
    number(sizeOf(sum)),
  ]
  const sorted = [...bySource].sort(([a, left], [b, right]) => sizeOf(right) - sizeOf(left) || (a < b ? -1 : 1))
  return html`${sizeOf(all) < edition.changes && html`<p class="soft">${texts.pruned(number(sizeOf(all)), number(edition.changes))}</p>`}${table(
    {
      caption: texts.bySource,
      kind: 'mini',
      columns: [
        texts.shared.source,
        numbers(texts.added),
        numbers(texts.shared.changed),
        numbers(texts.shared.archived),
        numbers(texts.changes),
      ],
      rows: [
        ...sorted.map(([source, sum]) =>
          row(
            titles.has(source)
              ? html`<a href="/operator/sources/${encodeURIComponent(source)}">${titles.get(source)}</a>`
              : source,
            sum,
          ),
        ),
        row(html`<b>${texts.total}</b>`, all),
      ],
    },
  )}`
}

function reasonTable(hold: ListedHold, language: Language): Html {
  const texts = editionTexts[language]
  return table({
    caption: texts.reasonsCaption,
    kind: 'mini',
    columns: [texts.shared.reason, numbers(texts.shared.figure), numbers(texts.bound)],
    rows: holdReasons(hold, language).map(({ sentence, figure, bound, sourceId }) => [
      html`${sentence}${sourceId !== undefined && html` <a href="/operator/sources/${encodeURIComponent(sourceId)}">${sourceId}</a>`}`,
      figure ?? '–',
      bound ?? '–',
    ]),
  })
}

/** `wrong`: what is wrong with the typed reason, which is shown again. */
async function holdPage(
  { store, editions }: ConsoleContext,
  { language, now, form }: PersonRequest,
  wrong?: string,
): Promise<PageAnswer> {
  const texts = editionTexts[language]
  const { newest } = editions
  const holds = await listHolds(store.db, newest?.publishedAt ?? 0, maxHolds)
  const [last] = holds
  if (!last)
    return page({
      title: texts.noHold,
      crumbs: crumbsOf(language),
      current: '/operator/editions',
      body: empty(
        texts.noHold,
        texts.noHoldBody,
        html`<a class="btn" href="/operator/editions">${texts.pageNames.editions}</a>`,
      ),
    })
  const since = holds.at(-1)!.heldAt
  return page({
    title: texts.hold(formatNumber(await nextEditionNumber(store, now), language)),
    crumbs: crumbsOf(language),
    current: '/operator/editions',
    lead: texts.holdLead(formatMoment(since, language), formatRelative(since, now, language)),
    ...(wrong !== undefined && { status: 422 }),
    body: html`${wrong !== undefined && noteBox('bad', texts.shared.oneToCorrect, html`<a href="#reason">${wrong}</a>`)}
${part(texts.reasons, reasonTable(last, language), texts.tried(formatNumber(holds.length, language)))}
${part(
  texts.anyway,
  html`<p>${texts.waitBody}</p><form method="post" action="/operator/editions/hold/publish" class="stack">${field({
    name: 'reason',
    label: texts.shared.reason,
    hint: texts.anywayHint,
    value: form.get('reason') ?? '',
    error: wrong,
    isRequired: true,
    maxLength: 500,
  })}<div><button class="stop">${texts.anyway}</button></div></form>`,
)}`,
  })
}

async function publishAnyway(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const { language, form } = request
  const texts = editionTexts[language]
  const reason = fieldOf(form, 'reason').slice(0, 500)
  if (reason.length < shortestReason) return holdPage(context, request, texts.anywayShort)
  const [hold] = await listHolds(context.store.db, context.editions.newest?.publishedAt ?? 0, 1)
  if (!hold) return redirect('/operator/editions/hold', { notice: texts.noHoldBody })
  const outcome = await runBriefly(context, {
    by: actorOf(request),
    command: 'publish',
    options: { 'override-gate': true, reason, 'publish-interval-minutes': context.reads.publishIntervalMs / 60_000 },
  })
  if (outcome.kind === 'goesOn') return redirect('/operator/editions', { notice: texts.goesOn })
  const last = outcome.events.findLast(({ event }) => event !== 'progress')
  if (last?.event === 'published') {
    const edition = Number(last['edition'])
    return redirect(`/operator/editions/${edition}`, {
      notice: texts.publishedNotice(formatNumber(edition, language)),
    })
  }
  const notice =
    last?.event === 'tooEarly'
      ? texts.early(formatMoment(Number(last['allowedAt']), language))
      : last?.event === 'nothingNew'
        ? texts.nothingNew
        : typeof last?.['message'] === 'string'
          ? last['message']
          : texts.notPublished
  return redirect('/operator/editions/hold', { notice })
}
