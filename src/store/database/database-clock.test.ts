import { expect, test } from 'vitest'
import { sharedTime } from '../../platform/clock.ts'
import { openDatabaseClock } from './database-clock.ts'

/** A machine whose clock is off, a way to the database, and the database's clock. */
function world(offMs: number) {
  let time = 1_000_000
  let off = offMs
  const steady = () => time - 900_000
  const own = () => time + off
  const clock = openDatabaseClock(own, steady)
  return {
    clock,
    time: () => time,
    own,
    steady,
    wait: (ms: number) => {
      time += ms
    },
    setOff: (ms: number) => {
      off = ms
    },
    /** The answer is made `there` after the start, and arrives `back` later. */
    look: (there: number, back: number) => {
      const sentAt = steady()
      time += there
      const databaseMs = time
      time += back
      clock.note({ sentAt, databaseMs, receivedAt: steady() })
    },
  }
}

test('before the first poll the local time counts, then the time of the database, to half of the round trip', () => {
  const { clock, time, look } = world(-600_000)
  expect(clock.now()).toBe(time() - 600_000)
  expect(clock.differenceMs()).toBe(0)
  look(10, 30)
  expect(clock.differenceMs()).toBe(599_990)
  expect(clock.now()).toBe(time() - 10)
})

test('network jitter does not move the time', () => {
  const { clock, look } = world(90_000)
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
})

test('setting the clock of the machine moves nothing and is seen at once; setting that of the database does', () => {
  const { clock, time, own, steady, look, setOff, wait } = world(0)
  look(5, 5)
  expect(clock.differenceMs()).toBe(0)
  for (const off of [300_000, -300_000]) {
    setOff(off)
    wait(700)
    expect(clock.now()).toBe(time())
    expect(clock.differenceMs()).toBe(-off)
    expect(sharedTime(clock.aheadMs(), own, steady)).toBe(time())
  }
  look(5, 5)
  expect(clock.now()).toBe(time())
  // another server leads, whose clock is an hour ahead
  clock.note({ sentAt: steady(), databaseMs: time() + 3_600_000, receivedAt: steady() })
  expect(clock.now()).toBe(time() + 3_600_000)
})

test('a slow answer still shows a difference above its uncertainty', () => {
  const { clock, look } = world(10 * 60_000)
  look(0, 20_000)
  expect(clock.differenceMs()).toBe(-600_000 - 10_000)
  look(5, 5)
  expect(clock.differenceMs()).toBe(-600_000)
})
