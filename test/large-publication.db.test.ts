// Many changes are published while a stranger uses the database: in short transactions, in bounded memory, under a
// short time limit.
import { type KyselyPlugin, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { publish } from '../src/publish/publish.ts'
import { openStore, type Store } from '../src/store/database/database.ts'
import { proofCount } from './proof/proof-count.ts'
import { publicationFaults } from './publication-faults.ts'
import { engines, openTestStore, testDatabaseUrl } from './world.ts'

const changes = proofCount({ share: 4_000, full: 100_000 })
const isFull = proofCount({ share: 0, full: 1 }) === 1
const firstOfMillions = 5_000_000
const now = Date.UTC(2026, 0, 1)
/** With a publisher that takes one piece at a time this is the limit of each; a whole publication takes longer. */
const statementTimeoutMs = 2000

/**
 * Puts tenders with scattered ids into the stock, as the consolidation records them. A title of 1,500 letters makes
 * records of 2 KB.
 */
async function makeStock(store: Store, count: number, titleLength: number): Promise<void> {
  const atOnce = 2000
  for (let from = 1; from <= count; from += atOnce)
    await sql`
      with row as materialized (
        select lpad(to_hex(i * 2654435761 % 4294967296), 8, '0') || '-7d3e-8b64-9a10-5c2e7f4b9d31' as id, i
        from generate_series(${from}::bigint, ${Math.min(count, from + atOnce - 1)}::bigint) i
      ), written as (
        insert into tender (tender_id, founding_key, content, content_hash, sources)
        select id, i, '{"id":"' || id || '","contractAmount":null,"cpvCodes":["45000000"],"lots":[],"nutsCodes":[],'
          || '"originalSources":[],"status":"open","title":"'
          || left(repeat(md5(id), ${Math.ceil(titleLength / 32)}::integer), ${titleLength}::integer) || '"}', md5(id), '["ted"]' from row
      )
      insert into tender_change select id from row`.execute(store.db)
}

/** Counts the publisher's statements that were answered, and records the longest. */
function watched(store: Store) {
  const begun = new WeakMap<object, number>()
  const seen = { statements: 0, longestMs: 0 }
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      begun.set(queryId, performance.now())
      return node
    },
    transformResult: async ({ result, queryId }) => {
      seen.statements++
      seen.longestMs = Math.max(seen.longestMs, performance.now() - begun.get(queryId)!)
      return result
    },
  }
  return { store: { engine: store.engine, db: store.db.withPlugin(plugin) }, seen }
}

type Stranger = { readonly stop: () => Promise<{ asked: number; longestMs: number; maxStatements: number }> }

/** Sends `select 1` repeatedly, and counts the publisher's statements for which it had to wait. */
function startStranger(store: Store, statements: () => number): Stranger {
  const stopping = new AbortController()
  const found = { asked: 0, longestMs: 0, maxStatements: 0 }
  const asking = (async () => {
    while (!stopping.signal.aborted) {
      const [before, startedAt] = [statements(), performance.now()]
      await sql`select 1`.execute(store.db)
      found.asked++
      found.longestMs = Math.max(found.longestMs, performance.now() - startedAt)
      found.maxStatements = Math.max(found.maxStatements, statements() - before)
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await asking
      return found
    },
  }
}

const megabytes = (bytes: number) => Math.round(bytes / 1e6)

/** Publishes everything while another client sends queries and the memory is watched. */
async function publishWatched(store: Store, { memory }: { readonly memory: boolean }) {
  const { store: publisher, seen } = watched(store)
  const stranger = startStranger(store, () => seen.statements)
  const sizes: number[] = []
  let peak = 0
  const before = process.memoryUsage.rss()
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()]
  let done = 0
  const outcome = await publish(publisher, {
    now,
    minIntervalMs: 0,
    onProgress: (progress) => {
      sizes.push(progress.done - done)
      done = progress.done
      if (memory) peak = Math.max(peak, process.memoryUsage.rss() - before)
    },
  })
  const figures = { seconds: Math.round(performance.now() - startedAt) / 1000, ...process.cpuUsage(cpu) }
  const wait = await stranger.stop()
  console.log(
    `${store.engine}: ${done} changes in ${figures.seconds} s (CPU of this process ${(figures.user + figures.system) / 1e6} s), ` +
      `${seen.statements} statements, the longest ${Math.round(seen.longestMs)} ms; a stranger asked ${wait.asked} times, ` +
      `waited at most ${Math.round(wait.longestMs)} ms and for ${wait.maxStatements} statements; memory +${megabytes(peak)} MB`,
  )
  return { outcome, wait, sizes, seen, peak }
}

describe.each(engines)('publishing many changes (%s)', (engine) => {
  test(
    'lets others work between its pieces, each of which is short',
    async () => {
      await using made = await openTestStore(engine)
      await makeStock(made, changes, 1500)
      await made.close()
      const store = await openStore({ ...made.options, statementTimeoutMs })
      const { outcome, wait, sizes } = await publishWatched(store, { memory: false })
      expect(outcome).toMatchObject({ kind: 'published', changes, records: changes })
      // One transaction, whatever the number of changes. The last one has the most statements: it holds the lease,
      // asks the witnesses, and writes the edition with its history and signal.
      expect(wait.asked).toBeGreaterThan(20)
      if (engine === 'embedded') expect(wait.maxStatements).toBeLessThanOrEqual(10)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(2000)
      if (isFull) expect(wait.longestMs).toBeLessThanOrEqual(100)
      await store.close()
      const again = await openStore(made.options)
      expect(await publicationFaults((query) => sql.raw(query).execute(again.db), 'published')).toEqual([])
      await again.close()
    },
    30 * 60_000,
  )
})

describe.skipIf(testDatabaseUrl === undefined || !isFull)('publishing five million records for the first time', () => {
  test(
    'takes no statement that grows with them, and no memory',
    async () => {
      await using store = await openTestStore('server')
      await makeStock(store, firstOfMillions, 20)
      const { outcome, seen, peak } = await publishWatched(store, { memory: true })
      expect(outcome).toMatchObject({ kind: 'published', changes: firstOfMillions, records: firstOfMillions })
      expect(seen.longestMs).toBeLessThan(10_000)
      expect(megabytes(peak)).toBeLessThan(300)
    },
    4 * 3_600_000,
  )
})
if (!isFull) console.log('skipped: five million records (npm run proof -- publishing)')
