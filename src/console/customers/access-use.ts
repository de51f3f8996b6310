// The use of the API over time: bars from the server, and the same figures as a table.
import { dayMs, hourMs } from '../../domain/time.ts'
import type { UsedHour } from '../../store/people/api-use.ts'
import { formatClock, formatDay, formatNumber, formatShortDay } from '../frame/format.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { bars, empty, more, numbers, part, table } from '../frame/parts.ts'
import { accessTexts } from './access-texts.ts'

const daysShown = 30
const hoursShown = 24

/** Start of the time for which the page needs counts. */
export const useSince = (now: number): number => startOf(now, dayMs) - (daysShown - 1) * dayMs

/** Requests in a span of time. */
type Span = { readonly at: number; readonly answered: number; readonly refused: number; readonly peak: number }

/** The usage part of the page; `view` comes from the query: `day`, else a month. */
export function usePart(options: {
  readonly used: readonly UsedHour[]
  readonly limit: number
  readonly now: number
  readonly view: string | null
  readonly path: string
  readonly language: Language
}): Html {
  const { used, language, view, path } = options
  const texts = accessTexts[language]
  if (used.length === 0) return part(texts.use, empty(texts.noUse, texts.noUseDetail))
  const isDay = view === 'day'
  const tab = (text: string, href: string, isCurrent: boolean) =>
    html`<a href="${href}"${isCurrent && html` aria-current="true"`}>${text}</a>`
  const tabs = html`<nav class="tabs" aria-label="${texts.view}">${tab(texts.month, path, !isDay)}${tab(texts.day, `${path}?use=day`, isDay)}</nav>`
  return part(texts.use, html`${tabs}${isDay ? dayChart(options) : monthChart(options)}`, texts.useNote)
}

type Chart = Pick<Parameters<typeof usePart>[0], 'used' | 'limit' | 'now' | 'language'>

function monthChart({ used, limit, now, language }: Chart): Html {
  const texts = accessTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const days = spansOf(used, useSince(now), dayMs, daysShown)
  const highest = busiest(days, ({ peak }) => peak)
  return html`<ul class="key"><li>${texts.maxKey}</li><li class="kl">${texts.limitKey(number(limit))}</li></ul>${bars({
    finding: texts.monthFinding(number(highest.peak), formatDay(highest.at, language), number(limit)),
    limit,
    format: number,
    list: days.map(({ at, peak }, index) => ({
      label: index % 6 === 0 ? formatShortDay(at, language) : '',
      value: peak,
      title: `${formatDay(at, language)}: ${number(peak)}`,
    })),
  })}${useTable(texts.shared.day, days, (at) => formatDay(at, language), language)}`
}

function dayChart({ used, now, language }: Chart): Html {
  const texts = accessTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const hours = spansOf(used, startOf(now, hourMs) - (hoursShown - 1) * hourMs, hourMs, hoursShown)
  const most = busiest(hours, ({ answered }) => answered)
  return html`<ul class="key"><li>${texts.requestsKey}</li></ul>${bars({
    finding: texts.dayFinding(number(most.answered), formatClock(most.at, language)),
    format: number,
    list: hours.map(({ at, answered }, index) => ({
      label: index % 4 === 0 ? formatClock(at, language) : '',
      value: answered,
      title: `${formatClock(at, language)}: ${number(answered)}`,
    })),
  })}${useTable(texts.hourHead, hours, (at) => formatClock(at, language), language)}`
}

function useTable(head: string, spans: readonly Span[], name: (at: number) => string, language: Language): Html {
  const texts = accessTexts[language]
  const number = (value: number) => formatNumber(value, language)
  return more(
    texts.shared.sameAsTable,
    table({
      caption: texts.use,
      kind: 'mini',
      columns: [{ head }, numbers(texts.shared.requests), numbers(texts.refused), numbers(texts.peak)],
      rows: spans
        .toReversed()
        .map(({ at, answered, refused, peak }) => [name(at), number(answered), number(refused), number(peak)]),
    }),
  )
}

/** Returns `count` spans of `lengthMs` from `since` on, including those without requests. */
function spansOf(used: readonly UsedHour[], since: number, lengthMs: number, count: number): Span[] {
  return Array.from({ length: count }, (_, index) => {
    const at = since + index * lengthMs
    const hours = used.filter(({ hourMs: hour }) => hour >= at && hour < at + lengthMs)
    return {
      at,
      answered: hours.reduce((sum, { answered }) => sum + answered, 0),
      refused: hours.reduce((sum, { refused }) => sum + refused, 0),
      peak: Math.max(0, ...hours.map(({ peakMinute }) => peakMinute)),
    }
  })
}

const busiest = (spans: readonly Span[], by: (span: Span) => number): Span =>
  spans.reduce((most, span) => (by(span) > by(most) ? span : most))

const startOf = (at: number, lengthMs: number): number => at - (at % lengthMs)
