import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  connectionsPerAddress,
  createConnectionMemory,
  forgetConnections,
  limitConnections,
} from './connection-limit.ts'

/** Two threads that share the counts, as two servers. */
async function open(limit: number) {
  const memory = createConnectionMemory(2)
  const warnings: string[] = []
  const ports: number[] = []
  for (const thread of [0, 1]) {
    const server = createServer((socket) => socket.write('x'))
    limitConnections(server, { limit, memory, thread, clock: () => 0, warn: (message) => warnings.push(message) })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ports.push((server.address() as AddressInfo).port)
    onTestFinished(() => void server.close())
  }
  /** The connection if it is served; undefined if it is closed at once. */
  const use = async (thread: number, localAddress: string): Promise<Socket | undefined> => {
    const socket = connect({ host: '127.0.0.1', port: ports[thread]!, localAddress })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    const isServed = await Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'close').then(() => false),
    ])
    return isServed ? socket : undefined
  }
  return { memory, warnings, use }
}

test('one address holds at most so many connections to all threads; others are served, and closed ones forgotten', async () => {
  const { memory, warnings, use } = await open(3)
  const held = [await use(0, '127.0.0.2'), await use(1, '127.0.0.2'), await use(1, '127.0.0.2')]
  expect(held).not.toContain(undefined)
  for (const thread of [0, 1, 0]) expect(await use(thread, '127.0.0.2')).toBeUndefined()
  expect(warnings).toEqual([expect.stringMatching(/^The address 127\.0\.0\.2 holds 3 /), expect.anything()])
  expect(await use(0, '127.0.0.1')).toBeDefined()
  held[0]!.destroy()
  await expect.poll(() => use(1, '127.0.0.2')).toBeDefined()
  expect(await use(0, '127.0.0.2')).toBeUndefined()
  // a thread that ended
  forgetConnections(memory, 1)
  expect(await use(0, '127.0.0.2')).toBeDefined()
})

test('the limit is what is set, and at most a quarter of the files that are left', () => {
  expect(connectionsPerAddress(1)).toBe(1)
  expect(connectionsPerAddress()).toBeGreaterThan(0)
  expect(connectionsPerAddress()).toBeLessThanOrEqual(256)
})
