import { expect, test } from 'vitest'
import { openDatabaseClock } from './database-clock.ts'

/** A machine whose clock is off, a way to the database, and the database's clock. */
function world(offMs: number) {
  let time = 1_000_000
  let off = offMs
  const own = () => time + off
  const clock = openDatabaseClock(own)
  return {
    clock,
    time: () => time,
    wait: (ms: number) => {
      time += ms
    },
    setOff: (ms: number) => {
      off = ms
    },
    /** The answer is made `there` after the start, and arrives `back` later. */
    look: (there: number, back: number) => {
      const sentAt = own()
      time += there
      const databaseMs = time
      time += back
      clock.note({ sentAt, databaseMs, receivedAt: own() })
    },
  }
}

test('before the first poll the local time counts, then the time of the database, to half of the round trip', () => {
  const { clock, time, look } = world(-600_000)
  expect(clock.now()).toBe(time() - 600_000)
  look(10, 30)
  expect(clock.differenceMs()).toBe(599_990)
  expect(clock.now()).toBe(time() - 10)
})

test('network jitter does not move the time; setting a clock does', () => {
  const { clock, time, look, setOff, wait } = world(90_000)
  look(5, 5)
  for (const [there, back] of [
    [0, 200],
    [200, 0],
    [3000, 0],
    [0, 40_000],
  ] as const) {
    look(there, back)
    expect(clock.differenceMs()).toBe(-90_000)
  }
  wait(1000)
  setOff(0)
  look(5, 5)
  expect(clock.now()).toBe(time())
})

test('a slow answer still shows a difference above its uncertainty; one across a change of the local clock is ignored', () => {
  const { clock, look } = world(10 * 60_000)
  look(0, 20_000)
  expect(clock.differenceMs()).toBe(-600_000 - 10_000)
  look(5, 5)
  expect(clock.differenceMs()).toBe(-600_000)
  clock.note({ sentAt: 5000, databaseMs: 9_000_000, receivedAt: 1000 })
  expect(clock.differenceMs()).toBe(-600_000)
})
