import { describe, expect, test } from 'vitest'
import { engines, openTestStore } from '../../../test/world.ts'
import { hourMs } from '../../domain/time.ts'
import { systemRandom } from '../../platform/random.ts'
import { loadCursorKeys, rotateCursorKey } from '../editions/cursor-keys.ts'
import { bump, readSerials } from './change-signal.ts'
import { inTransaction } from './database.ts'
import { getOrCreateSetting, getSetting, setSetting } from './settings.ts'

const now = Date.UTC(2026, 0, 1)
const randomBytes = systemRandom.bytes

describe.each(engines)('values that processes share, on the %s engine', (engine) => {
  test('processes that start at once agree on the first cursor key', async () => {
    await using store = await openTestStore(engine)
    const loaded = await Promise.all(Array.from({ length: 20 }, () => loadCursorKeys(store.db, { now, randomBytes })))
    expect(loaded[0]!.current.key).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(loaded.map((keys) => JSON.stringify(keys))).size).toBe(1)
  })

  test('C38: a replaced cursor key opens cursors for another 25 hours, then it is removed', async () => {
    await using store = await openTestStore(engine)
    const at = (hours: number) => ({ now: now + hours * hourMs, randomBytes })
    const first = await loadCursorKeys(store.db, at(0))
    const second = await rotateCursorKey(store.db, at(100))
    expect(second.all).toEqual([second.current, first.current])
    expect((await loadCursorKeys(store.db, at(124.9))).all).toEqual([second.current, first.current])
    expect((await loadCursorKeys(store.db, at(125))).all).toEqual([second.current])
    const third = await rotateCursorKey(store.db, at(125))
    expect(third.all).toEqual([third.current, second.current])
    expect(await store.db.selectFrom('cursor_key').select('key_id').orderBy('key_id').execute()).toEqual([
      { key_id: 2 },
      { key_id: 3 },
    ])
  })

  test('processes that load an old cursor key at once replace it once; the old one opens cursors for another 25 hours', async () => {
    await using store = await openTestStore(engine)
    const load = (days: number) => loadCursorKeys(store.db, { now: now + days * 24 * hourMs, randomBytes })
    const first = await load(0)
    expect(await load(29.9)).toEqual(first)
    const loaded = await Promise.all(Array.from({ length: 20 }, () => load(30)))
    expect(new Set(loaded.map((keys) => JSON.stringify(keys))).size).toBe(1)
    expect(loaded[0]!.all).toEqual([loaded[0]!.current, first.current])
    expect(loaded[0]!.current.keyId).toBe(first.current.keyId + 1)
    expect((await load(32)).all).toEqual([loaded[0]!.current])
  })

  test('a setting is created once and can be changed', async () => {
    await using store = await openTestStore(engine)
    const values = Array.from({ length: 10 }, (_, index) => `value ${index}`)
    const seen = await Promise.all(values.map((value) => getOrCreateSetting(store.db, 'id', value)))
    expect(new Set(seen).size).toBe(1)
    await setSetting(store.db, 'id', 'other')
    expect(await getSetting(store.db, 'id')).toBe('other')
    expect(await getSetting(store.db, 'missing')).toBeUndefined()
  })

  test('a signal increases with its change and only then', async () => {
    await using store = await openTestStore(engine)
    await inTransaction(store, (trx) => bump(trx, 'edition'))
    const failing = inTransaction(store, async (trx) => {
      await bump(trx, 'edition')
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    expect(await readSerials(store.db)).toEqual({ tokens: 0, edition: 1, console: 0 })
  })
})
