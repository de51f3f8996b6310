import { afterEach, expect, it, vi } from 'vitest'
import { syncWorld } from '../test/sync-world.ts'
import { listenerOf } from './listener.ts'

afterEach(() => void vi.restoreAllMocks())

it('a listener that throws is an uncaught error of the program, and the run completes', async () => {
  const uncaught: (() => void)[] = []
  vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((callback) => void uncaught.push(callback))
  const world = syncWorld()
  world.api.publish([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
  await world.complete({
    on: () => {
      throw new Error('the listener')
    },
  })
  world.expectEqual()
  expect(uncaught.length).toBeGreaterThan(3)
  expect(uncaught[0]).toThrow('the listener')
  expect(() => listenerOf(undefined)('nobody listens')).not.toThrow()
})
