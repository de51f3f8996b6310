// What the imitated CRMs share: a server on loopback with a bearer token, faults on demand, and a list of what a strict
// reader of their documentation would object to.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type CrmCall = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
}
export type CrmReply = {
  readonly status: number
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
}

/** A reply in place of the real one; `isDone`: the request takes effect nevertheless, as if the answer was lost. */
type CrmFault = (CrmReply & { readonly isDone?: boolean }) | { readonly reset: true; readonly isDone?: boolean }

export type LoopbackCrm = AsyncDisposable & {
  readonly origin: string
  readonly token: string
  /** Requests served, in order: `POST /path`. */
  readonly requests: string[]
  /** What no client may do: unknown members, wrong forms, deletions. */
  readonly violations: string[]
  /** Replies for the next requests, whatever they are. */
  readonly faults: CrmFault[]
}

export type LoopbackOptions = {
  /** Answers what needs no token, such as a request for one. */
  readonly answerAnybody?: (call: {
    readonly method: string
    readonly path: string
    readonly text: string
  }) => CrmReply | undefined
  readonly answer: (call: CrmCall, violate: (text: string) => void) => CrmReply
  readonly unauthorized: unknown
  readonly token: string
  /** Whether a token lets in now; without it, `token` does for ever. */
  readonly isValid?: (token: string) => boolean
}

export async function startLoopbackCrm(options: LoopbackOptions): Promise<LoopbackCrm> {
  const { answer, answerAnybody, unauthorized, token, isValid = (given) => given === token } = options
  const requests: string[] = []
  const violations: string[] = []
  const faults: CrmFault[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://loopback.example')
      const method = request.method ?? ''
      requests.push(`${method} ${url.pathname}`)
      const violate = (text: string): void => void violations.push(`${method} ${url.pathname}: ${text}`)
      const text = Buffer.concat(chunks).toString()
      const open = answerAnybody?.({ method, path: url.pathname, text })
      const reply = (): CrmReply => {
        if (method === 'DELETE' || /archive|\/merge/.test(url.pathname)) violate('deletes or merges for good')
        const [, given] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
        if (given === undefined || !isValid(given)) return { status: 401, body: unauthorized }
        let body: unknown
        if (text !== '') {
          if (!request.headers['content-type']?.startsWith('application/json')) {
            violate(`content type ${request.headers['content-type']}`)
            return { status: 415, body: { message: 'Unsupported Media Type' } }
          }
          body = JSON.parse(text)
        } else if (method !== 'GET') violate('no body')
        return answer({ method, path: url.pathname, query: url.searchParams, body }, violate)
      }
      const fault = open ? undefined : faults.shift()
      if (fault?.isDone) reply()
      if (fault && 'reset' in fault) return void request.socket.destroy()
      const { status, body, headers } = open ?? fault ?? reply()
      response.writeHead(status, { 'content-type': 'application/json;charset=utf-8', ...headers })
      response.end(body === undefined ? undefined : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    requests,
    violations,
    faults,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}

export const isObject = (value: unknown): value is { [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Records members that the documentation does not name. */
export function onlyMembers(
  value: { readonly [name: string]: unknown },
  names: readonly string[],
  violate: (text: string) => void,
): void {
  for (const name of Object.keys(value)) if (!names.includes(name)) violate(`unknown member ${name}`)
}
