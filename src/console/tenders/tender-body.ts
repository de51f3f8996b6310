// A record on its page: figures, what is bought, what is estimated, lots, history, facts and all fields.
import { type Deadline, firstDeadline } from '#flat/record/first-deadline'
import type { TenderLot, TenderOrganization, TenderRecord } from '../../domain/tender.ts'
import { deadlineMoment } from '../frame/deadline.ts'
import { formatMoment, formatMoney, formatNumber, formatRelative } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import {
  type Figure,
  facts,
  figures,
  more,
  noteBox,
  numbers,
  part,
  quoted,
  type State,
  state,
  table,
} from '../frame/parts.ts'
import type { ExplainedRecord } from '../frame/stock-reads.ts'
import { companyLink } from '../market/party-links.ts'
import { tenderHistory } from './tender-history.ts'
import { tenderTexts } from './tender-texts.ts'
import { codeList, codeName, labelOf, languageOf, valueContent, weekdayIn } from './tender-values.ts'

export type TenderHow = {
  /** Whether the explorer shows this record to the reader. */
  readonly isExplored?: boolean
  /** Whether the reader may open the pages of authorities and companies. */
  readonly hasParties?: boolean
  readonly language: Language
  readonly now: number
  /** Why it is the reader's; absent without a hit. */
  readonly why?: Html | false
  /** Absent if the stock does not know it. */
  readonly explained: ExplainedRecord | undefined
}

const marks: { readonly [status: string]: State } = {
  planned: 'planned',
  open: 'open',
  awardIntended: 'planned',
  closed: 'closed',
  pending: 'closed',
  awarded: 'awarded',
  cancelled: 'cancelled',
  merged: 'merged',
}
/** Lots in the table; the others are among all fields. */
const maxLots = 200

/** A status by shape and word. */
export const statusOf = (status: string, language: Language): Html =>
  state(marks[status] ?? 'closed', tenderTexts[language].status[status] ?? status)

/** The whole content below the head. */
export function tenderBody(record: TenderRecord, how: TenderHow): Html {
  const { language, explained } = how
  const texts = tenderTexts[language]
  return html`${strip(record, how)}${restrictedNote(record, how)}
<div class="split part"><div>
<section><h2>${texts.bought}</h2>${description(record, language)}</section>
${part(texts.estimated, estimatePart(record, language))}
${record.lots.length > 0 && part(texts.lots, lotTable(record, how), texts.lotsNote)}
${part(
  texts.history,
  explained ? tenderHistory(explained, { language, zone: record.timeZone }) : html`<p>${texts.noHistory}</p>`,
  explained && texts.historyNote(explained.notices.length),
)}
</div>
<aside class="stay stack gap" aria-label="${texts.facts}">
  ${how.why}
  ${factPart(record, how)}
  ${contactPart(record, language)}
  ${copyPart(explained, language)}
</aside></div>
${part(texts.allFields, allFields(record, how), texts.allFieldsNote)}`
}

/** Nobody can bid for a restricted tender without an invitation, but companies may ask for one. */
function restrictedNote({ status }: TenderRecord, { language, explained }: TenderHow): Html | false {
  const isRestricted = explained?.notices.some(({ act }) => act?.intention === 'restricted') === true
  if (status !== 'planned' || !isRestricted) return false
  const texts = tenderTexts[language]
  return noteBox('info', texts.restricted, texts.restrictedBody)
}

function description(record: TenderRecord, language: Language): Html {
  if (record.description === undefined) return html`<p>${tenderTexts[language].noDescription}</p>`
  const lang = languageOf(record, 'description', record.language)
  return html`<p${lang !== undefined && html` lang="${lang}"`}>${quoted(record.description)}</p>`
}

function strip(record: TenderRecord, how: TenderHow): Html {
  const { language } = how
  const texts = tenderTexts[language]
  const { contractAmount: amount, lots, originalSources } = record
  const list: Figure[] = [
    ...deadlineFigures(record, how),
    amount === null
      ? { name: texts.shared.value, value: texts.shared.unknown, note: texts.noValueNote }
      : {
          name: texts.shared.value,
          value: formatMoney(amount.value, amount.currency, language),
          note: amount.estimated ? estimateText(amount, language) : texts.published,
        },
    {
      name: texts.lots,
      value: lots.length === 0 ? '–' : formatNumber(lots.length, language),
      note: lots.length === 0 ? texts.undivided : lotStates(lots, language),
    },
    {
      name: texts.shared.notices,
      value: formatNumber(originalSources.length, language),
      note: quoted([...new Set(originalSources.map(({ publisher }) => publisher))].join(', ')),
    },
  ]
  return figures(list)
}

function lotStates(lots: readonly TenderLot[], language: Language): string {
  const counts = new Map<string, number>()
  for (const { status } of lots) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts]
    .map(
      ([status, count]) =>
        `${formatNumber(count, language)} ${(tenderTexts[language].status[status] ?? status).toLocaleLowerCase(language)}`,
    )
    .join(', ')
}

type Amount = NonNullable<TenderRecord['contractAmount']>

function estimateText({ low, high, currency, confidence }: Amount, language: Language): string {
  const texts = tenderTexts[language]
  const money = (value: number | undefined) =>
    value === undefined ? '–' : formatMoney(Math.round(value), currency, language)
  return texts.estimate(money(low), money(high), texts.confidences[confidence ?? ''] ?? confidence ?? '–')
}

/** The deadline that a bidder meets first, then the one that follows it. */
function deadlineFigures(record: TenderRecord, how: TenderHow): Figure[] {
  const texts = tenderTexts[how.language]
  const first = firstDeadline(record)
  if (first === undefined) {
    const note = record.isDeadlineUnknown === true && { note: texts.noDeadlineNote }
    return [{ name: texts.deadlines.submission, value: texts.shared.unknown, ...note }]
  }
  const figure = ({ kind, at }: Deadline) => ({ name: texts.deadlines[kind], ...deadlineText(at, record, how) })
  const { submissionDate } = record
  const isFollowed = first.kind === 'participation' && submissionDate !== undefined
  return [figure(first), ...(isFollowed ? [figure({ kind: 'submission', at: submissionDate })] : [])]
}

/** The deadline in the authority's zone; then UTC and how far it is. */
function deadlineText(
  instant: string,
  record: TenderRecord,
  { language, now }: Pick<TenderHow, 'language' | 'now'>,
): { readonly value: Content; readonly note: Content } {
  const texts = tenderTexts[language]
  const at = Date.parse(instant)
  const zone = record.timeZone
  const utc = texts.utc(formatMoment(at, language))
  const ago = formatRelative(at, now, language)
  const value = deadlineMoment(instant, zone, language)
  if (zone === undefined) return { value, note: `${ago} · ${texts.zoneUnknown}` }
  return { value, note: `${texts.inZone(weekdayIn(zone, at, language), zone)} · ${utc} · ${ago}` }
}

function estimatePart({ contractAmount: amount }: TenderRecord, language: Language): Html {
  const texts = tenderTexts[language]
  if (!amount?.estimated) return html`<p>${texts.nothingEstimated}</p>`
  return html`<p>${texts.estimatedValue}</p>${facts([
    [texts.shared.value, formatMoney(amount.value, amount.currency, language)],
    [texts.range, estimateText(amount, language)],
    [texts.basis, amount.basis === undefined ? '–' : quoted(amount.basis)],
    [texts.shared.model, html`<code>${amount.modelVersion ?? '–'}</code>`],
  ])}`
}

function lotTable(record: TenderRecord, { language, now, hasParties }: TenderHow): Html {
  const texts = tenderTexts[language]
  const { lots } = record
  // already shown by the figures above
  const common = firstDeadline(record)?.at
  return html`${table({
    caption: texts.lots,
    columns: [texts.lot, texts.shared.cpv, texts.shared.deadline, numbers(texts.shared.value), texts.shared.condition],
    rows: lots.slice(0, maxLots).map((lot) => {
      const first = firstDeadline(lot)
      const amount = lot.awardedAmount ?? lot.contractAmount
      const deadline = first && deadlineText(first.at, record, { language, now })
      return [
        html`
          ${lot.title !== undefined && html`${quoted(lot.title, lot.titleLanguage ?? record.language)}<br>`}
          <span class="soft"><bdi>${lot.lotId}</bdi></span>
        `,
        lot.cpvCodes.slice(0, 4).map((code, index) => html`${index > 0 && html`<br>`}${codeName(code, language)}`),
        deadline
          ? html`
            ${deadline.value}
            ${first && html` <span class="soft">${texts.shared.deadlineFor[first.kind]}</span>`}
            ${first?.at !== common && html`<br><span class="soft">${deadline.note}</span>`}
          `
          : '–',
        amount === undefined ? '–' : formatMoney(amount.value, amount.currency, language),
        html`
          ${statusOf(lot.status, language)}
          ${
            lot.winners !== undefined &&
            html`<br><span class="soft">${texts.winners}: ${winnerNames(lot.winners, record.language, hasParties)}</span>`
          }
        `,
      ]
    }),
  })}${lots.length > maxLots && html`<p class="soft">${texts.more(lots.length - maxLots)}</p>`}`
}

const winnerNames = (winners: readonly TenderOrganization[], lang: string | undefined, hasParties = false): Html =>
  html`${winners.map((each, index) => {
    const name = hasParties ? companyLink(each, lang) : quoted(each.name, lang)
    return html`${index > 0 && ', '}${name}`
  })}`

function factPart(record: TenderRecord, { language }: TenderHow): Html {
  const texts = tenderTexts[language]
  const rows: (readonly [string, Content])[] = []
  for (const member of ['procedureType', 'contractNature', 'realizedLocation', 'firstPublicationDate'] as const)
    if (record[member] !== undefined)
      rows.push([labelOf(member, language), valueContent(member, record[member], { language, zone: record.timeZone })])
  return html`<section><h2>${texts.facts}</h2>${facts([
    ...rows,
    [labelOf('cpvCodes', language), codeList('cpvCodes', record.cpvCodes, language)],
    ...(record.nutsCodes.length === 0
      ? []
      : [[labelOf('nutsCodes', language), codeList('nutsCodes', record.nutsCodes, language)] as const]),
    [texts.shared.changed, valueContent('lastModified', record.lastModified, { language })],
    [texts.checked, valueContent('checkedAt', record.checkedAt, { language })],
  ])}</section>`
}

function contactPart({ contractingAuthority: authority }: TenderRecord, language: Language): Html | false {
  if (!authority) return false
  return html`<section><h2>${tenderTexts[language].contact}</h2>${valueContent('contractingAuthority', authority, { language })}</section>`
}

function copyPart(explained: ExplainedRecord | undefined, language: Language): Html | false {
  const texts = tenderTexts[language]
  if (!explained || explained.copies.length === 0) return false
  return html`<section>
    <h2>${texts.copies}</h2>
    <p>${texts.copiesBody}</p>
    <ul>${explained.copies.map((id, index) => html`<li><a href="/tenders/${id}">${texts.copyNumber(index + 1)}</a></li>`)}</ul>
  </section>`
}

function allFields(record: TenderRecord, { language, explained, isExplored }: TenderHow): Html {
  const texts = tenderTexts[language]
  const origins = new Map(explained?.origins.map((origin) => [origin.member, origin]))
  const fromOf = (member: string): Content => {
    const origin = origins.get(member)
    if (!origin) return texts.computed
    const [first, ...others] = origin.noticeKeys
    if (first === undefined) return texts.origins[origin.rule] ?? texts.computed
    return html`<code><bdi>${first}</bdi></code>${others.length > 0 && ` ${texts.more(others.length)}`}`
  }
  return more(
    texts.raw,
    html`${isExplored && html`<p><a class="btn" href="/explorer?id=${record.id}&amp;ask=">${texts.json}</a></p>`}${table(
      {
        caption: texts.allFields,
        columns: [texts.field, texts.shared.value, texts.from],
        rows: Object.entries(record).map(([member, value]) => [
          labelOf(member, language),
          valueContent(member, value, { language, zone: record.timeZone }, languageOf(record, member, record.language)),
          fromOf(member),
        ]),
      },
    )}`,
  )
}
