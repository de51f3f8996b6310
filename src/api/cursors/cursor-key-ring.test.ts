import { describe, expect, test } from 'vitest'
import { dayMs } from '../../domain/time.ts'
import { openCursorKeyRing } from './cursor-key-ring.ts'

describe('the ring of cursor keys', () => {
  test('is read again after a day without a reason, and once in a second with one', async () => {
    let [now, reads] = [Date.UTC(2026, 0, 1), 0]
    const load = async () => [{ keyId: ++reads, key: '00'.repeat(32) }]
    const ring = await openCursorKeyRing({ load, clock: () => now })
    expect(ring.keys().map(({ keyId }) => keyId)).toEqual([1])
    now += dayMs - 1
    ring.keys()
    expect(reads).toBe(1)
    now++
    expect(ring.keys().map(({ keyId }) => keyId)).toEqual([1])
    await new Promise(setImmediate)
    expect(ring.keys().map(({ keyId }) => keyId)).toEqual([2])
    await ring.refresh()
    expect(reads).toBe(2)
    now += 1000
    await ring.refresh()
    expect(ring.keys().map(({ keyId }) => keyId)).toEqual([3])
  })

  test('keeps the keys that it has while the store does not answer', async () => {
    let now = Date.UTC(2026, 0, 1)
    let isDown = false
    const load = async () => {
      if (isDown) throw new Error('down')
      return [{ keyId: 1, key: '00'.repeat(32) }]
    }
    const ring = await openCursorKeyRing({ load, clock: () => now })
    isDown = true
    now += 2 * dayMs
    expect(ring.keys()).toHaveLength(1)
    await new Promise(setImmediate)
    expect(ring.keys()).toHaveLength(1)
  })
})
