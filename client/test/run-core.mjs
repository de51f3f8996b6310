// Syncs into memory with the built core: `node run-core.mjs <folder of the build> <origin> <token>`. Runs on any runtime.
const [folder, origin, token] = (globalThis.Deno?.args ?? process.argv.slice(2)).map(String)
const load = (path) => import(new URL(path, `file://${folder}/`).href)
const { TenderClient } = await load('tender-client.js')
const { sync } = await load('sync/sync.js')
const { memorySink } = await load('sinks/memory-sink.js')
const { memoryState } = await load('state/memory-state.js')

const sink = memorySink()
const state = memoryState()
const client = new TenderClient({ baseUrl: origin, token })
const first = await sync({ client, sink, state, limit: 7 })
const second = await sync({ client, sink, state, limit: 7 })
const outcomes = [first, second].map(({ result, kind, error, counts }) => ({
  result,
  kind,
  error: error && String(error),
  records: counts.records,
}))
// biome-ignore lint/suspicious/noConsole: its output is the result
console.log(JSON.stringify({ outcomes, ids: [...sink.records.keys()].sort() }))
