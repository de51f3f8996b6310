import { expect, test } from 'vitest'
import type { CheckResult } from '../../ingest/check-source.ts'
import { loadSources } from '../../sources/registry.ts'
import { checkReport } from './check-report.ts'

const sources = await loadSources()
const result: CheckResult = {
  sourceId: 'ted',
  channel: 'daily',
  slot: '2026-03-10',
  verdict: 'differs',
  findings: ['The entries lack a | b.', 'Two of them are empty.'],
  requests: [
    { url: 'https://example.org/1', status: 200, bytes: 10, elapsedMs: 400 },
    { url: 'https://example.org/2', status: 200, bytes: 10, elapsedMs: 1_640 },
  ],
  announced: 3,
  documents: 3,
  notices: 2,
  rejections: {},
}

test('a report has a row for each source by country, and counts them by verdict', () => {
  const rows = [
    { source: sources.get('at-usp')!, result: 'terms' },
    { source: sources.get('ted')!, result },
    { source: sources.get('al-procurement-commission')!, result: { ...result, verdict: 'ok' as const, findings: [] } },
  ]
  const page = checkReport(rows, Date.parse('2026-03-10T08:00:00Z'))
  expect(checkReport(rows.toReversed(), Date.parse('2026-03-10T08:00:00Z'))).toBe(page)
  expect(page).toContain('2026-03-10T08:00:00.000Z: 1 ok, 0 quiet, 1 differs, 0 unreachable, 1 not checked.\n')
  const cells = page
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.includes('`'))
    .map((line) => line.split(/(?<!\\)\|/).map((text) => text.trim()))
  expect(cells.map(([, , id, verdict]) => [id, verdict])).toEqual([
    ['`al-procurement-commission`', 'ok'],
    ['`at-usp`', 'not checked'],
    ['`ted`', 'differs'],
  ])
  expect(cells[1]?.slice(4, 6)).toEqual(['–', '–'])
  expect(cells[2]?.slice(4, 6)).toEqual(['3, 2', '2, 1.6 s'])
  expect(cells[2]?.at(-2)).toBe('The entries lack a \\| b. Two of them are empty.')
  expect(cells.every((row) => row.length === cells[0]!.length)).toBe(true)
})
