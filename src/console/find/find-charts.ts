// The results as pictures, each with its table: deadlines of the next weeks, months, trades and regions.
import { dayMs } from '../../domain/time.ts'
import type { Counted, TenderFacets } from '../../edition/read/tender-question.ts'
import { regionName } from '../codes/region-names.ts'
import { formatDay, formatNumber, formatShortDay } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { bars, more, numbers, part, rowBars, table } from '../frame/parts.ts'
import { type Asked, addressOf } from './asked.ts'
import { divisionCode, monthName, tradeName } from './facet-parts.ts'
import { findTexts } from './find-texts.ts'

/** Months and bars in a picture; the table has all. */
const [shownMonths, shownBars] = [24, 10]

/** Above the results. `at`: to which the weeks refer, epoch milliseconds. */
export function topCharts(asked: Asked, found: TenderFacets, at: number, language: Language): Html | false {
  const weeks = weeksPicture(found, at, language)
  const months = monthsPicture(asked, found, language)
  return (weeks || months) && html`<div class="picture">${weeks}${months}</div>`
}

function weeksPicture({ deadlines }: TenderFacets, at: number, language: Language): Html | false {
  const texts = findTexts[language]
  const number = (value: number) => formatNumber(value, language)
  if (deadlines.weeks.every((count) => count === 0)) return false
  const list = deadlines.weeks.map((count, index) => ({ count, from: at + index * 7 * dayMs }))
  return html`<div><h3>${texts.deadlines}</h3>${bars({
    finding: texts.deadlinesFinding(number(deadlines.weeks[0]!)),
    format: number,
    list: list.map(({ count, from }) => ({
      label: formatShortDay(from, language),
      value: count,
      title: `${formatDay(from, language)}: ${number(count)}`,
    })),
  })}${asTable(
    texts.deadlines,
    texts.weekFrom,
    list.map(({ count, from }) => [formatDay(from, language), number(count)]),
    language,
  )}</div>`
}

function monthsPicture(asked: Asked, { months }: TenderFacets, language: Language): Html | false {
  const texts = findTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const most = months.counts.reduce<(typeof months.counts)[number] | undefined>(
    (best, each) => (best && best.count >= each.count ? best : each),
    undefined,
  )
  if (!most || months.counts.length < 2) return false
  const list = months.counts.slice(-shownMonths)
  return html`<div><h3>${texts.months}</h3>${bars({
    finding: texts.monthsFinding(number(most.count), monthName(most.code, language)),
    format: number,
    list: list.map(({ code, count }, index) => ({
      label: index % Math.ceil(list.length / 6) === 0 ? monthName(code, language, 'short') : '',
      value: count,
      title: `${monthName(code, language)}: ${number(count)}`,
    })),
  })}${asTable(
    texts.months,
    texts.monthColumn,
    months.counts
      .toReversed()
      .map(({ code, count }) => [
        html`<a href="${addressOf(asked, { month: code })}" rel="nofollow">${monthName(code, language)}</a>`,
        number(count),
      ]),
    language,
  )}</div>`
}

/** Below the results. */
export function bottomCharts(asked: Asked, found: TenderFacets, language: Language): Html | false {
  const texts = findTexts[language]
  const number = (value: number) => formatNumber(value, language)
  // a facet's own filter does not narrow its counts, but a picture is of the results
  const isTrade = ({ code }: Counted) => asked.cpv.length === 0 || asked.cpv.some((each) => each.startsWith(code))
  const isRegion = ({ code }: Counted) =>
    asked.nuts.length === 0 || asked.nuts.some((each) => each.startsWith(code) || code.startsWith(each))
  const trades = found.divisions.counts.filter(isTrade).map(({ code, count }) => ({
    name: tradeName(divisionCode(code), language),
    count,
    href: addressOf(asked, { cpv: [divisionCode(code)] }),
  }))
  const regions = (found.regions.counts.length > 1 ? found.regions : found.countries).counts
    .filter(isRegion)
    .map(({ code, count }) => ({
      name: regionName(code, language),
      count,
      href: addressOf(asked, { nuts: [code] }),
    }))
  if (trades.length < 2 && regions.length < 2) return false
  const picture = (
    heading: string,
    finding: (name: string, most: string) => string,
    column: string,
    list: typeof trades,
  ): Html | false => {
    const [first] = list
    if (!first || list.length < 2) return false
    const picked = list.slice(0, shownBars)
    return html`<div><h3>${heading}</h3>${rowBars({
      finding: finding(first.name, number(first.count)),
      list: picked.map(({ name, count }) => ({
        label: name,
        value: count,
        text: number(count),
        title: `${name}: ${number(count)}`,
      })),
    })}${asTable(
      heading,
      column,
      list.map(({ name, count, href }) => [html`<a href="${href}" rel="nofollow">${name}</a>`, number(count)]),
      language,
    )}</div>`
  }
  return part(
    texts.pictures,
    html`<div class="split even gap">
      ${picture(texts.byTrade, texts.tradeFinding, texts.trade, trades)}
      ${picture(texts.byRegion, texts.regionFinding, texts.region, regions)}
    </div>`,
    texts.severalNote,
  )
}

function asTable(caption: string, head: string, rows: readonly (readonly Content[])[], language: Language): Html {
  const texts = findTexts[language]
  return more(
    html`${texts.shared.asTable}<span class="hide">: ${caption}</span>`,
    table({ caption, kind: 'mini keep', columns: [head, numbers(texts.tenders)], rows }),
  )
}
