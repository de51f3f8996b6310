// A client in a separate process: the public sync() into a real sink, run after run. Time goes faster for its waits, so
// that the minutes of C153 fit into a test. Run by chaos-run.ts, which kills it.
import { writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Sink } from '../../client/src/sync/sink.ts'
import { type SyncOutcome, sync } from '../../client/src/sync/sync.ts'
import { TenderClient } from '../../client/src/tender-client.ts'
import { randomOf } from '../testing/generate/random.ts'
import { digestOf } from './copies.ts'

/** Milliseconds that replace one minute of the retry table. */
const haste = 200
const minWaitMs = 20
/** Number of complete runs for each digest of the copy. */
const digestEvery = 3

const { values } = parseArgs({
  options: {
    api: { type: 'string' },
    sink: { type: 'string' },
    target: { type: 'string' },
    initial: { type: 'string' },
    seed: { type: 'string' },
    once: { type: 'boolean' },
  },
})
const random = randomOf(Number(values.seed), process.pid)
const target = values.target ?? ''

/** Synchronous: a printed event has left the process when it is killed. */
function say(event: object): void {
  writeSync(1, `${JSON.stringify(event)}\n`)
}

async function openSink(): Promise<Sink> {
  switch (values.sink) {
    case 'postgres': {
      const { openPostgresSink } = await import('../../client/src/sinks/postgres-sink.ts')
      return openPostgresSink({ connectionString: target })
    }
    case 'sqlite': {
      const { sqliteSink } = await import('../../client/src/sinks/sqlite-sink.ts')
      return sqliteSink({ file: target })
    }
    case 'parquet': {
      const { parquetSink } = await import('../../client/src/sinks/parquet-sink.ts')
      return parquetSink({ file: target })
    }
    default:
      throw new Error(`no sink ${values.sink}`)
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message).slice(0, 2000) : String(error)
}

function tell(outcome: SyncOutcome, digest?: string): void {
  const { counts, elapsedMs: _, ...rest } = outcome
  say({
    event: 'run',
    ...rest,
    ...(outcome.result === 'aborted' && { error: textOf(outcome.error) }),
    records: counts.records,
    ...(digest !== undefined && { digest }),
  })
}

const sink = await openSink()
const client = new TenderClient({
  baseUrl: values.api ?? '',
  token: process.env.TENDERSTOCK_TOKEN ?? '',
  sleep: async (ms, signal) => {
    say({ event: 'wait', ms })
    await delay(Math.max(minWaitMs, ms / haste), undefined, signal ? { signal } : {})
  },
  random: random.next,
})
const initial = values.initial === 'history' ? 'history' : 'open'
/** Small pages make long runs, which are cut off in the middle. */
const limit = { postgres: 20, sqlite: 25, parquet: 100 }[values.sink as 'postgres']
const run = () => sync({ client, sink, initial, limit })

say({ event: 'ready' })
if (values.once) {
  let outcome = await run()
  // That run finished what an earlier one had begun, in the edition of that time.
  if (outcome.result === 'completed' && outcome.isResumed) outcome = await run()
  tell(outcome)
  await sink.end()
  process.exitCode = outcome.result === 'completed' ? 0 : 1
} else {
  for (let complete = 0; ; ) {
    const outcome = await run()
    // Records fetched one by one are newer than the edition of the run.
    const isComparable = outcome.result === 'completed' && outcome.counts.fetched === 0 && outcome.counts.records > 0
    if (isComparable && ++complete % digestEvery === 0) {
      const stamps: [string, string][] = []
      try {
        for await (const { id, lastModified } of sink.all()) stamps.push([id, lastModified])
        tell(outcome, digestOf(stamps))
      } catch {
        // The target went down meanwhile.
        tell(outcome)
      }
    } else tell(outcome)
    await delay(random.integer(100, 1500))
  }
}
