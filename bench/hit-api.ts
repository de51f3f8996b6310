// The API while an edition is matched, compared with the same publication without saved searches.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { canonicalText } from '../src/consolidate/canonical.ts'
import type { TenderContent } from '../src/domain/tender.ts'
import { systemRandom } from '../src/platform/random.ts'
import { publish } from '../src/publish/publish.ts'
import { openStore, type Store } from '../src/store/database/database.ts'
import { createOrganization, createToken } from '../src/store/people/organizations.ts'
import { upsertTenders } from '../src/store/stock/tenders.ts'
import { generateSearches } from '../test/testing/generate/searches.ts'
import { generateTender } from '../test/testing/generate/stock.ts'
import { apiPerSecond, startApiLoad } from './api-load.ts'
import { startCluster } from './postgres-cluster.ts'
import { freePort, startProcess, stopAll, stopProcess, temporaryFolder } from './processes.ts'
import { latenciesBetween } from './speed/latencies.ts'

const warmSeconds = 5
/** How long the start of a node, or the matching of an edition, may take. */
const longestWaitMs = 180_000
/** How long the measurement without searches takes. */
const shortestMs = 15_000

export type BesideReport = {
  readonly searches: number
  readonly records: number
  /** 99th percentile in milliseconds, of each round: from the publication to the end of the matching. */
  readonly without: readonly number[]
  readonly beside: readonly number[]
  /** The same for the median of the seconds: what stalls the whole machine for a moment does not count. */
  readonly withoutInSecond: readonly number[]
  readonly besideInSecond: readonly number[]
  /** By how many milliseconds the generator of requests was late itself, 99th percentile: how busy the machine is. */
  readonly late: readonly number[]
  /** Seconds from the publication to the last hit that was offered. */
  readonly offered: readonly number[]
  readonly hits: readonly number[]
}

export type BesideOptions = {
  readonly searches: number
  readonly records: number
  readonly rounds: number
  readonly onProgress: (text: string) => void
}

/** Undefined if no PostgreSQL is installed. */
export async function benchApiBesideMatching(options: BesideOptions): Promise<BesideReport | undefined> {
  const cluster = await startCluster()
  if (!cluster) return undefined
  const { searches, records, rounds, onProgress } = options
  const lists = { without: [], beside: [], withoutInSecond: [], besideInSecond: [], late: [], offered: [], hits: [] }
  const report = { searches, records, ...lists } as {
    -readonly [name in keyof BesideReport]: BesideReport[name] extends number ? number : number[]
  }
  try {
    for (let round = 0; round < rounds; round++) {
      const database = `api${round}`
      cluster.psql('postgres', `create database ${database}`)
      const url = cluster.url(database)
      const store = await openStore({ dataFolder: temporaryFolder('api'), databaseUrl: url })
      const token = await addOrganization(store)
      await change(store, records, 0)
      await publishNow(store)
      onProgress(`round ${round + 1} of ${rounds}: ${records} records without searches`)
      const first = await publishWhileAsked({ store, url, token, records, version: 1, isMatched: false })
      report.without.push(first.p99)
      report.withoutInSecond.push(first.inSecond)
      await addSearches(store, searches, records)
      onProgress(`${records} records and ${searches} searches`)
      const second = await publishWhileAsked({ store, url, token, records, version: 2, isMatched: true })
      report.beside.push(second.p99)
      report.besideInSecond.push(second.inSecond)
      report.late.push(first.late, second.late)
      report.offered.push(second.seconds)
      report.hits.push(second.hits)
      await store.close()
    }
    return report
  } finally {
    await stopAll()
    await cluster.stop()
  }
}

async function addOrganization(store: Store): Promise<string> {
  const circumstances = { now: Date.now(), random: systemRandom }
  const wanted = { name: 'Bauwerk', requestsPerMinute: apiPerSecond * 120 }
  const { organizationId } = (await createOrganization(store.db, wanted, circumstances)).organization
  const made = await createToken(store, { organizationId, name: 'bench' }, circumstances)
  if (made.kind !== 'created') throw new Error(made.kind)
  return made.plaintext
}

const contentOf = (records: number, index: number, version: number): TenderContent => {
  const { archiveReason: _reason, ...content } = generateTender({ seed: 3, count: records, now: Date.now() }, index)
  return { ...content, title: `${content.title} ${version}` }
}

async function addSearches(store: Store, count: number, records: number): Promise<void> {
  const some = Array.from({ length: 2000 }, (_, index) => contentOf(records, index, 0))
  const filters = generateSearches(some, { seed: 7, count, style: 'narrow', threshold: 50 }).map(({ filter }) =>
    JSON.stringify(filter),
  )
  await sql`
    with made as (
      insert into saved_search (search_id, organization_id, name, created_at, created_by)
      select gen_random_uuid()::text, organization_id, 'Search ' || i, 0, 'bench'
      from organization, generate_series(1, ${count}::integer) i returning search_no, name
    )
    insert into saved_search_version (search_no, version, from_edition, is_active, filter, filter_hash, threshold, created_at)
    select search_no, 1, 1, true, filters.filter, md5(filters.filter), 50, 0
    from made join (select 'Search ' || number as name, filter from unnest(${filters}::text[]) with ordinality f (filter, number)) filters
      using (name)`.execute(store.db)
}

/** Changes the content of all tenders, which are then to be published. */
async function change(store: Store, records: number, version: number): Promise<void> {
  for (let from = 0; from < records; from += 500)
    await upsertTenders(
      store.db,
      Array.from({ length: Math.min(500, records - from) }, (_, offset) => {
        const content = canonicalText(contentOf(records, from + offset, version))
        const tenderId = (JSON.parse(content) as { id: string }).id
        return {
          tenderId,
          foundingKey: `bench:${from + offset}`,
          content,
          contentHash: `v${version}`,
          archiveReason: null,
          nextTransitionMs: null,
          mergedInto: null,
          sources: '["bench"]',
        }
      }),
    )
}

const publishNow = async (store: Store): Promise<void> => {
  const outcome = await publish(store, { now: Date.now(), clock: Date.now, minIntervalMs: 0, overrideGate: true })
  if (outcome.kind !== 'published') throw new Error(JSON.stringify(outcome))
}

type Measured = {
  /** Of all requests, and of those of the median second, in milliseconds. */
  readonly p99: number
  readonly inSecond: number
  readonly late: number
  readonly seconds: number
  readonly hits: number
}

/** Publishes changes of all records while requests arrive, until the edition is matched, or for some seconds. */
async function publishWhileAsked({
  store,
  url,
  token,
  records,
  version,
  isMatched,
}: {
  readonly store: Store
  readonly url: string
  readonly token: string
  readonly records: number
  readonly version: number
  readonly isMatched: boolean
}): Promise<Measured> {
  await change(store, records, version)
  let matched: { readonly at: number; readonly hits: number } | undefined
  let isReady = false
  let lastLine = ''
  const port = await freePort()
  const folder = temporaryFolder('node')
  const args = [
    'start',
    '--no-samples',
    '--data',
    folder,
    '--api-port',
    String(port),
    '--console-port',
    '0',
    '--publish-interval-minutes',
    '600',
    '--drain-seconds',
    '0',
    '--json',
  ]
  const node = startProcess(process.execPath, [join(import.meta.dirname, '../src/bin/tenderstock.ts'), ...args], {
    env: { ...process.env, DATABASE_URL: url },
    onLine: (line) => {
      lastLine = line
      if (!line.startsWith('{')) return
      const said = JSON.parse(line) as { readonly event?: string; readonly hits?: number }
      if (said.event === 'ready') isReady = true
      if (said.event === 'matched') matched = { at: Date.now(), hits: said.hits! }
    },
  })
  await until(() => isReady || node.exitCode !== null)
  if (!isReady) throw new Error(`the node did not start: ${lastLine}`)
  const load = startApiLoad(port, token)
  await sleep(warmSeconds * 1000)
  await publishNow(store)
  const publishedAt = Date.now()
  if (isMatched) await until(() => matched !== undefined)
  else await sleep(shortestMs)
  const endAt = matched?.at ?? Date.now()
  const answers = await load.end()
  await stopProcess(node)
  const { 'p99 ms': p99, 'generator late, p99 ms': late } = latenciesBetween(answers, publishedAt, endAt)
  const seconds = (endAt - publishedAt) / 1000
  const bySecond = Array.from({ length: Math.floor(seconds) }, (_, second) => {
    const from = publishedAt + second * 1000
    return latenciesBetween(answers, from, from + 1000)['p99 ms']
  })
  return { p99, inSecond: median(bySecond), late, seconds, hits: matched?.hits ?? 0 }
}

async function until(isSo: () => boolean): Promise<void> {
  for (const latest = Date.now() + longestWaitMs; !isSo(); await sleep(50))
    if (Date.now() > latest) throw new Error(`gave up waiting after ${longestWaitMs / 1000} s`)
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

export function besideMatchingAsMarkdown(report: BesideReport): string {
  const { searches, records, without, beside, withoutInSecond, besideInSecond, late, offered, hits } = report
  const ratio = (ours: readonly number[], theirs: readonly number[]): string =>
    `${median(ours).toFixed(1)} ÷ ${median(theirs).toFixed(1)} ms = ${(median(ours) / median(theirs)).toFixed(2)}`
  return [
    `An edition of ${records.toLocaleString('en')} changes and ${searches.toLocaleString('en')} searches, ` +
      `${apiPerSecond} requests a second, medians of ${without.length} rounds:`,
    '',
    '| Measure | Figure | Target |',
    '|---|--:|---|',
    `| p99 of the API while it is matched ÷ after the same publication without searches | ${ratio(beside, without)} | at most 1.2 |`,
    `| the same in the median second | ${ratio(besideInSecond, withoutInSecond)} | |`,
    `| from the publication to the last of ${median(hits).toLocaleString('en')} hits offered | ${median(offered).toFixed(0)} s | at most 120 s |`,
    '',
    'The generator of requests, which has the highest priority, was itself late by ' +
      `${Math.max(...late).toFixed(0)} ms in p99: trust the first row only where that is little.`,
  ].join('\n')
}
