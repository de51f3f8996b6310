// The API under a constant rate of requests, sent by a separate process.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startNode, stopProcess, temporaryFolder } from './processes.ts'
import type { FixedRateSummary, FixedRateTask } from './speed/fixed-rate.ts'
import { type Answered, readAnswers } from './speed/latencies.ts'

/** Requests per second. */
export const apiPerSecond = 200

/**
 * Starts to send requests, on `core` alone if it is given. `end` stops that and returns what was answered; it throws if
 * an answer was an error.
 */
export function startApiLoad(
  port: number,
  token: string,
  core?: string,
): { readonly end: () => Promise<readonly Answered[]> } {
  const folder = temporaryFolder('load')
  const task: FixedRateTask = {
    port,
    perSecond: apiPerSecond,
    seconds: 600,
    connections: 32,
    headers: { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'gzip' },
    paths: ['/v1/tenders?limit=10', '/v1/tenders?limit=10&nuts=DE', '/v1/tenders?limit=10&cpv=45000000'],
    file: join(folder, 'latencies'),
  }
  const taskFile = join(folder, 'fixed-rate.json')
  writeFileSync(taskFile, JSON.stringify(task))
  let summary: FixedRateSummary | undefined
  const generator = startNode([join(import.meta.dirname, 'speed/fixed-rate.ts'), taskFile], core, {
    onLine: (line) => {
      if (line.includes('"sent"')) summary = JSON.parse(line) as FixedRateSummary
    },
  })
  return {
    end: async () => {
      await stopProcess(generator)
      if (!summary || summary.errors > 0) throw new Error(`${summary?.errors} errors while requests arrived`)
      return readAnswers(task.file)
    },
  }
}
