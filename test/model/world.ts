// A stock, its editions and the API over HTTP, in one process or by reader threads, and the published records as plain
// arrays.
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { expect } from 'vitest'
import { createCursorSealer } from '../../src/api/cursors/cursor.ts'
import { openCursorKeyRing } from '../../src/api/cursors/cursor-key-ring.ts'
import { cursorKeysOf } from '../../src/api/cursors/cursor-key-source.ts'
import { createLocalLimiter } from '../../src/api/limits/limiter-memory.ts'
import { buildApi } from '../../src/api/server.ts'
import { tokenSourceOf } from '../../src/api/tokens/token-source.ts'
import { openTokenTable } from '../../src/api/tokens/token-table.ts'
import { canonicalJson, contentHash } from '../../src/consolidate/canonical.ts'
import type { TenderContent } from '../../src/domain/tender.ts'
import { catchUp, type EditionLog, openEditionLog } from '../../src/edition/write/edition-log.ts'
import { type Clock, shiftableClock, systemClock } from '../../src/platform/clock.ts'
import { openLog } from '../../src/platform/log.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { publish } from '../../src/publish/publish.ts'
import { findPort } from '../../src/service/nodes/listening-address.ts'
import { startReaders } from '../../src/service/readers/readers.ts'
import { createOrganization, createToken } from '../../src/store/people/organizations.ts'
import { upsertTenders } from '../../src/store/stock/tenders.ts'
import type { Random } from '../testing/generate/random.ts'
import { smallLimiter } from '../testing/small-limiter.ts'
import { openTestStore, type TestStore } from '../world.ts'
import type { ModelRecord, Parameters } from './naive-answer.ts'
import { naiveAnswer } from './naive-answer.ts'

const host = '127.0.0.1'

/** A record of a state with the exact text in which the API must deliver it. */
export type PublishedRecord = ModelRecord & { readonly wire: string }

export type ModelWorld = AsyncDisposable & {
  readonly store: TestStore
  /** Where the API answers, and the header that a request must carry. */
  readonly address: string
  readonly authorization: string
  /** The threads that answer, if there are any. */
  readonly readers: readonly Worker[]
  /** Every state ever published, by edition; known before the API shows it. */
  readonly states: ReadonlyMap<number, readonly PublishedRecord[]>
  readonly newest: () => readonly PublishedRecord[]
  readonly now: () => number
  readonly advance: (ms: number) => unknown
  /** Puts contents into the stock as the consolidation would. */
  readonly put: (contents: readonly TenderContent[]) => Promise<void>
  /** Records that a source was checked at the present moment. */
  readonly check: (sourceId: string) => Promise<void>
  /** Cuts an edition, records the state, and lets all readers load it. */
  readonly publishNext: () => Promise<void>
  /** `way`: the short way of plain requests, or the HTTP server, which handles everything else. */
  readonly get: (
    path: string,
    encoding?: 'gzip' | 'identity',
    way?: 'short' | 'long',
  ) => Promise<{ readonly status: number; readonly text: string }>
}

/**
 * The API in this process on a clock that does not advance, or answered by `readers` threads on one that runs from
 * `startMs` on.
 */
export async function openModelWorld(
  startMs: number,
  { readers = 0 }: { readonly readers?: number } = {},
): Promise<ModelWorld> {
  const store = await openTestStore('embedded')
  const shift = new Float64Array(new SharedArrayBuffer(8))
  if (readers > 0) shift[0] = startMs - systemClock()
  const { now: clock, advance } = shiftableClock(readers > 0 ? systemClock : () => startMs, shift)
  const random = systemRandom
  const log = await openEditionLog(join(store.options.dataFolder, 'model-editions'), { clock })
  const circumstances = { now: startMs, random }
  const organization = await createOrganization(
    store.db,
    { name: 'Model', requestsPerMinute: 1_000_000_000 },
    circumstances,
  )
  if (organization.kind !== 'created') throw new Error('no organisation')
  const token = await createToken(
    store,
    { organizationId: organization.organization.organizationId, name: 'model' },
    circumstances,
  )
  if (token.kind !== 'created') throw new Error('no token')
  const parts = { store, log, clock, shift }
  const { address, threads, stop } = await (readers > 0 ? serveByReaders(parts, readers) : serveInProcess(parts))
  const pool = new Pool(address, { connections: 4 })
  const longPool = new Pool(address, { connections: 2 })
  const authorization = `Bearer ${token.plaintext}`
  const states = new Map<number, readonly PublishedRecord[]>()

  const readState = async (edition: number): Promise<readonly PublishedRecord[]> => {
    const { checks } = await store.db
      .selectFrom('edition')
      .select('checks')
      .where('edition', '=', edition)
      .executeTakeFirstOrThrow()
    const checkedAt = JSON.parse(checks) as { [source: string]: number }
    const rows = await store.db
      .selectFrom('edition_entry')
      .leftJoin('replaced_entry', 'replaced_entry.last_modified', 'edition_entry.last_modified')
      .select(['body', 'sources', 'tender_id'])
      .where('edition', '<=', edition)
      .where((where) => where.or([where('superseded_by', 'is', null), where('superseded_by', '>', edition)]))
      .execute()
    return rows.map(({ body, sources, tender_id }) => {
      const newest = Math.max(...(JSON.parse(sources) as string[]).map((source) => checkedAt[source]!))
      const head = `{"id":"${tender_id}",`
      if (!body.startsWith(head)) throw new Error(`a body does not begin with its id: ${body.slice(0, 60)}`)
      const wire = `${head}"checkedAt":"${new Date(newest).toISOString()}",${body.slice(head.length)}`
      return Object.assign(JSON.parse(wire) as ModelRecord, { wire })
    })
  }

  return {
    store,
    address,
    authorization,
    readers: threads,
    states,
    newest: () => states.get(Math.max(...states.keys())) ?? [],
    now: clock,
    advance,
    put: async (contents) => {
      for (let at = 0; at < contents.length; at += 200) {
        const rows = contents.slice(at, at + 200).map((content) => {
          const canonical = canonicalJson(content)
          return {
            tenderId: content.id,
            foundingKey: `generated:${content.id}`,
            content: canonical,
            contentHash: contentHash(canonical),
            archiveReason: content.archiveReason ?? null,
            nextTransitionMs: null,
            mergedInto: content.mergedInto ?? null,
            sources: JSON.stringify([...new Set(content.originalSources.map(({ publisher }) => publisher))].sort()),
          }
        })
        await upsertTenders(store.db, rows)
      }
    },
    check: async (sourceId) => {
      await store.db
        .insertInto('source_check')
        .values({ source_id: sourceId, checked_at: clock() })
        .onConflict((conflict) =>
          conflict.column('source_id').doUpdateSet((set) => ({ checked_at: set.ref('excluded.checked_at') })),
        )
        .execute()
    },
    publishNext: async () => {
      const outcome = await publish(store, { now: clock(), minIntervalMs: 0, overrideGate: true })
      if (outcome.kind !== 'published') throw new Error(`not published: ${JSON.stringify(outcome)}`)
      states.set(outcome.edition, await readState(outcome.edition))
      await catchUp(log, store)
    },
    get: async (path, encoding = 'identity', way = 'short') => {
      const { statusCode, headers, body } = await (way === 'short' ? pool : longPool).request({
        path,
        method: 'GET',
        headers: { authorization, 'accept-encoding': encoding, ...(way === 'long' && { te: 'trailers' }) },
      })
      const bytes = Buffer.from(await body.arrayBuffer())
      return {
        status: statusCode,
        text: (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8'),
      }
    },
    [Symbol.asyncDispose]: async () => {
      await pool.close()
      await longPool.close()
      await stop()
      await log.close()
      await store[Symbol.asyncDispose]()
    },
  }
}

type Parts = {
  readonly store: TestStore
  readonly log: EditionLog
  readonly clock: Clock
  readonly shift: Float64Array
}
type Serving = {
  readonly address: string
  readonly threads: readonly Worker[]
  readonly stop: () => Promise<void>
}

async function serveInProcess({ store, log, clock }: Parts): Promise<Serving> {
  const random = systemRandom
  const ring = await openCursorKeyRing({ load: cursorKeysOf(store, { clock, randomBytes: random.bytes }), clock })
  const tokens = await openTokenTable({ source: tokenSourceOf(store), clock })
  const app = buildApi({
    reader: log,
    tokens,
    limiter: createLocalLimiter(clock, smallLimiter),
    cursors: createCursorSealer({ ring, clock, randomBytes: random.bytes }),
    clock,
    random,
    docsUrl: 'http://docs.example',
    isOverloaded: () => false,
  })
  const address = await app.listen({ host, port: 0 })
  return {
    address,
    threads: [],
    stop: async () => {
      await app.close()
      await tokens.close()
    },
  }
}

async function serveByReaders({ store, log, clock, shift }: Parts, count: number): Promise<Serving> {
  const port = await findPort(host, 0)
  const address = `http://${host}:${port}`
  const threads: Worker[] = []
  const see = (worker: Worker) => threads.push(worker)
  process.on('worker', see)
  const readers = await startReaders({
    count,
    host,
    port,
    addresses: { baseUrl: address, docsUrl: 'http://docs.example', trustedHops: 0 },
    version: '0.0.0',
    editions: log,
    tokens: tokenSourceOf(store),
    cursorKeys: cursorKeysOf(store, { clock, randomBytes: systemRandom.bytes }),
    config: {},
    hasRateLimitFields: false,
    logLevel: 'silent',
    clockShift: shift,
    processCount: Int32Array.of(1),
    clock,
    log: openLog('silent'),
    stop: new AbortController().signal,
    onLoss: () => {},
  })
  process.off('worker', see)
  return { address, threads, stop: readers.close }
}

/** A query string; occasionally a plus sign stays unencoded, which servers read as a space (D24). */
export function queryString(parameters: Parameters, random: Random): string {
  return parameters
    .map(([name, value]) => {
      const encoded = encodeURIComponent(value)
        .replaceAll('%2C', random.chance(0.5) ? ',' : '%2C')
        .replaceAll('%3A', ':')
      return `${name}=${random.chance(0.2) ? encoded.replaceAll('%2B', '+') : encoded}`
    })
    .join('&')
}

const pagePattern = /^\{"data":\[(.*)\],"nextCursor":(null|"[\w-]+")\}$/s

/** Sends a query to its end (or to `maxPages`), with a different limit and encoding for each page. */
export async function askAll(
  world: ModelWorld,
  random: Random,
  query: string,
  { maxPages = 1e9, betweenPages }: { readonly maxPages?: number; readonly betweenPages?: () => Promise<void> } = {},
): Promise<{ readonly records: readonly ModelRecord[]; readonly isComplete: boolean; readonly pages: number }> {
  const records: ModelRecord[] = []
  let cursor: string | null = null
  for (let pages = 1; ; pages++) {
    const limit = random.weighted([
      [4, 100],
      [2, random.integer(20, 100)],
      [1, random.integer(1, 20)],
      [1, 50],
    ] as const)
    const parts = [query, limit === 50 ? '' : `limit=${limit}`, cursor === null ? '' : `cursor=${cursor}`].filter(
      (part) => part !== '',
    )
    const path = `/v1/tenders${parts.length > 0 ? `?${parts.join('&')}` : ''}`
    const ask = () => world.get(path, random.chance(0.5) ? 'gzip' : 'identity', random.chance(0.2) ? 'long' : 'short')
    // Requested a second time, a page comes from those that are kept, perhaps in the other encoding.
    if (random.chance(0.2)) await ask()
    const { status, text } = await ask()
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    if (
      !pagePattern.test(
        text.length < 10_000 ? text : `${text.slice(0, 9)}]${text.slice(text.lastIndexOf(',"nextCursor"'))}`,
      )
    )
      throw new Error(`${path}: an unexpected body: ${text.slice(0, 300)}`)
    const page = JSON.parse(text) as { data: ModelRecord[]; nextCursor: string | null }
    if (page.data.length > limit) throw new Error(`${path}: ${page.data.length} records`)
    if (page.nextCursor !== null && page.data.length !== limit) throw new Error(`${path}: a short page in the middle`)
    records.push(...page.data)
    cursor = page.nextCursor
    if (cursor === null || pages >= maxPages) return { records, isComplete: cursor === null, pages }
    await betweenPages?.()
  }
}

/** Sends one query and compares every byte of every record, and their order, with the model's answer on this state. */
export async function compareWithModel(
  world: ModelWorld,
  random: Random,
  state: readonly PublishedRecord[],
  parameters: Parameters,
  options: Asking = {},
): Promise<number> {
  const expected = naiveAnswer(state, parameters) as PublishedRecord[]
  const query = queryString(parameters, random)
  const { records, isComplete, pages } = await askAll(world, random, query, options)
  const length = isComplete ? expected.length : records.length
  if (records.length !== length) {
    expect({ query, found: records.length }).toEqual({ query, found: expected.length })
  }
  for (let index = 0; index < length; index++)
    if (JSON.stringify(records[index]) !== expected[index]!.wire)
      expect({ query, index, record: records[index] }).toEqual({
        query,
        index,
        record: JSON.parse(expected[index]!.wire),
      })
  return pages
}

type Asking = { readonly maxPages?: number; readonly betweenPages?: () => Promise<void> }
