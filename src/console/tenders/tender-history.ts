// The notices of a tender, the newest first: what each changed, and why it belongs to the tender.

import { formatNumber } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { foreignLink, quoted } from '../frame/parts.ts'
import type { ExplainedChange, ExplainedNotice, ExplainedRecord } from '../frame/stock-reads.ts'
import { evidenceText, ruleName } from './evidence.ts'
import { tenderTexts } from './tender-texts.ts'
import { dayText, labelOf, valueText } from './tender-values.ts'
import { markedChange } from './word-diff.ts'

/** Changes of one notice that are shown; a first result of many lots has hundreds. */
const maxChanges = 40
/** Letters of a value; descriptions are shown in full above. */
const maxLetters = 600

/** The list of notices. */
export const tenderHistory = ({ notices }: ExplainedRecord, language: Language): Html =>
  html`<ol class="time">${notices.toReversed().map((notice) => noticeItem(notice, language))}</ol>`

function noticeItem(notice: ExplainedNotice, language: Language): Html {
  const texts = tenderTexts[language]
  const { publicationDate, changes, joinedBy } = notice
  const form = texts.forms[notice.formType] ?? notice.formType
  const isCopy = joinedBy !== undefined && changes?.length === 0
  return html`<li>
    ${
      publicationDate !== undefined
        ? html`<time class="soft small" datetime="${publicationDate}">${dayText(publicationDate, language)}</time>`
        : html`<span class="soft small">–</span>`
    }
    <div>
      <h3>${isCopy ? texts.alsoPublished(form) : form}</h3>
      ${changeList(notice, language)}
      <p class="meta">${metaOf(notice, language).map((each) => html`<span>${each}</span>`)}</p>
    </div>
  </li>`
}

function changeList({ changes, joinedBy }: ExplainedNotice, language: Language): Html {
  const texts = tenderTexts[language]
  if (joinedBy === undefined) return html`<p>${texts.begins}</p>`
  if (changes === undefined) return html`<p class="soft">${texts.tooMany}</p>`
  if (changes.length === 0) return html`<p class="soft">${texts.changedNothing}</p>`
  return html`
    ${changes.slice(0, maxChanges).map((change) => html`<p>${changeText(change, language)}</p>`)}
    ${changes.length > maxChanges && html`<p class="soft">${texts.more(changes.length - maxChanges)}</p>`}
  `
}

function changeText({ member, lotId, before, after }: ExplainedChange, language: Language): Content {
  const texts = tenderTexts[language]
  const name = member === 'lots' ? '' : `${labelOf(member, language)}`
  const head = html`${lotId !== undefined && html`${texts.lotNamed('')}<bdi>${lotId}</bdi> `}${name}`
  const [old, now] = [before, after].map((value) => cut(shortText(member, value, language))) as [string, string]
  if (old === '') return html`${head} <ins><bdi>${now}</bdi></ins>`
  if (now === '') return html`${head} <del><bdi>${old}</bdi></del>`
  // figures and dates are shown whole: a date with one digit struck through tells nothing
  const isWhole = !['title', 'description'].includes(member)
  return isWhole
    ? html`${head} <del><bdi>${old}</bdi></del> <ins><bdi>${now}</bdi></ins>`
    : html`${head} <bdi>${markedChange(old, now)}</bdi>`
}

/** Of a lot that appears or goes its title, else everything. */
function shortText(member: string, value: unknown, language: Language): string {
  if (member === 'lots' && typeof value === 'object' && value !== null) {
    const { title, status } = value as { readonly title?: unknown; readonly status?: unknown }
    return [title, valueText('status', status, language)].filter((each) => typeof each === 'string').join(', ')
  }
  return valueText(member, value, language)
}

const cut = (text: string): string => (text.length > maxLetters ? `${text.slice(0, maxLetters - 1)}…` : text)

function metaOf(notice: ExplainedNotice, language: Language): Content[] {
  const texts = tenderTexts[language]
  const { joinedBy, version, publicationNumber, url, publisher, key } = notice
  return [
    quoted(publisher),
    html`<code><bdi>${publicationNumber ?? key}</bdi></code>`,
    ...(version === undefined ? [] : [quoted(texts.version(version))]),
    ...(url === undefined ? [] : [foreignLink(url, texts.atPortal)]),
    ...(joinedBy === undefined ? [] : [joinText(joinedBy, language)]),
  ]
}

function joinText({ rule, score, evidence, with: key }: NonNullable<ExplainedNotice['joinedBy']>, language: Language) {
  const texts = tenderTexts[language]
  const points =
    score === null ? '' : `, ${texts.shared.withPoints(formatNumber(Math.round(score * 10) / 10, language))}`
  return html`
    ${texts.joined(texts.rules[rule] ?? ruleName(rule, language))}
    ${points}, <bdi>${texts.with(key)}</bdi>
    ${score !== null && html` <bdi class="soft">${evidenceText({ evidence }, language)}</bdi>`}
  `
}
