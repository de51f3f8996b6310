// The notices of a tender, the newest first: what each changed, and why it belongs to the tender.

import { formatNumber } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { foreignLink, quoted } from '../frame/parts.ts'
import type { ExplainedChange, ExplainedNotice, ExplainedRecord } from '../frame/stock-reads.ts'
import { evidenceText, ruleName } from './evidence.ts'
import { tenderTexts } from './tender-texts.ts'
import { dayText, deadlineMembers, labelOf, type ShownIn, valueText } from './tender-values.ts'
import { markedChange } from './word-diff.ts'

/** Changes of one notice that are shown; a first result of many lots has hundreds. */
const maxChanges = 40
/** Letters of a value; descriptions are shown in full above. */
const maxLetters = 600

/** The list of notices. */
export const tenderHistory = ({ notices }: ExplainedRecord, shown: ShownIn): Html =>
  html`<ol class="time">${notices.toReversed().map((notice) => noticeItem(notice, shown))}</ol>`

function noticeItem(notice: ExplainedNotice, shown: ShownIn): Html {
  const { language } = shown
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
      ${actOf(notice, shown.language)}
      ${changeList(notice, shown)}
      <p class="meta">${metaOf(notice, language).map((each) => html`<span>${each}</span>`)}</p>
    </div>
  </li>`
}

/** What the notice is by its words or contents, where these and not the form say it. */
function actOf({ act }: ExplainedNotice, language: Language): Html | false {
  if (!act || act.field === 'form type') return false
  const texts = tenderTexts[language]
  const name = (act.intention && texts.intentions[act.intention]) ?? texts.acts[act.act]
  return html`<p>${texts.readAs(name, texts.actFields[act.field])} ${quoted(cut(act.evidence))}</p>`
}

function changeList({ changes, joinedBy }: ExplainedNotice, shown: ShownIn): Html {
  const texts = tenderTexts[shown.language]
  if (joinedBy === undefined) return html`<p>${texts.begins}</p>`
  if (changes === undefined) return html`<p class="soft">${texts.tooMany}</p>`
  if (changes.length === 0) return html`<p class="soft">${texts.changedNothing}</p>`
  return html`
    ${changes.slice(0, maxChanges).map((change) => html`<p>${changeText(change, shown)}</p>`)}
    ${changes.length > maxChanges && html`<p class="soft">${texts.more(changes.length - maxChanges)}</p>`}
  `
}

function changeText({ member, lotId, before, after }: ExplainedChange, shown: ShownIn): Content {
  const texts = tenderTexts[shown.language]
  const name = member === 'lots' ? '' : labelOf(member, shown.language)
  const lot = lotId !== undefined && html`${texts.lotNamed('')}<bdi>${lotId}</bdi>${name === '' ? ' ' : ': '}`
  const [old, now] = [before, after].map((value) => cut(shortText(member, value, shown))) as [string, string]
  const [was, is] = [html`<bdi>${old}</bdi>`, html`<bdi>${now}</bdi>`]
  // an address says nothing to people: two portals have different ones
  if (/Url$/.test(member)) return html`${lot}${name}: ${foreignLink(now)}`
  if (old === '') return html`${lot}${name} ${name !== '' && texts.added} <ins>${is}</ins>`
  if (now === '') return html`${lot}${name} ${name !== '' && texts.removed} <del>${was}</del>`
  if (['title', 'description'].includes(member)) return html`${lot}${name}: <bdi>${markedChange(old, now)}</bdi>`
  const sentence = deadlineMembers.has(member) ? texts.moved : texts.changedFrom
  return html`${lot}${name} ${sentence.from} <del>${was}</del> ${sentence.to} <ins>${is}</ins>${sentence.end}`
}

/** Of a lot that appears or goes its title, else everything. */
function shortText(member: string, value: unknown, shown: ShownIn): string {
  if (member === 'lots' && typeof value === 'object' && value !== null) {
    const { title, status } = value as { readonly title?: unknown; readonly status?: unknown }
    return [title, valueText('status', status, shown)].filter((each) => typeof each === 'string').join(', ')
  }
  return valueText(member, value, shown)
}

const cut = (text: string): string => (text.length > maxLetters ? `${text.slice(0, maxLetters - 1)}…` : text)

function metaOf(notice: ExplainedNotice, language: Language): Content[] {
  const texts = tenderTexts[language]
  const { joinedBy, version, publicationNumber, url, publisher, key } = notice
  const number = publicationNumber ?? shownKey(key).replace(publisher, '').replace(/^:/, '')
  return [
    quoted(publisher),
    ...(number === '' ? [] : [html`<code><bdi>${number}</bdi></code>`]),
    ...(version === undefined ? [] : [quoted(texts.version(version))]),
    ...(url === undefined ? [] : [foreignLink(url, texts.atPortal)]),
    ...(joinedBy === undefined ? [] : [joinText(joinedBy, language)]),
  ]
}

/** The key of a notice without an id that tells people nothing: `doe` for `doe:0f8a…-01`. */
const shownKey = (key: string): string => key.replace(/:?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-\d+)?$/i, '')

function joinText({ rule, score, evidence, with: key }: NonNullable<ExplainedNotice['joinedBy']>, language: Language) {
  const texts = tenderTexts[language]
  const points =
    score === null ? '' : `, ${texts.shared.withPoints(formatNumber(Math.round(score * 10) / 10, language))}`
  return html`
    ${texts.joined(texts.rules[rule] ?? ruleName(rule, language))}
    ${points}, <bdi>${texts.with(shownKey(key))}</bdi>
    ${score !== null && html` <bdi class="soft">${evidenceText({ evidence }, language)}</bdi>`}
  `
}
