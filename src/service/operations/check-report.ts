// The page of `source check --report`: one row for each source, by country.

import { toInstant } from '../../domain/time.ts'
import type { CheckResult } from '../../ingest/check-source.ts'
import { byCountry, cell, countryName, evidenceOf, licenseOf } from '../../sources/card-cells.ts'
import type { Source } from '../../sources/source.ts'

/** A source, and what came of its check; a text says why it was not checked. */
export type CheckRow = { readonly source: Source; readonly result: CheckResult | string }

const verdicts = ['ok', 'quiet', 'differs', 'unreachable'] as const

/** Markdown that a person reads and a program compares: no row depends on the order of the checks. */
export function checkReport(rows: readonly CheckRow[], checkedAt: number): string {
  const bySource = new Map(rows.map((row) => [row.source.id, row]))
  const results = rows.map(({ result }) => result).filter((result) => typeof result !== 'string')
  const counts = verdicts.map((verdict) => `${results.filter((each) => each.verdict === verdict).length} ${verdict}`)
  return `${[
    '# Check of the sources',
    '',
    `${toInstant(checkedAt)}: ${[...counts, `${rows.length - results.length} not checked`].join(', ')}.`,
    '',
    '| Country | Source | Verdict | Documents, notices | Requests, slowest | License | robots.txt | Evidence | Findings |',
    '|---|---|---|--:|--:|---|---|---|---|',
    ...byCountry(rows.map(({ source }) => source)).map((source) => rowOf(bySource.get(source.id)!)),
  ].join('\n')}\n`
}

function rowOf({ source, result }: CheckRow): string {
  const isChecked = typeof result !== 'string'
  const slowest = isChecked ? Math.max(0, ...result.requests.map(({ elapsedMs }) => elapsedMs)) : 0
  const cells = [
    countryName(source.country),
    `\`${source.id}\``,
    isChecked ? result.verdict : 'not checked',
    isChecked ? `${result.documents}, ${result.notices}` : '–',
    isChecked ? `${result.requests.length}, ${(slowest / 1000).toFixed(1)} s` : '–',
    licenseOf(source),
    robotsOf(source),
    evidenceOf(source),
    cell(isChecked ? result.findings.join(' ') : result),
  ]
  return `| ${cells.join(' | ')} |`
}

function robotsOf({ politeness: { robots = 'obey' } }: Source): string {
  return robots === 'obey' ? 'obeyed' : `exempt: ${cell(robots.exempt)}`
}
