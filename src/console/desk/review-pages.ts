// The operator's pages about pairs of records: the list, two side by side, and the decisions. The buttons are the
// commands.

import { decisionVersion } from '../../actions/reviews.ts'
import { lineOf } from '../../domain/lines.ts'
import type { ReviewDecision } from '../../store/stock/reviews.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber, formatShare } from '../frame/format.ts'
import { actorOf, fieldOf } from '../frame/forms.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { type Html, html } from '../frame/html.ts'
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
import { empty, moment, numbers, part, quoted, table, unseen } from '../frame/parts.ts'
import { refusalTexts } from '../frame/refusal-texts.ts'
import { runBriefly } from '../frame/run-briefly.ts'
import type { ReviewDesk, WaitingPair } from '../frame/stock-reads.ts'
import { evidenceText } from '../tenders/evidence.ts'
import { pairAddress, reviewBody } from './review-body.ts'
import { reviewTexts } from './review-texts.ts'

/** Maximum pairs read at once: people who decide more in one sitting reload the list. */
const maxPairs = 200

export const reviewPages = (context: ConsoleContext): PageRoute[] => [
  operatorPage('GET', '/operator/reviews', (request) => reviewList(context, request)),
  operatorPage('GET', '/operator/reviews/pair', (request) => onePair(context, request)),
  operatorPage('POST', '/operator/reviews/merge', (request) => decide(context, request, 'merge')),
  operatorPage('POST', '/operator/reviews/split', (request) => decide(context, request, 'split')),
  operatorPage('POST', '/operator/reviews/undo', (request) => decide(context, request, 'undo')),
]

const countText = ({ waiting, hasMore }: ReviewDesk, language: Language): string => {
  const figure = formatNumber(waiting.length, language)
  return hasMore ? reviewTexts[language].shared.orMore(figure) : figure
}

async function reviewList({ reads }: ConsoleContext, { language }: PersonRequest): Promise<PageAnswer> {
  const texts = reviewTexts[language]
  const desk = await reads.reviews({ limit: maxPairs })
  const [first] = desk.waiting
  return page({
    title: texts.pageNames.reviews,
    lead: texts.lead(countText(desk, language)),
    ...(first && { actions: html`<a class="btn go" href="${addressOf(first)}">${texts.begin}</a>` }),
    body: html`${
      first
        ? part(texts.shared.waiting, waitingTable(desk.waiting, language), texts.waitingNote)
        : empty(texts.empty, texts.emptyBody)
    }
${desk.decided.length > 0 && part(texts.decided, decidedTable(desk.decided, language), texts.decidedNote)}`,
  })
}

const addressOf = ({ left, right }: WaitingPair): string => pairAddress(left.key, right.key)

function waitingTable(pairs: readonly WaitingPair[], language: Language): Html {
  const texts = reviewTexts[language]
  return table({
    caption: texts.shared.waiting,
    kind: 'mini',
    columns: [
      texts.pair,
      texts.shared.authority,
      texts.shared.portals,
      numbers(texts.shared.points),
      numbers(texts.likelihood),
      numbers(texts.readers),
      texts.evidence,
    ],
    rows: pairs.map((pair) => {
      const { left, right, score, chance, readers, isOneRecord, isExactlyLinked, isHeldApart } = pair
      const portals = [...new Set([...(left.publishers ?? []), ...(right.publishers ?? [])])].join(', ')
      return [
        html`
          <a href="${addressOf(pair)}">${quoted(left.title ?? left.key, left.language ?? undefined)}</a>
          ${
            !isOneRecord &&
            right.title !== left.title &&
            html`<br><span class="soft">${quoted(right.title ?? right.key, right.language ?? undefined)}</span>`
          }
        `,
        quoted(left.buyer ?? texts.shared.unknown),
        quoted(portals),
        score === null ? '–' : formatNumber(score, language),
        chance === null ? '–' : formatShare(chance, language),
        readers === null ? '–' : formatNumber(readers, language),
        html`
          ${isOneRecord && html`<span class="tag">${texts.oneRecord}</span> `}
          ${isExactlyLinked && html`<span class="tag">${texts.exactTag}</span> `}
          ${isHeldApart && html`<span class="tag">${texts.heldApart}</span> `}
          ${quoted(evidenceText(pair, language))}
        `,
      ]
    }),
  })
}

function decidedTable(pairs: readonly ReviewDecision[], language: Language): Html {
  const texts = reviewTexts[language]
  return table({
    caption: texts.decided,
    kind: 'mini',
    columns: [texts.pair, texts.decision, texts.shared.when, texts.shared.note, unseen(texts.undo)],
    rows: pairs.map((each) => {
      const { left, right, decision, decidedAt, note: text } = each
      return [
        html`<a href="${pairAddress(left, right)}"><code>${quoted(left)}</code> <code>${quoted(right)}</code></a>`,
        decision === 'merge' ? texts.merged : texts.split,
        moment(decidedAt, language),
        quoted(text),
        html`<form method="post" action="/operator/reviews/undo">
        <input type="hidden" name="left" value="${left}">
        <input type="hidden" name="right" value="${right}">
        <input type="hidden" name="seen" value="${decisionVersion(each)}">
        <button class="tiny" aria-label="${texts.undoPair(left, right)}">${texts.undo}</button>
      </form>`,
      ]
    }),
  })
}

async function onePair({ reads }: ConsoleContext, { language, query }: PersonRequest): Promise<PageAnswer> {
  const texts = reviewTexts[language]
  const [left, right] = [query.get('left') ?? '', query.get('right') ?? '']
  const desk = await reads.reviews({ limit: maxPairs, pair: [left, right] })
  const { pair, waiting, decided } = desk
  if (!pair || left === right) throw new PageError(404, frameTexts[language].noPage)
  const at = waiting.findIndex((each) => each.left.key === left && each.right.key === right)
  const known = waiting[at]
  return page({
    title: pair.isOneRecord && pair.isExactlyLinked ? texts.belong : texts.same,
    crumbs: [
      [texts.shared.operator, '/operator'],
      [texts.pageNames.reviews, '/operator/reviews'],
    ],
    current: '/operator/reviews',
    lead: at < 0 ? texts.notWaiting : texts.position(formatNumber(at + 1, language), countText(desk, language)),
    scripts: ['keys'],
    body: reviewBody(pair, {
      language,
      waiting: known,
      previous: at > 0 ? waiting[at - 1] : undefined,
      next: waiting[at + 1],
      last: decided[0],
    }),
  })
}

async function decide(
  context: ConsoleContext,
  request: PersonRequest,
  what: 'merge' | 'split' | 'undo',
): Promise<PageAnswer> {
  const { language, form, viewer } = request
  const texts = reviewTexts[language]
  const [left, right] = [fieldOf(form, 'left'), fieldOf(form, 'right')]
  const seen = fieldOf(form, 'seen')
  const [nextLeft, nextRight] = [fieldOf(form, 'next-left'), fieldOf(form, 'next-right')]
  const outcome = await runBriefly(context, {
    by: actorOf(request),
    command: `review ${what}`,
    operands: [left, right],
    options: what === 'undo' ? { seen } : { seen, note: viewer.person.mail },
  })
  const to =
    what === 'undo'
      ? pairAddress(left, right)
      : nextLeft === '' || nextRight === ''
        ? '/operator/reviews'
        : pairAddress(nextLeft, nextRight)
  if (outcome.kind === 'goesOn') return redirect(to, { notice: texts.goesOn })
  const warning = outcome.events.find(({ event }) => event === 'warning')?.['message']
  const done = { merge: texts.mergedNotice, split: texts.splitNotice, undo: texts.undoneNotice }[what]
  const decided = outcome.events.find(({ event }) => event === 'reviewDecided')
  const isOne = (decided?.['records'] as readonly string[] | undefined)?.length === 1
  if (decided && isOne !== (what === 'merge')) {
    const values = { left: String(decided['left']), right: String(decided['right']) }
    const notice = lineOf(refusalTexts[language], { code: isOne ? 'joins-other' : 'separates-other', values })
    return redirect(to, { notice })
  }
  return redirect(to, { notice: typeof warning === 'string' ? warning : done })
}
