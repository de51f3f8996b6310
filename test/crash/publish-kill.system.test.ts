// A publisher is killed, or stopped, at any moment: the last edition stays unchanged, and the next publisher finishes
// the work.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { hourMs } from '../../src/domain/time.ts'
import { publish } from '../../src/publish/publish.ts'
import { openStore, type Store } from '../../src/store/database/database.ts'
import { inStockTransaction } from '../../src/store/editions/publication.ts'
import { proofCount } from '../proof/proof-count.ts'
import { type Ask, publicationFaults, visibleEdition } from '../publication-faults.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { engines, openTestStore, type TestStore, testDatabaseUrl } from '../world.ts'

const kills = proofCount({ share: 3, full: 50 })
const sleeps = proofCount({ share: 2, full: 40 })
const start = Date.UTC(2026, 0, 1)
const publisher = fileURLToPath(new URL('publisher.ts', import.meta.url))
const records = 1500

/** Changes every other record and adds some, as the consolidation would. */
async function change(store: Store, round: number): Promise<void> {
  await inStockTransaction(store, async (trx) => {
    await sql`
      with row as materialized (
        select lpad(to_hex(i * 2654435761 % 4294967296), 8, '0') || '-7d3e-8b64-9a10-5c2e7f4b9d31' as id, i
        from generate_series(1::bigint, ${records + 10 * round}::bigint) i where i > ${records} or (i + ${round}::integer) % 2 = 0
      ), written as (
        insert into tender (tender_id, founding_key, content, content_hash, sources)
        select id, i, '{"id":"' || id || '","title":"round ' || ${round}::integer || '"}', md5(id || ${round}::integer), '["ted"]' from row
        on conflict (tender_id) do update set content = excluded.content, content_hash = excluded.content_hash
      )
      insert into tender_change select id from row on conflict do nothing`.execute(trx)
  })
}

type Ending = { readonly batches: number; readonly outcome: string | undefined }

/** One lifetime of a publisher. `atBatch`: what happens to it then, a little later. */
async function run(
  { options }: TestStore,
  now: number,
  atBatch?: { readonly batch: number; readonly delayMs: number; readonly signal: NodeJS.Signals },
): Promise<Ending> {
  const child = spawn(process.execPath, [publisher, options.dataFolder, options.databaseUrl ?? '', `${now}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let batches = 0
  let outcome: string | undefined
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const said = JSON.parse(line) as { outcome?: string }
    outcome = said.outcome
    if (outcome === undefined && ++batches === atBatch?.batch)
      setTimeout(() => child.kill(atBatch.signal), atBatch.delayMs)
  })
  await Promise.all([once(child, 'exit'), once(lines, 'close')])
  return { batches, outcome }
}

const asking =
  (store: Store): Ask =>
  (query) =>
    sql.raw(query).execute(store.db)
/** Simulates the passing of time; a killed publisher cannot release its lease. */
const expireLease = (store: Store) => sql`update publication set until_ms = 1 where until_ms > 0`.execute(store.db)

describe.each(engines)('a publisher that is killed (%s)', (engine) => {
  test(
    'leaves the last edition unchanged; the next one completes its work',
    async () => {
      console.log(`seed ${seed}`)
      const random = randomOf(seed)
      await using made = await openTestStore(engine)
      await made.close()
      /** The folder of an embedded stock belongs to one process at a time. */
      const open = () => openStore(made.options)
      let [killed, round, whole] = [0, 0, 0]
      while (killed < kills || whole < 2) {
        round++
        let store = await open()
        await change(store, round)
        for (;;) {
          const visible = await visibleEdition(asking(store))
          await store.close()
          const { outcome, batches } = await run(
            made,
            start + round * hourMs,
            killed < kills
              ? { batch: random.integer(1, 4), delayMs: random.integer(0, 30), signal: 'SIGKILL' }
              : undefined,
          )
          store = await open()
          const ask = asking(store)
          expect(await publicationFaults(ask, 'any')).toEqual([])
          const { rows } = await ask('select count(*)::integer as count from edition')
          if ((rows as { count: number }[])[0]!.count === round) break
          expect(outcome, 'a publisher that was not killed ended without an edition').toBeUndefined()
          expect(batches).toBeGreaterThan(0)
          expect(await visibleEdition(ask)).toEqual(visible)
          killed++
          await expireLease(store)
          // consolidation sometimes comes first: then the cut is different
          if (random.chance(0.4)) await change(store, round)
        }
        whole++
        await expireLease(store)
        await inStockTransaction(store, async () => {})
        expect(await publicationFaults(asking(store), 'published'), `round ${round}`).toEqual([])
        await store.close()
      }
    },
    60 * 60_000,
  )
})

/**
 * Ends the connections of a stopped publisher, as the server does with one that stays inside a transaction: repeatedly,
 * because a statement that the server was still processing ends in an idle transaction a moment later.
 */
async function endTransactions(store: Store): Promise<void> {
  for (let open = 1; open > 0; ) {
    const { rows } = await sql<{ open: number }>`
      select count(*)::integer as open from (
        select case when state like 'idle in transaction%' then pg_terminate_backend(pid) end from pg_stat_activity
        where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()) others`.execute(store.db)
    open = rows[0]!.open
  }
}

/** A publisher that is stopped a little after a batch; undefined if it finished before. */
async function fallAsleep({ options }: TestStore, now: number, batch: number, delayMs: number) {
  const child = spawn(process.execPath, [publisher, options.dataFolder, options.databaseUrl!, `${now}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const closed = once(lines, 'close')
  let outcome: string | undefined
  let batches = 0
  const asleep = new Promise<boolean>((resolve) => {
    lines.on('line', (line) => {
      outcome ??= (JSON.parse(line) as { outcome?: string }).outcome
      if (++batches !== batch) return
      setTimeout(() => resolve(child.kill('SIGSTOP')), delayMs)
    })
  })
  if (!(await Promise.race([asleep, exited.then(() => false)]))) return undefined
  return {
    /** Continues it, and returns what it says in the end. */
    wake: async (): Promise<string | undefined> => {
      child.kill('SIGCONT')
      await Promise.all([exited, closed])
      return outcome
    },
  }
}

describe.skipIf(testDatabaseUrl === undefined)('a publisher that sleeps', () => {
  test(
    'writes nothing more when it wakes after another one took over',
    async () => {
      console.log(`seed ${seed}`)
      const random = randomOf(seed)
      await using store = await openTestStore('server')
      const ask = asking(store)
      for (let slept = 0, round = 1; slept < sleeps; round++) {
        await change(store, round)
        const asleep = await fallAsleep(store, start + 2 * round * hourMs, random.integer(1, 4), random.integer(0, 30))
        if (asleep === undefined) {
          await expireLease(store)
          continue
        }
        slept++
        await endTransactions(store)
        await expireLease(store)
        const next = await publish(store, {
          now: start + (2 * round + 1) * hourMs,
          minIntervalMs: 0,
          overrideGate: true,
        })
        const visible = await visibleEdition(ask)
        const outcome = await asleep.wake()
        // It may have been stopped when its edition already existed.
        expect(
          [outcome, next.kind].filter((kind) => kind === 'published'),
          `round ${round}`,
        ).toHaveLength(1)
        expect(await visibleEdition(ask), `round ${round}`).toEqual(visible)
        expect(await publicationFaults(ask, 'published'), `round ${round}`).toEqual([])
      }
    },
    60 * 60_000,
  )
})
