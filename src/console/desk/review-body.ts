// Two records side by side: what differs is marked, the evidence beside it, and the buttons.

import { decisionVersion } from '../../actions/reviews.ts'
import type { ReviewDecision } from '../../store/stock/reviews.ts'
import { deadlineLine } from '../frame/deadline.ts'
import { formatDay, formatMoney, formatNumber } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { keySwitch, noteBox, numbers, quoted, table } from '../frame/parts.ts'
import type { ComparedPair, ExactReference, ReviewSide, WaitingPair } from '../frame/stock-reads.ts'
import { ruleName, signsOf } from '../tenders/evidence.ts'
import { tenderTexts } from '../tenders/tender-texts.ts'
import { markedSides } from '../tenders/word-diff.ts'
import { reviewTexts } from './review-texts.ts'

/** The page of a pair. */
export const pairAddress = (left: string, right: string): string =>
  `/operator/reviews/pair?left=${encodeURIComponent(left)}&right=${encodeURIComponent(right)}`

export type ReviewHow = {
  readonly language: Language
  /** The pair in the list of those that wait; undefined for another. */
  readonly waiting: WaitingPair | undefined
  readonly previous: WaitingPair | undefined
  readonly next: WaitingPair | undefined
  /** The newest decision, to be undone. */
  readonly last: ReviewDecision | undefined
}

/** The whole content below the head. */
export function reviewBody(pair: ComparedPair, how: ReviewHow): Html {
  const { language, last } = how
  const texts = reviewTexts[language]
  return html`${stateNote(pair, how)}<div class="split"><div>${differences(pair, language)}${buttons(pair, how)}</div>
<aside class="stay stack gap" aria-label="${texts.evidence}">${evidencePart(pair, how)}</aside></div>
${
  last &&
  html`<form method="post" action="/operator/reviews/undo" class="row">
    <input type="hidden" name="left" value="${last.left}">
    <input type="hidden" name="right" value="${last.right}">
    <input type="hidden" name="seen" value="${decisionVersion(last)}">
    <span>
      ${texts.last}: ${last.decision === 'merge' ? texts.merged : texts.split}, <code>${quoted(last.left)}</code> <code>
        ${quoted(last.right)}
      </code>
    </span>
    <button class="tiny">${texts.undo}</button>
  </form>`
}`
}

function stateNote(pair: ComparedPair, { language, waiting }: ReviewHow) {
  const { isOneRecord, isExactlyLinked, references, decision } = pair
  const texts = reviewTexts[language]
  if (waiting && !waiting.isOneRecord && decision === null) return false
  const heading = isOneRecord ? texts.isOneNow : texts.isTwoNow
  const body = [
    isExactlyLinked && texts.exact,
    decision !== null && texts.decidedAs(decision === 'merge' ? texts.merged : texts.split),
  ].filter((each) => each !== false)
  const list =
    isExactlyLinked &&
    references.length > 0 &&
    html`<ul>${references.map((each) => html`<li>${referenceText(each, language)}</li>`)}</ul>`
  return noteBox('info', heading, html`${body.join(' ')}${list}`)
}

function referenceText({ notice, with: other, rule, evidence }: ExactReference, language: Language): Html {
  const texts = tenderTexts[language]
  return html`
    <code>${quoted(notice)}</code> ${texts.with('')}
    <code>${quoted(other)}</code>: ${texts.rules[rule] ?? rule} <code>
      ${quoted(evidence.replace(/^[a-z]:/, ''))}
    </code>
  `
}

type Row = readonly [name: string, read: (side: ReviewSide) => string, isText?: boolean]

function rowsOf(language: Language): readonly Row[] {
  const texts = reviewTexts[language]
  return [
    [texts.notice, ({ key }) => key],
    [texts.shared.portals, ({ publishers }) => (publishers ?? []).join(', ')],
    [texts.titleOf, ({ title }) => title ?? '', true],
    [texts.shared.authority, ({ buyer }) => buyer ?? '', true],
    [texts.number, ({ tenderNumber }) => tenderNumber ?? ''],
    [texts.shared.status, ({ status }) => (status ? (tenderTexts[language].status[status] ?? status) : '')],
    [
      texts.shared.published,
      ({ publicationDate }) => (publicationDate ? formatDay(Date.parse(publicationDate), language) : ''),
    ],
    [
      texts.shared.deadline,
      ({ deadline, timeZone }) => (deadline ? deadlineLine(deadline, timeZone ?? undefined, language) : ''),
    ],
    [texts.shared.value, (side) => valueText(side, language)],
    [texts.shared.cpv, ({ cpvCodes }) => (cpvCodes ?? []).slice(0, 12).join(', ')],
    [texts.region, ({ nutsCodes }) => (nutsCodes ?? []).slice(0, 12).join(', ')],
    [texts.shared.notices, ({ notices }) => (notices === undefined ? '' : formatNumber(notices, language))],
    [texts.description, ({ description }) => description ?? '', true],
  ]
}

function valueText({ contractAmount }: ReviewSide, language: Language): string {
  if (!contractAmount) return ''
  const text = formatMoney(contractAmount.value, contractAmount.currency, language)
  return contractAmount.estimated ? `${text} (${reviewTexts[language].shared.estimated})` : text
}

function differences({ left, right }: ComparedPair, language: Language): Html {
  const texts = reviewTexts[language]
  const cell = (side: ReviewSide, text: string, shown: Content, isSame: boolean, isText: boolean): Html => {
    if (text === '') return html`<span class="soft">${texts.shared.unknown}</span>`
    const lang = isText && side.language ? side.language : undefined
    return html`<bdi${isSame && html` class="same"`}${lang !== undefined && html` lang="${lang}"`}>${shown}</bdi>`
  }
  return table({
    caption: texts.caption,
    kind: 'diff',
    columns: [texts.member, texts.plainLeft, texts.plainRight],
    rows: rowsOf(language).map(([name, read, isText = false]) => {
      const [a, b] = [read(left), read(right)]
      const [before, after] = markedSides(a, b)
      return [name, cell(left, a, before, a === b, isText), cell(right, b, after, a === b, isText)]
    }),
  })
}

function buttons({ left, right, isExactlyLinked, isOneRecord, decision, version }: ComparedPair, how: ReviewHow): Html {
  const { language, next, previous, waiting } = how
  const texts = reviewTexts[language]
  const hidden = html`
    <input type="hidden" name="left" value="${left.key}">
    <input type="hidden" name="right" value="${right.key}">
    <input type="hidden" name="seen" value="${version}">
    ${
      next &&
      html`<input type="hidden" name="next-left" value="${next.left.key}"><input type="hidden" name="next-right" value="${next.right.key}">`
    }
  `
  const mayMerge = (!isExactlyLinked && !isOneRecord) || waiting?.isOneRecord === true
  const maySplit = !isExactlyLinked && (isOneRecord || waiting !== undefined || decision === 'merge')
  return html`<form class="act" method="post" action="/operator/reviews/merge">
    ${hidden}
    ${
      mayMerge &&
      html`<button class="go" data-key="m">${waiting?.isOneRecord ? texts.confirmButton : texts.mergeButton} <kbd>m</kbd></button>`
    }
    ${
      maySplit &&
      html`<button formaction="/operator/reviews/split" data-key="s">${texts.splitButton} <kbd>s</kbd></button>`
    }
    ${decision !== null && html`<button formaction="/operator/reviews/undo">${texts.undo}</button>`}
    <a class="btn bare" data-key="j"
      href="${next ? pairAddress(next.left.key, next.right.key) : '/operator/reviews'}">
      ${texts.later} <kbd>j</kbd>
    </a>
    ${
      previous &&
      html`<a class="btn bare" data-key="k" href="${pairAddress(previous.left.key, previous.right.key)}">${texts.previous} <kbd>k</kbd></a>`
    }
    <span class="hint">${isExactlyLinked ? texts.noSplit : texts.hint}</span>
    ${keySwitch(texts.shared.hasKeys)}
  </form>`
}

function evidencePart({ verdict, left, right }: ComparedPair, { language, waiting }: ReviewHow): Html {
  const texts = reviewTexts[language]
  const found = waiting ?? verdict
  const link = ({ id, key }: ReviewSide, name: string) =>
    id !== null && html`<p><a href="/tenders/${id}">${name}: ${texts.openRecord} <code>${quoted(key)}</code></a></p>`
  const points = found?.score ?? null
  return html`${
    found &&
    html`<section class="stack">
      <h2>${texts.likelihood}</h2>
      ${
        points !== null &&
        html`
          <div class="score">
            <b>${formatNumber(points, language)}</b>
            <progress class="meter" max="20" value="${Math.max(0, Math.min(20, points))}" aria-hidden="true"></progress>
            <span>${texts.shared.withPoints(formatNumber(points, language))}</span>
          </div>
          <p class="soft small">${texts.scoreNote}</p>
        `
      }
      <p>${texts.rule}: ${ruleName(found.rule, language)} <code>${found.rule}</code></p>
      ${
        verdict &&
        html`<p>${texts.says}: ${texts.verdicts[verdict.kind] ?? verdict.kind} (${ruleName(verdict.rule, language)} <code>${verdict.rule}</code>)</p>`
      }
    </section>
<section>
  <h2>${texts.evidence}</h2>
  ${table({
    caption: texts.evidence,
    kind: 'mini keep',
    columns: [texts.sign, numbers(texts.weight)],
    rows: signsOf(found, language).map(([sign, weight]) => [quoted(sign), weight ?? '–']),
  })}
</section>`
  }<section class="stack">${link(left, texts.plainLeft)}${right.id !== left.id && link(right, texts.plainRight)}</section>`
}
