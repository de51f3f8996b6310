// How fast a day's package of TED becomes notices in the stock, and in how much memory, compared with xmllint and
// gunzip on the same bytes.
import { spawn } from 'node:child_process'
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from './postgres-cluster.ts'
import { cpuSeconds, findProgram } from './processes.ts'
import type { ReadFigures, ReadTask } from './read-package.ts'
import { median } from './speed/row.ts'
import { corpusNotices, type TedDay, type TedPackage, writeDay, writeMonth } from './ted-package.ts'

/** A usual day of the journal: about 3,500 notices. */
const noticesPerDay = 3500
/** Number of days in the month's package. */
const daysPerMonth = 14
const now = Date.UTC(2026, 10, 20, 12)
const days: readonly TedDay[] = Array.from({ length: daysPerMonth }, (_, index) => ({
  day: `2026-10-${String(1 + index).padStart(2, '0')}`,
  issue: 190 + index,
  first: 600_001 + index * noticesPerDay,
}))

type Stage = 'unpack' | 'parse' | 'embedded' | 'server'

/** Medians; seconds of CPU are of all threads, and of the database server if one stored the data. */
type StageFigures = {
  readonly cpuSeconds: number
  readonly wallSeconds: number
  readonly growthMegabytes: number
}

export type SourcesReport = {
  readonly day?: TedPackage
  readonly stages: { readonly [stage in Stage]?: StageFigures }
  /** Seconds of CPU over the same bytes, medians. */
  readonly peers: { readonly xmllint?: number; readonly gunzip?: number }
  /** The largest package, once. */
  readonly month?: { readonly package: TedPackage; readonly unpack: ReadFigures; readonly embedded: ReadFigures }
  /** Load of the machine (average over one minute), before and after. */
  readonly load: readonly [number, number]
  readonly rounds: number
  readonly notes: readonly string[]
}

/** Writes the packages into the scratch folder, serves them on loopback and reads them alternately with the peers. */
export async function benchSources({
  corpus,
  rounds,
  onProgress,
}: {
  readonly corpus: string
  readonly rounds: number
  readonly onProgress: (text: string) => void
}): Promise<SourcesReport> {
  const load = loadavg()[0]!
  if (!existsSync(corpus))
    return { stages: {}, peers: {}, load: [load, load], rounds, notes: ['skipped: sources (no corpus)'] }
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-bench-sources-'))
  const cluster = await startCluster()
  const portal = await servePackages(folder)
  const notes: string[] = []
  try {
    const texts = await corpusNotices(corpus)
    const filesFolder = join(folder, 'files')
    const packed: (TedDay & { readonly packed: TedPackage })[] = []
    for (const [index, each] of days.entries())
      packed.push({
        ...each,
        packed: await writeDay(texts, each, {
          path: join(folder, `daily-${each.issue}`),
          count: noticesPerDay,
          ...(index === 0 && { filesFolder }),
        }),
      })
    const month = await writeMonth(packed, join(folder, 'monthly'))
    onProgress(`sources: packages written, ${texts.length} corpus notices`)
    const list = join(folder, 'list')
    writeFileSync(
      list,
      readdirSync(filesFolder)
        .map((name) => join(filesFolder, name))
        .join('\n'),
    )
    const day = packed[0]!
    const xmllint = findProgram('xmllint')
    if (!xmllint) notes.push('skipped: xmllint (not installed)')
    if (!cluster) notes.push('skipped: server (no PostgreSQL installed)')
    const figures: { [stage in Stage]: ReadFigures[] } = { unpack: [], parse: [], embedded: [], server: [] }
    const peers = { xmllint: [] as number[], gunzip: [] as number[] }
    const readDay = async (stage: Stage, round: number): Promise<void> => {
      const dataFolder = join(folder, `data-${stage}-${round}`)
      mkdirSync(dataFolder)
      if (stage === 'server') cluster!.psql('postgres', `create database day_${round}`)
      const task = {
        base: portal.base,
        channel: 'daily',
        slot: day.day,
        now,
        dataFolder,
        ...(stage === 'server' && { databaseUrl: cluster!.url(`day_${round}`), serverPid: cluster!.pid }),
      } as const
      const isAlone = stage === 'unpack' || stage === 'parse'
      if (!isAlone) await readPackage({ ...task, reach: 'open' })
      const read = await readPackage({ ...task, reach: isAlone ? stage : 'store' })
      if (read.outcome !== 'complete' || read.documents !== noticesPerDay)
        throw new Error(`${stage}: ${read.documents} of ${noticesPerDay} documents, ${read.outcome}`)
      figures[stage].push(read)
      if (stage === 'server') cluster!.psql('postgres', `drop database day_${round}`)
      rmSync(dataFolder, { recursive: true })
    }
    for (let round = 0; round < rounds; round++) {
      if (xmllint)
        peers.xmllint.push(cpuSeconds(`xargs ${xmllint} --stream --noout --huge < ${list} 2>/dev/null`).seconds)
      peers.gunzip.push(cpuSeconds(`gunzip -c < ${day.packed.path} > /dev/null`).seconds)
      for (const stage of ['unpack', 'parse', 'embedded', ...(cluster ? ['server' as const] : [])] as const)
        await readDay(stage, round)
      onProgress(`sources: round ${round + 1} of ${rounds}`)
    }
    const dataFolder = join(folder, 'data-month')
    mkdirSync(dataFolder)
    const task = { base: portal.base, channel: 'monthly', slot: '2026-10', now, dataFolder } as const
    const unpackedMonth = await readPackage({ ...task, reach: 'unpack' })
    await readPackage({ ...task, reach: 'open' })
    const storedMonth = await readPackage({ ...task, reach: 'store' })
    for (const { outcome, documents } of [unpackedMonth, storedMonth])
      if (outcome !== 'complete' || documents !== month.notices)
        throw new Error(`month: ${documents} of ${month.notices} documents, ${outcome}`)
    const stages = Object.fromEntries(
      Object.entries(figures)
        .filter(([, all]) => all.length > 0)
        .map(([stage, all]) => [stage, mediansOf(all)]),
    )
    return {
      day: day.packed,
      stages,
      peers: {
        ...(xmllint && { xmllint: median(peers.xmllint) }),
        gunzip: median(peers.gunzip),
      },
      month: { package: month, unpack: unpackedMonth, embedded: storedMonth },
      load: [load, loadavg()[0]!],
      rounds,
      notes,
    }
  } finally {
    portal.close()
    await cluster?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const growthOf = ({ peakMegabytes, baseMegabytes }: ReadFigures): number => peakMegabytes - baseMegabytes

function mediansOf(all: readonly ReadFigures[]): StageFigures {
  return {
    cpuSeconds: median(all.map((each) => each.cpuSeconds + each.serverSeconds)),
    wallSeconds: median(all.map((each) => each.wallSeconds)),
    growthMegabytes: median(all.map(growthOf)),
  }
}

/** The part of TED that these readings request: calendar, packages, and the search's count. */
async function servePackages(folder: string): Promise<{ readonly base: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const issue = /^\/ted\.europa\.eu\/packages\/daily\/2026(\d{5})$/.exec(path)?.[1]
    const file =
      issue !== undefined ? `daily-${Number(issue)}` : path.endsWith('/packages/monthly/2026-10') ? 'monthly' : ''
    if (file !== '' && existsSync(join(folder, file))) {
      createReadStream(join(folder, file)).pipe(response)
      return
    }
    if (path.includes('/CSV/2026'))
      response.end(
        ['OJ S,Publication date', ...days.map(({ day, issue }) => `${issue},${day}`), '254,2026-12-31'].join('\n'),
      )
    else if (path.startsWith('/api.ted.europa.eu/'))
      response.end(
        JSON.stringify({ notices: [], totalNoticeCount: noticesPerDay, iterationNextToken: null, timedOut: false }),
      )
    else {
      response.statusCode = 404
      response.end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function readPackage(task: ReadTask): Promise<ReadFigures> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'read-package.ts'), JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of child.stdout) output += String(chunk)
  const status = child.exitCode ?? (await new Promise<number | null>((resolve) => child.once('exit', resolve)))
  if (status !== 0) throw new Error(`reading ${task.channel} ${task.slot} ended with ${status}`)
  return JSON.parse(output) as ReadFigures
}

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

export function sourcesAsMarkdown(report: SourcesReport): string[] {
  const { day, stages, peers, month, load, rounds } = report
  if (!day) return report.notes.map((note) => `\n- ${note}`)
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
  const over = (a: number | undefined, b: number | undefined): string =>
    a === undefined || b === undefined ? '–' : (a / b).toPrecision(2)
  const line = (name: string, cpu: number | undefined, wall?: number): string =>
    rowOf([
      name,
      cpu?.toFixed(2) ?? '–',
      wall?.toFixed(1) ?? '–',
      cpu ? Math.round(day.notices / cpu).toLocaleString('en') : '–',
      over(cpu, peers.xmllint),
      over(cpu, peers.gunzip),
    ])
  const stage = (name: string, figures: StageFigures | undefined): string =>
    line(name, figures?.cpuSeconds, figures?.wallSeconds)
  const between = (later: Stage, earlier: Stage): string =>
    stages[later] && stages[earlier] ? (stages[later].cpuSeconds - stages[earlier].cpuSeconds).toFixed(2) : '–'
  return [
    '',
    `A day's package of TED: ${day.notices.toLocaleString('en')} eForms of the corpus with distinct numbers, ` +
      `${megabytes(day.packedBytes)} MB packed, ${megabytes(day.unpackedBytes)} MB unpacked. Medians of ` +
      `${rounds} rounds in turns; load ${load.map((each) => each.toFixed(1)).join(' to ')} on 2 cores.`,
    '',
    '| From package to | CPU s | wall s | notices a second and core | ÷ xmllint | ÷ gunzip |',
    '|---|--:|--:|--:|--:|--:|',
    line('nothing: `gunzip -c`', peers.gunzip),
    line('nothing: `xmllint --stream --noout`, unpacked files', peers.xmllint),
    stage('documents (requested, unpacked, identified by number)', stages.unpack),
    stage('notices (hashed and read)', stages.parse),
    stage('stored notices, embedded', stages.embedded),
    ...(stages.server ? [stage('stored notices, PostgreSQL, its CPU included', stages.server)] : []),
    '',
    `CPU of the parts: unpack ${stages.unpack?.cpuSeconds.toFixed(2)} s, read ${between('parse', 'unpack')} ` +
      `s, store ${between('embedded', 'parse')} s embedded, ${between('server', 'parse')} s on a server.`,
    '',
    '| Memory while a package passes | packed MB | notices | growth, MB |',
    '|---|--:|--:|--:|',
    ...(['unpack', 'embedded', 'server'] as const).flatMap((name) =>
      stages[name]
        ? [
            `| a day, ${name === 'unpack' ? 'to documents' : `stored, ${name}`} | ` +
              `${megabytes(day.packedBytes)} | ${day.notices.toLocaleString('en')} | ` +
              `${Math.round(stages[name].growthMegabytes)} |`,
          ]
        : [],
    ),
    ...(month
      ? (['unpack', 'embedded'] as const).map(
          (name) =>
            `| a month, ${name === 'unpack' ? 'to documents' : `stored, ${name}`} | ` +
            `${megabytes(month.package.packedBytes)} | ${month.package.notices.toLocaleString('en')} | ` +
            `${Math.round(growthOf(month[name]))} |`,
        )
      : []),
    ...report.notes.map((note) => `\n- ${note}`),
  ]
}
