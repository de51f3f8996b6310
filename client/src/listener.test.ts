import { afterEach, expect, it, vi } from 'vitest'
import { syncWorld } from '../test/sync-world.ts'
import { listenerOf } from './listener.ts'

afterEach(() => void vi.restoreAllMocks())

it('a listener that throws is an uncaught error of the program, and the run completes', async () => {
  const original = globalThis.queueMicrotask
  const uncaught: unknown[] = []
  vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((callback) =>
    original(() => {
      try {
        callback()
      } catch (error) {
        uncaught.push(error)
      }
    }),
  )
  const world = syncWorld()
  world.api.publish([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
  await world.complete({
    on: () => {
      throw new Error('the listener')
    },
  })
  world.expectEqual()
  expect(uncaught.length).toBeGreaterThan(3)
  expect(uncaught[0]).toEqual(new Error('the listener'))
  expect(() => listenerOf(undefined)('nobody listens')).not.toThrow()
})
