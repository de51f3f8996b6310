// The control socket between a command and the service that holds the stock.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { OperatorError } from '../../platform/errors.ts'
import type { CommandEvent } from '../events/command-event.ts'
import { askRunningService, controlProtocol, listenForCommands, type RunCommand } from './control-socket.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tenderstock-control-'))
  closers.push(() => rm(path, { recursive: true }))
  return path
}

async function listen(dataFolder: string, run: RunCommand) {
  const server = await listenForCommands(dataFolder, run)
  if (server) closers.push(server.close)
  return server
}

const request = { command: 'status', options: { json: true }, operands: ['a'] }

async function ask(dataFolder: string, each = request) {
  const events: CommandEvent[] = []
  return { exitCode: await askRunningService(dataFolder, each, (event) => events.push(event)), events }
}

/** Writes text to the socket and returns everything that comes back. */
function send(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve(answer) : reject(error),
    )
    socket.write(text)
  })
}

describe('control socket', () => {
  test('passes a command on, streams its events in order, and returns its exit code', async () => {
    const data = await folder()
    await listen(data, async (got, emit) => {
      expect(got).toEqual(request)
      for (let index = 0; index < 1000; index += 1)
        emit({ event: 'progress', stage: 'check', done: index, detail: 'ü'.repeat(50) })
      return 4
    })
    const { exitCode, events } = await ask(data)
    expect(exitCode).toBe(4)
    expect(events.map((event) => event.event === 'progress' && event.done)).toEqual(
      Array.from({ length: 1000 }, (_, index) => index),
    )
  })

  test('reports that nobody answers if there is no service, or a killed one', async () => {
    const data = await folder()
    expect((await ask(data)).exitCode).toBeUndefined()
    await writeFile(join(data, 'control.sock'), '')
    expect((await ask(data)).exitCode).toBeUndefined()
    expect(await listen(data, async () => 0)).toBeDefined()
    expect((await ask(data)).exitCode).toBe(0)
  })

  test('only its owner may open it, and a second listener leaves it alone', async () => {
    const data = await folder()
    const server = await listen(data, async () => 0)
    expect((await stat(server!.path)).mode & 0o777).toBe(0o600)
    expect(await listenForCommands(data, async () => 1)).toBeUndefined()
    expect((await ask(data)).exitCode).toBe(0)
  })

  test('a path too long for a socket falls back to a folder of our own', async () => {
    const data = join(await folder(), 'x'.repeat(120))
    await (await import('node:fs/promises')).mkdir(data)
    const server = await listen(data, async () => 7)
    expect(Buffer.byteLength(server!.path)).toBeLessThan(104)
    expect((await ask(data)).exitCode).toBe(7)
    await server!.close()
    expect((await ask(data)).exitCode).toBeUndefined()
  })

  test("an operator's mistake arrives as its sentence, a bug as one", async () => {
    const data = await folder()
    await listen(data, async ({ command }) => {
      if (command === 'status') throw new OperatorError('no-token', 'Repair this.')
      throw new TypeError('oops')
    })
    await expect(ask(data)).rejects.toMatchObject({ message: 'Repair this.', code: 'no-token', exitCode: 8 })
    await expect(ask(data, { ...request, command: 'other' })).rejects.toMatchObject({ code: 'bug', exitCode: 70 })
  })

  test('refuses other protocols, lines that are no request, and lines without an end', async () => {
    const data = await folder()
    const server = await listen(data, async () => 0)
    expect(await send(server!.path, `${JSON.stringify({ protocol: controlProtocol + 1, ...request })}\n`)).toMatch(
      /speaks protocol/,
    )
    expect(await send(server!.path, 'hello\n')).toMatch(/not JSON/)
    expect(await send(server!.path, `{"protocol":${controlProtocol}}\n`)).toMatch(/without command/)
    expect(await send(server!.path, 'x'.repeat(3 * 1024 * 1024))).toMatch(/longer than|^$/)
    expect((await ask(data)).exitCode).toBe(0)
  })

  test('a frozen service is reported after a while, a slow command is waited for', async () => {
    const frozen = await folder()
    const sockets: Socket[] = []
    const server = createServer((socket) => void sockets.push(socket.resume()))
    await new Promise<void>((listening) => server.listen(join(frozen, 'control.sock'), listening))
    closers.push(() => new Promise((closed) => server.close(closed)))
    await expect(askRunningService(frozen, request, () => {}, { confirmedWithinMs: 50 })).rejects.toThrow(
      /has not answered for 0\.05 s; look at its log, and restart it/,
    )
    expect(sockets).toHaveLength(1)

    const slow = await folder()
    await listen(slow, async () => delay(300, 7))
    expect(await askRunningService(slow, request, () => {}, { confirmedWithinMs: 200 })).toBe(7)
  })

  test('a service that ends in the middle is reported, and does not count as success', async () => {
    const data = await folder()
    const server = await listenForCommands(data, () => {
      void server!.close()
      return new Promise(() => {})
    })
    const asked = ask(data)
    await expect(asked).rejects.toBeInstanceOf(OperatorError)
  })
})
