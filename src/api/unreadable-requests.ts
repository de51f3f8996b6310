// What the HTTP parser refuses before there is a request: answered as a problem where the socket still allows it (D50).
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { AnsweredRequest } from './access-log.ts'
import { clientAddress } from './client-address.ts'
import { isKnownPath } from './paths.ts'
import { answerOnSocket, pathOf } from './problems/answers.ts'
import type { Problem } from './problems/problems.ts'

export const maxUrlLength = 8192
export const maxHeadersLength = 16_384
/** Maximum number of header lines; Node's parser gives up slightly above it, whatever their length. */
export const maxHeaderLines = 900

export const uriTooLong: Problem = {
  slug: 'uri-too-long',
  detail: `The URL of a request may have at most ${maxUrlLength} bytes.`,
}
export const headersTooLarge: Problem = {
  slug: 'headers-too-large',
  detail: `The headers of a request may have at most ${maxHeadersLength} bytes together, in at most ${maxHeaderLines} lines.`,
}
export const malformedRequest: Problem = { slug: 'malformed-request', detail: 'The request is not well-formed HTTP.' }

export type ParserError = Error & { readonly code?: string; readonly rawPacket?: Buffer }

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40} (\S{1,8192}) HTTP\/1\.[01]\r?$/

/** First line of the data received last, if it looks like a request line; undefined otherwise. */
function firstLine(error: ParserError): { text: string; isComplete: boolean } | undefined {
  if (!error.rawPacket) return undefined
  const end = error.rawPacket.indexOf(10)
  const bytes = error.rawPacket.subarray(0, end < 0 ? undefined : end)
  return { text: bytes.toString('latin1'), isComplete: end >= 0 }
}

/** The problem that explains a parser's error, and the path as far as known. */
export function explainParserError(error: ParserError): { problem: Problem; path: string } {
  const line = firstLine(error)
  const match = line ? requestLine.exec(line.text) : null
  const path = match ? pathOf(match[1]!) : '/'
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return {
      problem: { slug: 'request-timeout', detail: 'The request was not received completely in time.' },
      path: '/',
    }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    const isLongTarget =
      line !== undefined && /^[A-Z]+ \S*/.test(line.text.slice(0, 100)) && line.text.length > maxUrlLength
    return isLongTarget
      ? { problem: uriTooLong, path: pathOf(line.text.slice(0, maxUrlLength).split(' ')[1] ?? '/') }
      : { problem: headersTooLarge, path }
  }
  // A method that the parser does not know is still a method (D5).
  if (error.code === 'HPE_INVALID_METHOD' && match) {
    return isKnownPath(path)
      ? {
          problem: { slug: 'method-not-allowed', detail: 'This method is not allowed here; use GET, HEAD or OPTIONS.' },
          path,
        }
      : { problem: { slug: 'not-found', detail: 'There is no such path.' }, path }
  }
  return { problem: malformedRequest, path }
}

/** Hooks into Node's server for the cases that never become a Fastify request. */
export function answerUnreadableRequests(
  server: Server,
  context: {
    readonly docsUrl: string
    readonly newRequestId: () => string
    /** Called with each answer. */
    readonly note?: ((answered: AnsweredRequest) => void) | undefined
  },
): (error: ParserError, socket: Duplex) => void {
  const { docsUrl, newRequestId, note } = context
  const answer = (socket: Duplex, problem: Problem, { method, path }: { method: string; path: string }): void => {
    const requestId = newRequestId()
    const { status, bytes } = answerOnSocket(socket, problem, { docsUrl, path, requestId })
    const address = () => clientAddress((socket as Socket).remoteAddress ?? '', undefined, 0)
    const read = { method, target: path, route: undefined, agent: undefined, grant: undefined }
    const header = () => undefined
    note?.({ ...read, header, requestId, status, milliseconds: 0, bytes, address })
  }
  const answered = new WeakSet<Duplex>()
  const isAnswering = (socket: Duplex): boolean => {
    const message = (socket as Duplex & { readonly _httpMessage?: ServerResponse | null })._httpMessage
    return Boolean(message?.headersSent)
  }
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const problem: Problem = {
      slug: 'method-not-allowed',
      detail: 'CONNECT is not allowed here; use GET, HEAD or OPTIONS.',
    }
    answer(socket, problem, { method: 'CONNECT', path: '/' })
  })
  // Expectations are for bodies, which no request here has: answer immediately.
  const answerAtOnce = (request: IncomingMessage, response: ServerResponse) => server.emit('request', request, response)
  server.on('checkContinue', answerAtOnce)
  server.on('checkExpectation', answerAtOnce)
  return (error, socket) => {
    if (answered.has(socket)) return
    answered.add(socket)
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy()
      return
    }
    const { problem, path } = explainParserError(error)
    answer(socket, problem, { method: '', path })
  }
}
