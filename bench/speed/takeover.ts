// A large edition is loaded while requests arrive at a fixed rate: how long they take before and during that.
import { createReadStream, globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram, runCommand, startProcess, stopProcess } from '../processes.ts'
import type { SpeedContext } from './answering.ts'
import { changesOf, newestEditionOf, writeChanges } from './changes.ts'
import { checksumOfNext } from './checksums.ts'
import type { EditionSeen, FixedRateSummary, FixedRateTask } from './fixed-rate.ts'
import { latenciesBetween, readAnswers } from './latencies.ts'
import { getList, pathOfSix, randomPages, sixFilterQuestions } from './questions.ts'
import { atMost, type SpeedRow } from './row.ts'

const perSecond = 1000
const warmSeconds = 5
const beforeSeconds = 15
/** How long the measurement continues after the edition is shown: leftovers such as garbage count too. */
const afterSeconds = 2
const longestSeconds = 300
const lookPauseMs = 250
const readAtOnce = 1 << 20

export async function takeoverRows({ options, stock, ours, notes }: SpeedContext): Promise<SpeedRow[]> {
  const { cluster, database, scratch, clients } = stock
  const { token } = clients[0]!
  const changes = changesOf(stock)
  const newest = await newestEditionOf(stock)
  const edition = newest.edition + 1
  const firstStamp = newest.lastModified + 1
  options.onProgress(`takeover: generating ${changes} changes`)
  cluster.psql(
    database,
    'drop table if exists next_entry; create unlogged table next_entry (last_modified bigint, edition integer, tender_id text, body text, sources text)',
  )
  await writeChanges(
    stock,
    { changes, edition, firstStamp },
    {
      entry: cluster.psqlArguments(database, 'copy next_entry from stdin'),
    },
  )
  const checksum = await checksumOfNext(stock)
  // six pages of ten, three records, one page by six filters: all from random positions
  const pages = randomPages(stock, 1200, 11)
  const records: string[] = []
  for (const page of pages.slice(0, 12))
    for (const { id, status } of (await getList(ours.port, page, token)).data)
      if (status !== 'merged') records.push(`/v1/tenders/${id}`)
  const filtered = sixFilterQuestions('broad', 200, 5).map(pathOfSix)
  const paths = Array.from({ length: 2000 }, (_, index) => {
    if (index % 10 < 6) return pages[Math.floor(index * 0.6) % pages.length]!
    return index % 10 < 9 ? records[index % records.length]! : filtered[Math.floor(index / 10) % filtered.length]!
  })
  // a kept stock may be on the disk only: what is measured is the takeover, not the first reading of a page
  for (const file of globSync(join(stock.data, 'editions', '*', 'gzip.bin')))
    for await (const _ of createReadStream(file, { highWaterMark: readAtOnce }));
  const task: FixedRateTask = {
    port: ours.port,
    perSecond,
    seconds: longestSeconds,
    connections: 64,
    headers: { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'gzip' },
    paths,
    file: join(scratch, 'latencies'),
  }
  const taskFile = join(scratch, 'fixed-rate.json')
  writeFileSync(taskFile, JSON.stringify(task))
  let summary: FixedRateSummary | undefined
  let shownAt = 0
  const generator = startProcess(
    ...urgently(process.execPath, [join(import.meta.dirname, 'fixed-rate.ts'), taskFile]),
    {
      onLine: (line) => {
        if (!line.startsWith('{')) return
        const said = JSON.parse(line) as FixedRateSummary | EditionSeen
        if ('sent' in said) summary = said
        else if (said.edition === edition) shownAt = said.epochMs
      },
    },
  )
  const startedAt = epochMs()
  await sleep((warmSeconds + beforeSeconds) * 1000)
  const publishingAt = epochMs()
  cluster.psql(
    database,
    `begin;
     insert into edition (edition, last_modified, published_at, records, changes, checks, checksum)
       values (${edition}, ${firstStamp + changes - 1}, ${Date.now()}, ${stock.records}, ${changes}, '{"generated":${Date.now()}}', '${checksum}');
     insert into replaced_entry select ${edition}, last_modified from published_tender where tender_id in (select tender_id from next_entry);
     insert into edition_entry (last_modified, edition, tender_id, body, sources) select last_modified, edition, tender_id, body, sources from next_entry;
     update published_tender p set last_modified = n.last_modified from next_entry n where p.tender_id = n.tender_id;
     update change_signal set serial = serial + 1 where topic = 'edition';
     commit`,
  )
  const publishedAt = epochMs()
  const cpuBefore = ours.cpuSeconds()
  options.onProgress(`takeover: edition ${edition} published, ${((publishedAt - publishingAt) / 1000).toFixed(1)} s`)
  // another poll here would take time from the measured processes
  while (shownAt === 0 && epochMs() - publishedAt < (longestSeconds - 60) * 1000) await sleep(lookPauseMs)
  const cpuSeconds = ours.cpuSeconds() - cpuBefore
  if (shownAt === 0) notes.push(`the edition was not shown within ${longestSeconds - 60} s`)
  const endAt = (shownAt || epochMs()) + afterSeconds * 1000
  await sleep(afterSeconds * 1000 + 500)
  await stopProcess(generator)
  cluster.psql(database, 'drop table next_entry')
  if (!summary) throw new Error('the generator gave no summary')
  if (summary.errors > 0) throw new Error(`${summary.errors} errors while an edition was taken over`)
  const answers = readAnswers(task.file)
  const between = (from: number, to: number) => latenciesBetween(answers, from, to)
  const before = between(startedAt + warmSeconds * 1000, publishingAt)
  const writing = between(publishingAt, publishedAt)
  const during = between(publishedAt, endAt)
  const sides = [
    {
      side: 'meanwhile',
      figures: {
        ...during,
        'wall s of the takeover': ((shownAt || endAt) - publishedAt) / 1000,
        'CPU s of the service': cpuSeconds,
      },
    },
    { side: 'before', figures: before },
    { side: 'while PostgreSQL writes the edition', figures: writing },
  ]
  const work = `an edition of ${changes.toLocaleString('en')} changes taken over at ${perSecond.toLocaleString('en')} requests a second`
  options.onProgress(
    `${work}: p99 ${before['p99 ms'].toFixed(1)} ms before, ${during['p99 ms'].toFixed(1)} meanwhile, ` +
      `longest ${during['longest ms'].toFixed(1)}; ${((shownAt - publishedAt) / 1000).toFixed(1)} s`,
  )
  return [
    {
      name: 'takeover',
      work,
      records: options.records,
      sides,
      verdicts: [
        atMost('p99, meanwhile ÷ before', during['p99 ms'] / before['p99 ms'], 1.5),
        atMost('longest answer meanwhile', during['longest ms'], 20, 'ms'),
      ],
      notes: [
        'Takeover: 6 of 10 requests are pages of 100, 3 records, 1 a page by six filters, all gzip, from ' +
          'everywhere; timed from when the generator, whose clock ticks each millisecond, came to them, and ' +
          'from when they were due where no connection was free. The delay is shown beside it.',
      ],
    },
  ]
}

const epochMs = (): number => performance.timeOrigin + performance.now()

/**
 * A command that runs before all others, if that is permitted: without a separate core the generator would be late to
 * send and to read, and count that against the service.
 */
function urgently(program: string, args: readonly string[]): [program: string, args: readonly string[]] {
  const chrt = findProgram('chrt')
  if (!chrt) return [program, args]
  try {
    runCommand(chrt, ['--fifo', '1', 'true'])
  } catch {
    return [program, args]
  }
  return [chrt, ['--fifo', '1', program, ...args]]
}
