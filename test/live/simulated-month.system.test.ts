// The first day and the first month of live reading in simulated time: the workers of production, before portals of
// which many do not deliver, one goes away for a week, one for good, one changes its host, and one renames a member;
// and the rounds of production, which consolidate and publish meanwhile.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { deskConcerns } from '../../src/console/desk/desk-concerns.ts'
import type { FirstReading } from '../../src/domain/source-state.ts'
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts'
import type { EditionLog } from '../../src/edition/write/edition-log.ts'
import { firstReading, isReadEnough } from '../../src/ingest/first-reading.ts'
import { hostGroups } from '../../src/ingest/host-groups.ts'
import { createPoliteHosts } from '../../src/ingest/polite.ts'
import { runWorkers } from '../../src/ingest/run-sources.ts'
import { sourcesHealth, watchSources } from '../../src/ingest/watch-sources.ts'
import { type HttpAnswer, type HttpClient, type HttpRequest, openHttp, Retryable } from '../../src/platform/http.ts'
import type { EventOf } from '../../src/service/events/command-event.ts'
import { alarmLines } from '../../src/service/rounds/alarm-lines.ts'
import type { LiveSources } from '../../src/service/rounds/live-sources.ts'
import { StockRound } from '../../src/service/start/stock-round.ts'
import type { NodeState } from '../../src/service/watch/node-state.ts'
import { sampleShelf } from '../../src/simulator/shelf.ts'
import { startSimulator } from '../../src/simulator/start-simulator.ts'
import { parserOf } from '../../src/sources/parse-document.ts'
import { loadSources } from '../../src/sources/registry.ts'
import type { Source } from '../../src/sources/source.ts'
import { openDatabaseClock } from '../../src/store/database/database-clock.ts'
import { readDesk } from '../../src/store/screens/desk.ts'
import { serviceContext } from '../operations-world.ts'
import { proofCount } from '../proof/proof-count.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { openTestStore } from '../world.ts'
import { draw, type Fault, faults, startDistrusted } from './hostile-internet.ts'
import { simulatedTime } from './simulated-time.ts'

const start = Date.UTC(2026, 10, 18, 12)
const pollMs = 5_000
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

function answerOf(request: HttpRequest, status: number, type: string, body: string): HttpAnswer {
  const ended = Promise.withResolvers<void>()
  const bytes = async () => {
    ended.resolve()
    return Buffer.from(body)
  }
  return {
    status,
    url: request.url,
    headers: { 'content-type': type },
    ended: ended.promise,
    peek: async (count) => Buffer.from(body).subarray(0, count),
    bytes,
    chunks: async function* () {
      yield await bytes()
    },
    discard: async () => ended.resolve(),
  }
}

/** What a portal does that is not as its card says: a reply in its place, another request, or what it answers then. */
type Trick = {
  readonly instead?: Fault
  /** Its former address leads here. */
  readonly host?: string
  readonly change?: (text: string) => string
}

/** Workers of these sources. `lookMs`: how often they look for due slots; `watchMs`: how often alarms are raised. */
async function openWorld(
  sources: readonly Source[],
  {
    trickOf,
    lookMs,
    watchMs,
    arrivalHours,
  }: {
    readonly trickOf: (host: string, now: number) => Trick
    readonly lookMs: () => number
    readonly watchMs: number
    /** Between two procurements of each portal. */
    readonly arrivalHours: number
  },
) {
  const time = simulatedTime(start, (at, ms) => (ms === pollMs ? Math.ceil(at / lookMs()) * lookMs() : at))
  const { clock, sleep } = time
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-month-'))
  closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const store = time.watched(await openTestStore('embedded'))
  closers.push(() => store[Symbol.asyncDispose]())
  const shelf = sampleShelf({ seed: `month ${seed}`, epoch: start, base: 4, arrivalHours })
  const all = await loadSources()
  const simulator = await startSimulator({ sources: all.values(), shelf, clock, seed: String(seed), epoch: start })
  closers.push(() => simulator.close())
  const real = openHttp({ network: 'loopback', route: simulator.route, timeoutMs: 60_000 })
  closers.push(() => real.close())
  const distrusted = await startDistrusted(folder)
  const byTls = openHttp({ network: 'loopback', route: () => new URL(distrusted.url), timeoutMs: 60_000 })
  closers.push(distrusted.close, () => byTls.close())
  const open = new Map<string, number>()
  const most = new Map<string, number>()
  const moved = new Map<string, string>()

  const deliver = async (request: HttpRequest, host: string): Promise<HttpAnswer> => {
    const { instead, host: newHost, change } = trickOf(host, clock())
    const isRobots = request.url.endsWith('/robots.txt')
    if (instead === 'silent') {
      await sleep(request.timeoutMs ?? 2 * minuteMs, request.signal ?? new AbortController().signal)
      throw new Retryable(`${host} did not answer`, {
        reason: 'no-answer',
        cause: Object.assign(new Error('late'), { code: 'UND_ERR_HEADERS_TIMEOUT' }),
      })
    }
    if (instead === 'away') throw new Retryable(`${host} has no address`, { reason: 'no-answer' })
    if (instead === 'tls') return await time.during(byTls.send(request))
    if (instead === 'forbidding' && isRobots)
      return answerOf(request, 200, 'text/plain', 'User-agent: *\nDisallow: /\n')
    if (instead !== undefined && instead !== 'forbidding') {
      if (isRobots) return answerOf(request, 404, 'text/plain', '')
      if (instead === 'refusing') return answerOf(request, 403, 'text/plain', 'no')
      if (instead === 'page') return answerOf(request, 200, 'text/html', '<!doctype html><p>Welcome')
      throw new Retryable(`${host} sent no gzip`, { reason: 'wrong-content' })
    }
    if (newHost !== undefined && !isRobots) {
      moved.set(newHost, host)
      await request.beforeRedirect?.(new URL(request.url.replace(host, newHost)))
    }
    const asked = moved.get(host) ? { ...request, url: request.url.replace(host, moved.get(host)!) } : request
    const answer = await time.during(real.send(asked))
    void time.during(answer.ended)
    if (change === undefined) return answer
    const text = change(Buffer.from(await answer.bytes()).toString())
    return answerOf(request, answer.status, answer.headers['content-type'] ?? '', text)
  }
  const http: Pick<HttpClient, 'send'> = {
    send: async (request) => {
      const { host } = new URL(request.url)
      const now = (open.get(host) ?? 0) + 1
      open.set(host, now)
      most.set(host, Math.max(most.get(host) ?? 0, now))
      const close = () => open.set(host, open.get(host)! - 1)
      try {
        const answer = await deliver(request, host)
        void answer.ended.then(close)
        return answer
      } catch (error) {
        close()
        throw error
      }
    },
  }

  const stop = new AbortController()
  const random = randomOf(seed, 42)
  const faulty: unknown[] = []
  const readAt = new Map<string, number>()
  let enoughAt: number | undefined
  let reading: FirstReading | undefined
  const work = runWorkers(store, sources, {
    all: all.values(),
    workers: 4,
    clock,
    sleep,
    hosts: createPoliteHosts({
      http,
      clock,
      sleep,
      random: () => random.next(),
      contact: 'https://operator.example/contact',
      version: '0.0.0-test',
    }),
    keyOf: () => undefined,
    scratchFolder: join(folder, 'scratch'),
    worker: 'one',
    signal: stop.signal,
    onReading: ({ sourceId, outcome }) => {
      if (outcome !== 'failed' && outcome !== 'refused' && !readAt.has(sourceId)) readAt.set(sourceId, clock())
    },
    onNews: (news) => {
      reading = firstReading(sources, news)
      if (isReadEnough(reading)) enoughAt ??= clock()
    },
    onFault: (_source, error) => void faulty.push(error),
  })
  closers.push(async () => {
    stop.abort()
    const ended = work.catch(() => {})
    await Promise.race([ended, time.pass(clock() + hourMs)])
    await ended
  })

  const watched = { sources: new Map(sources.map((source) => [source.id, source])), hasKey: () => true }
  const lines: string[] = []
  const raised: { readonly sourceId: string; readonly kind: string; readonly at: number }[] = []
  const published: EventOf<'published'>[] = []
  const announced: number[] = []
  const held: string[] = []
  let newest: { readonly edition: number; readonly publishedAt: number } | undefined
  const round = new StockRound({
    context: serviceContext({
      store,
      dataFolder: folder,
      clock,
      wallClock: clock,
      databaseClock: openDatabaseClock(clock, clock),
    }),
    editions: {
      get newest() {
        return newest
      },
    } as unknown as EditionLog,
    state: { report: () => {} } as unknown as NodeState,
    emit: (event) => {
      if (event.event === 'firstReading') announced.push(event.latestAt)
      if (event.event === 'held') held.push(...event.reasons)
      if (event.event !== 'published') return
      published.push(event)
      newest = event
    },
    publishIntervalMs: hourMs,
    ingestPaths: [],
    live: {
      firstReading: () => (enoughAt === undefined ? reading : undefined),
    } as unknown as LiveSources,
    samples: undefined,
    roles: new Set(['consolidate', 'publish']),
  })
  let [watchedAt, isFirst] = [start, true]
  /** Lets time pass; raises and clears alarms meanwhile, consolidates and publishes. */
  const passUntil = async (until: number) => {
    while (clock() < until) {
      await time.pass(Math.min(until, watchedAt + watchMs))
      if (clock() < watchedAt + watchMs) continue
      const found = await watchSources(store, { ...watched, now: clock(), watchedAt })
      watchedAt = clock()
      raised.push(...found.raised.map(({ sourceId, kind }) => ({ sourceId, kind, at: clock() })))
      lines.push(...alarmLines(found.raised))
      await round.run(isFirst, (_stage, work) => work())
      isFirst = false
    }
  }
  /** What the first page of the console says, and until when the next edition comes. */
  const desk = async () => {
    const facts = await readDesk(store.db, clock())
    const judged = await sourcesHealth(store, { ...watched, now: clock() })
    const { concerns } = deskConcerns(
      {
        facts,
        newest,
        held: facts.holds > 0 ? (newest?.edition ?? 0) + 1 : undefined,
        clocks: [],
        disk: { free: 1, total: 1 },
        isMailSet: true,
        titles: new Map(sources.map(({ id, title }) => [id, title])),
        sources: judged.map(({ health }) => health.state),
        hasSamples: false,
        lacksImprint: false,
        now: clock(),
      },
      'en',
    )
    return { headings: concerns.map(({ heading }) => String(heading)), concerns, next: round.nextEdition() }
  }
  const states = async () =>
    new Map(
      (await sourcesHealth(store, { ...watched, now: clock() })).map(({ health, record }) => [
        health.sourceId,
        { state: health.state, waiting: record.waitingSlots, alarms: health.alarms.map(({ kind }) => kind) },
      ]),
    )
  return {
    store,
    simulator,
    clock,
    passUntil,
    states,
    desk,
    readAt,
    enoughAt: () => enoughAt,
    lines,
    raised,
    most,
    faulty,
    published,
    announced,
    held,
    distrusted,
  }
}

/** No two of them come within an hour (P7). */
function expectHourly(published: readonly EventOf<'published'>[]): void {
  const tooSoon = published.filter(
    (each, index) => index > 0 && each.publishedAt < published[index - 1]!.publishedAt + hourMs,
  )
  expect(tooSoon).toEqual([])
  expect(published.map(({ edition }) => edition)).toEqual(published.map((_, index) => index + 1))
}

test('the first day: TED and DÖE within 5 minutes, all that are well within 30, and five alarms at most', {
  timeout: 20 * minuteMs,
}, async () => {
  const { sources, bad, faultOfHost, healthy } = await draw()
  const hostile = (host: string): Trick => {
    const instead = faultOfHost.get(host)
    return instead ? { instead } : {}
  }
  let now = () => start
  const world = await openWorld(sources, {
    trickOf: hostile,
    watchMs: 5 * minuteMs,
    arrivalHours: 12,
    lookMs: () => (now() < start + hourMs ? pollMs : 5 * minuteMs),
  })
  now = world.clock
  const after = (at: number | undefined) => ((at ?? Number.POSITIVE_INFINITY) - start) / minuteMs
  await world.passUntil(start + 5 * minuteMs)
  const afterFive = await world.desk()
  console.log(`desk after 5 minutes: ${afterFive.headings.join(' | ')}`)
  await world.passUntil(start + 30 * minuteMs)
  // until then, the terminal said when it would come at the latest
  expect(world.published).toHaveLength(1)
  expect(after(world.published[0]!.publishedAt)).toBeLessThanOrEqual(20)
  expect(world.announced.every((at) => at === start + 15 * minuteMs)).toBe(true)
  for (const id of ['ted', 'doe']) expect(after(world.readAt.get(id)), id).toBeLessThanOrEqual(5)
  expect(after(world.enoughAt())).toBeLessThanOrEqual(15)
  expect(healthy.filter(({ id }) => !world.readAt.has(id)).map(({ id }) => id)).toEqual([])
  const expected = Object.fromEntries([...bad].map(([id, fault]) => [id, faults[fault].state]))
  const found = async () => {
    const states = await world.states()
    return Object.fromEntries([...bad.keys()].map((id) => [id, states.get(id)!.state]))
  }
  expect(await found()).toEqual(expected)
  const failing = `${bad.size} of ${sources.length} active sources deliver nothing`
  await world.passUntil(start + hourMs)
  const afterHour = await world.desk()
  console.log(`desk after an hour: ${afterHour.headings.join(' | ')}`)
  expect(afterHour.headings).toContain(failing)
  await world.passUntil(start + 6 * hourMs + 10 * minuteMs)
  const afterSix = await world.desk()
  console.log(`desk after 6 hours: ${afterSix.headings.join(' | ')}`)
  // by cause, in one concern, and not one for each
  expect(afterSix.headings.filter((heading) => heading.includes('deliver nothing'))).toEqual([failing])
  const counts = afterSix.concerns.find(({ heading }) => String(heading) === failing)!.body
  expect(String(counts).split(' · ')).toHaveLength(new Set(Object.values(expected)).size)
  await world.passUntil(start + dayMs)
  expect(await found()).toEqual(expected)
  console.log(`simulated first day: ${sources.length} sources, alarms: ${world.lines.join(' | ')}`)
  expect(world.lines.length).toBeLessThanOrEqual(5)
  expect([...world.readAt.keys()].filter((id) => bad.has(id))).toEqual([])
  const connections = Math.max(...sources.map(({ politeness }) => politeness.connections ?? 1))
  expect([...world.most].filter(([, most]) => most > connections)).toEqual([])
  expect(world.distrusted.seen.connections).toBeGreaterThan(0)
  expect(world.distrusted.seen.requests).toBe(0)
  expectHourly(world.published)
  console.log(`simulated first day: ${world.published.length} editions, held: ${[...new Set(world.held)].join(' | ')}`)
  // a backfill brings something in each of the first hours
  expect(world.published.length).toBeGreaterThanOrEqual(12)
  expect(world.faulty).toEqual([])
})

test('a month: what goes away is named and caught up, what moves is followed, and what changes is seen', {
  timeout: 90 * minuteMs,
}, async () => {
  const { healthy } = await draw()
  const groups = hostGroups((await loadSources()).values())
  const renamed = (await loadSources()).get('br-pncp')!
  // those that are read by hours have most of their past still before them
  const isByHours = ({ channels }: Source) => channels.some(({ slots }) => slots.kind === 'hours')
  const others = healthy.filter((each) => each.leads !== true && each !== renamed && !isByHours(each))
  // its silence is not mistaken for one that answers
  const gone = others.find(({ expects }) => expects.silentAfterDays <= 6)!
  const [away, moving, ...rest] = others.filter((each) => each !== gone) as [Source, Source, ...Source[]]
  const sources = [away, moving, gone, renamed, ...rest.slice(0, proofCount({ share: 1, full: 12 }))]
  const hostOf = ({ id }: Source) => groups.get(id)!
  const at = (day: number) => start + day * dayMs
  const world = await openWorld(sources, {
    lookMs: () => hourMs,
    watchMs: hourMs,
    arrivalHours: 2,
    trickOf: (host, now): Trick => {
      if (host === hostOf(away) && now >= at(2) && now < at(9)) return { instead: 'away' }
      if (host === hostOf(gone) && now >= at(4)) return { instead: 'away' }
      if (host === hostOf(moving) && now >= at(3)) return { host: `new.${host}` }
      if (host === hostOf(renamed) && now >= at(6) && now < at(10))
        return { change: (text) => text.replaceAll('"dataEncerramentoProposta":', '"encerramento":') }
      return {}
    },
  })
  await world.passUntil(at(3))
  const atDayThree = await world.states()
  expect([away.id, atDayThree.get(away.id)]).toMatchObject([away.id, { state: 'no-answer', alarms: ['failing'] }])
  await world.passUntil(at(7))
  const { headings, concerns } = await world.desk()
  console.log(`desk after 7 days: ${headings.join(' | ')}`)
  expect(concerns).toContainEqual(
    expect.objectContaining({ heading: `2 of ${sources.length} active sources deliver nothing`, body: 'No answer: 2' }),
  )
  await world.passUntil(at(proofCount({ share: 11, full: 30 })))
  const states = await world.states()
  expect(states.get(gone.id)).toMatchObject({ state: 'no-answer', alarms: ['failing'] })
  expectHourly(world.published)
  console.log(`simulated month: ${world.published.length} editions, held: ${[...new Set(world.held)].join(' | ')}`)
  expect(world.published.length).toBeGreaterThan(proofCount({ share: 11, full: 30 }))
  expect(states.get(away.id)!.alarms).not.toContain('failing')
  expect(world.raised.filter(({ sourceId, kind }) => sourceId === away.id && kind === 'failing')).toHaveLength(1)
  // fewer documents than the real portal has a day are an alarm by themselves
  expect(states.get(moving.id)!.alarms.filter((kind) => kind !== 'counts')).toEqual([])
  const lost = world.raised.find(({ sourceId, kind }) => sourceId === renamed.id && kind === 'fill')
  expect((lost?.at ?? Number.POSITIVE_INFINITY) - at(6)).toBeLessThan(2 * dayMs)
  // only an operator ends it, as what came meanwhile is to be read again
  expect(states.get(renamed.id)!.alarms).toContain('fill')
  // nothing that was published is missing, also of the week in which the portal was away
  const held = new Set(
    (await world.store.db.selectFrom('notice').select('notice_key').execute()).map(({ notice_key }) => notice_key),
  )
  const missing = [away, moving].flatMap((source) =>
    world.simulator
      .published(source.id, world.clock() - dayMs)
      .filter(({ publishedAt }) => publishedAt >= start)
      .flatMap(({ bytes }) => parserOf(source)(bytes))
      .flatMap((part) => ('notice' in part && !held.has(part.notice.noticeKey) ? [part.notice.noticeKey] : [])),
  )
  expect(missing).toEqual([])
  expect(world.faulty).toEqual([])
})
