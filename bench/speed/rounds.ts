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
/** Maximum duration of a round. */
const longestRoundSeconds = 300
/** Fewest requests of a round, however slow a side is. */
const fewestRequests = 64

export async function runRounds(
  question: string,
  sides: readonly Side[],
  { rounds, seconds, onProgress }: SpeedOptions,
  parallel = connections,
): Promise<SideFigures[]> {
  const results = sides.map((): { [measure: string]: number }[] => [])
  const counts: number[] = []
  for (const side of sides) {
    const { requests } = await load(side, { seconds: warmSeconds }, parallel)
    counts.push(Math.max(fewestRequests, Math.round((requests / warmSeconds) * seconds)))
  }
  for (let round = 0; round < rounds; round++)
    for (const [index, side] of sides.entries()) {
      const { figures } = await load(side, { seconds: longestRoundSeconds, count: counts[index]! }, parallel)
      results[index]!.push(figures)
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
  { seconds, count }: { readonly seconds: number; readonly count?: number },
  parallel: number,
): Promise<{ readonly requests: number; readonly figures: { [measure: string]: number } }> {
  const before = server.cpuSeconds()
  const result = await runLoad({
    port: server.port,
    // a round has the same requests each time, so that an unfinished answer or a slow second moves no figure
    requests:
      count === undefined ? requests : Array.from({ length: count }, (_, at) => requests[at % requests.length]!),
    headers,
    seconds,
    connections: parallel,
    isOnce: count !== undefined,
  })
  if (result.errors > 0) throw new Error(`${result.errors} errors from ${server.side}`)
  return {
    requests: result.requests,
    figures: {
      'requests/s': result.requestsPerSecond,
      'CPU µs': ((server.cpuSeconds() - before) * 1e6) / result.answered,
      'p99 ms': result.p99Ms,
      'KB an answer': result.bytes / 1000 / result.answered,
    },
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
