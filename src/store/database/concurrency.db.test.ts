// Many callers on one store: none sees another's rows, errors or transaction, and everything committed is stored.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { seed } from '../../../test/testing/seed.ts'
import { engines, openTestStore } from '../../../test/world.ts'
import { inTransaction, type Store } from './database.ts'

const loops = 20
const stepsPerLoop = 60

function randomFrom(start: number): (below: number) => number {
  let state = start >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

class Undo extends Error {}

/**
 * One caller: mixes reads, writes, errors, transactions that commit, roll back or fail, and notes what must be there.
 */
async function mix(store: Store, loop: number, committed: Map<string, string>): Promise<number> {
  const random = randomFrom(seed * 1000 + loop)
  let expectedErrors = 0
  for (let step = 0; step < stepsPerLoop; step++) {
    const name = `${loop}-${step}`
    const value = 'v'.repeat(random(2000)) + name
    const row = { name, value }
    switch (random(8)) {
      case 0: {
        const { rows } = await sql<{ echo: string }>`select ${value}::text as echo`.execute(store.db)
        expect(rows).toEqual([{ echo: value }])
        break
      }
      case 1:
        await store.db.insertInto('setting').values(row).execute()
        committed.set(name, value)
        break
      case 2:
        await expect(sql`selec ${name}`.execute(store.db)).rejects.toMatchObject({ code: '42601' })
        expectedErrors++
        break
      case 3:
        await expect(sql`select ${name}::text::integer`.execute(store.db)).rejects.toMatchObject({ code: '22P02' })
        expectedErrors++
        break
      case 4:
        await inTransaction(store, async (trx) => {
          await trx.insertInto('setting').values(row).execute()
          const seen = await trx.selectFrom('setting').selectAll().where('name', '=', name).execute()
          expect(seen).toEqual([row])
          await trx
            .insertInto('setting')
            .values({ name: `${name}b`, value })
            .execute()
        })
        committed.set(name, value).set(`${name}b`, value)
        break
      case 5: {
        const undone = inTransaction(store, async (trx) => {
          await trx.insertInto('setting').values(row).execute()
          throw new Undo()
        })
        await expect(undone).rejects.toBeInstanceOf(Undo)
        expectedErrors++
        break
      }
      case 6: {
        // A statement fails and its error is ignored: the commit must not report success.
        const failed = inTransaction(store, async (trx) => {
          await trx.insertInto('setting').values(row).execute()
          await sql`select 1 / 0`.execute(trx).catch(() => {})
        })
        await expect(failed).rejects.toThrow()
        expectedErrors++
        break
      }
      default: {
        const trx = await store.db.startTransaction().execute()
        await trx.insertInto('setting').values(row).execute()
        const saved = await trx.savepoint('before').execute()
        await expect(sql`select 1 / 0`.execute(saved)).rejects.toMatchObject({ code: '22012' })
        await saved.rollbackToSavepoint('before').execute()
        await saved.commit().execute()
        committed.set(name, value)
      }
    }
  }
  return expectedErrors
}

describe.each(engines)('%s engine', (engine) => {
  test(`${loops} callers at once: no cross-talk, no row lost, none duplicated (seed ${seed})`, async () => {
    await using store = await openTestStore(engine)
    const committed = new Map<string, string>()
    const errors = await Promise.all(Array.from({ length: loops }, (_, loop) => mix(store, loop, committed)))
    const rows = await store.db.selectFrom('setting').selectAll().execute()
    expect(new Map(rows.map((row) => [row.name, row.value]))).toEqual(committed)
    console.log(
      `${engine}: ${committed.size} committed rows, ${errors.reduce((sum, count) => sum + count)} expected errors, seed ${seed}`,
    )
  })

  test('a query on the store inside a transaction is an error, not a deadlock', async () => {
    await using store = await openTestStore(engine)
    const inside = inTransaction(store, async () => {
      await store.db.selectFrom('setting').selectAll().execute()
    })
    await expect(inside).rejects.toThrow(/use the given trx/)
    const nested = inTransaction(store, () => inTransaction(store, async () => {}))
    await expect(nested).rejects.toThrow(/use the given trx/)
    expect(await store.db.selectFrom('setting').selectAll().execute()).toEqual([])
  })

  test('a closed store refuses queries', async () => {
    await using store = await openTestStore(engine)
    await store.close()
    await store.close()
    await expect(store.db.selectFrom('setting').selectAll().execute()).rejects.toThrow()
  })
})
