// A node that leaves says so, and keeps answering, for the last time on each connection.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startApi, startOfTests } from '../../test/api-world.ts'
import { plainId } from '../../test/memory-editions.ts'
import { readAnswer, sendRaw } from '../../test/raw-http.ts'
import type { UnreadyReason } from './readiness.ts'

async function openConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Sends a request and reads its whole answer. */
async function ask(socket: Socket, request: string): Promise<ReturnType<typeof readAnswer>> {
  let text = ''
  socket.write(request)
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    text += chunk.toString('latin1')
    if (!text.includes('\r\n\r\n')) continue
    const answer = readAnswer(text)
    if (answer.body.length === Number(answer.headers.get('content-length') ?? 0)) return answer
  }
}

test('a node that drains answers each old and new connection once more, and /readyz names the reason', async () => {
  let reason: UnreadyReason | undefined
  await using world = await startApi({ unready: () => reason })
  world.editions.publish(startOfTests, [{ id: plainId(1) }])
  const { port, token } = world
  const lines = `Host: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  const list = `GET /v1/tenders HTTP/1.1\r\n${lines}`
  // the first two connections are on the short way and on the server
  const [quick, slow, probe, idle] = await Promise.all([1, 2, 3, 4].map(() => openConnection(port)))
  for (const [socket, path] of [
    [quick!, '/v1/tenders'],
    [slow!, '/access'],
    [probe!, '/readyz'],
  ] as const) {
    const answer = await ask(socket, `GET ${path} HTTP/1.1\r\n${lines}`)
    expect([path, answer.status, answer.headers.get('connection')]).toEqual([path, 200, 'keep-alive'])
  }

  reason = 'draining'
  for (const [socket, path] of [
    [quick!, '/v1/tenders'],
    [slow!, `/v1/tenders/${plainId(1)}`],
    [idle!, '/v1/tenders?limit=1'],
    [await openConnection(port), '/v1/tenders'],
    [await openConnection(port), '/healthz'],
  ] as const) {
    const closed = once(socket, 'close')
    const answer = await ask(socket, `GET ${path} HTTP/1.1\r\n${lines}`)
    expect([path, answer.status, answer.headers.get('connection')]).toEqual([path, 200, 'close'])
    await closed
  }
  for (const socket of [probe!, await openConnection(port)]) {
    const answer = await ask(socket, `GET /readyz HTTP/1.1\r\n${lines}`)
    expect([answer.status, answer.headers.get('connection')]).toEqual([503, 'close'])
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(JSON.parse(answer.body)).toMatchObject({ status: 503, reason: 'draining' })
  }
  // a second request in the same packet is not answered: the client sends it again elsewhere
  const pipelined = await sendRaw(port, list + list)
  expect(pipelined.match(/HTTP\/1\.1 200 OK/g) ?? [], pipelined).toHaveLength(1)
  const unauthorized = await sendRaw(port, 'GET /v1/tenders HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(readAnswer(unauthorized).status).toBe(401)
})
