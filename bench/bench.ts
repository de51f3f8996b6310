// Prints how fast we are beside our peers, as ratios of medians of one run.
// npm run bench [-- speed|parse|all] [--records 10000,1000000] [--rounds N] [--seconds N] [--corpus DIR] [--json] [--write]
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, freemem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchParse, type ParseReport } from './parse.ts'
import { stopAll } from './processes.ts'
import { benchSpeed, type SpeedReport, type SpeedRow } from './speed.ts'

const root = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    records: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    corpus: { type: 'string', default: join(root, '../shared/corpus') },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const what = positionals[0] ?? 'all'
if (!['speed', 'parse', 'all'].includes(what)) {
  console.error(`There is no benchmark "${what}"; write speed, parse or all.`)
  process.exit(2)
}
const startedMs = performance.now()
const progress = (text: string): void =>
  console.error(`[${String(Math.round((performance.now() - startedMs) / 1000)).padStart(4)} s] ${text}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void stopAll().then(() => process.exit(130))
  })

/** A million records need about 10 GB of disk in two databases and 3 GB of memory. */
const sizes = values.records?.split(',').map(Number) ?? (freemem() > 6e9 ? [10_000, 1_000_000] : [10_000])

const reports: SpeedReport[] = []
let parsing: ParseReport | undefined
try {
  if (what !== 'speed')
    parsing = await benchParse({ corpus: values.corpus, rounds: Number(values.rounds), onProgress: progress })
  if (what !== 'parse')
    for (const records of sizes) {
      progress(`speed with ${records} records`)
      reports.push(
        await benchSpeed({
          records,
          rounds: Number(values.rounds),
          seconds: Number(values.seconds),
          onProgress: progress,
        }),
      )
    }
} finally {
  await stopAll()
}

if (values.json) console.log(JSON.stringify({ machine: machine(), speed: reports, parsing }, null, 2))
else console.log(asMarkdown())
if (values.write) write()

function machine(): string {
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}`
}

function ratio(a: number | undefined, b: number | undefined): string {
  return a === undefined || b === undefined ? '–' : `${(a / b).toPrecision(2)}`
}

function rate(value: number | undefined): string {
  return value === undefined ? '–' : value >= 1000 ? `${(value / 1000).toFixed(1)} k` : value.toPrecision(3)
}

function speedLine({ question, records, requestsPerSecond: rates, cpuMicroseconds: cpu, p99Ms }: SpeedRow): string {
  const p99 = [p99Ms.nginx, p99Ms.ours, p99Ms.peer]
    .map((ms) => (ms === undefined ? '–' : ms.toPrecision(2)))
    .join(' / ')
  const micro = (value: number | undefined): string =>
    value === undefined ? '–' : Math.round(value).toLocaleString('en')
  return `| ${[question, records.toLocaleString('en'), rate(rates.nginx), rate(rates.ours), rate(rates.peer), ratio(rates.nginx, rates.ours), ratio(rates.ours, rates.peer), micro(cpu.nginx), micro(cpu.ours), micro(cpu.peer), ratio(cpu.ours, cpu.nginx), ratio(cpu.peer, cpu.ours), p99].join(' | ')} |`
}

function asMarkdown(): string {
  const lines: string[] = [`Machine: ${machine()}.`]
  if (reports.length > 0)
    lines.push(
      '',
      '| Question | Records | nginx, req/s | ours, req/s | Fastify + PostgreSQL, req/s | nginx ÷ ours | ours ÷ F+P | nginx, CPU µs | ours, CPU µs | F+P, CPU µs | ours ÷ nginx | F+P ÷ ours | p99 ms of the three |',
      '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
      ...reports.flatMap(({ rows }) => rows.map(speedLine)),
      ...reports.flatMap(({ notes }) => notes.map((note) => `\n- ${note}`)),
    )
  if (parsing) {
    const { documents, megabytes, xmllintSeconds, oursSeconds, oursWarmSeconds } = parsing
    if (documents > 0)
      lines.push(
        '',
        `| ${documents.toLocaleString('en')} XML notices, ${megabytes.toFixed(1)} MB | CPU s | ÷ xmllint --stream |`,
        '|---|--:|--:|',
        `| xmllint --stream --noout, whole process | ${xmllintSeconds?.toFixed(2) ?? '–'} | 1 |`,
        `| Tenderstock, bytes to notices, whole process | ${oursSeconds?.toFixed(2) ?? '–'} | ${ratio(oursSeconds, xmllintSeconds)} |`,
        `| Tenderstock, bytes to notices, warm | ${oursWarmSeconds?.toFixed(2) ?? '–'} | ${ratio(oursWarmSeconds, xmllintSeconds)} |`,
      )
    lines.push(...parsing.notes.map((note) => `\n- ${note}`))
  }
  return lines.join('\n')
}

/** Replaces the part of docs/benchmarks.md that was measured; the text around it stays. */
function write(): void {
  const path = join(root, 'docs/benchmarks.md')
  const [begin, end] = ['<!-- measured: begin -->', '<!-- measured: end -->']
  const before = existsSync(path)
    ? readFileSync(path, 'utf8')
    : `# Benchmarks

\`npm run bench -- --write\` measures and writes the tables below. All sides run on one machine and take turns within one
run; each figure is the median of several rounds. Trust the ratios, not the absolute figures. CPU µs is what all processes of
a side, its database included, spent on one request: the steadier figure on a machine that does other work too.

- **nginx**: one worker, the very bytes that we answer with, as static files (plain and \`.gz\` beside it). No token, no limit.
- **ours**: the whole service in its own process: token, limiter, headers, pinned cursor.
- **Fastify + PostgreSQL** (F+P): \`bench/peers/fastify-postgres.ts\`, the same filters over one table with B-tree and GIN indexes,
  prepared statements, keyset cursor, gzip by zlib; a token check, no limiter. Its database may use the other core.

The questions rotate over 48 pages, 500 records or 4 sets of filters, and the answers of ours and the peer are compared
before anything is measured.

${begin}
${end}
`
  const [head, rest] = [before.slice(0, before.indexOf(begin) + begin.length), before.slice(before.indexOf(end))]
  writeFileSync(path, `${head}\n\n${asMarkdown()}\n\n${rest}`)
}
