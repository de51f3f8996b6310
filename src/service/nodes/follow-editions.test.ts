// When the watch for new editions counts as a successful look: monitoring alerts on its time.
import { expect, onTestFinished, test, vi } from 'vitest'
import type { EditionLog } from '../../edition/write/edition-log.ts'
import { openLog } from '../../platform/log.ts'
import { openNodeState } from '../watch/node-state.ts'
import { followEditions } from './follow-editions.ts'

test('a look counts only when the database answered and everything new was loaded', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const world = { edition: 1, answers: true, loads: true, looks: 0 }
  const editions = {
    serial: 1,
    isDamaged: false,
    olderDatabase: undefined,
    checkSome: () => {},
    catchUp: async () => {
      if (!world.loads) throw new Error('the disk is full')
      editions.serial = world.edition
    },
  }
  onTestFinished(
    followEditions({
      editions: editions as unknown as EditionLog,
      source: {} as never,
      database: {
        look: async () => {
          if (!world.answers) throw new Error('no answer')
          return { edition: world.edition } as never
        },
      },
      state: openNodeState(),
      log: openLog('silent'),
      onLook: () => world.looks++,
    }),
  )
  const looksIn = async (seconds: number) => {
    const before = world.looks
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    return world.looks - before
  }
  expect(await looksIn(5)).toBe(5)
  world.edition = 2
  world.loads = false
  expect(await looksIn(5)).toBe(0)
  world.loads = true
  expect(await looksIn(5)).toBe(5)
  world.answers = false
  expect(await looksIn(5)).toBe(0)
})
