// Pages of the console while a large edition is published, compared with the same pages on a quiet service, and the API
// while people use the console; on both engines, with a stock of real notices.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { keyHashOf } from '../src/console/frame/directory.ts'
import { canonicalText } from '../src/consolidate/canonical.ts'
import { consolidate } from '../src/consolidate/consolidate.ts'
import type { TenderContent } from '../src/domain/tender.ts'
import { dayMs } from '../src/domain/time.ts'
import { ingest } from '../src/ingest/ingest.ts'
import { systemRandom } from '../src/platform/random.ts'
import { publish } from '../src/publish/publish.ts'
import { readPath } from '../src/sources/files.ts'
import { loadSources } from '../src/sources/registry.ts'
import { inTransaction, openStore, type Store } from '../src/store/database/database.ts'
import { createSearch } from '../src/store/hits/searches.ts'
import { putContract } from '../src/store/people/contracts.ts'
import { changeOrganization, createOrganization, createToken } from '../src/store/people/organizations.ts'
import { addMember, createPerson } from '../src/store/people/people.ts'
import { startSession } from '../src/store/people/sessions.ts'
import { upsertTenders } from '../src/store/stock/tenders.ts'
import { crawlConsole } from '../test/testing/crawl-console.ts'
import { generateTender } from '../test/testing/generate/stock.ts'
import { apiPerSecond, startApiLoad } from './api-load.ts'
import { benchPaint, type Painted, paintAsMarkdown } from './console-paint.ts'
import { startCluster } from './postgres-cluster.ts'
import { freePort, startNode, stopAll, stopProcess, temporaryFolder } from './processes.ts'
import { latenciesBetween } from './speed/latencies.ts'
import { median } from './speed/row.ts'

/** Folders of the corpus whose notices fill the pages. */
const corpusFolders = ['ted-eforms', 'eforms-de', 'cross-portal', 'doffin-eforms', 'ted-legacy']
/** Number of people who look at pages at the same time, and how long each looks at one. */
const people = 4
const lookMs = 100
const apiSeconds = 8
const quietSeconds = 20
/**
 * How often one person alone opens each page after a first time, and the limit for 95 of 100 of these visits
 * (milliseconds).
 */
const aloneTurns = 40
const aloneBudgetMs = 20
const searches = 50
const hitsOfSearch = 2000
/** Number of those in the newest edition. */
const newHitsOfSearch = 40
/** The pages that a browser opens: the first screens of each audience, and the fullest. */
const paintedRoutes = [
  '/',
  '/o/:organization',
  '/o/:organization/settings/api-access',
  '/o/:organization/hits',
  '/tenders/:id',
  '/operator',
  '/stock',
  '/docs',
]
/** How long the start of the service, or a publication, may take. */
const longestWaitMs = 300_000

type Engine = 'embedded' | 'server'
type Look = { readonly route: string; readonly ms: number; readonly status: number }

export type ConsoleReport = {
  readonly engine: Engine
  readonly changes: number
  readonly tenders: number
  readonly hits: number
  /** Server time for one person who loads one page after the other, with no other load. */
  readonly alone: readonly Look[]
  readonly quiet: readonly Look[]
  readonly publishing: readonly Look[]
  /** Seconds that each publication took. */
  readonly seconds: readonly number[]
  /** 99th percentile of the API in milliseconds, for each round. */
  readonly apiAlone: readonly number[]
  readonly apiBeside: readonly number[]
  /** What a browser shows; undefined without a browser. */
  readonly painted: readonly Painted[] | undefined
}

export type ConsoleBenchOptions = {
  readonly corpus: string
  readonly changes: number
  readonly rounds: number
  readonly onProgress: (text: string) => void
}

/** Returns one report for each engine; the server's is missing if no PostgreSQL is installed. */
export async function benchConsole(options: ConsoleBenchOptions): Promise<ConsoleReport[]> {
  const cluster = await startCluster()
  try {
    const reports = [await benchEngine('embedded', undefined, options)]
    if (!cluster) return reports
    cluster.psql('postgres', 'create database console')
    return [...reports, await benchEngine('server', cluster.url('console'), options)]
  } finally {
    await stopAll()
    await cluster?.stop()
  }
}

async function benchEngine(
  engine: Engine,
  databaseUrl: string | undefined,
  { corpus, changes, rounds, onProgress }: ConsoleBenchOptions,
): Promise<ConsoleReport> {
  const say = (text: string) => onProgress(`${engine}: ${text}`)
  const place = { dataFolder: temporaryFolder('console'), databaseUrl }
  const open = () => openStore({ dataFolder: place.dataFolder, ...(databaseUrl !== undefined && { databaseUrl }) })
  const store = await open()
  await fillWithCorpus(store, corpus, say)
  const account = await addPeople(store)
  const hits = await addHits(store, account.organizationId)
  await addReadings(store)
  await store.close()
  say(`${hits} hits`)

  const quietService = await startService(place)
  const { found, dead } = await crawlConsole(quietService.origin, {
    cookie: account.cookie,
    home: `/o/${account.organizationId}`,
    allGuides: false,
  })
  if (dead.length > 0) throw new Error(`links lead nowhere: ${dead.join(', ')}`)
  const pages = [...found]
  say(`${pages.length} pages`)
  const alone: Look[] = []
  for (let turn = 0; turn <= aloneTurns; turn++)
    for (const page of pages) {
      const seen = await look(quietService.origin, account.cookie, page)
      if (turn > 0) alone.push(seen)
    }
  const quiet = await lookAround(quietService.origin, account.cookie, pages, () => sleep(quietSeconds * 1000))
  const apiAlone: number[] = []
  const apiBeside: number[] = []
  for (let round = 0; round < rounds; round++) {
    const ask = () => askApi(quietService.apiPort, account.token)
    const alone = async () => void apiAlone.push(await ask())
    const beside = async () => {
      await lookAround(quietService.origin, account.cookie, pages, async () => void apiBeside.push(await ask()))
    }
    for (const measure of round % 2 === 0 ? [alone, beside] : [beside, alone]) await measure()
    say(`API ${apiBeside.at(-1)?.toFixed(1)} ms beside people, ${apiAlone.at(-1)?.toFixed(1)} ms alone`)
  }
  const { origin } = quietService
  const isPainted = ([route]: (typeof pages)[number]) => paintedRoutes.includes(route)
  const painted =
    engine === 'embedded'
      ? await benchPaint({ origin, cookie: account.cookie, pages: pages.filter(isPainted), rounds })
      : undefined
  await stopProcess(quietService.process)

  const publishing: Look[] = []
  const seconds: number[] = []
  for (let round = 0; round < rounds; round++) {
    const filling = await open()
    await changeMadeUp(filling, changes, round)
    await filling.close()
    const service = await startService(place)
    const startedAt = performance.now()
    publishing.push(...(await lookAround(service.origin, account.cookie, pages, () => service.published(changes))))
    seconds.push((performance.now() - startedAt) / 1000)
    await stopProcess(service.process)
    say(`${changes} changes published in ${seconds.at(-1)?.toFixed(1)} s`)
  }
  return {
    engine,
    changes,
    tenders: pages.length,
    hits,
    alone,
    quiet,
    publishing,
    seconds,
    apiAlone,
    apiBeside,
    painted,
  }
}

async function fillWithCorpus(store: Store, corpus: string, say: (text: string) => void): Promise<void> {
  for (const folder of corpusFolders) {
    const path = join(corpus, folder)
    if (!existsSync(path)) continue
    const { notices } = await ingest(store, { sourceId: 'files', documents: readPath(path), clock: Date.now })
    say(`${notices} notices of ${folder}`)
  }
  await consolidate(store, { now: Date.now() })
  await publishNow(store)
}

export async function publishNow(store: Store): Promise<void> {
  const outcome = await publish(store, { now: Date.now(), clock: Date.now, minIntervalMs: 0, overrideGate: true })
  if (outcome.kind !== 'published') throw new Error(JSON.stringify(outcome))
}

type Account = { readonly organizationId: string; readonly token: string; readonly cookie: string }

/** Creates an organization with access, and a person who is its Owner and an operator, signed in. */
export async function addPeople(store: Store): Promise<Account> {
  const now = Date.now()
  const circumstances = { now, random: systemRandom }
  const { organizationId } = (await createOrganization(store.db, { name: 'Bauwerk' }, circumstances)).organization
  const made = await createToken(store, { organizationId, name: 'bench' }, circumstances)
  if (made.kind !== 'created') throw new Error(made.kind)
  const cookie = systemRandom.bytes(32).toString('base64url')
  await inTransaction(store, async (trx) => {
    const terms = { organizationId, startsAt: now - dayMs, endsAt: undefined, note: '', setUpBy: 'bench' }
    await changeOrganization({ db: trx }, organizationId, { requestsPerMinute: apiPerSecond * 120 })
    await putContract(trx, terms, now)
    const wanted = { personId: systemRandom.uuid(), mail: 'anna@example.org', name: 'Anna', isOperator: true }
    const { personId } = await createPerson(trx, wanted, now)
    await addMember(trx, { organizationId, personId, role: 'owner' }, now)
    const session = { sessionId: keyHashOf(cookie), personId, createdAt: now, seenAt: now, signedInAt: now }
    await startSession(trx, { ...session, agent: 'bench', addressPrefix: '127.0.0.0/24' }, undefined)
  })
  return { organizationId, token: made.plaintext, cookie: `session=${cookie}` }
}

/**
 * Creates searches with hits on published records, written straight into the tables as if they were matched: otherwise
 * the service would update all of them while the pages are measured. Returns how many.
 */
async function addHits(store: Store, organizationId: string): Promise<number> {
  for (let number = 0; number < searches; number++) {
    const terms = { isActive: true, filter: '{"cpv":["45233141"]}', filterHash: '', profileId: null, threshold: 50 }
    const wanted = { ...terms, organizationId, name: `Search ${number}`, createdBy: 'bench' }
    await createSearch(store, wanted, { now: Date.now(), random: systemRandom })
  }
  await sql`
    insert into hit (search_no, tender_id, hit_id, edition, last_modified, search_version, fit_score, fit, matched, made_at,
      score_now, last_edition, state, deadline_ms, state_modified, digest_edition)
    select search_no, tender_id, md5(search_no || tender_id), 1, 1, 1, 40 + i % 60,
      '{"raw":81.9,"parts":[]}', '["cpv: 45233141"]', ${Date.now()}::bigint - i, 50, 1,
      case when i % 3 = 0 then 'seen' else 'new' end, case when i % 10 > 0 then ${Date.now()}::bigint + i * 600000 end,
      (select max(last_modified) from edition_entry),
      case when i <= ${newHitsOfSearch}::integer then 1 else 0 end
    from saved_search, (select tender_id, row_number() over (order by tender_id) as i from tender order by tender_id limit ${hitsOfSearch}::integer) t`.execute(
    store.db,
  )
  await sql`
    update hit_mark set edition = e.edition, last_modified = e.last_modified, step_modified = e.last_modified
    from (select edition, last_modified from edition order by edition desc limit 1) e`.execute(store.db)
  // as autovacuum or the housekeeping of the embedded engine would do
  await sql`vacuum analyze`.execute(store.db)
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from hit`.execute(store.db)
  return rows[0]!.count
}

/** Adds a month of hourly readings of every source, a third of them with new documents. */
async function addReadings(store: Store): Promise<void> {
  const ids = [...(await loadSources()).keys()]
  const hours = 720
  await sql`
    insert into source_run (source_id, channel, slot, started_at, ended_at, outcome, requests, entries, documents, notices,
      rejections, detail)
    select id, 'daily', 'slot ' || hour, at - 5000, at, case when hour % 50 = 7 then 'failed' else 'complete' end, 3, 40,
      case when hour % 3 = 0 then 12 else 0 end, 12, 0, ''
    from unnest(string_to_array(${ids.join(',')}, ',')) as id, generate_series(0, ${hours}::integer - 1) as hour,
      lateral (select ${Date.now()}::bigint - hour::bigint * 3600000 as at) as ended`.execute(store.db)
  await sql`vacuum analyze source_run`.execute(store.db)
}

/** Changes the content of made-up tenders, which are then to be published. */
export async function changeMadeUp(store: Store, count: number, version: number): Promise<void> {
  const now = Date.now()
  const atOnce = 500
  for (let from = 0; from < count; from += atOnce)
    await upsertTenders(
      store.db,
      Array.from({ length: Math.min(atOnce, count - from) }, (_, offset) => {
        const { archiveReason: _reason, ...content } = generateTender({ seed: 3, count, now }, from + offset)
        const changed: TenderContent = { ...content, title: `${content.title} ${version}` }
        return {
          tenderId: content.id,
          foundingKey: `bench:${from + offset}`,
          content: canonicalText(changed),
          contentHash: `v${version}`,
          archiveReason: null,
          nextTransitionMs: null,
          mergedInto: null,
          sources: '["bench"]',
        }
      }),
    )
}

/** `core`: the only one that it may use. */
export async function startService(
  { dataFolder, databaseUrl }: { readonly dataFolder: string; readonly databaseUrl: string | undefined },
  core?: string,
) {
  const [apiPort, consolePort] = [await freePort(), await freePort()]
  let isReady = false
  let published = 0
  const ports = ['--api-port', `${apiPort}`, '--console-port', `${consolePort}`]
  const args = ['start', '--no-samples', '--data', dataFolder, ...ports, '--publish-interval-minutes', '0']
  args.push('--drain-seconds', '0', '--json')
  const { DATABASE_URL: _url, REDIS_URL: _redis, ...environment } = process.env
  const service = startNode([join(import.meta.dirname, '../src/bin/tenderstock.ts'), ...args], core, {
    env: { ...environment, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) },
    onLine: (line) => {
      if (!line.startsWith('{')) return
      const said = JSON.parse(line) as { readonly event?: string; readonly changes?: number }
      if (said.event === 'ready') isReady = true
      if (said.event === 'published') published = Math.max(published, said.changes ?? 0)
    },
  })
  await until(() => isReady || service.exitCode !== null)
  if (!isReady) throw new Error('the service did not start')
  return {
    process: service,
    apiPort,
    origin: `http://localhost:${consolePort}`,
    published: (changes: number) => until(() => published >= changes),
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (const latest = Date.now() + longestWaitMs; !isSo(); await sleep(20))
    if (Date.now() > latest) throw new Error(`gave up waiting after ${longestWaitMs / 1000} s`)
}

/** Opens a page and reads it to its end. */
export async function look(origin: string, cookie: string, [route, path]: readonly [string, string]): Promise<Look> {
  const startedAt = performance.now()
  const answer = await fetch(origin + path, { headers: { cookie }, redirect: 'manual' })
  await answer.arrayBuffer()
  return { route, ms: performance.now() - startedAt, status: answer.status }
}

/** Lets several people open one page after the other until `work` ends. */
async function lookAround(
  origin: string,
  cookie: string,
  pages: readonly (readonly [route: string, path: string])[],
  work: () => Promise<unknown>,
): Promise<Look[]> {
  const looks: Look[] = []
  const isOver = new AbortController()
  const person = async (first: number) => {
    for (let turn = first; !isOver.signal.aborted; turn++) {
      looks.push(await look(origin, cookie, pages[turn % pages.length]!))
      await sleep(lookMs)
    }
  }
  const looking = Array.from({ length: people }, (_, index) => person(Math.floor((index * pages.length) / people)))
  try {
    await work()
  } finally {
    isOver.abort()
    await Promise.all(looking)
  }
  return looks
}

/** The 99th percentile of the API at a constant rate, milliseconds. `core`: the only one for who sends. */
export async function askApi(port: number, token: string, core?: string): Promise<number> {
  const load = startApiLoad(port, token, core)
  await sleep(apiSeconds * 1000)
  return latenciesBetween(await load.end(), 0, Number.POSITIVE_INFINITY)['p99 ms']
}

const at = (looks: readonly Look[], share: number): number =>
  latencyAt(
    looks.map(({ ms }) => ms),
    share,
  )

export function latencyAt(ms: readonly number[], share: number): number {
  const sorted = ms.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Pages with a separate row in the report: the others are in its sums. */
const shownPages = 12

export function consoleAsMarkdown(report: ConsoleReport): string {
  const { engine, changes, hits, alone, quiet, publishing, seconds, apiAlone, apiBeside, painted } = report
  const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0)
  const routes = [...new Set(publishing.map(({ route }) => route))]
    .map((route) => {
      const of = (looks: readonly Look[]) => looks.filter((each) => each.route === route)
      return { route, quiet: of(quiet), publishing: of(publishing) }
    })
    .sort((left, right) => at(right.publishing, 0.99) - at(left.publishing, 0.99))
  const slowAlone = [...Map.groupBy(alone, ({ route }) => route)]
    .map(([route, looks]) => ({ route, p50: at(looks, 0.5), p95: at(looks, 0.95) }))
    .filter(({ p95 }) => p95 > aloneBudgetMs)
    .sort((left, right) => right.p95 - left.p95)
    .map(({ route, p50, p95 }) => `\`${route}\` ${ms(p95)} (p50 ${ms(p50)})`)
  const statuses = Map.groupBy(publishing, ({ status }) => status)
  const row = (name: string, calm: readonly Look[], busy: readonly Look[]) =>
    `| ${name} | ${ms(at(calm, 0.5))} | ${ms(at(calm, 0.95))} | ${ms(at(busy, 0.5))} | ${ms(at(busy, 0.99))} | ${ms(at(busy, 1))} | ${busy.length} |`
  return [
    `${engine === 'server' ? 'PostgreSQL' : 'Embedded engine'}: ${people} people on ${report.tenders} pages, ` +
      `real notices, ${hits.toLocaleString('en')} hits; ${changes.toLocaleString('en')} changes published ` +
      `${seconds.length} times in ${median(seconds).toFixed(1)} s (median).`,
    '',
    '| Milliseconds to the whole page | quiet p50 | quiet p95 | publishing p50 | publishing p99 | longest | looks |',
    '|---|--:|--:|--:|--:|--:|--:|',
    row('all pages', quiet, publishing),
    ...routes.slice(0, shownPages).map((each) => row(`\`${each.route}\``, each.quiet, each.publishing)),
    '',
    `One person alone: p50 ${ms(at(alone, 0.5))} ms, p95 ${ms(at(alone, 0.95))} ms; p95 above ${aloneBudgetMs} ms: ${slowAlone.join(', ') || 'no page'}.`,
    '',
    `Answers while publishing: ${[...statuses].map(([status, list]) => `${list.length} × ${status}`).join(', ')}. Every page: at most 2,000 ms.`,
    '',
    `API p99 at ${apiPerSecond} requests a second, medians of ${apiAlone.length} rounds: ` +
      `${ms(median(apiBeside))} ms beside people on the console ÷ ${ms(median(apiAlone))} ms without = ` +
      `${(median(apiBeside) / median(apiAlone)).toFixed(2)} (target: at most 1.1).`,
    ...(painted ? ['', paintAsMarkdown(painted)] : []),
  ].join('\n')
}
