// A cluster run: a whole installation on real servers, struck by every fault that a machine or a network has, while
// readers judge every answer.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { minuteMs, peakWithin } from '../../limiter/held-limit.ts'
import type { PlantedEdit } from '../../planted-edit.ts'
import { randomOf } from '../../testing/generate/random.ts'
import { editionDump, mismatches, queryOnce } from '../copies.ts'
import { AnswerJudge } from './answer-judge.ts'
import { type ClusterFault, clusterFaults, type Lane, meanPauseMs } from './cluster-faults.ts'
import { ClusterReaders } from './cluster-readers.ts'
import { type ClusterWorld, openClusterWorld, recoveryMs, sharedLimit } from './cluster-world.ts'
import type { DatabaseServers } from './database-servers.ts'

export type ClusterOptions = {
  readonly minutes: number
  readonly seed: number
  readonly servers: DatabaseServers
  /** Only these kinds of faults; absent: all. */
  readonly kinds?: readonly string[]
  readonly edit?: PlantedEdit
  /** What the mistake leads to: the run ends when it was said. */
  readonly finding?: RegExp
  readonly say: (line: string) => void
}

export type ClusterReport = {
  /** Lines for people. */
  readonly lines: readonly string[]
  /** Everything that must not happen; empty if all is well. */
  readonly faults: readonly string[]
  /** How often each fault was planted. */
  readonly planted: { readonly [kind: string]: number }
}

/** How long the counts of the limit may be wrong after an outage of Redis: its minute, and what notices its end. */
const limitGraceMs = minuteMs + 5000

export async function runCluster(options: ClusterOptions): Promise<ClusterReport> {
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-cluster-'))
  chmodSync(folder, 0o755)
  const begunAt = performance.now()
  const say = (line: string) => options.say(`cluster ${Math.round((performance.now() - begunAt) / 1000)} s: ${line}`)
  try {
    const world = await openClusterWorld({ ...options, folder, say })
    try {
      return await strike(world, options, say)
    } finally {
      await world.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function strike(
  world: ClusterWorld,
  { minutes, seed, servers, kinds, finding }: ClusterOptions,
  say: (line: string) => void,
): Promise<ClusterReport> {
  const judge = new AnswerJudge()
  const readers = new ClusterReaders(world, judge, randomOf(seed, 10))
  world.watchReturned = (forMs) => readers.probeReturned(forMs)
  const isFound = () => finding !== undefined && judge.faults.some((fault) => finding.test(fault))
  const over = new AbortController()
  const pause = (ms: number) => delay(ms, undefined, { signal: over.signal }).catch(() => {})
  const possible: ClusterFault[] = []
  for (const fault of clusterFaults) {
    if (kinds && !kinds.includes(fault.kind)) continue
    const reason = fault.lacks?.(world)
    if (reason === undefined) possible.push(fault)
    else say(`not planted: ${fault.kind} (${reason})`)
  }

  const lane = async (name: Lane, stream: number) => {
    const random = randomOf(seed, stream)
    const own = possible.filter((fault) => fault.lane === name)
    let bag: ClusterFault[] = []
    if (own.length === 0) return
    // a run on selected faults is short
    await pause(kinds ? 8000 : random.integer(3000, 10_000))
    while (!over.signal.aborted) {
      if (bag.length === 0) bag = own.toSorted(() => random.next() - 0.5)
      const fault = bag.pop()!
      await fault.strike(world, random).catch((error: unknown) => judge.tell(`${fault.kind}: ${String(error)}`))
      await pause(-Math.log(1 - random.next()) * meanPauseMs[name])
    }
  }
  const repeat = async (ms: number, work: () => Promise<unknown>) => {
    while (!over.signal.aborted) {
      await work()
      await pause(ms)
    }
  }
  const editing = randomOf(seed, 20)
  const reading = readers.run()
  const working = [
    repeat(5000, () => world.feed(over.signal)),
    // the portals were read
    repeat(4000, async () => {
      await queryOnce(
        await servers.leaderUrl(),
        `insert into source_check select id, floor(extract(epoch from clock_timestamp()) * 1000)::bigint
         from unnest(array['doe', 'doffin']) as id
         on conflict (source_id) do update set checked_at = greatest(source_check.checked_at, excluded.checked_at)`,
      ).catch(() => {})
    }),
    repeat(15_000, () => world.hits.edit(editing)),
    repeat(4000, () => world.hits.passTime()),
    (['database', 'node', 'publisher', 'redis'] as const).map((name, index) => lane(name, 30 + index)),
  ].flat()
  const end = Date.now() + minutes * minuteMs
  for (let next = Date.now() + minuteMs; Date.now() < end && judge.faults.length < 50; ) {
    await delay(500)
    if (isFound()) break
    if (Date.now() < next) continue
    next += minuteMs
    const planted = [...world.log.counts.values()].reduce((sum, count) => sum + count, 0)
    say(
      `${planted} faults planted, ${judge.editions} editions, ${judge.counts.answers} answers, ${judge.faults.length} wrong`,
    )
    for (const fault of judge.faults.slice(-3)) say(fault)
  }
  over.abort()
  await Promise.all(working)
  if (isFound()) {
    readers.stop()
    await reading
    return { lines: [], faults: judge.faults, planted: Object.fromEntries(world.log.counts) }
  }
  await servers.changes?.settle()
  say('no more faults; everything recovers')

  const until = async (what: string, isTrue: () => boolean | Promise<boolean>) => {
    for (const last = Date.now() + recoveryMs; !(await isTrue()); ) {
      if (Date.now() > last) {
        judge.tell(`it takes longer than ${recoveryMs} ms until ${what}`)
        return
      }
      await delay(300)
    }
  }
  const isEverywhere = () => world.nodes.every(({ name }) => readers.editionOf.get(name) === judge.newest)
  for (const each of [...world.nodes, ...world.publishers]) await world.isUp(each.process)
  await until('all nodes show the newest edition', isEverywhere)
  world.rest()
  for (const { name, process: publisher } of world.publishers) {
    const code = await publisher.stop('SIGTERM')
    if (code !== 0) judge.tell(`${name} ended with ${code}: ${publisher.lines().slice(-5).join(' | ')}`)
  }
  await until('the rest is published', async () => {
    const { code, output } = await world.command('publish', '--publish-interval-minutes', '0')
    return code === 0 || output.includes('nothingNew')
  })
  if (servers.changes) {
    const { output } = await world.command('doctor')
    if (!output.includes('1 of 2 standbys have what a commit acknowledges'))
      judge.tell(`the doctor does not find one synchronous standby of two: ${output}`)
  }
  const url = await servers.leaderUrl()
  const [newest] = await queryOnce<{ edition: number }>(url, 'select max(edition) as edition from edition')
  await until(`all nodes show edition ${newest!.edition}`, () => judge.newest === newest!.edition && isEverywhere())
  readers.stop()
  await reading
  await readers.finish()

  const edition = await editionDump(url)
  const held = new Map([...readers.sink.records].map(([id, record]) => [id, record as never]))
  for (const line of mismatches(edition, held, true).slice(0, 20)) judge.tell(`the copy of the client: ${line}`)
  await judge.compare(url)
  const [received] = await queryOnce<{ count: number }>(url, 'select count(*)::integer as count from source_document')
  if (received!.count !== world.documents())
    judge.tell(`${received!.count} notices are stored, and ${world.documents()} were acknowledged`)
  const peak = judgeLimit(world, judge)
  for (const each of world.kept)
    for (const { name, code, said } of each.ownEnds())
      if (code === null || code === 70 || /^ {4}at /m.test(said))
        judge.tell(`${name} ended by itself (${code}): ${said}`)

  let hitLine = 'hits not compared'
  if (!isFound()) {
    for (const { process: publisher } of world.publishers) publisher.start()
    let reason = ''
    await until('every hit is delivered', () =>
      world.hits.mustBeDone().then(
        () => true,
        (error: unknown) => {
          reason = String(error)
          return false
        },
      ),
    )
    if (reason !== '') say(`the last wait for hits: ${reason}`)
    for (const { process: publisher } of world.publishers) await publisher.stop('SIGTERM')
    const { line, faults } = await world.hits.compare()
    hitLine = line
    for (const fault of faults) judge.tell(fault)
  }

  const { counts } = readers
  const number = (count: number) => count.toLocaleString('en')
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  return {
    lines: [
      `cluster: ${minutes} min, seed ${seed}: ${[...world.log.counts].map(([kind, count]) => `${kind} ${count}`).join(', ')}`,
      `cluster: ${number(judge.counts.answers)} answers with ${number(judge.counts.records)} records, ` +
        `${number(judge.counts.crawls)} crawls and ${number(judge.counts.deltas)} deltas, ${number(counts.runs)} runs of the client ` +
        `(${counts.brokenRuns} broken off), ${judge.editions} editions, ${edition.size} records, ${world.documents()} notices`,
      `cluster: through HAProxy ${number(counts.probes)} requests, ${counts.failed} not answered with 200, ` +
        `reads stopped for at most ${seconds(counts.longestGapMs)}, slowest answer ${seconds(counts.slowestMs)}, ` +
        `${counts.retried} pages asked again, ${counts.shed} shed; at most ${seconds(judge.longestWaitMs)} between two editions`,
      `cluster: ${number(world.limited.history.length)} requests of the limited organization, at most ${peak.well} in a minute ` +
        `with Redis and ${peak.all} in any (limit ${sharedLimit}); ${hitLine}; ${judge.faults.length} wrong`,
    ],
    faults: judge.faults,
    planted: Object.fromEntries(world.log.counts),
  }
}

/** As decision 25 has it: the limit while Redis answers, and twice the limit around its outages. */
function judgeLimit({ log, limited, limitNews }: ClusterWorld, judge: AnswerJudge): { well: number; all: number } {
  const offsetMs = Date.now() - performance.now()
  const outages = [
    ...log.spansOf(
      'Redis killed',
      'Redis read-only',
      'Redis silent',
      'Redis delayed',
      'connections to Redis half-open',
    ),
    // a machine that was too busy for a healthy Redis
    ...limitNews.map(({ at }) => ({ from: at - 1000, to: at })),
  ].toSorted((left, right) => left.from - right.from)
  let well = 0
  let from = Number.NEGATIVE_INFINITY
  for (const outage of [...outages, { from: Number.POSITIVE_INFINITY, to: 0 }]) {
    if (outage.from - from > minuteMs) {
      const peak = peakWithin(limited.history, from - offsetMs, outage.from - offsetMs)
      well = Math.max(well, peak)
      if (peak > sharedLimit) judge.tell(`${peak} requests were admitted in a minute in which Redis was well`)
    }
    from = Math.max(from, outage.to + limitGraceMs)
  }
  const all = peakWithin(limited.history, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  if (all > 2 * sharedLimit) judge.tell(`${all} requests were admitted in a minute with an outage of Redis`)
  return { well, all }
}
