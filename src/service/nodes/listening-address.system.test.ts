import { createServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { findPort, holdPort } from './listening-address.ts'

const host = '127.0.0.1'

const listen = (port: number) =>
  new Promise<Server>((done, fail) => {
    const server = createServer().once('error', fail)
    server.listen(port, host, () => done(server))
  })

test('a held port is taken until it is released, once or twice', async () => {
  await using held = await holdPort(host, 0)
  await expect(listen(held.port)).rejects.toThrow('EADDRINUSE')
  await expect(findPort(host, held.port, '--console-port')).rejects.toThrow(/is in use.*--console-port/)
  await held.release()
  const server = await listen(held.port)
  await held.release()
  await expect(listen(held.port)).rejects.toThrow('EADDRINUSE')
  await new Promise((done) => server.close(done))
})
