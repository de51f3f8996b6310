// What narrows a question: chips of what holds, and facets beside the results. Each is a link to the address that asks
// the same with it, or without it. A facet's own filter does not narrow its counts.
import { valueBands } from '../../edition/format/value-bands.ts'
import type { TenderFacets } from '../../edition/read/tender-question.ts'
import { rankCodes } from '../codes/rank-codes.ts'
import { regionName } from '../codes/region-names.ts'
import { tradeLabel } from '../codes/trade-names.ts'
import { formatMoney, formatNumber } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { more, quoted } from '../frame/parts.ts'
import { type Asked, addressOf, dueSpans, foundStatuses, toggled, usualStatuses } from './asked.ts'
import { findTexts } from './find-texts.ts'

/** Rows of a facet that are shown at once. */
const shownRows = 6
/** Trades that are offered in place of words. */
const maxTrades = 3

/** `2026-11` as `November 2026`. */
export const monthName = (month: string, language: Language, length: 'long' | 'short' = 'long'): string =>
  new Intl.DateTimeFormat(language === 'de' ? 'de-DE' : 'en-GB', {
    timeZone: 'UTC',
    month: length,
    ...(length === 'long' && { year: 'numeric' }),
  }).format(Date.parse(`${month}-01T00:00:00Z`))

export const tradeName = (code: string, language: Language): string => tradeLabel(code, language) ?? code

export const divisionCode = (division: string): string => `${division}000000`

/** A range of values in words. */
export function valueName(min: number | undefined, max: number | undefined, language: Language): string {
  const texts = findTexts[language]
  const money = (value: number) => formatMoney(value, 'EUR', language, { isShort: true })
  if (min !== undefined && max !== undefined) return texts.between(money(min), money(max))
  return min === undefined ? texts.upTo(money(max ?? 0)) : texts.from(money(min))
}

/** A part of the question that holds, and the question without it. */
export type Chip = { readonly name: Content; readonly plain: string; readonly without: Partial<Asked> }

export function chipsOf(asked: Asked, language: Language): Chip[] {
  const texts = findTexts[language]
  const { words, cpv, nuts, statuses, min, max, due, month, authorities } = asked
  const chip = (plain: string, without: Partial<Asked>, name: Content = plain): Chip => ({ plain, name, without })
  const usual = statuses?.join() === usualStatuses.join()
  return [
    ...words.map((word) => chip(texts.wordNamed(word), { words: toggled(words, word) }, html`<bdi>${word}</bdi>`)),
    ...(usual
      ? [chip(texts.statuses.open, { statuses: undefined })]
      : (statuses ?? []).map((status) => chip(texts.statuses[status], { statuses: withStatus(asked, status) }))),
    ...cpv.map((code) => chip(tradeName(code, language), { cpv: toggled(cpv, code) })),
    ...nuts.map((code) => chip(regionName(code, language), { nuts: toggled(nuts, code) })),
    ...(min === undefined && max === undefined
      ? []
      : [chip(valueName(min, max, language), { min: undefined, max: undefined })]),
    ...(due === undefined ? [] : [chip(texts.due[due]!, { due: undefined })]),
    ...(month === undefined ? [] : [chip(monthName(month, language), { month: undefined })]),
    ...authorities.map((name) => chip(name, { authorities: toggled(authorities, name) }, quoted(name))),
  ]
}

/**
 * Trades that people mean by the words, in place of them: a word finds only what says it, in the language of a notice.
 */
export function tradesMeant(asked: Asked, language: Language): Chip[] {
  const codes = asked.words.length === 0 ? [] : rankCodes('cpv', asked.words.join(' '), maxTrades)
  return codes
    .filter((code) => !asked.cpv.includes(code))
    .map((code) => {
      const name = tradeName(code, language)
      return { name, plain: name, without: { words: [], cpv: [...asked.cpv, code] } }
    })
}

/** Without the last status, any is asked for. */
function withStatus({ statuses = [] }: Asked, status: (typeof foundStatuses)[number]): Asked['statuses'] {
  const next = toggled(statuses, status)
  return next.length === 0 || next.length === foundStatuses.length
    ? undefined
    : foundStatuses.filter((each) => next.includes(each))
}

export function chipRow(asked: Asked, language: Language): Html | false {
  const texts = findTexts[language]
  const chips = chipsOf(asked, language)
  if (chips.length === 0) return false
  return html`<div class="chips on" role="group" aria-label="${texts.chosen}">
    ${chips.map(
      ({ name, without }) =>
        html`<a class="chip" href="${addressOf(asked, without)}"><span class="hide">${texts.removeFilter} </span><b>${name}</b></a>`,
    )}
    <a class="small" href="/tenders">${texts.clear}</a>
  </div>`
}

type Row = {
  readonly name: Content
  readonly count: number
  /** Absent: nothing asks for it. */
  readonly to?: Partial<Asked>
  readonly isOn?: boolean
  readonly below?: readonly Row[]
}

export function facets(asked: Asked, found: TenderFacets, language: Language): Html {
  const texts = findTexts[language]
  const isFewer = (count: number) => count > 0
  return html`<nav class="facets menu" id="facets" popover aria-label="${texts.filters}">
${section(texts.status, statusRows(asked, found, language), asked, language)}
${section(texts.trade, tradeRows(asked, found, language), asked, language, found.divisions.none)}
${section(texts.region, regionRows(asked, found, language), asked, language, found.regions.none)}
${section(texts.deadline, dueRows(asked, found, language), asked, language)}
${section(texts.value, valueRows(asked, found, language), asked, language, found.values.none, rangeForm(asked, language))}
${found.buyers.some(({ count }) => isFewer(count)) && section(texts.buyer, buyerRows(asked, found), asked, language)}
</nav>`
}

function section(
  heading: string,
  rows: readonly Row[],
  asked: Asked,
  language: Language,
  none = 0,
  foot: Html | false = false,
): Html {
  const texts = findTexts[language]
  const most = Math.max(1, ...rows.flatMap(({ count, below = [] }) => [count, ...below.map((each) => each.count)]))
  const item = ({ name, count, to, isOn = false, below = [] }: Row): Html => {
    const bar = html`<svg viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
      <rect width="${share(count, most)}" height="2"/>
    </svg>`
    const inside = html`<span>${name}</span><span class="n">${formatNumber(count, language)}</span>${bar}`
    return html`<li>${
      to
        ? html`<a href="${addressOf(asked, to)}"${isOn && html` aria-current="true"`} rel="nofollow">${inside}</a>`
        : html`<p class="still">${inside}</p>`
    }${below.length > 0 && html`<ul>${below.map(item)}</ul>`}</li>`
  }
  // what is chosen is never hidden
  const [shown, rest] = [rows.slice(0, shownRows), rows.slice(shownRows)]
  const chosen = rest.filter(({ isOn }) => isOn)
  const hidden = rest.filter(({ isOn }) => !isOn)
  return html`<section><h2>${heading}</h2>
<ul>${[...shown, ...chosen].map(item)}</ul>
${hidden.length > 0 && more(texts.allOf(formatNumber(rows.length, language)), html`<ul>${hidden.map(item)}</ul>`)}
${none > 0 && html`<p class="hint">${texts.noneKnownOf(formatNumber(none, language))}</p>`}${foot}</section>`
}

const share = (count: number, most: number): number => Math.max(count > 0 ? 1 : 0, Math.round((100 * count) / most))

function statusRows(asked: Asked, { statuses }: TenderFacets, language: Language): Row[] {
  const counts = new Map(statuses.map(({ code, count }) => [code, count]))
  return foundStatuses
    .map((status) => ({
      name: findTexts[language].statuses[status],
      count: counts.get(status) ?? 0,
      to: { statuses: withStatus(asked, status) },
      isOn: asked.statuses?.includes(status) ?? false,
    }))
    .filter(({ count, isOn }) => count > 0 || isOn)
}

function tradeRows(asked: Asked, { divisions }: TenderFacets, language: Language): Row[] {
  const row = (code: string, count: number): Row => ({
    name: tradeName(code, language),
    count,
    to: { cpv: toggled(asked.cpv, code) },
    isOn: asked.cpv.includes(code),
  })
  const rows = divisions.counts
    .filter(
      ({ code }) => tradeLabel(divisionCode(code), language) !== undefined || asked.cpv.includes(divisionCode(code)),
    )
    .map(({ code, count }) => row(divisionCode(code), count))
  return rows
}

function regionRows(asked: Asked, { countries, regions }: TenderFacets, language: Language): Row[] {
  const row = (code: string, count: number): Row => ({
    name: regionName(code, language),
    count,
    to: { nuts: toggled(asked.nuts, code) },
    isOn: asked.nuts.includes(code),
  })
  const isOpen = (country: string) =>
    countries.counts.length === 1 ||
    asked.nuts.some((code) => code.startsWith(country)) ||
    country === countries.counts[0]?.code
  return countries.counts.map(({ code, count }) => {
    const below = regions.counts.filter((region) => region.code.startsWith(code) && !region.code.endsWith('Z'))
    const isWorth = isOpen(code) && (below.length > 1 || below.some((region) => asked.nuts.includes(region.code)))
    const shown = below.filter((region, index) => index < shownRows * 3 || asked.nuts.includes(region.code))
    return { ...row(code, count), below: isWorth ? shown.map((region) => row(region.code, region.count)) : [] }
  })
}

function dueRows(asked: Asked, { deadlines }: TenderFacets, language: Language): Row[] {
  const texts = findTexts[language]
  const upTo = (days: number) => deadlines.weeks.slice(0, days / 7).reduce((sum, count) => sum + count, 0)
  const spans = dueSpans.map((days) => ({
    name: texts.due[days]!,
    count: upTo(days),
    to: { due: asked.due === days ? undefined : days },
    isOn: asked.due === days,
  }))
  return [
    ...spans.filter(({ count, isOn }) => count > 0 || isOn),
    ...(deadlines.none > 0 ? [{ name: texts.noneKnown, count: deadlines.none }] : []),
  ]
}

function valueRows(asked: Asked, { values }: TenderFacets, language: Language): Row[] {
  return valueBands
    .map(({ min, max }, index) => {
      const isOn = asked.min === min && asked.max === max
      return {
        name: valueName(min, max, language),
        count: values.counts[index] ?? 0,
        to: isOn ? { min: undefined, max: undefined } : { min, max },
        isOn,
      }
    })
    .filter(({ count, isOn }) => count > 0 || isOn)
}

function buyerRows(asked: Asked, { buyers }: TenderFacets): Row[] {
  return buyers.map(({ name, count }) => ({
    name: quoted(name),
    count,
    to: { authorities: toggled(asked.authorities, name) },
    isOn: asked.authorities.includes(name),
  }))
}

/** Any range, beside the bands. */
function rangeForm(asked: Asked, language: Language): Html {
  const texts = findTexts[language]
  const { min, max } = asked
  const box = (name: 'min' | 'max', label: string, hint: string, value: number | undefined) =>
    html`<input name="${name}" aria-label="${label}" placeholder="${hint}" value="${value ?? ''}" inputmode="numeric" maxlength="20">`
  return html`<form class="range" action="/tenders">${hiddenOf(asked, ['min', 'max'])}
${box('min', texts.minLabel, texts.shared.from, min)}${box('max', texts.maxLabel, texts.to, max)}<button>${texts.set}</button></form>`
}

/** The question as hidden fields, without some of its parameters and from its first page. */
export function hiddenOf(asked: Asked, without: readonly string[]): Html {
  const query = new URLSearchParams(addressOf(asked).split('?')[1] ?? '')
  return html`${[...query]
    .filter(([name]) => !without.includes(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`
}
