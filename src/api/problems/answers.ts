// Writes problem answers: through Fastify if a request was read, else as plain text on the socket.
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { systemClock } from '../../platform/clock.ts'
import { allowedMethods, type Problem, problemBody, problemHeaders, problemKind } from './problems.ts'

/** Path of a request target without query, also for `http://host/path`. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/)
  const beforeQuery = end < 0 ? target : target.slice(0, end)
  if (beforeQuery.startsWith('/')) return beforeQuery
  const path = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*(\/.*)?$/.exec(beforeQuery)
  return path ? (path[1] ?? '/') : '/'
}

/** Splits header lines into names and values. */
export function headerPairs(lines: string): [name: string, value: string][] {
  return lines
    .split('\r\n')
    .slice(0, -1)
    .map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 2)]
    })
}

/** Sends a problem through Fastify. */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  docsUrl: string,
): FastifyReply {
  for (const [name, value] of headerPairs(problemHeaders(problem, request.id))) reply.header(name, value)
  const body = problemBody(problem, { docsUrl, path: pathOf(request.raw.url ?? '/'), requestId: request.id })
  return reply.code(problemKind(problem.slug).status).send(Buffer.from(body))
}

const reasons: { readonly [status: number]: string } = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
}
const lingerMs = 1000

/**
 * Answers on a socket whose request could not be read, and closes it; input that still arrives is read and dropped.
 * Returns status and body bytes sent.
 */
export function answerOnSocket(
  socket: Duplex,
  problem: Problem,
  context: { readonly docsUrl: string; readonly path: string; readonly requestId: string },
): { readonly status: number; readonly bytes: number } {
  const { status } = problemKind(problem.slug)
  const body = problemBody(problem, context)
  const headers = [
    `HTTP/1.1 ${status} ${reasons[status] ?? ''}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${context.requestId}`,
    ...(problem.slug === 'method-not-allowed' ? [`Allow: ${allowedMethods}`] : []),
    // the machine's time, as in all other answers (RFC 9110 6.6.1)
    `Date: ${new Date(systemClock()).toUTCString()}`,
    'Connection: close',
  ]
  socket.on('error', () => socket.destroy())
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMs).unref()
  return { status, bytes: Buffer.byteLength(body) }
}

/** Whether Content-Length is above 0 or Transfer-Encoding is present. */
export function hasBody({ raw }: FastifyRequest): boolean {
  const length = raw.headers['content-length']
  return raw.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0)
}
