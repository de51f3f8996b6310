// Prints how fast we are compared with our peers, as ratios of the medians of one run.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { enterOwnNetwork } from './own-network.ts'
import { benchParse, type ParseReport } from './parse.ts'
import { writePlots } from './plots.ts'
import { stopAll } from './processes.ts'
import { profileAsMarkdown } from './profile.ts'
import { benchSources, type SourcesReport, sourcesAsMarkdown } from './sources.ts'
import { keepResults, type SpeedResults } from './speed/results.ts'
import { type RowName, ratiosAsMarkdown, rowNames, rowsAsMarkdown } from './speed/row.ts'
import { benchReading, benchSpeed, type SpeedReport } from './speed/speed.ts'

/** Names in lines of five, as the help shows them. */
const wrapped = (names: readonly string[]): string =>
  names.map((name, index) => (index === 0 ? '' : index % 5 === 0 ? `,\n${' '.repeat(24)}` : ', ') + name).join('')

const help = `Usage: npm run bench -- [WHAT] [options]

Measures how fast Tenderstock is beside its peers, as ratios of medians of one run.

  all          speed, parse and sources
  speed        the API, publishing and takeover beside nginx, Fastify, PostgreSQL and others
  profile      where the CPU time of an answer goes
  parse        notices beside xmllint
  sources      reading portals beside other readers
  benchmark    the public benchmark: what a user gets wrong (docs/quality.md)
  quality      how good the records are
  hits         matching, writing and delivering hits beside plain programs
  console      pages while 100,000 changes are published, and the API while people use the console
  views        the API beside ten pages of tenders a second
  sink         the client's PostgreSQL sink beside COPY
  load         a first load from files of a whole edition beside gunzip, the sink alone and COPY
  fit          how well the fit score finds what companies won; --fit relearns its table
  threshold    which calls reach the default threshold for made-up companies
  pool         false joins among --records notices, made from the collected ones
  match        labels and learned weights of matching; --fit relearns their table

  --records N[,N]       size of the stock; the documents have 10000,1000000,5000000
  --rows NAME[,NAME]    speed: only these rows:
                        ${wrapped(rowNames)}
  --rounds N            default 5
  --seconds N           how much one side does in a round: as many requests as it answers in N s, default 2
  --peers               speed: fill the peers' table above a million records, too
  --keep FOLDER         keep the stock there for the next run
  --service CHECKOUT    measure the service of another checkout
  --clients N           clients of the delta, default 1000
  --seed S, --copies N  quality: the copies that are made; fit: the folds
  --searches N          hits: saved searches, default 100000
  --fit                 fit: write src/hits/fit/data/fit-model.json
  --stock PLACE         match: a data folder or the address of a PostgreSQL server, in place of the corpus
  --corpus DIR          default ../shared/corpus
  --json                print the figures as JSON
  --write               write the figures into docs/
`

/** Ends the process with what is wrong with the command line. */
function refuse(sentence: string): never {
  console.error(`${sentence} See: npm run bench -- --help`)
  process.exit(2)
}

const root = join(import.meta.dirname, '..')
const optionsOfCommand = {
  help: { type: 'boolean', default: false },
  records: { type: 'string' },
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '2' },
  clones: { type: 'string' },
  corpus: { type: 'string', default: join(root, '../shared/corpus') },
  json: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  rows: { type: 'string' },
  clients: { type: 'string', default: '1000' },
  peers: { type: 'boolean', default: false },
  keep: { type: 'string' },
  service: { type: 'string', default: root },
  seed: { type: 'string', default: '1' },
  copies: { type: 'string', default: '4800' },
  fit: { type: 'boolean', default: false },
  stock: { type: 'string' },
  searches: { type: 'string', default: '100000' },
} as const

function commandLine() {
  try {
    return parseArgs({ allowPositionals: true, options: optionsOfCommand })
  } catch (error) {
    return refuse(`${(error as Error).message.split('. ', 1)[0]}.`)
  }
}

const { values, positionals } = commandLine()
if (values.help || positionals.length === 0) {
  console.log(help)
  process.exit(0)
}
const what = positionals[0]!
if (what === 'benchmark') {
  const { benchmarkAsMarkdown, runBenchmark } = await import('../quality/benchmark.ts')
  const { collect } = await import('../quality/collect.ts')
  if (values.clones !== undefined)
    for (const repo of collect(values.clones, values.corpus)) console.error(`without https://github.com/${repo}`)
  const report = await runBenchmark(values.corpus)
  console.log(values.json ? JSON.stringify(report, null, 2) : benchmarkAsMarkdown(report))
  process.exit(0)
}
if (what === 'quality') {
  const { benchQuality, qualityAsMarkdown } = await import('../quality/quality.ts')
  const report = await benchQuality({
    corpus: values.corpus,
    seed: Number(values.seed),
    copies: Number(values.copies),
    onProgress: (text) => console.error(text),
  })
  console.log(values.json ? JSON.stringify(report, null, 2) : qualityAsMarkdown(report))
  process.exit(0)
}
if (what === 'hits') {
  const { benchHits, hitsAsMarkdown } = await import('./hits.ts')
  const report = benchHits({
    searches: Number(values.searches),
    records: Number(values.records ?? 10_000),
    onProgress: (text) => console.error(text),
  })
  const { benchDelivery, deliveryAsMarkdown } = await import('./hit-delivery.ts')
  const delivery = await benchDelivery({
    hits: 10_000,
    rounds: Number(values.rounds),
    onProgress: (text) => console.error(text),
  })
  if (values.json) console.log(JSON.stringify({ ...report, delivery }, null, 2))
  else
    console.log(
      `${hitsAsMarkdown(report)}\n\n${delivery ? deliveryAsMarkdown(delivery) : 'Skipped: no PostgreSQL is installed.'}`,
    )
  process.exit(0)
}
if (what === 'views') {
  const { benchViews, viewsAsMarkdown } = await import('./views.ts')
  const report = await benchViews({
    records: Number(values.records ?? 100_000),
    rounds: Number(values.rounds),
    onProgress: (text) => console.error(text),
  })
  console.log(values.json ? JSON.stringify(report, null, 2) : viewsAsMarkdown(report))
  process.exit(0)
}
if (what === 'console') {
  const { benchConsole, consoleAsMarkdown } = await import('./console.ts')
  const reports = await benchConsole({
    corpus: values.corpus,
    changes: Number(values.records ?? 100_000),
    rounds: Number(values.rounds),
    onProgress: (text) => console.error(text),
  })
  console.log(values.json ? JSON.stringify(reports, null, 2) : reports.map(consoleAsMarkdown).join('\n\n'))
  process.exit(0)
}
if (what === 'sink') {
  const { benchPostgresSink, sinkAsMarkdown } = await import('./postgres-sink.ts')
  const report = await benchPostgresSink({
    records: Number(values.records ?? 10_000),
    rounds: Number(values.rounds),
    onProgress: (text) => console.error(text),
  })
  if (report === undefined) refuse('No PostgreSQL is installed.')
  console.log(values.json ? JSON.stringify(report, null, 2) : sinkAsMarkdown(report))
  process.exit(0)
}
if (what === 'load') {
  const { benchFirstLoad, firstLoadAsMarkdown } = await import('./first-load.ts')
  const report = await benchFirstLoad({
    records: Number(values.records ?? 20_000),
    rounds: Number(values.rounds),
    onProgress: (text) => console.error(text),
  })
  console.log(values.json ? JSON.stringify(report, null, 2) : firstLoadAsMarkdown(report))
  process.exit(0)
}
if (what === 'pool') {
  const { benchPool, poolAsMarkdown } = await import('../quality/pool.ts')
  const { corpus, json, seed, copies, records = '100000' } = values
  const report = benchPool({ corpus, seed: Number(seed), copies: Number(copies), records: Number(records) })
  if (report === undefined) refuse(`There is no corpus in ${corpus}.`)
  console.log(json ? JSON.stringify(report, null, 2) : poolAsMarkdown(report))
  process.exit(0)
}
if (what === 'match') {
  const { benchMatchFit, matchFitAsMarkdown } = await import('../quality/match/match-fit.ts')
  const { corpus, fit, json, stock, seed, copies } = values
  const report = await benchMatchFit({
    corpus,
    fit,
    seed: Number(seed),
    copies: Number(copies),
    ...(stock !== undefined && { stock }),
    onProgress: (text) => console.error(text),
  })
  if (report === undefined) refuse(`There is no corpus in ${corpus}.`)
  console.log(json ? JSON.stringify(report, null, 2) : matchFitAsMarkdown(report))
  process.exit(0)
}
if (what === 'fit') {
  const { benchFit, fitAsMarkdown } = await import('../quality/fit/fit.ts')
  const { corpus, fit, json } = values
  const report = await benchFit({ corpus, fit, seed: Number(values.seed), onProgress: (text) => console.error(text) })
  if (report === undefined) refuse(`There is no corpus in ${corpus}.`)
  console.log(json ? JSON.stringify(report, null, 2) : fitAsMarkdown(report))
  process.exit(0)
}
if (what === 'threshold') {
  const { benchThreshold } = await import('../quality/fit/threshold.ts')
  const report = benchThreshold(values.corpus)
  if (report === undefined) refuse(`There is no corpus in ${values.corpus}.`)
  console.log(report)
  process.exit(0)
}
if (!['speed', 'profile', 'parse', 'sources', 'all'].includes(what)) refuse(`There is no benchmark "${what}".`)
if (what === 'speed' || what === 'profile' || what === 'all') await enterOwnNetwork()
const startedMs = performance.now()
const progress = (text: string): void =>
  console.error(`[${String(Math.round((performance.now() - startedMs) / 1000)).padStart(4)} s] ${text}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void stopAll().then(() => process.exit(130))
  })

const sizes = values.records?.split(',').map(Number) ?? [10_000]
const rows = new Set(values.rows?.split(',') ?? rowNames) as ReadonlySet<RowName>
const unknown = [...rows].filter((name) => !rowNames.includes(name))
if (unknown.length > 0) refuse(`There is no row ${unknown.join(', ')}.`)
if (sizes.some((size) => !Number.isSafeInteger(size) || size < 1000))
  refuse('--records takes whole numbers from 1000 on, separated by commas.')
/** The peers' table takes long to fill, and as much disk space again. */
const largestWithPeers = 1_000_000

const reports: SpeedReport[] = []
let parsing: ParseReport | undefined
let reading: SourcesReport | undefined
let profile: string[] | undefined
const wants = (name: string): boolean => what === 'all' || what === name
try {
  if (wants('parse'))
    parsing = await benchParse({ corpus: values.corpus, rounds: Number(values.rounds), onProgress: progress })
  if (wants('sources'))
    reading = await benchSources({ corpus: values.corpus, rounds: Number(values.rounds), onProgress: progress })
  const speedOptions = {
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    rows,
    service: values.service,
    corpus: values.corpus,
    clients: Number(values.clients),
    onProgress: progress,
    ...(values.keep !== undefined && { keep: values.keep }),
  }
  if (wants('speed') && [...rows].some((name) => name !== 'xml'))
    for (const records of sizes) {
      progress(`speed with ${records} records`)
      const hasPeers = (values.peers || records <= largestWithPeers) && rows.has('peers')
      reports.push(await benchSpeed({ ...speedOptions, records, hasPeers }))
    }
  if (wants('speed') && rows.has('xml'))
    reports.push(await benchReading({ ...speedOptions, records: 0, hasPeers: false }))
  if (what === 'profile') profile = await profileAsMarkdown({ ...speedOptions, records: sizes[0]!, hasPeers: false })
} finally {
  await stopAll()
}

const measuredToday: SpeedResults = {
  reports: reports.map((report) => ({
    ...report,
    rows: report.rows.map((row) => ({ ...row, machine: machine() })),
    measured: new Date().toISOString().slice(0, 10),
    rounds: Number(values.rounds),
    roundSeconds: Number(values.seconds),
  })),
}
if (values.json)
  console.log(
    JSON.stringify(
      {
        machine: machine(),
        speed: measuredToday.reports,
        parsing,
        sources: reading,
      },
      null,
      2,
    ),
  )
else
  console.log(
    [
      `Machine: ${machine()}.`,
      ...[...Object.values(sections(speedAsMarkdown(measuredToday))), profile ?? []].flatMap((lines) => ['', ...lines]),
    ].join('\n'),
  )
if (values.write) write()

function machine(): string {
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}`
}

function ratio(a: number | undefined, b: number | undefined): string {
  return a === undefined || b === undefined ? '–' : `${(a / b).toPrecision(2)}`
}

/** The measured results, by the part of the documents in which they are; a profile is only printed. */
function sections(speed: string[]): { [name: string]: string[] } {
  return {
    ...(reports.length > 0 && { speed }),
    ...(parsing && { parse: parsedAsMarkdown(parsing) }),
    ...(reading && { sources: sourcesAsMarkdown(reading) }),
  }
}

function speedAsMarkdown({ reports }: SpeedResults): string[] {
  return [
    `${machine()}.`,
    ...reports.flatMap((report) => [
      ...rowsAsMarkdown(report),
      '',
      `Measured ${report.measured} in ${Math.ceil(report.seconds / 60)} min: medians of ${report.rounds} ` +
        `rounds of ${report.roundSeconds} s in turns; load of the machine, one minute's mean, ` +
        `${report.load.map((each) => each.toFixed(1)).join(' to ')}.`,
      ...(report.notes.length > 0 ? ['', ...report.notes.map((note) => `- ${note}`)] : []),
    ]),
  ]
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

/** Replaces the parts of the documents that were measured; the text around them and the other parts stay. */
function write(): void {
  const kept = reports.length > 0 ? keepResults(measuredToday) : measuredToday
  if (reports.length > 0) writePlots(kept)
  for (const [name, lines] of Object.entries(sections(ratiosAsMarkdown(kept)))) {
    const path = join(root, name === 'speed' ? 'docs/performance.md' : 'docs/benchmarks.md')
    const text = readFileSync(path, 'utf8')
    const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
    if (!text.includes(begin) || !text.includes(end)) throw new Error(`${path} has no place for ${name}`)
    const measured = `Measured ${new Date().toISOString().slice(0, 10)}, ${machine()}.`
    const head = text.slice(0, text.indexOf(begin) + begin.length)
    writeFileSync(
      path,
      `${head}\n\n${[...(name === 'speed' ? [] : [measured, '']), ...lines].join('\n')}\n\n${text.slice(text.indexOf(end))}`,
    )
  }
}
