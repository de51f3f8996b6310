// What a fault makes of a good answer, and what a client receives that already has it.
import { createHash } from 'node:crypto'
import type { Source } from '../sources/source.ts'
import type { FaultName } from './faults.ts'
import { type PortalAnswer, textAnswer } from './portal-answer.ts'
import { movedPath } from './portal-wire.ts'
import type { PortalRequest } from './request-pattern.ts'
import { challenge } from './serve-card.ts'

/** The answer that this fault makes of a good one; undefined if it does not change it, or breaks the connection. */
export function spoiledAnswer(
  name: FaultName,
  answer: PortalAnswer,
  request: PortalRequest,
  source: Source,
  retryAfterSeconds: number,
): PortalAnswer | undefined {
  switch (name) {
    case 'waf-challenge':
      return { ...textAnswer(202, ''), headers: { 'x-amzn-waf-action': 'challenge' } }
    case 'cookie-challenge':
      return challenge()
    case 'rate-limit':
      return {
        ...textAnswer(429, 'Too many requests'),
        headers: { 'retry-after': String(retryAfterSeconds) },
      }
    case 'rate-limit-bare':
      return textAnswer(429, 'Too many requests')
    case 'forbidden':
      return textAnswer(403, 'Forbidden')
    case 'server-error':
    case 'failing-offset':
      return textAnswer([500, 502, 503][request.url.href.length % 3]!, 'The portal has a fault')
    case 'maintenance':
      return textAnswer(
        200,
        '<!DOCTYPE html><html><body>The portal is down for maintenance.</body></html>',
        'text/html; charset=utf-8',
      )
    case 'error-body':
      return textAnswer(200, errorBody(source), 'application/json; charset=utf-8')
    case 'empty-body':
      return answer.status === 200 ? { ...answer, body: Buffer.alloc(0) } : undefined
    case 'cut-quietly':
      return answer.status === 200 && answer.body.length > 1
        ? { ...answer, body: answer.body.subarray(0, Math.floor(answer.body.length * 0.6)) }
        : undefined
    case 'redirect': {
      const to = new URL(request.url)
      to.pathname = `${movedPath}${to.pathname}`
      const status = request.method === 'GET' ? [302, 307, 308][request.url.href.length % 3]! : 307
      return { ...textAnswer(status, ''), headers: { location: to.href } }
    }
    default:
      return undefined
  }
}

/** Adds ETag and Last-Modified, and answers 304 if the client has this state. */
export function withVersion(
  request: PortalRequest,
  answer: PortalAnswer,
  happens: (name: FaultName) => boolean,
): PortalAnswer {
  if (answer.status !== 200 || request.method !== 'GET') return answer
  const etag = happens('unspecific-etag') ? '"version-1"' : (answer.etag ?? `"${hash(answer.body)}"`)
  const headers: Record<string, string> = { ...answer.headers, etag }
  if (answer.modifiedAt !== undefined) headers['last-modified'] = new Date(answer.modifiedAt).toUTCString()
  const isSame =
    request.headers['if-none-match'] !== undefined
      ? request.headers['if-none-match'] === etag || happens('stale-etag')
      : request.headers['if-modified-since'] !== undefined &&
        request.headers['if-modified-since'] === headers['last-modified']
  return isSame ? { status: 304, type: answer.type, body: Buffer.alloc(0), headers } : { ...answer, headers }
}

/** What the card recognizes as an error in an answer with status 200, else the usual one. */
function errorBody(source: Source): string {
  for (const { delivery } of source.channels) {
    const fault = 'fault' in delivery ? delivery.fault : undefined
    if (!fault?.at.startsWith('/')) continue
    const names = fault.at.slice(1).split('/')
    return JSON.stringify(names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), fault.is ?? 'Error'))
  }
  return JSON.stringify({ status: 500, detail: 'Internal error' })
}

export function hash(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
}
