// Prints how fast we are beside our peers, as ratios of medians of one run.
// npm run bench -- quality [--corpus DIR] [--json] [--seed S] [--copies N]: how good the records are.
// npm run bench [-- speed|parse|sources|all] [--records 10000,1000000] [--rounds N] [--seconds N] [--corpus DIR] [--json] [--write]
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, freemem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchParse, type ParseReport } from './parse.ts'
import { stopAll } from './processes.ts'
import { backfillRows, benchSources, type SourcesReport, sourcesAsMarkdown } from './sources.ts'
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
    seed: { type: 'string', default: '1' },
    copies: { type: 'string', default: '4800' },
  },
})
const what = positionals[0] ?? 'all'
if (what === 'consolidate') {
  const { runConsolidate } = await import('./consolidate.ts')
  await runConsolidate({ records: values.records, json: values.json, onProgress: (text) => console.error(text) })
  process.exit(0)
}
if (what === 'quality') {
  const { benchQuality, qualityAsMarkdown } = await import('./quality/quality.ts')
  const report = await benchQuality({
    corpus: values.corpus,
    seed: Number(values.seed),
    copies: Number(values.copies),
    onProgress: (text) => console.error(text),
  })
  console.log(values.json ? JSON.stringify(report, null, 2) : qualityAsMarkdown(report))
  process.exit(0)
}
if (!['speed', 'parse', 'sources', 'all'].includes(what)) {
  console.error(`There is no benchmark "${what}"; write speed, parse, sources, quality, consolidate or all.`)
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
let reading: SourcesReport | undefined
const wants = (name: string): boolean => what === 'all' || what === name
try {
  if (wants('parse'))
    parsing = await benchParse({ corpus: values.corpus, rounds: Number(values.rounds), onProgress: progress })
  if (wants('sources'))
    reading = await benchSources({ corpus: values.corpus, rounds: Number(values.rounds), onProgress: progress })
  if (wants('speed'))
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

if (values.json)
  console.log(
    JSON.stringify(
      {
        machine: machine(),
        speed: reports,
        parsing,
        sources: reading && { ...reading, backfill: backfillRows(reading) },
      },
      null,
      2,
    ),
  )
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

/** What was measured, by the part of docs/benchmarks.md that it stands in. */
function sections(): { [name: string]: string[] } {
  return {
    ...(reports.length > 0 && {
      speed: [
        '| Question | Records | nginx, req/s | ours, req/s | Fastify + PostgreSQL, req/s | nginx ÷ ours | ours ÷ F+P | nginx, CPU µs | ours, CPU µs | F+P, CPU µs | ours ÷ nginx | F+P ÷ ours | p99 ms of the three |',
        '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
        ...reports.flatMap(({ rows }) => rows.map(speedLine)),
        ...reports.flatMap(({ notes }) => notes.map((note) => `\n- ${note}`)),
      ],
    }),
    ...(parsing && { parse: parsedAsMarkdown(parsing) }),
    ...(reading && { sources: sourcesAsMarkdown(reading) }),
  }
}

function parsedAsMarkdown({
  documents,
  megabytes,
  xmllintSeconds,
  oursSeconds,
  oursWarmSeconds,
  notes,
}: ParseReport): string[] {
  const rows =
    documents === 0
      ? []
      : [
          `| ${documents.toLocaleString('en')} XML notices, ${megabytes.toFixed(1)} MB | CPU s | ÷ xmllint --stream |`,
          '|---|--:|--:|',
          `| xmllint --stream --noout, whole process | ${xmllintSeconds?.toFixed(2) ?? '–'} | 1 |`,
          `| Tenderstock, bytes to notices, whole process | ${oursSeconds?.toFixed(2) ?? '–'} | ${ratio(oursSeconds, xmllintSeconds)} |`,
          `| Tenderstock, bytes to notices, warm | ${oursWarmSeconds?.toFixed(2) ?? '–'} | ${ratio(oursWarmSeconds, xmllintSeconds)} |`,
        ]
  return [...rows, ...notes.map((note) => `\n- ${note}`)]
}

function asMarkdown(): string {
  return [`Machine: ${machine()}.`, ...Object.values(sections()).flatMap((lines) => ['', ...lines])].join('\n')
}

/** Replaces the parts of docs/benchmarks.md that were measured; the text around them, and the other parts, stay. */
function write(): void {
  const path = join(root, 'docs/benchmarks.md')
  let text = readFileSync(path, 'utf8')
  for (const [name, lines] of Object.entries(sections())) {
    const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
    if (!text.includes(begin) || !text.includes(end)) throw new Error(`${path} has no place for ${name}`)
    const measured = `Measured ${new Date().toISOString().slice(0, 10)}, ${machine()}.`
    const head = text.slice(0, text.indexOf(begin) + begin.length)
    text = `${head}\n\n${[measured, '', ...lines].join('\n')}\n\n${text.slice(text.indexOf(end))}`
  }
  writeFileSync(path, text)
}
