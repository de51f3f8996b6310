// Sides under the same load, one after the other, for several rounds: their medians count, and the ratios between them.
import { type LoadRequest, runLoad } from '../load.ts'
import type { SpeedOptions } from './options.ts'
import { mediansOf, type SideFigures } from './row.ts'
import type { Server } from './servers.ts'

export type Side = {
  readonly server: Server
  readonly requests: readonly LoadRequest[]
  readonly headers: { readonly [name: string]: string }
  /** Its name in the row, if it differs from its server's. */
  readonly name?: string
}

export const connections = 8

/**
 * How long a side answers before it is measured: in the first seconds a process spends more on compiling than on
 * answering.
 */
export const warmSeconds = 4
/** Maximum duration of a round: a side that answers nothing in this time is not measured. */
const longestRoundSeconds = 60

export async function runRounds(
  question: string,
  sides: readonly Side[],
  { rounds, seconds, onProgress }: SpeedOptions,
  parallel = connections,
): Promise<SideFigures[]> {
  const results = sides.map((): { [measure: string]: number }[] => [])
  for (const side of sides) await load(side, warmSeconds, parallel)
  for (let round = 0; round < rounds; round++) {
    for (const [index, side] of sides.entries()) {
      // If an answer takes longer than the round, a longer round waits for it.
      let figures: { [measure: string]: number } | undefined
      for (let lasted = seconds; !figures && lasted <= longestRoundSeconds; lasted *= 4)
        figures = await load(side, lasted, parallel)
      if (!figures) throw new Error(`${question}: ${side.server.side} answered nothing in ${longestRoundSeconds} s`)
      results[index]!.push(figures)
    }
  }
  const summary = sides.map((side, index) => ({
    side: side.name ?? side.server.side,
    figures: mediansOf(results[index]!),
  }))
  onProgress(
    `${question}: ${summary.map(({ side, figures }) => `${side} ${Math.round(figures['requests/s']!)}/s, ${Math.round(figures['CPU µs']!)} µs`).join('; ')}`,
  )
  return summary
}

async function load(
  { server, requests, headers }: Side,
  seconds: number,
  parallel: number,
): Promise<{ [measure: string]: number } | undefined> {
  const before = server.cpuSeconds()
  const result = await runLoad({
    port: server.port,
    requests,
    headers,
    seconds: seconds,
    connections: parallel,
  })
  if (result.errors > 0) throw new Error(`${result.errors} errors from ${server.side}`)
  if (result.requests === 0) return undefined
  return {
    'requests/s': result.requestsPerSecond,
    'CPU µs': ((server.cpuSeconds() - before) * 1e6) / result.requests,
    'p99 ms': result.p99Ms,
    'KB an answer': result.bytes / 1000 / result.requests,
  }
}

/** The ratio of one side's measure to another's. */
export function over(sides: readonly SideFigures[], measure: string, numerator: string, denominator: string): number {
  const of = (name: string): number => {
    const value = sides.find(({ side }) => side === name)?.figures[measure]
    if (value === undefined) throw new Error(`no ${measure} of ${name}`)
    return value
  }
  return of(numerator) / of(denominator)
}
