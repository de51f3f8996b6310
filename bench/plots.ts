// Plots of docs/performance.json as SVG: how cost grows with records, organizations and filters. Run: node
// bench/plots.ts
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readResults, type SpeedResults } from './speed/results.ts'
import type { SpeedRow } from './speed/row.ts'

type Series = { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] }
type Plot = {
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  readonly isLogX: boolean
  readonly isLogY: boolean
  readonly xTicks: readonly number[]
  readonly series: readonly Series[]
}

const folder = join(import.meta.dirname, '../docs')
const width = 760
const plotHeight = 300
const left = 66
const right = 20
const top = 56
const legendLine = 20

// distinguishable in gray too, and by people who see few colors: each has a separate mark
const colors = [
  ['#0b62a4', '#6cb6ff'],
  ['#b35900', '#f0a04b'],
  ['#2c7a2c', '#7fd17f'],
  ['#8e2b8e', '#dd8fdd'],
  ['#b3261e', '#ff8f87'],
  ['#556070', '#b4bfcc'],
  ['#8a6d00', '#e0c65a'],
] as const

const escapeXml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

const number = (value: number): string => {
  if (value >= 1e6) return `${value / 1e6} million`
  return value.toLocaleString('en', { maximumFractionDigits: value < 1 ? 3 : value < 10 ? 1 : 0 })
}

function niceSteps(most: number): number[] {
  const raw = most / 5
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= raw)!
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
}

function decades(least: number, most: number): number[] {
  const from = Math.floor(Math.log10(least))
  const to = Math.ceil(Math.log10(most))
  return Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index))
}

function mark(index: number, x: number, y: number): string {
  const shapes = [
    `<circle cx="${x}" cy="${y}" r="4.5"/>`,
    `<rect x="${x - 4}" y="${y - 4}" width="8" height="8"/>`,
    `<path d="M${x} ${y - 5.5}l5 9h-10z"/>`,
    `<path d="M${x} ${y - 6}l5 6l-5 6l-5-6z"/>`,
    `<path d="M${x} ${y + 5.5}l5-9h-10z"/>`,
    `<circle cx="${x}" cy="${y}" r="4" class="hollow"/>`,
    `<rect x="${x - 4}" y="${y - 4}" width="8" height="8" class="hollow"/>`,
  ]
  return shapes[index % shapes.length]!
}

function svgOf({ title, xLabel, yLabel, isLogX, isLogY, xTicks, series }: Plot): string {
  const xs = xTicks
  const ys = series.flatMap(({ points }) => points.map(([, y]) => y))
  const yTicks = isLogY ? decades(Math.min(...ys), Math.max(...ys)) : niceSteps(Math.max(...ys))
  const scale = (value: number, ticks: readonly number[], isLog: boolean): number => {
    const [from, to] = [ticks[0]!, ticks.at(-1)!]
    if (isLog) return Math.log(value / from) / Math.log(to / from)
    return (value - from) / (to - from)
  }
  const x = (value: number): number => round(left + 14 + scale(value, xs, isLogX) * (width - left - right - 28))
  const y = (value: number): number => round(top + plotHeight - scale(value, yTicks, isLogY) * plotHeight)
  const bottom = top + plotHeight
  const height = bottom + 56 + series.length * legendLine
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" ` +
      `height="${height}" role="img" aria-label="${escapeXml(title)}" font-family="system-ui, sans-serif" ` +
      'font-size="13">',
    `<style>
.back { fill: #fff } .text { fill: #24292f } .soft { fill: #57606a } .grid { stroke: #d0d7de } .axis { stroke: #57606a } .hollow { fill: #fff }
${colors.map(([light], index) => `.s${index} { stroke: ${light}; fill: ${light} }`).join('\n')}
.line { fill: none } .hollow { fill: #fff }
@media (prefers-color-scheme: dark) {
.back { fill: #0d1117 } .text { fill: #e6edf3 } .soft { fill: #9aa5b1 } .grid { stroke: #30363d } .axis { stroke: #9aa5b1 }
${colors.map(([, dark], index) => `.s${index} { stroke: ${dark}; fill: ${dark} }`).join('\n')}
.line { fill: none } .hollow { fill: #0d1117 }
}
</style>`,
    `<rect class="back" width="${width}" height="${height}"/>`,
    `<text class="text" x="12" y="20" font-size="15" font-weight="600">${escapeXml(title)}</text>`,
    `<text class="soft" x="12" y="${top - 14}">${escapeXml(yLabel)}</text>`,
  ]
  for (const tick of yTicks)
    parts.push(
      `<line class="grid" x1="${left}" x2="${width - right}" y1="${y(tick)}" y2="${y(tick)}"/>`,
      `<text class="soft" x="${left - 8}" y="${y(tick) + 4}" text-anchor="end">${number(tick)}</text>`,
    )
  parts.push(`<line class="axis" x1="${left}" x2="${width - right}" y1="${bottom}" y2="${bottom}"/>`)
  for (const tick of xTicks)
    parts.push(
      `<line class="axis" x1="${x(tick)}" x2="${x(tick)}" y1="${bottom}" y2="${bottom + 5}"/>`,
      `<text class="soft" x="${x(tick)}" y="${bottom + 20}" text-anchor="middle">${number(tick)}</text>`,
    )
  parts.push(
    `<text class="soft" x="${(left + width - right) / 2}" y="${bottom + 40}" text-anchor="middle">${escapeXml(xLabel)}</text>`,
  )
  for (const [index, { name, points }] of series.entries()) {
    const style = `class="s${index % colors.length}"`
    parts.push(
      `<g ${style} stroke-width="2"><polyline class="line" points="${points.map(([px, py]) => `${x(px)},${y(py)}`).join(' ')}"/>`,
      ...points.map(([px, py]) => mark(index, x(px), y(py))),
      '</g>',
    )
    const legendY = bottom + 56 + index * legendLine
    parts.push(
      `<g ${style} stroke-width="2"><line x1="${left}" x2="${left + 26}" y1="${legendY}" y2="${legendY}"/>${mark(index, left + 13, legendY)}</g>`,
      `<text class="text" x="${left + 36}" y="${legendY + 4}">${escapeXml(name)}</text>`,
    )
  }
  return `${parts.join('\n')}\n</svg>\n`
}

const round = (value: number): number => Math.round(value * 10) / 10

type Pick = { readonly name: string; readonly work: RegExp; readonly measure: string; readonly side?: string }

function byRecords({ reports }: SpeedResults, { name, work, measure, side = 'ours' }: Pick): Series {
  const points = reports.flatMap(({ records, rows }) => {
    const found = rows.find((row) => work.test(row.work))?.sides.find((each) => each.side === side)
    return found?.figures[measure] === undefined ? [] : [[records, found.figures[measure]] as const]
  })
  return { name, points }
}

function byFigure(rows: readonly SpeedRow[], x: string, name: string): Series {
  return {
    name,
    points: rows.flatMap(({ sides }) => {
      const figures = sides[0]!.figures
      return figures[x] === undefined ? [] : [[figures[x], figures['CPU µs']!] as const]
    }),
  }
}

const recordsName = (records: number): string => `${number(records)} records`

function plotsOf(results: SpeedResults): { readonly [file: string]: Plot } {
  const sizes = results.reports.map(({ records }) => records).filter((records) => records > 0)
  const growth = { xLabel: 'records in the stock (logarithmic)', isLogX: true, xTicks: sizes }
  const rowsOf = (name: SpeedRow['name']) =>
    results.reports
      .filter(({ records }) => records > 0)
      .map(({ records, rows }) => ({ records, rows: rows.filter((row) => row.name === name) }))
      .filter(({ rows }) => rows.length > 0)
  const plots: { [file: string]: Plot } = {
    'performance-records.svg': {
      ...growth,
      title: 'CPU of an answer, by the size of the stock',
      yLabel: 'CPU µs of a request (logarithmic)',
      isLogY: true,
      series: [
        { name: 'page of 100, gzip, the same 48 pages', work: /page of 100, gzip, the same 48/, measure: 'CPU µs' },
        { name: 'page of 100, gzip, from everywhere', work: /page of 100, gzip, .*everywhere/, measure: 'CPU µs' },
        {
          name: 'page of 100, identity, from everywhere',
          work: /page of 100, identity, .*everywhere/,
          measure: 'CPU µs',
        },
        { name: 'record by id, gzip', work: /record by id, gzip, [1-9],?\d{3}/, measure: 'CPU µs' },
        { name: 'full page by six filters, gzip', work: /six filters that fill/, measure: 'CPU µs' },
        { name: 'page by six filters that few records match, gzip', work: /few records match/, measure: 'CPU µs' },
      ].map((pick) => byRecords(results, pick)),
    },
    'performance-no-match.svg': {
      ...growth,
      title: 'CPU of a question that nothing matches, by the size of the stock',
      yLabel: 'CPU ms of a request (logarithmic)',
      isLogY: true,
      series: [
        {
          name: 'a loop over two columns of all records',
          work: /Poland/,
          measure: 'CPU ms',
          side: 'a loop over 2 columns',
        },
        { name: 'Poland and a value in EUR: frequent, never together', work: /Poland/, measure: 'CPU ms' },
        { name: 'works in Hungary and a value in EUR', work: /Hungary/, measure: 'CPU ms' },
        { name: 'six filters, one of them absent', work: /one of them absent/, measure: 'CPU ms' },
        { name: 'a CPV division that no record has', work: /CPV division that no/, measure: 'CPU ms' },
        { name: 'a country that no record has', work: /country that no/, measure: 'CPU ms' },
        { name: 'a value above all', work: /value above all/, measure: 'CPU ms' },
      ].map((pick) => byRecords(results, pick)),
    },
    'performance-organizations.svg': {
      title: 'CPU of a page, by the organizations that ask',
      xLabel: 'organizations, each with its own token (logarithmic)',
      yLabel: 'CPU µs of a request, page of 100, gzip',
      isLogX: true,
      isLogY: false,
      xTicks: [1, 10, 100, 1000, 10_000],
      series: rowsOf('organizations').map(({ records, rows }) => byFigure(rows, 'organizations', recordsName(records))),
    },
    'performance-filters.svg': {
      title: 'CPU of a page, by the number of filters',
      xLabel: 'filters: none; cpv; + nuts; + procedure; + value_min; + published_since; + deadline_after',
      yLabel: 'CPU µs of a request, page of 100, gzip, from everywhere',
      isLogX: false,
      isLogY: false,
      xTicks: [0, 1, 2, 3, 4, 5, 6],
      series: rowsOf('filters').map(({ records, rows }) => byFigure(rows, 'filters', recordsName(records))),
    },
  }
  return Object.fromEntries(
    Object.entries(plots)
      .map(
        ([file, plot]) => [file, { ...plot, series: plot.series.filter(({ points }) => points.length > 0) }] as const,
      )
      .filter(([, { series, xTicks }]) => series.length > 0 && xTicks.length > 1),
  )
}

export function writePlots(results: SpeedResults): string[] {
  const plots = plotsOf(results)
  for (const [file, plot] of Object.entries(plots)) writeFileSync(join(folder, file), svgOf(plot))
  return Object.keys(plots)
}

if (import.meta.main) {
  const results = readResults()
  if (!results) {
    console.error('docs/performance.json is missing: npm run bench -- speed --write makes it.')
    process.exit(2)
  }
  for (const file of writePlots(results)) console.log(`docs/${file}`)
}
