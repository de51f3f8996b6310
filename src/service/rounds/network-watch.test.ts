// When the machine is to blame, and when the portals are.
import { expect, test } from 'vitest'
import { Retryable } from '../../platform/http.ts'
import type { CommandEvent } from '../events/command-event.ts'
import { watchNetwork } from './network-watch.ts'

/** A network whose hosts answer while they are `up`; returns what was reported. */
function open(hosts = 9) {
  const up = new Set<string>()
  const events: string[] = []
  const watch = watchNetwork(
    {
      send: ({ url }) =>
        up.has(new URL(url).host) ? Promise.resolve({} as never) : Promise.reject(new Retryable('x')),
    },
    { hosts, emit: (event: CommandEvent) => void events.push(event.event === 'warning' ? 'offline' : event.event) },
  )
  const ask = (...names: readonly string[]) =>
    Promise.allSettled(names.map((host) => watch.send({ url: `https://${host}/` })))
  return { up, events, ask, fail: () => watch.emitFailure({ event: 'none', message: 'failed' }) }
}

test('a machine without a network is reported once, and when it is back', async () => {
  const { up, events, ask, fail } = open()
  await ask('a', 'b')
  fail()
  expect(events).toEqual([])
  await ask('c', 'd')
  fail()
  expect(events).toEqual(['offline'])
  up.add('a')
  await ask('a')
  expect(events).toEqual(['offline', 'networkBack'])
})

test('portals that never answered do not count while another one has, however many they are', async () => {
  const { up, events, ask, fail } = open()
  up.add('a')
  await ask('a')
  await ask('b', 'c', 'd', 'e')
  fail()
  expect(events).toEqual(['none'])
})

test('a network that breaks is noticed by portals that had answered', async () => {
  const { up, events, ask, fail } = open()
  for (const host of ['a', 'b', 'c']) up.add(host)
  await ask('a', 'b', 'c')
  up.clear()
  await ask('a', 'b', 'x')
  fail()
  expect(events).toEqual([])
  await ask('c')
  expect(events).toEqual(['offline'])
})

test('what failed before the next answer is reported with it', async () => {
  const { up, events, ask, fail } = open()
  await ask('a')
  fail()
  expect(events).toEqual([])
  up.add('b')
  await ask('b')
  expect(events).toEqual(['none'])
})
