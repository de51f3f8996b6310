// Requests and answers of the simulated portals on the wire.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { PortalAnswer } from './portal-answer.ts'
import type { PortalRequest } from './request-pattern.ts'

/** Prefix of the path of an address to which a portal has moved. */
export const movedPath = '/moved'
/** Maximum bytes of a request's body that are kept. */
const longestBody = 4 * 1024 * 1024

/** Whether the client followed a redirect of ours. */
export const isMoved = (incoming: IncomingMessage): boolean => /^\/[^/]+\/moved\//.test(incoming.url ?? '')

/** `/<host>/<path>?<query>` as the real request; undefined when there is no host. */
export async function readRequest(incoming: IncomingMessage): Promise<PortalRequest | undefined> {
  const match = /^\/([^/?]+)(\/[^?]*)?(\?.*)?$/.exec(incoming.url ?? '')
  const path = match?.[2] ?? '/'
  const url =
    match &&
    URL.parse(
      `https://${match[1]}${path.startsWith(`${movedPath}/`) ? path.slice(movedPath.length) : path}${match[3] ?? ''}`,
    )
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= longestBody) chunks.push(chunk)
  }
  if (!url) return undefined
  const headers: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(incoming.headers))
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  return {
    method: incoming.method === 'HEAD' ? 'GET' : (incoming.method ?? 'GET'),
    url,
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

function writeHead(reply: ServerResponse, answer: PortalAnswer, length: number, packed?: 'gzip'): void {
  reply.writeHead(answer.status, {
    'content-type': answer.type,
    ...answer.headers,
    ...(answer.status !== 304 && { 'content-length': length }),
    ...(packed && { 'content-encoding': packed }),
  })
}

export function send(reply: ServerResponse, answer: PortalAnswer, isPacked = false, isHead = false): void {
  const body = isPacked ? gzipSync(answer.body) : answer.body
  writeHead(reply, answer, body.length, isPacked ? 'gzip' : undefined)
  reply.end(isHead || answer.status === 304 ? undefined : body)
}

/** Ends the connection: immediately, or in the middle of the body. */
export function breakOff(reply: ServerResponse, answer: PortalAnswer, isAtOnce: boolean): void {
  // `reply.socket` is null while an earlier answer on the same connection has not ended
  const { socket } = reply.req
  if (isAtOnce) {
    socket.resetAndDestroy()
    return
  }
  writeHead(reply, answer, Math.max(2, answer.body.length))
  reply.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () => socket.destroy())
}

/** Writes the answer in eight pieces with a pause of `dripMs` between them. */
export async function drip(reply: ServerResponse, answer: PortalAnswer, dripMs: number): Promise<void> {
  writeHead(reply, answer, answer.body.length)
  const size = Math.max(1, Math.ceil(answer.body.length / 8))
  for (let at = 0; at < answer.body.length && !reply.destroyed; at += size) {
    reply.write(answer.body.subarray(at, at + size))
    await delay(dripMs)
  }
  reply.end()
}
