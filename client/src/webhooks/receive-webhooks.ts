// A small HTTP server that receives webhooks: it verifies each, stores hits, and answers 2xx only when they are stored.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Hit, type HitOutcome, hitFaults } from '../hits/hit.ts'
import type { HitEvent } from '../types.ts'
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts'

/** Maximum bytes of a body. Tenderstock sends at most 256 KB. */
const maxBodyBytes = 1024 * 1024
/** Maximum number of simultaneous connections; further ones are closed immediately. An endpoint uses four. */
const maxConnections = 64
/** How long the headers of a request may take. */
const headersMs = 10_000
/** How long a request may take to arrive. */
const requestMs = 20_000
/** How long a connection may be idle between two requests. */
const idleMs = 5_000
/** How often these times are checked. */
const checkMs = 1_000
/** How long open requests may take when the receiver is closed. */
const closeMs = 15_000

export type ReceiverEvent =
  | { readonly event: 'hit'; readonly outcome: HitOutcome; readonly hit: Hit }
  | { readonly event: 'test'; readonly webhookId: string }
  /** A kind of message that this version does not know. It was answered with 204. */
  | { readonly event: 'ignored'; readonly webhookId: string; readonly type: string }
  /** Not a webhook, not genuine, or not whole. */
  | { readonly event: 'refused'; readonly status: number; readonly reason: string }
  /** The target failed. The answer was 503, so the sender tries again. */
  | { readonly event: 'failed'; readonly webhookId: string | undefined; readonly error: unknown }

export type ReceiverOptions = {
  readonly host: string
  readonly port: number
  /** The path of the endpoint's address, such as `/hits`. */
  readonly path: string
  /** Called for each request; returns the old and the new secret during a rotation. */
  readonly secrets: () => Promise<readonly string[]>
  /** Called for each hit; the hit is durable when it resolves. */
  readonly keep: (hit: Hit) => Promise<HitOutcome>
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Called before the answer is sent. */
  readonly on: (event: ReceiverEvent) => void
}

export type Receiver = {
  readonly url: string
  /** Accepts no more connections, and ends when the open requests are answered or their time is over. */
  readonly close: () => Promise<void>
}

type Answer = {
  readonly status: number
  readonly text?: string
  readonly headers?: { readonly [name: string]: string }
}

/** Starts the server. Rejects if it cannot listen on the address. */
export async function receiveWebhooks(options: ReceiverOptions): Promise<Receiver> {
  const open = new Set<Promise<void>>()
  let isClosing = false

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await answerTo(request, options)
    // The sender closed the connection.
    if (!answer || response.destroyed) return
    const { status, text, headers } = answer
    const isLast = isClosing || !request.complete
    response.writeHead(status, {
      ...headers,
      ...(text !== undefined && { 'content-type': 'text/plain; charset=utf-8' }),
      ...(isLast && { connection: 'close' }),
    })
    response.end(text)
  }

  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: checkMs,
    },
    (request, response) => {
      const done = respond(request, response).finally(() => open.delete(done))
      open.add(done)
    },
  )
  server.maxConnections = maxConnections
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const { address, family, port } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}${options.path}`,
    async close() {
      isClosing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const timer = setTimeout(() => server.closeAllConnections(), closeMs)
      await closed
      clearTimeout(timer)
      await Promise.all(open)
    },
  }
}

/** Undefined if the request broke off. */
async function answerTo(request: IncomingMessage, options: ReceiverOptions): Promise<Answer | undefined> {
  const { path, secrets, keep, now, on } = options
  const refuse = (status: number, reason: string, headers: Answer['headers'] = {}): Answer => {
    on({ event: 'refused', status, reason })
    return { status, text: `${reason}\n`, headers }
  }
  if (request.url?.split('?')[0] !== path) return refuse(404, `This receiver takes webhooks at ${path} alone.`)
  if (request.method !== 'POST') return refuse(405, 'This receiver takes POST alone.', { allow: 'POST' })
  const coding = request.headers['content-encoding']
  if (coding !== undefined && coding !== 'identity')
    return refuse(415, 'The body must have no content coding: its signature is over the bytes as they are.', {
      'accept-encoding': 'identity',
    })
  const body = await bodyOf(request)
  if (body === 'broken') return undefined
  if (body === 'too large') return refuse(413, `The body has more than ${maxBodyBytes} bytes.`)
  let webhookId: string | undefined
  try {
    const event = verifyWebhook(body, request.headers, await secrets(), { now: now() })
    webhookId = event.id
    const { type } = event
    if (type === 'webhook.test') on({ event: 'test', webhookId })
    else if (type === 'search.hit' || type === 'search.hit.changed') {
      const faults = hitFaults(event)
      if (faults.length > 0) return refuse(400, `The message is no hit: ${faults.join('; ')}.`)
      const hit = hitOf(event, new Date(now()).toISOString())
      on({ event: 'hit', outcome: await keep(hit), hit })
    } else on({ event: 'ignored', webhookId, type: String(type) })
    return { status: 204 }
  } catch (error) {
    if (error instanceof WebhookVerificationError) return refuse(400, error.message)
    on({ event: 'failed', webhookId, error })
    return { status: 503, text: 'The hit could not be kept; send it again.\n' }
  }
}

function hitOf({ id, ...event }: HitEvent & { readonly id: string }, receivedAt: string): Hit {
  return { ...event, webhookId: id, receivedAt }
}

function bodyOf(request: IncomingMessage): Promise<Buffer | 'too large' | 'broken'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return Promise.resolve('too large')
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    let size = 0
    request.on('data', (piece: Buffer) => {
      size += piece.length
      if (size <= maxBodyBytes) pieces.push(piece)
      else resolve('too large')
    })
    request.once('end', () => resolve(Buffer.concat(pieces)))
    // Both also occur after the end, and change nothing then.
    request.once('error', () => resolve('broken'))
    request.once('close', () => resolve('broken'))
  })
}
