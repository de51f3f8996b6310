// The alerts in the simulation of promtool: silent in a normal time, and each fires in the fault for which it is meant.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { metricTable } from '../../src/service/metrics/metric-table.ts'
import { alertFaults, normalSeries } from './alert-faults.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const rulesFile = join(deploy, 'prometheus/alerts.yml')
const runbook = readFileSync(join(import.meta.dirname, '../../docs/monitoring.md'), 'utf8')

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}
const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)

const seriesOf = (series: { readonly [series: string]: string | null }) =>
  Object.entries(series).flatMap(([name, values]) => (values === null ? [] : [{ series: name, values }]))

/** Nothing fires at these minutes: the whole normal time. */
const quietMinutes = Array.from({ length: 25 }, (_, index) => 5 * index)

/** Runs promtool on unit tests; throws with its output. */
function simulate(tests: readonly object[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-alerts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'tests.yml')
  // promtool would compare annotations, too
  const plain = groups.map((group) => ({ ...group, rules: group.rules.map(({ annotations: _, ...rule }) => rule) }))
  const plainFile = join(folder, 'rules.yml')
  writeFileSync(plainFile, stringify({ groups: plain }))
  writeFileSync(file, stringify({ rule_files: [plainFile], evaluation_interval: '1m', tests }))
  try {
    execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${stdout}${stderr}` || String(error))
  }
}

test('promtool accepts the rules and the configuration', () => {
  execFileSync('promtool', ['check', 'rules', rulesFile], { stdio: 'pipe' })
  execFileSync('promtool', ['check', 'config', join(deploy, 'prometheus/prometheus.yml')], { stdio: 'pipe' })
})

test('each alert has a fault, and a row in docs/monitoring.md with its severity and its waiting time', () => {
  expect(Object.keys(alertFaults)).toEqual(rules.map(({ alert }) => alert))
  const rows = runbook.split('\n').filter((line) => line.startsWith('| <a id='))
  expect(rows.map((row) => row.split(' | ').slice(0, 3).join(' | '))).toEqual(
    rules.map(({ alert, labels, for: patience }) => {
      const anchor = alert.toLowerCase()
      return `| <a id="${anchor}"></a>\`${alert}\` | ${labels.severity} | ${patience ?? 'at once'}`
    }),
  )
  for (const { alert, annotations } of rules)
    expect(annotations.runbook).toBe(`docs/monitoring.md#${alert.toLowerCase()}`)
})

test('rules and dashboard name only metrics that exist', () => {
  const dashboard = readFileSync(join(deploy, 'grafana/tenderstock.json'), 'utf8')
  for (const text of [readFileSync(rulesFile, 'utf8'), dashboard])
    for (const [, name] of text.matchAll(/tenderstock_(\w+?)(?:_bucket|_count|_sum)?\b(?=\{|\[|\)| )/g))
      expect(Object.keys(metricTable)).toContain(name)
})

test('two normal hours raise no alert', () => {
  simulate([
    {
      interval: '1m',
      input_series: seriesOf(normalSeries),
      alert_rule_test: quietMinutes.flatMap((minute) =>
        rules.map(({ alert }) => ({ eval_time: `${minute}m`, alertname: alert, exp_alerts: [] })),
      ),
    },
  ])
})

const firesAt = '122m'

const expectationOf = ({ alert, labels: { severity } }: Rule) => {
  const { without = [], labels } = alertFaults[alert]!
  const places = Object.entries({ job: 'tenderstock', instance: 'a' }).filter(
    ([label]) => !without.includes(label as 'job' | 'instance'),
  )
  const exp_labels = { ...Object.fromEntries(places), severity, ...labels }
  return { eval_time: firesAt, alertname: alert, exp_alerts: [{ exp_labels }] }
}

/** Rules whose faults change different series, so that they can be planted together. */
function rulesTogether(): Rule[][] {
  const groups: { readonly taken: Set<string>; readonly rules: Rule[] }[] = []
  for (const rule of rules) {
    const names = Object.keys(alertFaults[rule.alert]!.series)
    let group = groups.find(({ taken }) => names.every((name) => !taken.has(name)))
    if (!group) {
      group = { taken: new Set(), rules: [] }
      groups.push(group)
    }
    for (const name of names) group.taken.add(name)
    group.rules.push(rule)
  }
  return groups.map((group) => group.rules)
}

test('each alert fires in its fault', () => {
  simulate(
    rulesTogether().map((together) => ({
      interval: '1m',
      input_series: seriesOf(
        Object.assign({}, normalSeries, ...together.map(({ alert }) => alertFaults[alert]!.series)),
      ),
      alert_rule_test: together.map(expectationOf),
    })),
  )
})

// one simulation for each alert takes a minute
test.runIf(process.env['PROOF'] === 'full')(
  'no other alert fires in the fault of an alert',
  () => {
    simulate(
      rules.map((rule) => {
        const { series, also } = alertFaults[rule.alert]!
        const others = rules.filter(({ alert }) => alert !== rule.alert && !also?.includes(alert))
        return {
          name: rule.alert,
          interval: '1m',
          input_series: seriesOf({ ...normalSeries, ...series }),
          alert_rule_test: [
            ...others.map(({ alert }) => ({ eval_time: firesAt, alertname: alert, exp_alerts: [] })),
            expectationOf(rule),
          ],
        }
      }),
    )
  },
  600_000,
)
