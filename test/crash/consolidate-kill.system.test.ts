// Consolidators are killed at any moment, beside others: those continue, and the stock is the one that a single
// consolidator makes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { proofCount } from '../proof/proof-count.ts'
import { receiveNotices } from '../receive-notices.ts'
import { noticeWorld } from '../testing/generate/notices.ts'
import { randomOf } from '../testing/generate/random.ts'
import { generateNotice } from '../testing/generate/similar-notices.ts'
import { seed } from '../testing/seed.ts'
import { wholeStock } from '../whole-stock.ts'
import { openTestStore, testDatabaseUrl } from '../world.ts'

const worlds = proofCount({ share: 2, full: 20 })
const program = fileURLToPath(new URL('consolidator.ts', import.meta.url))
const now = Date.parse('2026-02-20T12:00:00.000Z')
const consolidators = 4
const killed = 2

type Worker = { readonly child: ChildProcess; batches: number; notices: number | undefined }

/** `killAt`: the batch after which it is killed, some milliseconds later. */
async function start(
  databaseUrl: string,
  killAt?: { readonly batch: number; readonly delayMs: number },
): Promise<Worker> {
  const child = spawn(process.execPath, [program, databaseUrl, `${now}`, '6'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const worker: Worker = { child, batches: 0, notices: undefined }
  const ready = Promise.withResolvers<void>()
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const said = JSON.parse(line) as { readonly event: string; readonly notices?: number }
    if (said.event === 'ready') ready.resolve()
    if (said.event === 'done') worker.notices = said.notices
    if (said.event === 'batch' && ++worker.batches === killAt?.batch)
      setTimeout(() => child.kill('SIGKILL'), killAt.delayMs)
  })
  child.once('exit', () => ready.reject(new Error('a consolidator ended before it began')))
  await ready.promise
  return worker
}

describe.skipIf(!testDatabaseUrl)('consolidators that are killed', () => {
  test(
    `leave the rest to the others, over ${worlds} stocks`,
    async () => {
      let batchesOfKilled = 0
      for (let world = 0; world < worlds; world++) {
        const random = randomOf(seed, world)
        const notices = [
          ...noticeWorld(seed + world, 60),
          ...Array.from({ length: 150 }, (_, index) => generateNotice({ seed: seed + world, count: 150 }, index)),
        ]
        await using one = await openTestStore('server')
        await receiveNotices(one, notices)
        await consolidate(one, { now })
        await using several = await openTestStore('server')
        await receiveNotices(several, notices)
        const workers = await Promise.all(
          Array.from({ length: consolidators }, (_, index) =>
            start(
              several.options.databaseUrl!,
              index < killed ? { batch: random.integer(1, 4), delayMs: random.integer(0, 40) } : undefined,
            ),
          ),
        )
        const exits = workers.map(async ({ child }) => (await once(child, 'exit'))[1] as string | null)
        for (const { child } of workers) child.stdin!.write('go\n')
        const signals = await Promise.all(exits)
        expect(signals, `seed ${seed}`).toEqual(['SIGKILL', 'SIGKILL', null, null])
        for (const { notices: done } of workers.slice(killed)) expect(done).toBeGreaterThan(0)
        for (const { batches } of workers.slice(0, killed)) batchesOfKilled += batches
        const { rows } = await sql`select from notice where not is_consolidated`.execute(several.db)
        expect(rows).toEqual([])
        expect(await wholeStock(several), `seed ${seed}, stock ${world}`).toEqual(await wholeStock(one))
      }
      console.log(`seed ${seed}: ${worlds * killed} consolidators killed after ${batchesOfKilled} batches`)
    },
    60_000 + worlds * 60_000,
  )
})
