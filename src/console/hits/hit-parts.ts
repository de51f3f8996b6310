// One hit as an entry of a list: its tender, why it has its score, and where it was delivered.
import type { TenderRecord } from '../../domain/tender.ts'
import { toInstant } from '../../domain/time.ts'
import type { Fit } from '../../hits/fit/fit.ts'
import type { HitReasons } from '../../hits/match-records.ts'
import type { PageHit } from '../../store/hits/hit-lists.ts'
import type { StoredSearch } from '../../store/hits/searches.ts'
import { regionOf } from '../codes/region-names.ts'
import { tradeOf } from '../codes/trade-names.ts'
import { deadlineMoment, deadlineNote } from '../frame/deadline.ts'
import { formatMoney, formatNumber } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { moment, more, numbers, quoted, score, state, table } from '../frame/parts.ts'
import { titleOf } from '../frame/record-texts.ts'
import { matchedText, partText, ruleText } from './clause-lines.ts'
import { hitAddress } from './hit-addresses.ts'
import { hitsTexts } from './hits-texts.ts'
import { scoreWords } from './search-form-parts.ts'

export type HitView = {
  readonly hit: PageHit
  /** The newest published record. */
  readonly record: TenderRecord | undefined
  readonly search: Pick<StoredSearch, 'searchId' | 'name'> | undefined
  readonly organizationId: string
  /** Query of the list that shows it. */
  readonly list: string
  /** Where somebody goes on after a decision. */
  readonly next: Pick<PageHit, 'hitId'> | undefined
  readonly now: number
  readonly language: Language
}

/** Belongs in a form: its checkbox is named `hit`, its buttons `do`. */
export function hitItem(view: HitView): Html {
  const { hit, record, language, list, next, organizationId } = view
  const texts = hitsTexts[language]
  const { hitId, fitScore } = hit
  const { text, lang } = titleOf(record ?? {})
  const title = text || texts.untitled
  const isBySearch = (JSON.parse(hit.fit) as Fit).profile === null
  // a redirect keeps the fragment, so that without script the next hit is where somebody goes on
  const action = next && html` formaction="/o/${organizationId}/hits#h-${next.hitId}"`
  const button = (to: PageHit['state'], text: string, kind = '') =>
    html`<button class="tiny ${kind}" name="do" value="${to} ${hitId}"${action}>${text}<span class="hide">: ${title}</span></button>`
  return html`<li id="h-${hitId}" data-hit="${hitId}" data-state="${hit.state}">
    <div>
      ${score(fitScore, scoreWords(fitScore, isBySearch, language))}
      <label class="tick">
        <input type="checkbox" name="hit" value="${hitId}">
        <span class="hide">${texts.choose(title)}</span>
      </label>
    </div>
    <div>
      <h3><a href="${hitAddress(hit, list)}">${quoted(title, text === '' ? undefined : lang)}</a></h3>
      ${record && whoAndWhere(record, language)}
      ${meta(view)}
      ${deliveries(view)}
    </div>
    <div class="row">
      ${hit.state !== 'kept' && button('kept', texts.keep)}
      ${hit.state !== 'dismissed' && button('dismissed', texts.dismiss, 'bare')}
      ${hit.state === 'new' && button('seen', texts.seen, 'bare')}
    </div>
    ${more(texts.why(fitScore), why(hit, language))}
  </li>`
}

/** Authority, town, region and trade, as far as they are known. */
function whoAndWhere(record: TenderRecord, language: Language): Html | false {
  const { contractingAuthority: buyer, language: own } = record
  const town = buyer?.city
  const region = regionOf(record, language)
  const parts: Content[] = [
    buyer && quoted(buyer.name, own),
    town !== undefined && quoted(town, own),
    region !== town && region,
    tradeOf(record, language),
  ].filter((each) => each)
  return parts.length > 0 && html`<p>${joined(parts, ' · ')}</p>`
}

function meta({ hit, record, search, organizationId, now, language }: HitView): Html {
  const texts = hitsTexts[language]
  const lots = record?.lots.length ?? 0
  return html`<p class="meta">
    ${hit.isClosed && state('closed', texts.tabs.closed)}
    ${hit.isClosed && html`<span>${texts.noCall[record?.status ?? '']}</span>`}
    ${!hit.isClosed && record?.status === 'planned' && state('planned', texts.announced)}
    <span>
      ${
        hit.deadline === null
          ? texts.noDeadline
          : html`
            <b>${deadlineMoment(toInstant(hit.deadline), record?.timeZone, language)}</b>${' '}
            ${deadlineNote({ at: toInstant(hit.deadline), kind: hit.deadlineKind }, now, language)}
          `
      }
    </span>
    <span>${record && valueText(record, language)}</span>
    ${lots > 0 && html`<span>${texts.lots(formatNumber(lots, language), lots === 1)}</span>`}
    ${
      search &&
      html`<span><a href="/o/${organizationId}/searches/${search.searchId}"><bdi>${search.name}</bdi></a></span>`
    }
    <span>${texts.found} ${moment(hit.madeAt, language)} UTC</span>
  </p>`
}

export function valueText({ contractAmount }: Pick<TenderRecord, 'contractAmount'>, language: Language): string {
  const texts = hitsTexts[language]
  if (contractAmount === null) return texts.noValue
  const { value: amount, currency, estimated } = contractAmount
  const money = /^[A-Z]{3}$/.test(currency)
    ? formatMoney(amount, currency, language, { isShort: true })
    : `${formatNumber(amount, language)} ${currency}`
  return estimated ? `${money}, ${texts.shared.estimated}` : money
}

function deliveries({ hit, organizationId, language }: HitView): Html | false {
  const texts = hitsTexts[language].deliveries
  const wordOf = (each: string): string => texts[each as keyof typeof texts] ?? each
  return (
    hit.deliveries.length > 0 &&
    html`<p class="meta">
      ${hit.deliveries.map(
        (each) =>
          html`<span>
            ${wordOf(each.state)} <a href="/o/${organizationId}/webhooks/${each.endpointId}/messages/${each.messageId}">
              <bdi>${each.endpoint}</bdi>
            </a>
          </span>`,
      )}
    </p>`
  )
}

/** The parts of the score, and what satisfied the search. */
export function why(
  {
    fit: text,
    matched: lines,
    reasons: stored,
    fitScore,
    searchVersion,
  }: Pick<PageHit, 'fit' | 'matched' | 'reasons' | 'fitScore' | 'searchVersion'>,
  language: Language,
): Html {
  const texts = hitsTexts[language]
  const fit = JSON.parse(text) as Fit
  const matched = JSON.parse(lines) as string[]
  const reasons = stored === null ? undefined : (JSON.parse(stored) as HitReasons)
  const points = (value: number) => formatNumber(value, language)
  return html`<div class="stack">${table({
    caption: texts.parts,
    kind: 'mini',
    columns: [texts.shared.part, numbers(texts.shared.points), texts.shared.share, texts.shared.because],
    rows: fit.parts.map((part, index) => [
      texts.partNames[part.part] ?? part.part,
      part.points === null
        ? texts.shared.unknown
        : html`<b>${points(part.points)}</b> <span class="soft">${texts.of(points(part.of))}</span>`,
      part.points !== null &&
        part.of > 0 &&
        html`<progress class="meter" max="${part.of}" value="${part.points}" aria-hidden="true"></progress>`,
      part.terms
        ? html`<bdi>${part.terms.join(', ')}</bdi>`
        : partText(reasons?.parts[index], part.text ?? '', language),
    ]),
  })}<p class="soft small">${fit.sum !== undefined && texts.sum(points(fit.sum), fitScore)} ${
    fit.rules?.length > 0 &&
    html`${texts.rules} ${joined(
      fit.rules.map((rule, index) => ruleText(reasons?.rules[index], rule, language)),
      ', ',
    )}.`
  } ${texts.matched(searchVersion)} ${joined(
    matched.map((line, index) => matchedText(reasons?.matched[index], line, language)),
    '; ',
  )}</p></div>`
}

const joined = (list: readonly Content[], between: string): Content =>
  list.map((each, index) => html`${index > 0 && between}${each}`)
