// What counting requests costs: a service whose metrics Prometheus reads every second, beside the same one without.
import { join } from 'node:path'
import type { SpeedOptions } from './options.ts'
import { getList, pathsOf, randomPages } from './questions.ts'
import { over, runRounds } from './rounds.ts'
import { atLeast, type SpeedRow } from './row.ts'
import { type Server, startOurs } from './servers.ts'
import type { Stock } from './stock.ts'

const scrapeMs = 1000
const sides = ['with metrics', 'without']

export async function metricsRows(stock: Stock, options: SpeedOptions): Promise<SpeedRow[]> {
  // each has its own copy of the edition
  const [counting, plain] = await Promise.all([
    startScraped({ ...stock, data: join(stock.scratch, 'data-metrics') }, options),
    startOurs(stock, options.service),
  ])
  const { token } = stock.clients[0]!
  const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'gzip' }
  const pages = randomPages(stock, 48, 31)
  const { data } = await getList(plain.port, pages[0]!, token)
  // merged records answer with a redirection
  const records = data.filter(({ status }) => status !== 'merged').map(({ id }) => `/v1/tenders/${id}`)
  const rows: SpeedRow[] = []
  for (const [work, requests] of [
    ['record by id, gzip', pathsOf(records)],
    ['list page of 100, gzip', pathsOf(pages)],
  ] as const) {
    const figures = await runRounds(
      `${work}, metrics`,
      [counting, plain].map((server, index) => ({ server, requests, headers, name: sides[index]! })),
      options,
    )
    rows.push({
      name: 'metrics',
      work: `${work}; metrics read every second, and none`,
      records: options.records,
      sides: figures,
      verdicts: [atLeast('work per CPU second, with ÷ without', over(figures, 'CPU µs', 'without', sides[0]!), 0.95)],
      notes: [],
    })
  }
  await counting.stop()
  await plain.stop()
  return rows
}

/** Our service, read every second from its start on. */
async function startScraped(stock: Stock, { service }: SpeedOptions): Promise<Server> {
  let metrics = ''
  const ours = await startOurs(stock, service, {
    serviceArguments: ['--metrics-port', '0'],
    onLine: (line) => {
      if (line.includes('"ready"')) ({ metrics } = JSON.parse(line) as { metrics: string })
    },
  })
  const timer = setInterval(() => void fetch(metrics).then((answer) => answer.text()), scrapeMs)
  return {
    ...ours,
    stop: async () => {
      clearInterval(timer)
      await ours.stop()
    },
  }
}
