// Looks at an embedded stock that nobody writes to ask nothing.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectionFailure } from '../embedded/engine.ts'
import { bump, readSerials } from './change-signal.ts'
import { inTransaction, openStore, type Store } from './database.ts'
import { untilWritten } from './until-written.ts'

async function openEmbedded(): Promise<Store> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'written-'))
  const store = await openStore({ dataFolder })
  onTestFinished(async () => {
    await store.close()
    await rm(dataFolder, { recursive: true })
  })
  return store
}

function countedLook(store: Store) {
  const counted = { asked: 0, look: async () => 0 }
  counted.look = untilWritten(store, async () => {
    counted.asked++
    return (await readSerials(store.looks)).tokens
  })
  return counted
}

test('an embedded stock is asked again after a commit, and not before', async () => {
  const store = await openEmbedded()
  const counted = countedLook(store)
  expect(await counted.look()).toBe(0)
  for (let times = 0; times < 5; times++) await counted.look()
  await store.db.selectFrom('setting').selectAll().execute()
  expect(await counted.look()).toBe(0)
  expect(counted.asked).toBe(1)

  await bump(store.db, 'tokens')
  expect(await counted.look()).toBe(1)
  await inTransaction(store, (trx) => bump(trx, 'tokens'))
  expect(await counted.look()).toBe(2)
  await inTransaction(store, async (trx) => {
    await bump(trx, 'tokens')
    throw new Error('undone')
  }).catch(() => {})
  expect(await counted.look()).toBe(2)
})

test('a change that comes during a look is seen by the next one', async () => {
  const store = await openEmbedded()
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const look = untilWritten(store, async () => {
    const { tokens } = await readSerials(store.looks)
    begun.resolve()
    await go.promise
    return tokens
  })
  const first = look()
  await begun.promise
  await bump(store.db, 'tokens')
  go.resolve()
  expect(await first).toBe(0)
  expect(await look()).toBe(1)
})

test('a failed look is repeated', async () => {
  let fails = true
  const look = untilWritten({ writes: () => '' }, async () => {
    if (fails) throw new Error(connectionFailure)
    return 1
  })
  await expect(look()).rejects.toThrow(connectionFailure)
  fails = false
  expect(await look()).toBe(1)
})

test('a stock with other writers is always asked', async () => {
  let asked = 0
  const look = untilWritten({}, async () => ++asked)
  expect([await look(), await look()]).toEqual([1, 2])
})
