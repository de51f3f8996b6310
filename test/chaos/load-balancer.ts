// Stands between the clients and the API processes as a load balancer does, with the faults of real networks.
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../testing/generate/random.ts'
import { PageOrder } from './page-order.ts'

/** One exchange as the balancer saw it; its time at the API is between the two moments. */
export type Exchange = {
  readonly authorization: string
  readonly startedAt: number
  readonly endedAt: number
  readonly status: number
}

export type LoadBalancer = {
  readonly url: string
  /** With faults: requests are dropped and delayed, answers truncated, or sent slowly. Nothing is ever sent twice. */
  readonly setFaults: (areOn: boolean) => void
  readonly counts: {
    readonly requests: number
    /** From the API. */
    readonly byStatus: ReadonlyMap<number, number>
    /** 502 and 504 of the balancer itself: the API process was down or hung. */
    readonly unreachable: number
    /** Connections dropped and answers cut, by intention or because the API process was killed in mid-answer. */
    readonly cut: number
  }
  /** Answers that no client should ever cause: everything below 500 except 2xx, 429 and an expired cursor. */
  readonly refusals: readonly string[]
  /** Pages that held a record twice, or out of order. */
  readonly disorder: readonly string[]
  readonly exchanges: readonly Exchange[]
  readonly close: () => Promise<void>
}

const upstreamTimeoutMs = 8000

export async function openLoadBalancer(options: {
  readonly ports: readonly number[]
  readonly random: Random
}): Promise<LoadBalancer> {
  const { ports, random } = options
  const byStatus = new Map<number, number>()
  const refusals: string[] = []
  const order = new PageOrder()
  const exchanges: Exchange[] = []
  const counts = { requests: 0, byStatus, unreachable: 0, cut: 0 }
  let hasFaults = false

  const server = createServer((request, response) => {
    void pass(request, response).catch(() => response.destroy())
  })

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    counts.requests += 1
    const port = random.pick(ports)
    const fault = hasFaults
      ? random.weighted([
          [80, 'none'],
          [8, 'delay'],
          [4, 'cut'],
          [3, 'drop'],
          [3, 'drip'],
          [2, 'lose'],
        ] as const)
      : 'none'
    if (fault === 'drop') {
      counts.cut += 1
      return void request.socket.destroy()
    }
    if (fault === 'delay') await delay(random.integer(20, 800))
    const startedAt = Date.now()
    const upstream = httpRequest({
      host: '127.0.0.1',
      port,
      path: request.url,
      method: request.method,
      headers: { ...request.headers, connection: 'close' },
      agent: false,
      timeout: upstreamTimeoutMs,
    })
    upstream.once('timeout', () => upstream.destroy(new Error('timeout')))
    response.once('close', () => upstream.destroy())
    upstream.once('error', (error) => {
      if (response.headersSent || response.destroyed) {
        counts.cut += 1
        return void response.destroy()
      }
      counts.unreachable += 1
      const status = error.message === 'timeout' ? 504 : 502
      response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>The balancer speaks, not the API</h1>')
    })
    upstream.once('response', (answer) => {
      const status = answer.statusCode ?? 0
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      exchanges.push({ authorization: request.headers.authorization ?? '', startedAt, endedAt: Date.now(), status })
      // Handled as the API intended, then lost on the way back.
      if (fault === 'lose') {
        counts.cut += 1
        return void request.socket.destroy()
      }
      response.writeHead(status, answer.headers)
      void forward(request, answer, response, fault)
    })
    request.pipe(upstream)
  }

  async function forward(
    request: IncomingMessage,
    answer: IncomingMessage,
    response: ServerResponse,
    fault: string,
  ): Promise<void> {
    const status = answer.statusCode ?? 0
    const refusal: Buffer[] | undefined = status >= 300 && status < 500 && status !== 429 ? [] : undefined
    const whole: Buffer[] | undefined = status === 200 ? [] : undefined
    let cutAfter = fault === 'cut' ? random.integer(0, 20_000) : Number.POSITIVE_INFINITY
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        refusal?.push(chunk)
        whole?.push(chunk)
        if (chunk.length > cutAfter) {
          response.write(chunk.subarray(0, cutAfter))
          // What was written must arrive: the client then holds half a body.
          await delay(5)
          throw new Error('cut')
        }
        cutAfter -= chunk.length
        if (fault === 'drip') await delay(random.integer(5, 60))
        response.write(chunk)
      }
      response.end()
    } catch {
      counts.cut += 1
      response.destroy()
    }
    if (whole && response.writableEnded) order.look(request.url ?? '', answer.headers, Buffer.concat(whole))
    const text = refusal && Buffer.concat(refusal).toString('utf8')
    if (text !== undefined && !(status === 400 && text.includes('#error-cursor-expired')))
      refusals.push(`${status} ${request.url}: ${text.slice(0, 300)}`)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setFaults: (areOn) => {
      hasFaults = areOn
    },
    counts,
    refusals,
    disorder: order.faults,
    exchanges,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
