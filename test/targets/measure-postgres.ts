// Measures the PostgreSQL sink without the network of the API: `node test/targets/measure-postgres.ts <url> [records]`.
// Generated records of about 3 KB, pages of 100 with a commit each, as the engine does it.
import { openPostgresSink } from '../../client/src/sinks/postgres-sink.ts'
import type { Sink } from '../../client/src/sync/sink.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import { generateTender } from '../testing/generate/stock.ts'

const [connectionString = 'postgres://localhost/postgres', countText = '10000'] = process.argv.slice(2)
const count = Number(countText)
const now = Date.UTC(2026, 10, 1)
const schema = `measure_${process.pid}`
const stamp = (ms: number): string => new Date(ms).toISOString()

function records(version: number): TenderRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const {
      archiveReason: _reason,
      mergedInto: _into,
      ...content
    } = generateTender({ seed: 1, count, now }, index, version)
    return { ...content, status: 'open', lastModified: stamp(now + version * 3_600_000 + index), checkedAt: stamp(now) }
  })
}

async function run(sink: Sink, kind: 'first' | 'delta', all: readonly TenderRecord[]): Promise<void> {
  const started = performance.now()
  await sink.begin({ kind, filterHash: 'f', resumed: false, keepArchived: false })
  for (let from = 0; from < all.length; from += 100) {
    await sink.upsert(all.slice(from, from + 100))
    await sink.commit({ schema: 1, filterHash: 'f', run: { kind, cursor: String(from) } }, 'page')
  }
  const staged = performance.now()
  await sink.commit({ schema: 1, filterHash: 'f', updatedSince: stamp(now) }, 'run')
  const ended = performance.now()
  const rate = Math.round(all.length / ((ended - started) / 1000))
  process.stdout.write(
    `${kind}: ${all.length} records in ${((ended - started) / 1000).toFixed(1)} s, ${rate} records/s` +
      ` (last commit ${((ended - staged) / 1000).toFixed(1)} s)\n`,
  )
}

const sink = openPostgresSink({ connectionString, schema })
const one = records(0)
const bytes = one.reduce((sum, record) => sum + JSON.stringify(record).length, 0)
process.stdout.write(`${Math.round(bytes / count)} bytes of JSON per record\n`)
await run(sink, 'first', one)
await run(sink, 'delta', one)
await run(sink, 'delta', records(1))
const pg = await import('pg')
const client = new pg.default.Client({ connectionString })
await client.connect()
await client.query(`drop schema ${schema} cascade`)
await client.end()
await sink.end()
