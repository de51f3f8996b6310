// One sync run into PostgreSQL in a separate process, to be killed: prints a line per fetched page and per commit.
import { openPostgresSink } from '../../client/src/sinks/postgres-sink.ts'
import { sync } from '../../client/src/sync/sync.ts'
import { TenderClient } from '../../client/src/tender-client.ts'

const [baseUrl, token, connectionString, schema, initial] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
]
const sink = openPostgresSink({ connectionString, schema })
const outcome = await sync({
  client: new TenderClient({ baseUrl, token, maxWaitMs: 0 }),
  sink,
  initial: initial === 'history' ? 'history' : 'open',
  limit: 20,
  on: ({ type }) => void process.stdout.write(`${type}\n`),
})
process.stdout.write(`${outcome.result} ${'error' in outcome ? String(outcome.error) : ''}\n`)
await sink.end()
