// Maintains a copy of all tenders in one file, then names those that close within a week. Run it hourly: each run
// fetches only what changed.
import { env, stderr } from 'node:process'
import { TenderClient } from '@tenderstock/client'
import { sync } from '@tenderstock/client/sync'
import { jsonFileSink } from './json-file-sink.mjs'

const client = new TenderClient({
  baseUrl: env.TENDER_URL ?? 'http://127.0.0.1:8080',
  token: env.TENDER_TOKEN ?? '',
  on: (event) => {
    if (event.type === 'wait') stderr.write(`waiting ${Math.ceil(event.ms / 1000)} s: ${event.reason}\n`)
  },
})
const sink = jsonFileSink(process.argv[2] ?? 'tenders.json')
const outcome = await sync({ client, sink })

if (outcome.result === 'completed') {
  const { records, upserted, closed, merged } = outcome.counts
  console.log(`${outcome.kind} run: ${records} records (${upserted} open, ${closed} closed, ${merged} merged)`)
  const week = Date.now() + 7 * 24 * 3_600_000
  const due = [...sink.records.values()]
    .filter(({ status, submissionDate }) => status === 'open' && submissionDate && Date.parse(submissionDate) < week)
    .sort((a, b) => (a.submissionDate < b.submissionDate ? -1 : 1))
  console.log(`${due.length} of ${sink.records.size} tenders end within a week`)
  for (const { submissionDate, title } of due.slice(0, 20)) console.log(`${submissionDate}  ${title}`)
} else {
  stderr.write(`${outcome.result}: ${outcome.error ?? 'another run is in progress'}\n`)
  process.exitCode = outcome.result === 'skipped' ? 3 : 4
}
await sink.end()
