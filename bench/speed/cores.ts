// Whether two readers do twice the work of one. On two cores the generator needs a core too, so pairs are compared: a
// reader and its generator on one core, two readers and their generators on two.
import { cpus } from 'node:os'
import { type LoadResult, runLoad } from '../load.ts'
import { findProgram } from '../processes.ts'
import type { SpeedOptions } from './options.ts'
import { pathsOf, randomPages } from './questions.ts'
import { over, warmSeconds } from './rounds.ts'
import { atLeast, mediansOf, type SpeedRow } from './row.ts'
import { canSetReaders, startOurs } from './servers.ts'
import type { Stock } from './stock.ts'

/** Number of connections of each generator: many, because the kernel distributes them over the readers at random. */
const connectionsOfEach = 48
const maxRounds = 5

export async function coreRows(stock: Stock, options: SpeedOptions, notes: string[]): Promise<SpeedRow[]> {
  if (!canSetReaders(options.service) || cpus().length < 2 || !findProgram('taskset')) {
    notes.push('skipped: cores (the service has no --readers here, or the machine one core, or no taskset)')
    return []
  }
  const paths = pathsOf(randomPages(stock, 1000, 21))
  const headers = { Authorization: `Bearer ${stock.clients[0]!.token}`, 'Accept-Encoding': 'gzip' }
  const rounds: { [side: string]: { [measure: string]: number }[] } = { 'one reader': [], 'two readers': [] }
  for (let round = 0; round < Math.min(options.rounds, maxRounds); round++)
    for (const [side, cores] of [
      ['one reader', ['0']],
      ['two readers', ['0', '1']],
    ] as const) {
      const ours = await startOurs(stock, options.service, { readers: cores.length, cores: cores.join(',') })
      const load = (seconds: number): Promise<LoadResult[]> =>
        Promise.all(
          cores.map((core) =>
            runLoad({
              port: ours.port,
              requests: paths,
              headers,
              seconds,
              connections: connectionsOfEach,
              cores: core,
            }),
          ),
        )
      await load(warmSeconds)
      const before = ours.cpuSeconds()
      const results = await load(Math.max(2, options.seconds))
      const requests = results.reduce((sum, each) => sum + each.requests, 0)
      rounds[side]!.push({
        'requests/s': results.reduce((sum, each) => sum + each.requestsPerSecond, 0),
        'CPU µs': ((ours.cpuSeconds() - before) * 1e6) / requests,
      })
      await ours.stop()
      if (results.some(({ errors }) => errors > 0)) throw new Error(`errors with ${side}`)
    }
  const sides = Object.entries(rounds).map(([side, figures]) => ({ side, figures: mediansOf(figures) }))
  options.onProgress(
    `cores: ${sides.map(({ side, figures }) => `${side} ${Math.round(figures['requests/s']!)}/s`).join(', ')}`,
  )
  return [
    {
      name: 'cores',
      work: 'list page of 100, gzip: a reader and its generator on one core, two and theirs on two',
      records: options.records,
      sides,
      verdicts: [atLeast('requests/s, two ÷ one', over(sides, 'requests/s', 'two readers', 'one reader'), 1.8)],
      notes: [],
    },
  ]
}
