// The process that matches is killed, or stopped, between any two steps and inside them: no hit is lost, and none is
// made twice.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { matchEditions } from '../../src/hits/match-editions.ts'
import { openStore, type Store } from '../../src/store/database/database.ts'
import { MarkLostError } from '../../src/store/hits/hit-mark.ts'
import { asleep } from '../asleep.ts'
import { proofCount } from '../proof/proof-count.ts'
import { type Random, randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { engines, openTestStore, type TestStore, testDatabaseUrl } from '../world.ts'
import { commands, runHitModel, trialOptions } from './hit-model.ts'

const kills = proofCount({ share: 3, full: 200 })
const sleeps = proofCount({ share: 1, full: 20 })
const races = proofCount({ share: 2, full: 100 })
const runner = fileURLToPath(new URL('hit-runner.ts', import.meta.url))

/** Whether an edition is not matched yet; without one, nothing is done in which a process could be killed. */
async function isWorkLeft({ db }: Pick<Store, 'db'>): Promise<boolean> {
  const { rows } = await sql`
    select from edition where edition > (select edition from hit_mark) limit 1`.execute(db)
  return rows.length > 0
}

/** Simulates the passing of time; a killed process cannot release its lease. */
const expireLease = ({ db }: Pick<Store, 'db'>) => sql`update hit_mark set until_ms = 1 where until_ms > 0`.execute(db)

type Fate = { readonly step: number; readonly delayMs: number; readonly signal: NodeJS.Signals }

function start({ options }: TestStore, { step, delayMs, signal }: Fate) {
  const words = [runner, options.dataFolder, options.databaseUrl ?? '', `${step}`, `${delayMs}`, signal]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (bytes) => {
    said += String(bytes)
  })
  const ended = Promise.all([once(child, 'exit'), once(child.stdout, 'close')])
  return { child, outcome: ended.then(() => said) }
}

const listsOf = (random: Random) => () => fc.sample(commands, { numRuns: 1, seed: random.integer(0, 2 ** 30) })[0]!

describe.each(engines)('D57: a process that matches (%s)', (engine) => {
  test(
    'may be killed at any moment; the next one continues',
    async () => {
      console.log(`seed ${seed}`)
      const random = randomOf(seed)
      await using made = await openTestStore(engine)
      let store: Store = made
      let killed = 0
      const match = async (crashAt: number | undefined): Promise<boolean> => {
        if (crashAt === undefined || !(await isWorkLeft(store))) {
          await matchEditions(
            store,
            trialOptions(() => {}),
          )
          return true
        }
        // the folder of an embedded stock belongs to one process at a time
        await store.close()
        const delayMs = random.chance(0.5) ? 0 : random.integer(1, 20)
        const { outcome } = start(made, { step: random.integer(1, crashAt), delayMs, signal: 'SIGKILL' })
        const said = await outcome
        store = await openStore(made.options)
        if (engine === 'server') await expireLease(store)
        if (said === '') killed++
        else expect(said).toBe('matched')
        return said !== ''
      }
      const nextList = listsOf(random)
      while (killed < kills) await runHitModel({ store: () => store, match }, nextList())
      await store.close()
    },
    2 * 60 * 60_000,
  )
})

describe.skipIf(testDatabaseUrl === undefined)('processes that match the same stock', () => {
  test(
    'when one sleeps past its lease, another takes over and the first writes nothing more',
    async () => {
      console.log(`seed ${seed}`)
      const random = randomOf(seed)
      await using store = await openTestStore('server')
      let slept = 0
      const match = async (crashAt: number | undefined): Promise<boolean> => {
        if (crashAt === undefined) {
          await matchEditions(
            store,
            trialOptions(() => {}),
          )
          return true
        }
        const { child, outcome } = start(store, { step: crashAt, delayMs: 0, signal: 'SIGSTOP' })
        const isAsleep = await Promise.race([outcome.then(() => false), asleep(child.pid!)])
        if (!isAsleep) return true
        await expireLease(store)
        expect(
          await matchEditions(
            store,
            trialOptions(() => {}),
          ),
        ).toMatchObject({ kind: 'matched' })
        child.kill('SIGCONT')
        expect(['MarkLostError', 'matched']).toContain(await outcome)
        slept++
        return true
      }
      const nextList = listsOf(random)
      while (slept < sleeps) await runHitModel({ store: () => store, match }, nextList())
    },
    60 * 60_000,
  )

  test(
    'two at once, whose leases may end at any moment, make each hit once',
    async () => {
      const random = randomOf(seed)
      await using store = await openTestStore('server')
      const one = async (): Promise<void> => {
        for (;;) {
          const outcome = await matchEditions(
            store,
            trialOptions(() => {}),
          ).catch((error: unknown) => {
            if (error instanceof MarkLostError) return undefined
            throw error
          })
          if (outcome?.kind === 'matched') return
        }
      }
      const match = async (): Promise<boolean> => {
        const both = Promise.all([one(), one()]).then(() => true)
        const isDone = async () => (await Promise.race([both, delay(random.integer(1, 20))])) === true
        while (!(await isDone())) await expireLease(store)
        return true
      }
      const nextList = listsOf(random)
      for (let race = 0; race < races; race++) await runHitModel({ store: () => store, match }, nextList())
    },
    60 * 60_000,
  )
})
