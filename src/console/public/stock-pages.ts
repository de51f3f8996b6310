// The stock in charts, for everybody: tenders by week, portal and division of CPV, values by country, and how soon
// portals are read. Each picture has its table.
import { codeLabel } from '../../domain/code-labels.ts'
import { toNutsCode } from '../../domain/nuts.ts'
import { inTransaction } from '../../store/database/database.ts'
import { sourcesOfPublishers } from '../../store/sources/publisher-sources.ts'
import { type ReadingDelay, readingDelays } from '../../store/sources/reading-delays.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatDay, formatDuration, formatMoment, formatNumber, formatShortDay } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { askAgainSeconds, type PageRoute, page, publicPage } from '../frame/page.ts'
import { bars, type Column, empty, more, numbers, part, rowBars, table } from '../frame/parts.ts'
import { settledWithin } from '../frame/settled-within.ts'
import type { StockCount, StockCounter } from './stock-counter.ts'
import type { CountryValues, StockShape } from './stock-shape.ts'
import { stockTexts } from './stock-texts.ts'

/** How long a first visitor waits for the count. */
const countWaitMs = 500
/** How long a page waits for the queries, which continue in the background. */
const queryWaitMs = 1000
/** Maximum bars in a chart; its table has all. */
const maxBars = 12
/** Minimum notices for a portal to be in the chart: a few say nothing about how soon it is read. */
const minNotices = 5

type StockContext = Pick<ConsoleContext, 'editions' | 'store' | 'reads'>

export const stockPages = (context: StockContext, counter: StockCounter): PageRoute[] => {
  const queries = new QueriesOfEdition(context)
  return [
    publicPage('GET', '/stock', async ({ language }) => {
      const texts = stockTexts[language]
      await counter.refresh(countWaitMs)
      const { latest } = counter
      const titles = latest && (await context.reads.titles())
      const portals = latest?.shape.byPublisher.map(([publisher]) => publisher) ?? []
      const known = titles && (await queries.read(portals.filter((portal) => titleOf(portal, titles) === undefined)))
      return page({
        title: texts.title,
        description: texts.lead,
        lead: texts.lead,
        ...(!latest && context.editions.newest && { refreshSeconds: askAgainSeconds }),
        actions: html`<span class="stamp">${stampOf(context, counter, language)}</span>`,
        body: latest
          ? html`
            ${weeksPart(latest, language)}
            <div class="split even gap">
              ${portalsPart(latest.shape, titles!, known?.sources, language)}
              ${divisionsPart(latest.shape, language)}
            </div>
            ${valuesPart(latest.shape, language)}
            ${delaysPart(known?.delays, titles!, language)}
          `
          : empty(
              texts.nothing,
              context.editions.newest ? texts.firstCount : texts.noEdition,
              html`<a class="btn" href="/stock">${texts.shared.checkAgain}</a>`,
            ),
      })
    }),
  ]
}

type Queried = {
  readonly delays: readonly ReadingDelay[]
  /** Sources of publishers that are not named like one. */
  readonly sources: ReadonlyMap<string, string>
}

/** What is queried as of the newest edition: once per edition, on the first request. */
class QueriesOfEdition {
  readonly #context: StockContext
  #edition: number | undefined
  #queried: Promise<Queried> | undefined

  constructor(context: StockContext) {
    this.#context = context
  }

  /** Undefined while the database does not answer: the page has the other charts. */
  async read(publishers: readonly string[]): Promise<Queried | undefined> {
    const edition = this.#context.editions.newest?.edition
    if (this.#edition !== edition || !this.#queried) {
      this.#edition = edition
      this.#queried = inTransaction(this.#context.store, async (trx) => ({
        delays: await readingDelays(trx),
        sources: await sourcesOfPublishers(trx, publishers),
      }))
    }
    try {
      return await settledWithin(this.#queried, queryWaitMs)
    } catch {
      this.#queried = undefined
      return undefined
    }
  }
}

function stampOf({ editions }: StockContext, { latest, done }: StockCounter, language: Language): Content {
  const texts = stockTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const { newest } = editions
  if (!newest) return texts.noEdition
  if (!latest) return texts.counting(number(done), number(newest.records))
  const { edition, publishedAt } = latest.edition
  const { tenders, merged } = latest.shape
  return html`
    ${texts.edition(number(edition), formatMoment(publishedAt, language))}
    <br>
    ${texts.counted(number(tenders))}
    ${merged > 0 && html`; ${texts.merged(number(merged))}`}
    ${edition !== newest.edition && html`<br>${texts.newerIsCounted(number(newest.edition))}`}
  `
}

function weeksPart({ shape, edition }: StockCount, language: Language): Html {
  const texts = stockTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const weeks = shape.weeks.map((monday, index) => ({
    tenders: shape.inWeek(monday),
    name: formatDay(monday, language),
    short: formatShortDay(monday, language),
    isUnderWay: index === shape.weeks.length - 1,
  }))
  const most = weeks.reduce((best, week) => (week.tenders > best.tenders ? week : best))
  const named = ({ name, isUnderWay }: (typeof weeks)[number]) => (isUnderWay ? texts.soFar(name) : name)
  const picture = bars({
    finding: texts.weeksFinding(number(most.tenders), most.name, number(weeks.at(-1)!.tenders)),
    format: number,
    list: weeks.map((week, index) => ({
      // the last labels would extend beyond the chart
      label: index % 6 === 0 && index < 20 ? week.short : '',
      value: week.tenders,
      title: `${named(week)}: ${number(week.tenders)}`,
    })),
  })
  const rows: Content[][] = weeks.toReversed().map((week) => [named(week), number(week.tenders)])
  return part(
    texts.weeks,
    html`${picture}${asTable(texts.weeks, [texts.weekFrom], [...rows, [texts.otherWeeks, number(shape.otherWeeks)]], language)}`,
    texts.weeksDetail(formatMoment(edition.publishedAt, language)),
  )
}

/** Records name some portals without a country. Undefined for a publisher that is not named like a source. */
const titleOf = (publisher: string, titles: ReadonlyMap<string, string>): string | undefined =>
  titles.get(publisher) ?? [...titles].find(([sourceId]) => sourceId.endsWith(`-${publisher}`))?.[1]

function portalsPart(
  shape: StockShape,
  titles: ReadonlyMap<string, string>,
  sources: ReadonlyMap<string, string> | undefined,
  language: Language,
): Html {
  const texts = stockTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const list = shape.byPublisher.map(([publisher, tenders]) => {
    // OCDS names some publishers by a prefix only: they are called like the source that delivers them
    const name = titleOf(publisher, titles) ?? titles.get(sources?.get(publisher) ?? '')
    return {
      name: name ?? publisher,
      label: name === undefined ? html`<code>${publisher}</code>` : html`<bdi>${name}</bdi>`,
      tenders,
    }
  })
  const [first] = list
  if (!first) return part(texts.portals, html`<p>${texts.none}</p>`)
  return part(
    texts.portals,
    html`${rowBars({
      finding: texts.portalsFinding(number(list.length), first.name, number(first.tenders)),
      list: list.slice(0, maxBars).map(({ name, label, tenders }) => ({
        label,
        value: tenders,
        text: number(tenders),
        title: `${name}: ${number(tenders)}`,
      })),
    })}${asTable(
      texts.portals,
      [texts.shared.portal],
      list.map(({ label, tenders }) => [label, number(tenders)]),
      language,
    )}`,
    texts.portalsDetail,
  )
}

function divisionsPart(shape: StockShape, language: Language): Html {
  const texts = stockTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const list = shape.byDivision.map(([division, tenders]) => {
    const label = codeLabel('cpv', `${division}000000`, language)
    return { division, name: label ?? texts.unlisted, isListed: label !== undefined, tenders }
  })
  const [first] = list
  if (!first) return part(texts.divisions, html`<p>${texts.none}</p>`)
  const rows = list.map(({ division, name, isListed, tenders }): Content[] => [
    html`<code>${division}</code> ${isListed ? html`<a href="/tenders?cpv=${division}000000&amp;status=any">${name}</a>` : name}`,
    number(tenders),
  ])
  return part(
    texts.divisions,
    html`${rowBars({
      finding: texts.divisionsFinding(number(list.length), first.name, number(first.tenders)),
      list: list.slice(0, maxBars).map(({ division, name, tenders }) => ({
        label: html`<code>${division}</code> ${name}`,
        value: tenders,
        text: number(tenders),
        title: `${division} ${name}: ${number(tenders)}`,
      })),
    })}${asTable(texts.divisions, [texts.division], [...rows, [texts.withoutCode, number(shape.withoutCode)]], language)}`,
    texts.divisionsDetail,
  )
}

function valuesPart({ byCountry }: StockShape, language: Language): Html {
  const texts = stockTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const list = byCountry.map((values) => ({
    ...values,
    name:
      values.country === ''
        ? texts.noCountry
        : (codeLabel('nuts', toNutsCode(values.country) ?? values.country, language) ?? values.country),
  }))
  const [first] = list
  if (!first) return part(texts.values, html`<p>${texts.none}</p>`)
  const sum = (of: (values: CountryValues) => number) => number(list.reduce((all, each) => all + of(each), 0))
  const columns: Column[] = [
    { head: texts.country },
    numbers(texts.tenders),
    numbers(texts.unpriced),
    numbers(texts.estimated),
    numbers(texts.spread),
  ]
  const rows = list.map(({ name, tenders, unpriced, estimated, usualSpread }): Content[] => [
    html`<bdi>${name}</bdi>`,
    number(tenders),
    number(unpriced),
    number(estimated),
    usualSpread === undefined ? '–' : `× ${number(Number(usualSpread.toPrecision(2)))}`,
  ])
  return part(
    texts.values,
    html`<ul class="key"><li>${texts.estimated}</li><li class="kb">${texts.unpriced}</li></ul>${rowBars({
      finding: texts.valuesFinding(
        sum(({ estimated }) => estimated),
        sum(({ unpriced }) => unpriced),
      ),
      list: list.slice(0, maxBars).map(({ name, unpriced, estimated }) => ({
        label: html`<bdi>${name}</bdi>`,
        value: estimated,
        reach: unpriced,
        text: texts.ofAll(number(estimated), number(unpriced)),
        title: `${name}: ${texts.ofAll(number(estimated), number(unpriced))}`,
      })),
    })}${more(texts.shared.asTable, table({ caption: texts.values, kind: 'mini', columns, rows }))}`,
    texts.valuesDetail,
  )
}

function delaysPart(
  delays: readonly ReadingDelay[] | undefined,
  titles: ReadonlyMap<string, string>,
  language: Language,
): Html {
  const texts = stockTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const time = (ms: number) => formatDuration(ms, language)
  if (!delays) return part(texts.delays, html`<p>${texts.notKnownNow}</p>`)
  const list = [...delays]
    .sort((left, right) => right.notices - left.notices || (left.sourceId < right.sourceId ? -1 : 1))
    .map((delay) => ({ ...delay, name: titles.get(delay.sourceId) ?? delay.sourceId }))
  if (list.length === 0) return part(texts.delays, html`<p>${texts.noDelays}</p>`, texts.delaysDetail)
  const shown = list.filter(({ notices }) => notices >= minNotices).slice(0, maxBars)
  const slowest = shown.reduce<(typeof shown)[number] | undefined>(
    (most, each) => (most && most.median >= each.median ? most : each),
    undefined,
  )
  const columns: Column[] = [
    texts.shared.portal,
    numbers(texts.shared.notices),
    numbers(texts.median),
    numbers(texts.ninth),
  ]
  const rows = list.map(({ name, notices, median, ninth }) => [
    html`<bdi>${name}</bdi>`,
    number(notices),
    time(median),
    time(ninth),
  ])
  return part(
    texts.delays,
    html`${
      slowest
        ? html`<ul class="key"><li>${texts.median}</li><li class="kb">${texts.ninth}</li></ul>${rowBars({
            finding: texts.delaysFinding(slowest.name, time(slowest.median)),
            list: shown.map(({ name, median, ninth }) => ({
              label: html`<bdi>${name}</bdi>`,
              value: median,
              reach: ninth,
              text: time(median),
              title: texts.delayTitle(name, time(median), time(ninth)),
            })),
          })}`
        : html`<p>${texts.fewNotices}</p>`
    }${more(texts.shared.asTable, table({ caption: texts.delays, kind: 'mini', columns, rows }))}`,
    texts.delaysDetail,
  )
}

function asTable(
  caption: string,
  [head]: readonly [string],
  rows: readonly (readonly Content[])[],
  language: Language,
): Html {
  const texts = stockTexts[language]
  const columns = [{ head }, numbers(texts.tenders)]
  return more(texts.shared.asTable, table({ caption, kind: 'mini keep', columns, rows }))
}
