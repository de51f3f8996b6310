import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problemKinds } from '../../src/api/problems/problems.ts'
import { countedRoutes, countedStatuses } from '../../src/api/request-counts.ts'
import { metricTable } from '../../src/service/metrics/metric-table.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8')

test('docs/metrics.md lists every metric with its type, labels, unit and meaning', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `tenderstock_'))
  const code = (text: string) => `\`${text}\``
  expect(rows).toEqual(
    Object.entries(metricTable).map(([name, { type, labels, unit, of, help }]) => {
      const labelText = labels.map(code).join(', ') || '–'
      const where = of === 'start' ? '`start`' : 'all'
      return `| \`tenderstock_${name}\` | ${type} | ${labelText} | ${unit} | ${where} | ${help} |`
    }),
  )
})

test('docs/metrics.md names every route, and each problem status is counted separately', () => {
  const routes = page.split('\n').find((line) => line.startsWith('| `route` |'))
  expect(routes).toBe(`| \`route\` | ${countedRoutes.map((route) => `\`${route}\``).join(', ')} |`)
  for (const { status } of Object.values(problemKinds)) expect(countedStatuses).toContain(status)
})
