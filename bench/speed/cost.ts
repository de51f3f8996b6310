// What a thousand organizations that use their full rate cost, computed from the measured CPU time of a request.
import type { SpeedResults } from './results.ts'

/** Maximum requests a minute of an organization (C121). */
const requestsPerMinute = 60
const organizations = 1000

const works = [
  /^list page of 100, gzip, the same 48/,
  /^list page of 100, gzip, .*everywhere/,
  /^list page of 100, identity, .*everywhere/,
  /^record by id, gzip, [1-9],?\d{3}/,
  /^page by six filters that fill it/,
  /^page by six filters that few/,
]

export function costAsMarkdown({ reports }: SpeedResults): string[] {
  const perSecond = (organizations * requestsPerMinute) / 60
  const lines = [
    `${organizations.toLocaleString('en')} organizations at ${requestsPerMinute} requests a minute each are ${perSecond.toLocaleString('en')} requests a second.`,
    '',
    '| All they ask is | Records | CPU µs of a request | Cores | Gbit/s on the line |',
    '|---|--:|--:|--:|--:|',
  ]
  for (const work of works)
    for (const { records, rows } of reports) {
      const row = rows.find((each) => work.test(each.work))
      const figures = row?.sides[0]?.figures
      if (!row || figures?.['CPU µs'] === undefined) continue
      const bits =
        figures['KB an answer'] === undefined ? '–' : ((perSecond * figures['KB an answer'] * 8) / 1e6).toFixed(2)
      lines.push(
        `| ${row.work} | ${records.toLocaleString('en')} | ${Math.round(figures['CPU µs']).toLocaleString('en')} | ${((perSecond * figures['CPU µs']) / 1e6).toFixed(2)} | ${bits} |`,
      )
    }
  return lines
}
