// Copies and hits stay right while everything is killed: three API processes, publisher, clients, Redis and PostgreSQL.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { proofCount } from '../proof/proof-count.ts'
import { seed } from '../testing/seed.ts'
import { runChaos } from './chaos-run.ts'
import { postgresBinaries } from './postgres-cluster.ts'

/** CHAOS_MINUTES says how long (CI: 2), SEED repeats a plan of kills. */
const minutes = Number(process.env.CHAOS_MINUTES || 0)
const postgres = postgresBinaries()
const redis = ['valkey-server', 'redis-server'].map(pathOf).find((path) => path !== undefined)

const reason =
  minutes <= 0
    ? 'CHAOS_MINUTES is not set'
    : postgres === undefined
      ? 'no PostgreSQL in /usr/lib/postgresql'
      : redis === undefined
        ? 'no valkey-server or redis-server'
        : undefined
if (reason !== undefined) console.log(`skipped: chaos with real processes (${reason})`)

test.skipIf(reason !== undefined)(
  'kill -9 of every part at random loses nothing: every copy equals the newest edition, every hit arrives (C144 to C160, D57)',
  { timeout: (minutes + 15) * 60_000 },
  async () => {
    const report = await runChaos({
      minutes,
      seed,
      postgres: postgres!,
      redis: redis!,
      say: (line) => console.log(line),
    })
    console.log(report.line)
    expect(report.faults, `SEED=${seed}`).toEqual([])
    // The run must have been a real one: everything was killed, and work continued nevertheless. A share runs beside
    // other tests.
    expect(Object.keys(report.kills)).toEqual(expect.arrayContaining(['api', 'publisher', 'client', 'postgres']))
    expect(report.editions).toBeGreaterThan(proofCount({ share: 2, full: minutes }))
    expect(report.completedRuns).toBeGreaterThan(minutes * proofCount({ share: 2, full: 4 }))
  },
)

function pathOf(program: string): string | undefined {
  try {
    return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
