// A row of the comparison: what was measured on each side, and whether the goal is met.

/** Medians of one side. Names hold their units: `requests/s`, `CPU µs`, `p99 ms`, `CPU s`, `wall s`, `MB`. */
export type SideFigures = { readonly side: string; readonly figures: { readonly [measure: string]: number } }

export type Verdict = {
  /** The numerator and the denominator of the ratio. */
  readonly of: string
  readonly value: number
  readonly goal: number
  readonly bound: 'at least' | 'at most'
  readonly unit?: string
}

export type SpeedRow = {
  readonly name: RowName
  readonly work: string
  readonly records: number
  /** Our side is first. */
  readonly sides: readonly SideFigures[]
  /** Absent: the row is only for information. */
  readonly verdicts: readonly Verdict[]
  readonly notes: readonly string[]
}

/** A row as docs/performance.json has it, with the machine on which it was measured. */
export type KeptRow = SpeedRow & { readonly machine: string }

export const rowNames = [
  'page-gzip',
  'page-identity',
  'record',
  'stored',
  'peers',
  'six-filters',
  'no-match',
  'delta',
  'organizations',
  'filters',
  'cores',
  'metrics',
  'takeover',
  'start',
  'publish',
  'xml',
] as const
export type RowName = (typeof rowNames)[number]

const isMet = ({ value, goal, bound }: Verdict): boolean => (bound === 'at least' ? value >= goal : value <= goal)

export const atLeast = (of: string, value: number, goal: number): Verdict => ({ of, value, goal, bound: 'at least' })
export const atMost = (of: string, value: number, goal: number, unit?: string): Verdict => ({
  of,
  value,
  goal,
  bound: 'at most',
  ...(unit !== undefined && { unit }),
})

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Medians of each measure over several rounds. */
export function mediansOf(rounds: readonly { readonly [measure: string]: number }[]): { [measure: string]: number } {
  return Object.fromEntries(
    Object.keys(rounds[0] ?? {}).map((measure) => [measure, median(rounds.map((round) => round[measure]!))]),
  )
}

const count = (value: number): string => {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toPrecision(2)
}

export function rowsAsMarkdown({
  records,
  rows,
}: {
  readonly records: number
  readonly rows: readonly SpeedRow[]
}): string[] {
  if (rows.length === 0) return []
  const lines = ['', records === 0 ? '### Reading' : `### ${records.toLocaleString('en')} records`, '']
  const notes = [...new Set(rows.flatMap((row) => row.notes))]
  lines.push('| Work | Figures | Measure | Value | Goal | |', '|---|---|---|--:|--:|---|')
  for (const row of rows) {
    const figures = row.sides
      .map(
        ({ side, figures }) =>
          `${side}: ${Object.entries(figures)
            .map(([measure, value]) => `${count(value)} ${measure}`)
            .join(', ')}`,
      )
      .join('<br>')
    const cells = row.verdicts.map((verdict) => [
      verdict.of,
      `${count(verdict.value)}${verdict.unit ? ` ${verdict.unit}` : ''}`,
      `${verdict.bound} ${verdict.goal}${verdict.unit ? ` ${verdict.unit}` : ''}`,
      isMet(verdict) ? 'met' : '**missed**',
    ])
    if (cells.length === 0) cells.push(['', '', '', ''])
    for (const [index, each] of cells.entries())
      lines.push(`| ${[index === 0 ? row.work : '', index === 0 ? figures : '', ...each].join(' | ')} |`)
  }
  return notes.length > 0 ? [...lines, '', ...notes.map((note) => `- ${note}`)] : lines
}

type Cells = Map<number, readonly Verdict[]>

/** One work at all sizes has one name: how many questions took turns, and how many records changed, is left out. */
const workOf = (work: string): string =>
  work
    .replace(/^nothing matches: .*/, 'a query that nothing matches')
    .replace(/, [\d,]+ (?:records in turn|different questions)/, '')
    .replace(/ [\d,]+ changes/, ' changes')

function cellOf(verdicts: readonly Verdict[] = []): string {
  const sorted = [...verdicts].sort((a, b) => a.value - b.value)
  const shown = [...new Set([sorted[0], sorted.at(-1)].map((each) => each && count(each.value)))].join(' to ')
  return verdicts.every(isMet) ? shown : `**${shown}**`
}

type MeasuredRows = { readonly records: number; readonly measured: string; readonly rows: readonly KeptRow[] }

/** The machine of most rows, and the works that were measured on others. */
function machinesOf(reports: readonly MeasuredRows[]): string[] {
  const rows = Map.groupBy(
    reports.flatMap((report) => report.rows),
    ({ machine }) => machine,
  )
  const [most, ...others] = [...rows].sort(([, a], [, b]) => b.length - a.length)
  return [
    `Measured on ${most?.[0]}${others.length > 0 ? ', except:' : '.'}`,
    ...others.flatMap(([machine, of]) => [
      '',
      ...[...new Set(of.map(({ work }) => workOf(work)))].map((work) => `- ${work}: ${machine}`),
    ]),
  ]
}

/**
 * Ratios of all sizes side by side, for the page: `÷ nginx` is the work per CPU second. The figures of each side are in
 * docs/performance.json.
 */
export function ratiosAsMarkdown(results: { readonly reports: readonly MeasuredRows[] }): string[] {
  const sized = results.reports.filter(({ records }) => records > 0)
  const lines = new Map<string, { readonly first: Verdict; readonly cells: Cells }>()
  for (const { records, rows } of sized)
    for (const { work, verdicts } of rows) {
      const hasWork = verdicts.some(({ of }) => of.startsWith('work per CPU second'))
      for (const verdict of verdicts) {
        if (hasWork && !verdict.of.startsWith('work per CPU second')) continue
        const key = `${workOf(work)} | ${verdict.of.replace(/^work per CPU second, ours |ours /, '')}`
        const { cells } = lines.get(key) ?? { cells: new Map() as Cells }
        lines.set(key, { first: verdict, cells: cells.set(records, [...(cells.get(records) ?? []), verdict]) })
      }
    }
  return [
    `| Work | Measure | ${sized.map(({ records }) => records.toLocaleString('en')).join(' | ')} | Goal |`,
    `|---|---|${'--:|'.repeat(sized.length + 1)}`,
    ...[...lines].map(([key, { first, cells }]) => {
      const values = sized.map(({ records }) => cellOf(cells.get(records)))
      return `| ${key} | ${values.join(' | ')} | ${first.bound} ${first.goal}${first.unit ? ` ${first.unit}` : ''} |`
    }),
    '',
    `Newest rows, by size: ${sized.map(({ measured }) => measured).join(', ')}.`,
    ...machinesOf(sized),
  ]
}
