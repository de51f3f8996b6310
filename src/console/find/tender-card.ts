// One tender among the results: state, trade and nature in words, title, buyer, the words found, deadline and value.
import { type Deadline, firstDeadline } from '#flat/record/first-deadline'
import type { TenderRecord } from '../../domain/tender.ts'
import { dayMs } from '../../domain/time.ts'
import type { FoundStatus } from '../../edition/read/tender-question.ts'
import { lotName } from '../../hits/clause-reason.ts'
import { regionOf } from '../codes/region-names.ts'
import { tradeOf } from '../codes/trade-names.ts'
import { deadlineMoment } from '../frame/deadline.ts'
import { formatMoney, formatNumber, formatRelative } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { foreignLink, quoted, type State, state } from '../frame/parts.ts'
import { titleOf } from '../frame/record-texts.ts'
import { criteriaTexts } from '../hits/criteria-texts.ts'
import { authorityLink } from '../market/party-links.ts'
import { type Asked, addressOf } from './asked.ts'
import { findTexts } from './find-texts.ts'
import { marked, pieceAround, spansIn } from './highlight.ts'

export type CardHow = {
  readonly asked: Asked
  readonly language: Language
  /** To which deadlines refer, epoch milliseconds. */
  readonly now: number
  /** Path of the pages of tenders, with a slash at the end; undefined: the reader may not open them. */
  readonly pages: string | undefined
  /** Whether the reader may open the pages of authorities. */
  readonly hasParties: boolean
}

const marks: { readonly [status in FoundStatus]: State } = {
  open: 'open',
  planned: 'planned',
  awardIntended: 'planned',
  closed: 'closed',
  awarded: 'awarded',
  cancelled: 'cancelled',
}
/** From how many days on a deadline is marked. */
const soonDays = 7

export function tenderCard(record: TenderRecord, how: CardHow): Html {
  const { asked, language, pages } = how
  const texts = findTexts[language]
  const { words } = asked
  const { text, lang } = titleOf(record)
  const title = text || texts.untitled
  const status = record.status as FoundStatus
  const nature = record.contractNature
  const natures = criteriaTexts[language].natures as { readonly [code: string]: string }
  const trade = tradeOf(record, language)
  return html`<li><div>
<p class="kind">
  ${state(marks[status] ?? 'closed', status === 'planned' ? texts.planned : (texts.statuses[status] ?? status))}
  ${trade !== undefined && html`<span>${trade}</span>`}
  ${nature !== undefined && natures[nature] !== undefined && html`<span>${natures[nature]}</span>`}
  ${record.lots.length > 1 && html`<span>${texts.lots(formatNumber(record.lots.length, language))}</span>`}
</p>
<h3${text !== '' && lang !== undefined && html` lang="${lang}"`}>${linked(marked(title, spansIn(title, words)), record, pages)}</h3>
${buyerLine(record, how)}
${foundElsewhere(record, how)}
</div>
<div class="ends">${dueOf(record, how)}</div>
<div class="ends worth">${worthOf(record, language)}</div></li>`
}

/** To its own page, or to its notice on the portal. */
function linked(title: Content, record: TenderRecord, pages: string | undefined): Html {
  if (pages !== undefined) return html`<a href="${pages}${record.id}"><bdi>${title}</bdi></a>`
  const address = record.originalSources.findLast((source) => source.url !== undefined)?.url
  return address !== undefined && /^https?:/.test(address) ? foreignLink(address, title) : html`<bdi>${title}</bdi>`
}

function buyerLine(record: TenderRecord, { asked, language, hasParties }: CardHow): Html | false {
  const buyer = record.contractingAuthority
  const region = regionOf(record, language)
  const town = buyer?.city
  const places = [
    ...(town === undefined ? [] : [quoted(town, record.language)]),
    ...(region === undefined || region === town ? [] : [region]),
  ]
  if (!buyer && places.length === 0) return false
  const isAsked = buyer !== undefined && asked.authorities.includes(buyer.name)
  const name = buyer && quoted(buyer.name, record.language)
  const own = buyer && hasParties ? authorityLink(buyer, record.language) : undefined
  return html`<p class="by">
    ${buyer && (own ?? (isAsked ? name : html`<a href="${addressOf(asked, { authorities: [buyer.name] })}">${name}</a>`))}
    ${places.length > 0 && html`<span>${buyer && ' · '}${places.map((place, index) => html`${index > 0 && ', '}${place}`)}</span>`}
  </p>`
}

/** The first text besides the title in which a word occurs; only texts that the search reads. */
function foundElsewhere(record: TenderRecord, { asked: { words }, language }: CardHow): Html | false {
  if (words.length === 0) return false
  const texts = findTexts[language]
  const own = record.descriptionLanguage ?? record.language
  const places: (readonly [text: string | undefined, lang: string | undefined, lead?: string])[] = [
    [record.description, own],
    ...record.lots.flatMap((lot) => {
      const lead = texts.lot(lotName(lot.lotId))
      return [
        [lot.title, lot.titleLanguage ?? record.language, lead],
        [lot.description, lot.descriptionLanguage ?? record.language, lead],
      ] as const
    }),
    // the title that is shown may be shorter than the one that was searched
    [record.displayTitle === undefined ? undefined : record.title, record.titleLanguage ?? record.language],
    ...Object.entries(record.translations ?? {}).flatMap(
      ([lang, { title, description }]) =>
        [
          [title, lang],
          [description, lang],
        ] as const,
    ),
  ]
  for (const [text, lang, lead] of places) {
    const piece = text === undefined ? undefined : pieceAround(text, words)
    if (piece !== undefined)
      return html`<p class="snip">${lead !== undefined && html`<b>${lead}</b> `}<bdi${lang !== undefined && html` lang="${lang}"`}>${piece}</bdi></p>`
  }
  return false
}

/** Kind, moment at the authority, zone and how far it is: the four parts of a deadline. */
function dueOf(record: TenderRecord, { language, now }: CardHow): Content {
  const texts = findTexts[language]
  const first: Deadline | undefined = firstDeadline(record)
  if (first === undefined)
    return html`<span>${record.status === 'planned' ? texts.noDeadlineYet : texts.noDeadline}</span>`
  const at = Date.parse(first.at)
  const left = formatRelative(at, now, language)
  const isSoon = at >= now && at - now <= soonDays * dayMs
  return html`<span>${texts.dueKinds[first.kind]}</span>
<b>${deadlineMoment(first.at, record.timeZone, language)}</b>
${isSoon ? html`<span class="st warn">${left}</span>` : html`<span>${left}</span>`}`
}

function worthOf({ contractAmount: amount }: TenderRecord, language: Language): Content {
  const texts = findTexts[language]
  if (amount === null) return html`<span>${texts.noValue}</span>`
  const money = (value: number) => formatMoney(Math.round(value), amount.currency, language, { isShort: true })
  const { low, high, estimated } = amount
  return html`<b>${money(amount.value)}</b>
${estimated && html`<span>${texts.estimated}${low !== undefined && high !== undefined && html`<br>${texts.range(money(low), money(high))}`}</span>`}`
}
